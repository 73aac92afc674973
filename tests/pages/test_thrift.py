"""What Streamlit is spared: browsers are sent the same, pages see the same."""

import asyncio
import threading
import types
from functools import partial

import pytest
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.safe_session_state import SafeSessionState

from pages.shared.host import streamlit_patches


def test_the_theme_is_read_once_and_is_the_same():
    calls = []

    def fill(message, section="theme"):
        calls.append(section)
        if section != "theme.dark":
            message.primary_color = f"#{len(section):06}"
            message.font_faces.add(family=section)

    def sent(filled):
        message = CustomThemeConfig()
        filled(message)
        filled(message.light, "theme.light")
        filled(message.dark, "theme.dark")
        filled(message.light.sidebar, "theme.light.sidebar")
        return message

    plain = sent(fill)
    once = streamlit_patches.filled_once(fill)
    calls.clear()
    for _ in range(3):
        assert sent(once) == plain
        assert not sent(once).HasField("dark")
    assert calls == ["theme", "theme.light", "theme.dark", "theme.light.sidebar"]


@pytest.fixture
def state():
    state = SessionState()
    state["a"], state["none"] = 1, None
    state["$$STREAMLIT_INTERNAL_KEY_x"] = 2
    return state


def test_the_values_of_a_session_are_those_that_streamlit_shows(state):
    plain = state.filtered_state
    seen = streamlit_patches._Visible(SafeSessionState(state, lambda: None))
    assert dict(seen) == plain
    assert list(seen) == list(plain)
    assert len(seen) == len(plain) == 2
    assert str(seen) == str(plain)
    for key in ("a", "none", "other"):
        assert (key in seen) == (key in plain)
        assert seen.get(key, 0) == plain.get(key, 0)


def test_a_page_is_looked_up_once_and_marked_where_it_is_shown():
    looked = []

    def create(file, *, default=False):
        looked.append(file)
        return types.SimpleNamespace(file=file, default=default, shown=False)

    created = streamlit_patches.copied(create)
    first, second, main = created("a.py"), created("a.py"), created("a.py", default=True)
    first.shown = True
    assert (second.file, second.shown, main.default) == ("a.py", False, True)
    assert not created("a.py").shown
    assert looked == ["a.py", "a.py"]


class Client:
    """As much of what sends to a browser as is changed: it begins before the queue is another one."""

    def __init__(self, most):
        self._send_queue = asyncio.Queue(most)
        self.sent, self.rounds = [], 0
        self.tasks = [asyncio.create_task(task) for task in (self._clock(), self._sender())]

    async def _clock(self):
        while True:
            await asyncio.sleep(0)
            self.rounds += 1

    async def _sender(self):
        while True:
            message = await self._send_queue.get()
            self.sent.append((message, self.rounds))


@pytest.mark.parametrize(
    "begin", [Client.__init__, streamlit_patches.sent_together(Client.__init__)]
)
def test_what_comes_in_one_go_is_sent_in_one_go_and_in_order(begin):
    async def run():
        client = Client.__new__(Client)
        begin(client, 9)
        await until(lambda: client.rounds == 2)  # it waits for something to send
        for number in range(12):
            if number == 8:
                await until(lambda: len(client.sent) == 8)
            client._send_queue.put_nowait(number)
            await asyncio.sleep(0)  # as the server's loop does
        await until(lambda: len(client.sent) == 12)
        for task in client.tasks:
            task.cancel()
        await asyncio.gather(*client.tasks, return_exceptions=True)
        assert client._send_queue.maxsize == 9
        return client.sent

    sent = asyncio.run(run())
    assert [message for message, _ in sent] == list(range(12))
    goes = len({at for _, at in sent})
    assert goes == 2 if begin is not Client.__init__ else goes > 8


class Session:
    """As much of a session as events need."""

    def __init__(self, loop):
        self.loop, self.calls, self.said, self.heard = loop, 0, 0, []
        self._message_enqueued_callback = self.say

    def say(self):
        self.said += 1

    def tell(self, event):
        self.calls += 1
        self.loop.call_soon_threadsafe(event)

    def hear(self, number):
        self.heard.append(number)
        if self._message_enqueued_callback:
            self._message_enqueued_callback()
        if number == 3:
            raise LookupError("one that fails")


@pytest.mark.parametrize("together", [False, True])
def test_a_loop_that_has_been_called_is_not_called_again(together):
    async def run():
        loop, complaints = asyncio.get_running_loop(), []
        loop.set_exception_handler(lambda _, context: complaints.append(context["exception"]))
        session = Session(loop)
        tell = streamlit_patches.told_together(Session.tell) if together else Session.tell

        def draw(first):
            for number in range(first, first + 10):
                tell(session, partial(session.hear, number))

        for first in (0, 10):
            thread = threading.Thread(target=draw, args=(first,))
            thread.start()
            thread.join()  # the loop has no turn meanwhile
            await until(lambda: len(session.heard) == first + 10)  # noqa: B023 - at once
        assert [type(error) for error in complaints] == [LookupError]
        assert session._message_enqueued_callback
        return session

    session = asyncio.run(run())
    assert session.heard == list(range(20))
    # Each time; and once more after the one that failed.
    assert (session.calls, session.said) == ((3, 3) if together else (20, 20))


@pytest.mark.parametrize("first", [False, True])
def test_what_a_thread_has_said_is_heard_before_another_begins(first):
    async def run():
        session = Session(asyncio.get_running_loop())
        tell = streamlit_patches.told_together(Session.tell)

        def begin(session, asked):  # from here on nobody hears the thread before
            session.heard.append(asked)

        thread = threading.Thread(target=lambda: tell(session, partial(session.hear, 1)))
        thread.start()
        thread.join()  # it has ended before the loop has a turn
        (streamlit_patches.heard_first(begin) if first else begin)(session, "begun")
        at_once = list(session.heard)
        await until(lambda: session.said)
        await asyncio.sleep(0)
        return at_once, session.heard, session.said

    at_once, heard, said = asyncio.run(run())
    assert at_once == ([1, "begun"] if first else ["begun"])
    assert sorted(map(str, heard)) == ["1", "begun"]  # once
    assert said >= 1


def test_however_many_come_few_wait(monkeypatch):
    """Streamlit gives a browser up whose queue is full."""
    monkeypatch.setattr(streamlit_patches, "_MOST", 4)

    async def run():
        client = Client.__new__(Client)
        streamlit_patches.sent_together(Client.__init__)(client, 9)
        await until(lambda: client.rounds == 2)
        for number in range(50):
            client._send_queue.put_nowait(number)  # QueueFull, if they wait for all
            await asyncio.sleep(0)
        await until(lambda: len(client.sent) == 50)
        for task in client.tasks:
            task.cancel()
        await asyncio.gather(*client.tasks, return_exceptions=True)
        return [message for message, _ in client.sent]

    assert asyncio.run(run()) == list(range(50))


async def until(met):
    """Let the loop run on until a condition is met."""
    for _ in range(1000):
        if met():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never was")
