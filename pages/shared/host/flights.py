"""A figure that a browser asks for by itself gets there before the page that shows it as well.

Who clicks on a slider has the browser ask for the figure of that stop (stops.py), and tell of the click a
moment later. The page that is then drawn would take processor time from what the eye waits for: on the
server, and in the browser, which draws one message after the other. So a page whose figure is on its way
begins once that has gone out, or a tenth of a second later.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections import Counter, deque
from typing import TYPE_CHECKING

from cachetools import LRUCache
from streamlit.runtime.app_session import AppSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamlit.proto.ClientState_pb2 import ClientState

__all__ = ["Flights", "flight", "knows", "let_pass"]

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
