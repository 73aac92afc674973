"""What privsc replaces in Streamlit: why it has to, and what browsers and threads are told instead."""

import asyncio
import inspect
import threading
from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.scriptrunner.script_runner import ScriptRunnerEvent
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette import starlette_server
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

from pages.shared.host import streamlit_patches
from pages.shared.scheduling import waiting
from pages.shared.state import controls

DONE, EARLY = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, ForwardMsg.FINISHED_EARLY_FOR_RERUN
STARTED, SAID = ScriptRunnerEvent.SCRIPT_STARTED, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG


@pytest.mark.parametrize(
    ("where", "line", "broken"),
    [
        (AppSession.request_rerun, "not self.has_fragment(fragment_id)",
         "a control that is moved while its page is drawn anew may be ignored"),
        (AppSession.request_rerun, "self._create_scriptrunner(rerun_data)",
         "what a thread said last is lost when another begins at once"),
        (AppSession._create_scriptrunner, "on_event.connect(self._on_scriptrunner_event)",
         "the loop is called for every message again, and a run that has ended is said to be cut short"),
        (AppSession._handle_scriptrunner_event_on_event_loop, "self._clear_queue(fragment_ids_this_run)",
         "a run that has ended may be said to be cut short, and browsers keep what it had not drawn"),
        (StarletteSessionClient._sender, "await self._send_queue.get()",
         "each message is written by itself, and pictures come later"),
        (starlette_server.UvicornServer.start, "create_starlette_app(self._runtime)",
         "programs and pages are sent by Streamlit: not compressed, without a first picture"),
    ],
)  # fmt: skip
def test_streamlit_still_works_as_what_is_replaced_assumes(where, line, broken):
    assert line in inspect.getsource(inspect.unwrap(where)), f"Streamlit has changed: {broken}"


# --- What a browser asks for ---------------------------------------------------------------------


@pytest.fixture
def changes(monkeypatch):
    found = []
    monkeypatch.setattr(waiting, "note_change", found.append)
    return found


# Planted: without it what was moved in a part that is being drawn anew was lost.
@pytest.mark.parametrize(
    ("page", "part", "run"),
    [
        ("here", "", ""),
        ("here", "there", "there"),
        ("here", "controls", "follows"),
        ("here", "not yet", ""),
        ("left", "there", None),
        ("left", "", ""),  # that is how another page is asked for
    ],
)
def test_what_is_run_for_what_a_browser_asks(changes, page, part, run):
    asked = []
    runner = SimpleNamespace(
        _requests=SimpleNamespace(_rerun_data=RerunData(page_script_hash="here"))
    )
    session = SimpleNamespace(id="me", _scriptrunner=runner, _fragment_storage=parts())
    state = ClientState(page_script_hash=page, fragment_id=part, query_string="d=3")
    streamlit_patches.asks(lambda _, state: asked.append(state))(session, state)
    assert [one.fragment_id for one in asked] == ([] if run is None else [run])
    assert changes == ["me"] * len(asked)
    assert all(one.query_string == "d=3" for one in asked)
    assert state.fragment_id == part


def parts():
    """Return the parts of a page: controls, what follows them, and others."""
    found = MemoryFragmentStorage()
    for name, key in (
        ("controls", controls.PART),
        ("follows", controls.FOLLOWS),
        ("there", None),
        ("body", None),
    ):
        found.register(name, lambda: None, target_key=key)
    return found


LEFT = """
import streamlit as st

from pages.shared.page import live
from pages.shared.state import state
from pages.shared.state.state import Field

D, S = (Field(key=key, kind="integer", default=2, name=key, low=1, high=9) for key in "ds")
left = "left" in st.query_params  # before the page writes its own
state.adopt((D,))
st.session_state[live._TOUCHED] = "s"


def asked():
    st.text("asked")
    return None


live.answer(asked, {"s": S} if left else {"d": D}, lambda *_: {})
"""


@pytest.mark.parametrize("left", [False, True])
def test_a_page_that_has_been_left_is_not_asked(left):
    app = AppTest.from_string(LEFT)
    if left:
        app.query_params["left"] = "1"
    app.run()
    assert not app.exception
    assert [text.value for text in app.text] == ([] if left else ["asked"])


# --- What a thread says --------------------------------------------------------------------------


class Session:
    """As much of a session as events need."""

    id = "me"

    def __init__(self, loop=None):
        self.loop, self.calls, self.told, self.heard = loop, 0, 0, []
        self._message_enqueued_callback = self.tell
        self._browser_queue = ForwardMsgQueue()
        self._scriptrunner = self.first = SimpleNamespace()

    def tell(self):
        self.told += 1

    def _call_soon_on_event_loop(self, event):
        self.calls += 1
        self.loop.call_soon_threadsafe(event)

    def _handle_scriptrunner_event_on_event_loop(
        self, sender, event, fragment_ids_this_run=None, what=0
    ):
        if sender is not self._scriptrunner:
            return
        if event == STARTED:
            self._browser_queue.clear(
                retain_lifecycle_msgs=True, fragment_ids_this_run=fragment_ids_this_run
            )
        self.heard.append(what)
        if self._message_enqueued_callback:
            self._message_enqueued_callback()
        if what == 3:
            raise LookupError("one that fails")


@pytest.mark.parametrize(
    ("status", "fragments", "begun", "told"),
    [
        (DONE, ["page", "table"], ["strip"], DONE),
        (DONE, ["page"], ["page"], EARLY),
        (DONE, ["page"], ["strip", "page"], EARLY),
        (DONE, ["page"], None, EARLY),
        (EARLY, ["page"], ["strip"], EARLY),
    ],
)
def test_a_run_that_has_ended_is_cut_short_by_its_own_part_and_the_whole_page_alone(
    status, fragments, begun, told
):
    session, message = Session(), ForwardMsg()
    message.script_finished = status
    message.metadata.run.fragment_ids.extend(fragments)
    session._browser_queue.enqueue(message)
    session._call_soon_on_event_loop = lambda event: event()
    streamlit_patches.said(session, session.first, STARTED, fragment_ids_this_run=begun)
    assert [message.script_finished for message in session._browser_queue.flush()] == [told]


def test_a_loop_that_has_been_called_is_not_called_again():
    async def run():
        loop, complaints = asyncio.get_running_loop(), []
        loop.set_exception_handler(lambda _, context: complaints.append(context["exception"]))
        session = Session(loop)

        def draw(first):
            for number in range(first, first + 10):
                streamlit_patches.said(session, session.first, SAID, what=number)

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
    assert (session.calls, session.told) == (
        3,
        3,
    )  # each time; and once more after the one that failed


@pytest.mark.parametrize("part", ["body", ""])
def test_what_a_thread_has_said_is_heard_although_another_has_begun(changes, part):
    async def run():
        session = Session(asyncio.get_running_loop())
        session._fragment_storage = parts()
        session.first._requests = SimpleNamespace(_rerun_data=RerunData(page_script_hash=""))
        second = SimpleNamespace()

        def begin(session, _):  # from here on nobody hears the thread before
            session._scriptrunner = second
            streamlit_patches.said(session, second, SAID, what=2)

        streamlit_patches.said(session, session.first, SAID, what=1)
        streamlit_patches.asks(begin)(session, ClientState(fragment_id=part))
        at_once = list(session.heard)
        await until(lambda: 2 in session.heard)
        assert session._scriptrunner is second
        return at_once, session.heard

    at_once, heard = asyncio.run(run())
    assert at_once == ([1] if part else [])  # a run of the whole page replaces the one before
    assert heard == [*at_once, 2]
    assert changes == ["me"]


# --- What a browser is sent ----------------------------------------------------------------------


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
