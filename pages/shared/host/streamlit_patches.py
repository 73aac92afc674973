"""What privsc changes in Streamlit: work done once, ended runs, pages left, requests in flight.

A control that moves has the body of the page sent anew, some fifty messages. Where nothing is
computed, a fifth of what that costs is the same every time: for each select box every value of the
session is put into the form that pages see, to look one of them up; the theme is put into words from
the configuration for each run, and each page of the dashboard looked up on the disk, folder by folder;
each message is given to the network by itself, and to the thread that does so, which each time takes
Python's lock from the one that draws. In a full hall everybody waits for that.

Nothing of this is public in Streamlit. What pages see and browsers are sent is the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import functools
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache
from streamlit.navigation import page as navigation
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from streamlit.proto.NewSession_pb2 import Config, CustomThemeConfig
    from streamlit.runtime.scriptrunner_utils.script_requests import RerunData


if TYPE_CHECKING:
    _Tell: TypeAlias = Callable[[AppSession, Callable[[], None]], None]

_TURN = 0.001  # seconds that a thread computes while others want Python's lock; 5 ms left alone
_MOST = 64  # messages that wait for more: a browser for which too many wait is taken for gone


@functools.cache
def spare() -> None:
    """Have every session do so; once per process."""
    # A change passes through some ten threads. Each of them waits for the page that is being drawn.
    sys.setswitchinterval(_TURN)
    for name in ("_populate_theme_msg", "_populate_config_msg"):
        setattr(app_session, name, filled_once(getattr(app_session, name)))
    SafeSessionState.filtered_state = property(_Visible)  # type: ignore[assignment]
    navigation._create_page = copied(navigation._create_page)  # noqa: SLF001
    session = app_session.AppSession
    session._call_soon_on_event_loop = told_together(session._call_soon_on_event_loop)  # type: ignore[method-assign, assignment] # noqa: SLF001
    StarletteSessionClient.__init__ = sent_together(StarletteSessionClient.__init__)  # type: ignore[method-assign]


def filled_once(fill: Callable[..., None]) -> Callable[..., None]:
    """Return what fills in a section of the configuration, which is read once: it stays."""
    known: dict[tuple[str, ...], Any] = {}

    @functools.wraps(fill)
    def filled(message: Config | CustomThemeConfig, *section: str) -> None:
        if section not in known:
            known[section] = type(message)()
            fill(known[section], *section)
        if known[section].ByteSize():  # to merge nothing would count as something
            message.MergeFrom(known[section])

    return filled


def copied(create: Callable[..., navigation.Page]) -> Callable[..., navigation.Page]:
    """Return what describes a page of the dashboard: where its file is, is looked up once."""
    known: dict[tuple[str, bool], navigation.Page] = {}

    @functools.wraps(create)
    def created(file: str | Path, *, default: bool = False) -> navigation.Page:
        key = str(file), default
        if key not in known:
            known[key] = create(file, default=default)
        return copy.copy(known[key])  # the page that is shown is marked

    return created


class _Visible(Mapping[str, Any]):
    """The values of a session that pages see; one that is looked up is all that is made ready."""

    def __init__(self, safe: SafeSessionState) -> None:
        self._lock, self._state = safe._lock, safe._state  # noqa: SLF001

    def _all(self) -> dict[str, Any]:
        with self._lock:
            return self._state.filtered_state

    def __getitem__(self, key: str) -> Any:
        with self._lock:
            return self._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(self._all())


class _Told:
    """What the threads of a session have told the server's loop, in order."""

    def __init__(self, tell: _Tell) -> None:
        self._tell = tell
        self.waiting: deque[Callable[[], None]] = deque()
        self._called = False

    def add(self, session: AppSession, event: Callable[[], None]) -> None:
        """Leave an event for the loop, which is called if it has not been yet."""
        self.waiting.append(event)
        if not self._called:
            self._call(session)

    def _call(self, session: AppSession) -> None:
        self._called = True
        self._tell(session, functools.partial(self.listen, session))

    def listen(self, session: AppSession) -> None:
        """Let the session hear what waits; in the loop."""
        self._called = False  # first: who adds something from now on calls again
        # That there are messages is said once, and not for each.
        there = session._message_enqueued_callback  # noqa: SLF001
        session._message_enqueued_callback = None  # noqa: SLF001
        try:
            while self.waiting:
                self.waiting.popleft()()
        finally:
            session._message_enqueued_callback = there  # noqa: SLF001
            if there:
                there()
            if self.waiting:  # one that failed is no reason to lose the others
                self._call(session)


def told_together(tell: _Tell) -> _Tell:
    """Return what gives the loop an event of a session: a loop that has been called is not called again."""

    @functools.wraps(tell)
    def told(session: AppSession, event: Callable[[], None]) -> None:
        known = vars(session)
        (known.get("_pv_told") or known.setdefault("_pv_told", _Told(tell))).add(session, event)

    return told


def listen(session: AppSession) -> None:
    """Let a session hear at once what its threads have told the loop, which will come to it later."""
    told: _Told | None = vars(session).get("_pv_told")
    if told is not None and told.waiting:
        told.listen(session)


class Together(asyncio.Queue[bytes]):
    """Messages for a browser: those that come in one go are given out in one go, `_MOST` at most.

    One comes with each round of the loop, and what is written in one round is one writing.
    """

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


# --- A run of a fragment that has ended is told as such, even if another begins at once ----------
#
# Where the next run starts before the browser was told of the last one's end, Streamlit says that the
# last one was cut short. The browser then keeps what that run had not drawn again: a table would stand
# below the words that it is still to come. But where the next run is of other fragments (a strip is
# wanted while a slider's change is drawn), the last one was sent whole.
#
# And where the thread of the last run has ended before the server's loop, which may be late in a full hall,
# came to what that run has said, a new thread begins, and Streamlit hears no more of the old one: a
# slider was moved, and nothing of it was drawn or said. So what it has said is heard first.


@functools.cache
def tell_ended() -> None:
    """Have every session keep to it that a fragment has ended, and what it said; once per process."""
    plain = AppSession._clear_queue  # noqa: SLF001 - no hook is public

    @functools.wraps(plain)
    def clear_queue(session: AppSession, begun: Sequence[str] | None = None) -> None:
        ended = [
            message
            for message in session._browser_queue._queue  # noqa: SLF001 - as above
            if message.script_finished == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
            and begun
            and set(message.metadata.run.fragment_ids).isdisjoint(begun)
        ]
        plain(session, begun)  # type: ignore[arg-type]
        for message in ended:
            message.script_finished = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY

    AppSession._clear_queue = clear_queue  # type: ignore[method-assign, assignment] # noqa: SLF001
    AppSession._create_scriptrunner = heard_first(AppSession._create_scriptrunner)  # type: ignore[method-assign, assignment] # noqa: SLF001


def heard_first(
    begin: Callable[[AppSession, RerunData], None],
) -> Callable[[AppSession, RerunData], None]:
    """Return what begins a thread of runs, after what the one before has said."""

    @functools.wraps(begin)
    def begun(session: AppSession, asked: RerunData) -> None:
        listen(session)
        begin(session, asked)

    return begun


# -------------------------------------------------------------------------------------------------
# What a page still asks for after it was left is not heard; what it asks of a part, always.
#
# From a click on a link until the server's first word of the new page the browser has the old one, and
# asks in its name: a slider was let go, a strip may be wanted soon (live.js). Streamlit tells fragments
# apart by function and place alone, so it finds that fragment on the new page, and runs it there in the
# name of the old one. The browser then clears the new page away, finds no place for what the fragment
# draws, and dies of it: the screen stays white.
#
# While the page that is shown is drawn anew, a part of it that does not stand there again yet is unknown to
# Streamlit, which ignores what is moved in it: the browser then shows a slider where the page is not. All of
# the page is run instead.


@functools.cache
def ignore_left(heard: Callable[[str], None]) -> None:
    """Have every session ignore changes of a page that it has left; once per process.

    What it has heard of, `heard` is told: by whom, the identifier of a session.
    """
    plain = AppSession.request_rerun  # no hook is public

    @functools.wraps(plain)
    def request_rerun(session: AppSession, asked: ClientState | None) -> None:
        if asked is not None and asked.fragment_id:
            if not _shows(session, asked.page_script_hash):
                return
            asked = _known(session, asked)
        plain(session, asked)
        heard(session.id)

    AppSession.request_rerun = request_rerun  # type: ignore[assignment, method-assign]


def _known(session: AppSession, asked: ClientState) -> ClientState:
    """Return what is asked for, of all of the page where the part is not there."""
    if session.has_fragment(asked.fragment_id):
        return asked
    whole = ClientState()
    whole.CopyFrom(asked)
    whole.fragment_id = ""
    return whole


def _shows(session: AppSession, page: str) -> bool:
    """Tell whether a session shows a page, or is about to."""
    runner = session._scriptrunner  # noqa: SLF001 - there is no public way to ask that
    if runner is None:
        return page == session.page_script_hash
    last = runner._requests._rerun_data  # noqa: SLF001 - as above
    return last.page_script_hash in {"", page}  # empty: a page that was asked for by its name


# -------------------------------------------------------------------------------------------------
# A figure that a browser asks for by itself gets there before the page that shows it as well.
#
# Who clicks on a slider has the browser ask for the figure of that stop (live.py), and tell of the click a
# moment later. The page that is then drawn would take processor time from what the eye waits for: on the
# server, and in the browser, which draws one message after the other. So a page whose figure is on its way
# begins once that has gone out, or a tenth of a second later.


_LONGEST, _LOOK = 0.1, 0.004  # seconds of waiting, and between two looks
_WAY = 0.02  # seconds from the server's door to the eye
_VISITORS, _KEYS = 1024, 8  # of whom it is known what they may ask for, and how much


class Flights:
    """What is on its way to browsers, by keys, and who may have asked for it."""

    def __init__(self) -> None:
        self._known: LRUCache[str, deque[str]] = LRUCache(_VISITORS)
        self._landed: LRUCache[str, float] = LRUCache(_VISITORS)
        self._flying: Counter[str] = Counter()
        self._lock = threading.Lock()

    def knows(self, visitor: str, key: str) -> None:
        """Note that a visitor can ask for something."""
        with self._lock:
            self._known.setdefault(visitor, deque(maxlen=_KEYS)).append(key)

    @contextlib.contextmanager
    def flight(self, key: str) -> Iterator[None]:
        """Have something be on its way, until it is about to be sent."""
        with self._lock:
            self._flying[key] += 1
        try:
            yield
        finally:
            with self._lock:
                self._flying[key] -= 1
                if not self._flying[key]:
                    del self._flying[key]
                self._landed[key] = time.monotonic()

    def any_of(self, visitor: str) -> bool:
        """Tell whether something is on its way that a visitor may have asked for."""
        late = time.monotonic() - _WAY
        with self._lock:
            return any(
                key in self._flying or self._landed.get(key, late) > late
                for key in self._known.get(visitor, ())
            )


_FLIGHTS = Flights()
knows, flight = _FLIGHTS.knows, _FLIGHTS.flight


@functools.cache
def let_pass(flies: Callable[[str], bool] = _FLIGHTS.any_of) -> None:
    """Have every session wait for what is on its way; once per process.

    `flies` tells, by the identifier of a session, whether there is something.
    """
    plain = AppSession.request_rerun  # no hook is public

    @functools.wraps(plain)
    def request_rerun(session: AppSession, asked: ClientState | None) -> None:
        waiting: list[ClientState | None] | None = vars(session).get("_pv_waiting")
        if waiting is not None:  # in their order
            waiting.append(asked)
        elif asked is None or not asked.fragment_id or not flies(session.id):
            plain(session, asked)
        else:
            vars(session)["_pv_waiting"] = [asked]
            wait(session, time.monotonic() + _LONGEST)

    def wait(session: AppSession, until: float) -> None:
        if time.monotonic() < until and flies(session.id):
            session._event_loop.call_later(_LOOK, wait, session, until)  # noqa: SLF001 - as above
            return
        for asked in vars(session).pop("_pv_waiting"):
            plain(session, asked)

    AppSession.request_rerun = request_rerun  # type: ignore[assignment, method-assign]
