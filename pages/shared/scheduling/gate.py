"""When many are at work at once: pages are drawn one by one, and first what the eye waits for.

A hundred threads that draw a page each share one lock: all pictures would come at the very end, and
what sends them would hardly get its turn. So whoever draws waits for a turn, those first who have
moved a control; who draws a whole page lets others pass before what stands below the figure. While
a computation is waited for, the turn is somebody else's. And where few are at work (`Calm`), there
is time for what nobody has asked for yet.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import threading
import time
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CONTROL", "FIRST", "LATER", "Calm", "Gate", "aside", "later", "turn"]

TURNS = 1  # at a time: more of them only swap the lock among themselves
LONGEST = 4.0  # seconds of waiting: then it goes on, whatever holds up the others
FEW, LATELY = 20, 10.0  # settings, seconds: what a visitor or two come to who are in a hurry
CONTROL, FIRST, LATER = range(3)  # a control has moved; a page begins; what is not waited for


class Gate:
    """Those who wait for a turn, by importance, then in the order in which they came."""

    def __init__(self, turns: int = TURNS, longest: float = LONGEST) -> None:
        self._free, self._longest = turns, longest
        self._queue: list[tuple[int, int, threading.Event]] = []
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._mine = threading.local()

    @contextlib.contextmanager
    def turn(self, importance: int = FIRST) -> Iterator[None]:
        """Hold a turn, once there is one; the one that is held already, inside another."""
        if self._held() is not None:
            yield
            return
        self._take(importance)
        try:
            yield
        finally:
            self._give()

    def later(self) -> None:
        """Let those pass who are at something more urgent than what now comes."""
        if self._give() is not None:
            self._take(LATER)

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Leave the turn to others while this thread waits; one that is ended needs none any more."""
        had = self._give()
        yield
        if had is not None:
            self._take(had)

    def _take(self, importance: int) -> None:
        called = threading.Event()
        with self._lock:
            ticket = (importance, next(self._numbers), called)
            heapq.heappush(self._queue, ticket)
            self._call()
        if not called.wait(self._longest):
            with self._lock:
                if not called.is_set():
                    self._queue.remove(ticket)
                    heapq.heapify(self._queue)
                    self._free -= 1  # one more than there should be
        self._mine.held = importance

    def _held(self) -> int | None:
        """Return how important it is what this thread has a turn for; None without one."""
        found: int | None = getattr(self._mine, "held", None)
        return found

    def _give(self) -> int | None:
        """Return a turn; tell what it was for, None if there was none."""
        had, self._mine.held = self._held(), None
        if had is not None:
            with self._lock:
                self._free += 1
                self._call()
        return had

    def _call(self) -> None:
        """Call those whose turn it is, and nobody else: each thread that wakes costs all others."""
        while self._free > 0 and self._queue:
            self._free -= 1
            heapq.heappop(self._queue)[-1].set()


class Calm:
    """Tells whether few settings have been shown lately, to whomever."""

    def __init__(self, few: int = FEW, lately: float = LATELY) -> None:
        self._shown: deque[float] = deque(maxlen=few)
        self._few, self._lately = few, lately

    def after_another(self) -> bool:
        """Count a setting that is shown now; tell whether few were before it."""
        now = time.monotonic()
        calm = len(self._shown) < self._few or now - self._shown[0] > self._lately
        self._shown.append(now)
        return calm


_CROWD = Gate()
turn, later, aside = _CROWD.turn, _CROWD.later, _CROWD.aside
