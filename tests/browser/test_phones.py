"""What goes wrong with a phone or its server: nothing is lost or doubled, and both screens say what happened.

The server answers phones alone, without the dashboard: a test is its lecturer.
"""

import contextlib
import socket
import threading
from datetime import UTC, datetime, timedelta

import pytest
import uvicorn
from playwright.sync_api import expect

from pages.shared.room.question import Axis, Question
from pages.shared.room.rooms import Rooms
from pages.shared.room.web import Join, Web
from tests.browser import chromium
from tests.rooms import stores

QUESTION = Question("q", "How many?", axis=Axis(1, 1000, log=True), truth=100, truth_text="100.")
HAS_IT = "The room has it. Wait for the lecturer to reveal."


class House:
    """A server of phones on loopback, which can be killed and started again at its address."""

    def __init__(self, folder):
        self.clock = stores.Clock()
        self.store = stores.file(folder, self.clock)
        self.port = 0
        self.start()

    def start(self):
        self.rooms = Rooms(self.store, self.clock)
        self.rooms.watch()
        web, join = Web(self.rooms), Join()

        async def app(scope, receive, send):
            what, _, rest = scope["path"].strip("/").partition("/")
            await (web if what == "room" else join)(scope | {"path": rest}, receive, send)

        at = socket.create_server(("127.0.0.1", self.port))
        self.port = at.getsockname()[1]
        config = uvicorn.Config(app, log_level="error", lifespan="off", ws="none")
        self.server, self.web = uvicorn.Server(config), web
        self.threads = [
            threading.Thread(target=self.server.run, args=([at],)),
            threading.Thread(target=web.watch),
        ]
        for thread in self.threads:
            thread.start()

    def kill(self):
        """End the server with all that it has in memory; its connections are cut."""
        self.server.should_exit = self.server.force_exit = True
        self.web._ended.set()
        for thread in self.threads:
            thread.join()

    def seen(self, secret, **wanted):
        """Return what the lecturer's screen shows, once it shows what is wanted; time goes on meanwhile."""
        for _ in range(1800):
            seen = self.rooms.seen(secret)
            if all(getattr(seen, name) == value for name, value in wanted.items()):
                return seen
            self.clock.pass_(10)
            self.threads[0].join(0.1)
        raise AssertionError(f"{seen} instead of {wanted}")


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path)
    yield house
    house.kill()
    house.store.finish()


@pytest.fixture
def phone(browser, house):
    with contextlib.closing(
        chromium.profile(browser, viewport={"width": 360, "height": 740})
    ) as it:
        yield it.new_page()


def enter(house, phone, code):
    phone.goto(f"http://127.0.0.1:{house.port}/join/{code}")


def answer(phone, value):
    phone.get_by_label("Or type it").fill(value)
    phone.get_by_role("button", name="Commit").click()


@pytest.mark.parametrize("days", [1, -1])
def test_a_phone_whose_clock_is_a_day_wrong_and_is_put_right_is_one_phone(house, phone, days):
    code, secret = house.rooms.open_room()
    house.rooms.ask(secret, QUESTION)
    now = datetime.now(UTC)
    phone.clock.install(time=now - timedelta(days=days))
    enter(house, phone, code)
    answer(phone, "70")
    expect(phone.locator("#done")).to_contain_text(HAS_IT)
    phone.clock.set_system_time(now)
    phone.reload()
    expect(phone.locator("#done")).to_contain_text(f"70 is your answer. {HAS_IT}")
    house.rooms.reveal(secret)
    expect(phone.locator("#own")).to_contain_text("Your answer: 70, by a factor of 1.43 too small.")
    assert house.seen(secret)[2:6] == (1, 1, 0, 0)


def test_a_phone_offline_for_a_minute_keeps_its_answer_and_sends_it(house, phone):
    code, secret = house.rooms.open_room()
    phone.clock.install()
    enter(house, phone, code)
    expect(phone.locator("#waiting")).to_contain_text("You are in the room.")
    house.rooms.ask(secret, QUESTION)
    expect(phone.get_by_role("heading", name="How many?")).to_be_visible()
    phone.context.set_offline(True)
    answer(phone, "70")
    expect(phone.locator("#line")).to_have_text(
        "No connection. Your answer is kept on this phone and sent when the connection is back."
    )
    expect(phone.locator("#done")).to_contain_text("It is on its way to the room")
    phone.clock.fast_forward(60_000)
    assert house.seen(secret, silent=1)[2:5] == (1, 0, 0)
    phone.context.set_offline(False)
    phone.clock.fast_forward(60_000)
    expect(phone.locator("#done")).to_contain_text(HAS_IT)
    expect(phone.locator("#line")).to_have_text("")
    assert house.seen(secret, silent=0)[2:5] == (1, 1, 0)


def test_a_join_whose_answer_is_lost_is_one_phone(house, phone):
    code, secret = house.rooms.open_room()
    lost = []

    def lose(route):
        if len(lost) == 2:
            route.continue_()
            return
        lost.append(route.fetch().status)  # the server has counted it
        route.abort()

    phone.clock.install()
    phone.route("**/join", lose)
    enter(house, phone, code)
    expect(phone.locator("#line")).to_have_text("No connection. This page tries again by itself.")
    phone.reload()
    for _ in range(2):
        phone.clock.fast_forward(20_000)
    expect(phone.locator("#waiting")).to_contain_text("You are in the room.")
    assert lost == [200, 200]
    assert house.seen(secret).joined == 1


def test_a_lecture_goes_on_when_its_process_is_killed_and_its_store_is_lost(house, phone):
    code, secret = house.rooms.open_room()
    house.rooms.ask(secret, QUESTION)
    for value in (200, 300):
        other = house.rooms.join(code, "", {}, "192.0.2.1")[0]
        house.rooms.commit(other, "q", value)
    enter(house, phone, code)
    answer(phone, "70")
    expect(phone.locator("#done")).to_contain_text(HAS_IT)
    house.kill()
    house.start()
    # The store has it all: the phone is heard again, and the next process reveals it.
    expect(phone.locator("#line")).to_have_text("")
    assert house.seen(secret)[1:5] == ("asked", 3, 3, 0)
    house.store.path.unlink()
    # The process has the room and its question; the phone has its answer.
    expect(phone.locator("#done")).to_contain_text("The room has begun anew, and has it.")
    seen = house.seen(secret, committed=1)
    assert (seen.joined, seen.lost, seen.anew) == (1, 2, True)
    house.kill()
    house.store.path.unlink()
    house.start()
    # Neither has it: the lecturer opens the room again, and asks.
    assert house.seen(secret).phase == "gone"
    assert house.rooms.open_room(secret) == (code, secret)
    house.rooms.ask(secret, QUESTION)
    expect(phone.locator("#done")).to_contain_text("The room has begun anew, and has it.")
    assert house.seen(secret, committed=1)[2:4] == (1, 1)
    house.rooms.reveal(secret)
    expect(phone.locator("#own")).to_contain_text("Your answer: 70")
    assert house.rooms.record(secret) == [(QUESTION, [70])]
