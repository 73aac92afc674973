"""The lecturer's side of a room: what is asked by itself, what is revealed, and that the secret stays."""

import pytest

from pages.shared.hall import presenter
from pages.shared.room import rooms
from pages.shared.room.rooms import Rooms
from pages.shared.room.store import File, StoreError
from pages.shared.take import share
from privsc_core import draw
from privsc_core.draw.prediction import per_dot
from privsc_core.evaluate.scenario import Scenario
from tests.pages import app as apps

LECTURE = """title = "A"
about = "B"
[[scene]]
title = "T"
link = "points?d=16&learners=exponential&predict=1"
caption = "C"
question = "How many at $d$ = 16?"
[[scene]]
title = "U"
link = "points?d=16&learners=exponential&predict=1"
caption = "C"
question = "Which?"
choices = ["one", "two"]
right = 2
feedback = ["No.", "Yes."]
"""


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.setattr(rooms, "_chosen", Rooms(File(tmp_path / "rooms.db")))
    rooms.OPEN.set()
    yield rooms.chosen()
    rooms.OPEN.clear()


def guesses(app):
    """Return the controls of the lecturer's own guess."""
    return [
        one
        for kind in ("slider", "select_slider")
        for one in app.get(kind)
        if "prediction of m" in one.label
    ]


def phone(house, code, value):
    """Join, and answer the question that is asked."""
    joined, _, _ = house.join(code, "", None, "192.0.2.1")
    shown = house.state(house.store.room(joined.room.id))
    house.commit(joined, shown["question"]["id"], value)
    return shown


def test_a_lecture_is_asked_and_revealed_on_phones_by_itself(house):
    lecture = presenter.keep(LECTURE.encode())
    app = apps.run("pages/points.py", v="1", present="1", lecture=lecture.name, d="16",
                   learners="exponential", predict="1")  # fmt: skip
    assert guesses(app)  # without a room the lecturer's own guess
    app = apps.press(app, "pv_room_open")
    assert not app.exception
    secret = apps.param(app, "room")
    seen = house.seen(secret)
    assert (seen.phase, seen.joined) == ("asked", 0)
    assert not guesses(app)  # phones answer now
    shown = [phone(house, seen.code, value) for value in (100, 400, 900)]
    assert shown[0]["question"]["text"] == "How many at d = 16?"
    assert "truth" not in shown[0]

    app = apps.press(app, "pv_reveal")
    assert house.seen(secret).phase == "revealed"
    needed = int(house.record(secret)[0][0].truth)
    assert f"Predicted 400. Exponential mechanism needs {needed:,}" in apps.html(app)
    assert "The line is the median of 3 answers" in apps.html(app)

    app = apps.press(app, "pv_next")
    assert apps.param(app, "room") == secret  # the room goes along
    question, _ = house.record(secret)[1]
    assert (question.choices, question.truth, question.feedback) == (
        ("one", "two"),
        1,
        ("No.", "Yes."),
    )
    for value in (0, 1, 1):
        phone(house, seen.code, value)
    app = apps.press(app, "pv_reveal")
    assert "2 of 3" in apps.html(app)
    app = apps.press(app, "pv_leave")
    # The list of lectures begins the next one in the same room.
    assert all(
        f"room={secret}" in link.proto.query_string
        for link in app.get("page_link")
        if "Start" in link.proto.label
    )
    assert not app.exception


def test_a_room_that_was_closed_lets_the_lecture_go_on(house):
    _, secret = house.open_room()
    app = apps.run("pages/points.py", v="1", d="16", predict="1", present="1", room=secret)
    app = apps.press(app, "pv_room_close")
    assert house.seen(secret).phase == "closed"
    assert guesses(app)  # the lecturer's own again
    app = apps.press(app, "pv_reveal")
    assert not app.exception
    assert "pv-message pv-bad" not in apps.html(app)


def test_the_secret_of_a_room_is_in_the_address_and_in_no_link(house):
    _, secret = house.open_room()
    app = apps.run(
        "pages/points.py", v="1", d="16", predict="1", room=secret, opened=("pv_open_take-away",)
    )
    assert apps.param(app, "room") == secret
    assert house.seen(secret).phase == "asked"
    asked = house.record(secret)[0][0]  # a phone does not see the figure's setting
    assert asked.text.endswith(
        "at this setting?\nPOINT_d, hard distribution; d = 16, ε = 0.5, α = 0.1, β = 0.1."
    )
    shown = {"v": "1", "d": "16", "room": secret}
    for purpose in ("link", "present", "embed"):
        link = share.address("https://hall.example/points", shown, share.Shared(purpose=purpose))
        assert secret not in link
    assert secret not in apps.html(app)
    texts = [str(one.value) for kind in ("code", "markdown", "caption") for one in app.get(kind)]
    assert not [text for text in texts if secret in text]


def test_a_room_that_is_gone_is_said_and_the_page_goes_on(house, monkeypatch):
    def lost(*_):
        raise StoreError("disk")

    _, secret = house.open_room()
    monkeypatch.setattr(house, "seen", lost)
    app = apps.run("pages/points.py", v="1", d="16", predict="1", present="1", room=secret)
    assert not app.exception
    assert "The page goes on without phones." in apps.html(app)
    assert "disk" not in apps.html(app)


def test_a_question_that_the_store_did_not_take_is_asked_by_the_next_run(house, monkeypatch):
    plain, calls = house.ask, []

    def ask(*given):
        calls.append(given)
        if len(calls) == 1:
            raise StoreError("disk")
        return plain(*given)

    _, secret = house.open_room()
    monkeypatch.setattr(house, "ask", ask)
    app = apps.run("pages/points.py", v="1", d="16", predict="1", present="1", room=secret)
    assert house.seen(secret).phase == "waiting"
    app.run()
    assert house.seen(secret).phase == "asked"
    app.run()
    assert len(calls) == 2
    assert not app.exception


def test_a_link_to_a_room_that_is_gone_says_so_and_offers_to_open_it_again(house):
    secret = "0123456789abcdef" * 2
    app = apps.run("pages/points.py", v="1", d="16", predict="1", present="1", room=secret)
    assert not app.exception
    assert house.store.rooms() == {}
    assert "This server does not know the room of this address any more." in apps.html(app)
    assert guesses(app)  # the lecturer's own guess, without phones
    app = apps.press(app, "pv_room_open")
    assert house.seen(secret).phase == "asked"
    assert apps.param(app, "room") == secret
    assert "does not know" not in apps.html(app)


def test_two_lecturers_with_one_link_give_one_lecture(house):
    code, secret = house.open_room()
    lecture = presenter.keep(LECTURE.encode())
    link = {"v": "1", "present": "1", "lecture": lecture.name, "d": "16", "learners": "exponential",
            "predict": "1", "room": secret}  # fmt: skip
    one, other = (apps.run("pages/points.py", **link) for _ in range(2))
    assert len(house.record(secret)) == 1
    number = house.seen(secret).number
    for app in (one, other, one, other):
        app.run()
    assert house.seen(secret).number == number  # they do not take turns in asking
    for value in (100, 400, 900):
        phone(house, code, value)
    other = apps.press(other, "pv_reveal")
    one = apps.press(one, "pv_reveal")
    for app in (one, other):
        assert "Predicted 400." in apps.html(app)
        assert "the median of 3 answers" in apps.html(app)
    one = apps.press(one, "pv_next")
    phone(house, code, 1)
    # The other screen is still where its own question was: it reveals that one, and not this.
    other.run()
    assert house.seen(secret)[1:4] == ("asked", 4, 1)
    one = apps.press(one, "pv_reveal")
    assert "1 of 1" in apps.html(one)
    assert [len(given) for _, given in house.record(secret)] == [3, 1]
    assert not one.exception
    assert not other.exception


@pytest.mark.parametrize("view", ["m", "need-d"])
def test_all_guesses_are_dots_on_the_axis_of_m(view):
    scenario = Scenario(concept="point", learners=("exponential",), d=64)
    chosen = draw.VIEWS[view]
    picture = draw.picture(scenario, view, on_map="exponential")
    crowd = ((30.0, 5), (2000.0, 50), (9e6, 1))
    at = float(getattr(scenario, chosen.axes[0]))
    marked = draw.mark(picture, 1800, chosen.axes, chosen.quantity, at, crowd=crowd)
    dots = next(one for one in marked.figure["data"] if one["uid"] == "answers")
    side, other = ("x", "y") if chosen.axes[0] == "m" else ("y", "x")
    low, high = (10.0**end for end in marked.figure["layout"][f"{side}axis"]["range"])
    assert high < 9e6  # one joker stretches no axis, and is still a dot
    each = per_dot(crowd)
    assert [dots[side].count(value) for value, _ in crowd[:2]] == [-(-5 // each), -(-50 // each)]
    assert max(dots[side]) == high
    assert low <= min(dots[side])
    ends = marked.figure["layout"][f"{other}axis"]["range"]
    logs = marked.figure["layout"][f"{other}axis"].get("type") == "log"
    edge = [10.0**end for end in ends] if logs else ends
    assert all(edge[0] < value < edge[1] for value in dots[other])
