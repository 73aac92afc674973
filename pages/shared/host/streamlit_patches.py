"""What privsc replaces in Streamlit 1.67: two methods of a session, which lose events, and a queue.

Line numbers are those of streamlit/runtime/app_session.py. Nothing of this has a public way; the
fourth function that is replaced is in static_files.py. tests/pages/test_streamlit_patches.py says
what breaks when another version comes.

`AppSession.request_rerun` (line 630), by which a browser asks for a run:

- *A page that was left.* From a click on a link until the server's first word of the new page the
  browser has the old one, and asks in its name: a slider was let go, its frames may be wanted
  (live.js). Streamlit tells fragments apart by function and place alone, so it finds that fragment on
  the new page and runs it there in the name of the old one. The browser clears the new page away,
  finds no place for what the fragment draws, and the screen stays white. Such runs are ignored.
- *A part that is not there yet* (line 666): while a page is drawn anew, Streamlit ignores a control
  that is moved in a part of it that has not been drawn again, and the browser shows a slider where
  the page is not. The whole page is run instead.
- *A control of a page* (controls.py): what follows it is drawn instead of the controls, which a browser
  has moved already; a dozen messages, not fifty.
- *A thread that has just ended* (lines 655 to 664, issue 9921 of Streamlit): a new one begins, and
  Streamlit ignores the events of the old one that the server's loop, late in a full hall, has not
  handled yet (line 1053): a slider was moved, and nothing of it was drawn. They are handled first.

`AppSession._on_scriptrunner_event` (line 938), by which a thread says what it has drawn:

- *A run that has ended* (line 1093): if the next one starts before the browser was told, Streamlit
  says that the last one was cut short, and the browser keeps what it had not drawn again: a table
  would stand below the words that are still to come. Where the next run is of other fragments, the
  end is told as it was.
- *Many messages*, some fifty a change: the loop is called once for all that wait, not for each; each
  call would take Python's lock from the thread that draws.

`StarletteSessionClient.__init__` (streamlit/web/server/starlette/starlette_websocket.py), which makes
the queue of messages for a browser: one comes with each round of the loop, and each is written by
itself. What comes in one go is given out in one go, and written at once: without that a picture came
10 to 30 % later on a busy machine.
"""

from __future__ import annotations

import asyncio
import functools
import sys
from collections import deque
from typing import TYPE_CHECKING, Any

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

from pages.shared.scheduling import waiting
from pages.shared.state import controls

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.runtime.scriptrunner import ScriptRunner
    from streamlit.runtime.scriptrunner.script_runner import ScriptRunnerEvent

_TURN = 0.001  # seconds that a thread computes while others want Python's lock; 5 ms left alone
_MOST = 64  # messages that wait for more: a browser for which too many wait is taken for gone
# Kept alive: runs that began before the replacement have it as a listener, by a weak reference.
# Without it the first page of a server would never be shown.
_PLAIN = AppSession._on_scriptrunner_event  # noqa: SLF001 - see above
# Called with each event of a run, in its thread: (runner, event, fragments).
LISTENERS: list[Callable[[Any, ScriptRunnerEvent, Any], None]] = []


@functools.cache
def apply() -> None:
    """Replace all three, for every session; once per process."""
    # A change passes through some ten threads. Each of them waits for the page that is being drawn.
    sys.setswitchinterval(_TURN)
    AppSession.request_rerun = asks(AppSession.request_rerun)  # type: ignore[assignment, method-assign]
    AppSession._on_scriptrunner_event = said  # type: ignore[assignment, method-assign] # noqa: SLF001 - see above
    StarletteSessionClient.__init__ = sent_together(StarletteSessionClient.__init__)  # type: ignore[method-assign]


# --- What a browser asks for ---------------------------------------------------------------------


def asks(
    plain: Callable[[AppSession, ClientState | None], None],
) -> Callable[[AppSession, ClientState | None], None]:
    """Return what takes the place of `AppSession.request_rerun`."""

    @functools.wraps(plain)
    def request_rerun(session: AppSession, asked: ClientState | None) -> None:
        part = asked is not None and bool(asked.fragment_id)
        if asked is not None and part:
            if not _shows(session, asked.page_script_hash):
                return
            answers = controls.answers(session._fragment_storage, asked.fragment_id)  # noqa: SLF001 - see above
            if answers != asked.fragment_id:
                other = ClientState()
                other.CopyFrom(asked)
                other.fragment_id, asked, part = answers, other, bool(answers)
        before = session._scriptrunner  # noqa: SLF001 - see above
        plain(session, asked)
        now = session._scriptrunner  # noqa: SLF001 - see above
        if part and before is not None and now is not before:
            session._scriptrunner = before  # noqa: SLF001 - see above
            hear(session, before)
            session._scriptrunner = now  # noqa: SLF001 - see above
        waiting.note_change(session.id)

    return request_rerun


def _shows(session: AppSession, page: str) -> bool:
    """Return whether a session shows a page, or is about to."""
    runner = session._scriptrunner  # noqa: SLF001 - see above
    if runner is None:
        return page == session.page_script_hash
    last = runner._requests._rerun_data  # noqa: SLF001 - see above
    return last.page_script_hash in {"", page}  # empty: a page that was asked for by its name


# --- What a thread says --------------------------------------------------------------------------


class _Events:
    """The events of a session's threads that the server's loop has not handled yet, in order."""

    def __init__(self) -> None:
        self.waiting: deque[tuple[Any, ScriptRunnerEvent, dict[str, Any]]] = deque()
        self.called = False  # whether the loop has been


def said(
    session: AppSession, sender: ScriptRunner | None, event: ScriptRunnerEvent, **given: Any
) -> None:
    """Leave an event for the loop, which is called if it has not been yet."""
    for listener in LISTENERS:
        listener(sender, event, given.get("fragment_ids_this_run"))
    events: _Events = vars(session).setdefault("_pv_events", _Events())
    events.waiting.append((sender, event, given))
    if not events.called:
        events.called = True
        session._call_soon_on_event_loop(functools.partial(hear, session))  # noqa: SLF001 - see above


def hear(session: AppSession, only: ScriptRunner | None = None) -> None:
    """Handle the events that wait, or only those of one thread; in the loop."""
    events: _Events = vars(session).setdefault("_pv_events", _Events())
    if only is None:
        events.called = False  # first: an event that is added from now on calls again
    # Streamlit would tell the server of each message; it is told once, at the end.
    there = session._message_enqueued_callback  # noqa: SLF001 - see above
    session._message_enqueued_callback = None  # noqa: SLF001 - see above
    try:
        while events.waiting and (only is None or events.waiting[0][0] is only):
            _handle(session, *events.waiting.popleft())
    finally:
        session._message_enqueued_callback = there  # noqa: SLF001 - see above
        if there:
            there()
        if events.waiting and not events.called:  # one that failed is no reason to lose the others
            events.called = True
            session._call_soon_on_event_loop(functools.partial(hear, session))  # noqa: SLF001 - see above


def _handle(
    session: AppSession, sender: ScriptRunner, event: ScriptRunnerEvent, given: dict[str, Any]
) -> None:
    begun = given.get("fragment_ids_this_run") or ()  # only where a run of fragments starts
    done = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
    ended = [
        message
        for message in (session._browser_queue._queue if begun else ())  # noqa: SLF001 - see above
        if message.script_finished == done
        and set(message.metadata.run.fragment_ids).isdisjoint(begun)
    ]
    session._handle_scriptrunner_event_on_event_loop(sender, event, **given)  # noqa: SLF001 - see above
    for message in ended:
        message.script_finished = done


# --- What a browser is sent ----------------------------------------------------------------------


class Together(asyncio.Queue[bytes]):
    """Messages for a browser: those that come in one go are given out in one go, `_MOST` at most."""

    async def get(self) -> bytes:
        """Return the next message, as soon as no more come."""
        rested = self.empty()
        message = await super().get()
        more = -1
        while rested and more < self.qsize() < _MOST:
            more = self.qsize()
            await asyncio.sleep(0)
        return message


def sent_together(begin: Callable[..., None]) -> Callable[..., None]:
    """Return what begins to send to a browser, see `Together`."""

    @functools.wraps(begin)
    def begun(client: StarletteSessionClient, *given: Any, **more: Any) -> None:
        begin(client, *given, **more)
        client._send_queue = Together(client._send_queue.maxsize)  # noqa: SLF001 - nothing is in it yet

    return begun
