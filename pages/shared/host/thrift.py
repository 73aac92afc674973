"""What Streamlit does anew for each run and each message, done once, for several, or not at all.

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
import copy
import functools
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from streamlit.navigation import page as navigation
from streamlit.runtime import app_session
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import TypeAlias

    from streamlit.proto.NewSession_pb2 import Config, CustomThemeConfig
    from streamlit.runtime.app_session import AppSession

    _Tell: TypeAlias = Callable[[AppSession, Callable[[], None]], None]

__all__ = ["listen", "spare"]

_TURN = 0.001  # seconds that a thread computes while others want Python's lock; 5 ms left alone
_MOST = 64  # messages that wait for more: a browser for which too many wait is taken for gone


@functools.cache
def spare() -> None:
    """Have every session do so; once per process."""
    # A change passes through some ten threads, and in each waits for whoever draws at the moment.
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
