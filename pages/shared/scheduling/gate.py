"""The gate for drawing: pages are drawn one by one, first what the eye waits for.

A hundred threads that draw a page each share one lock: all pictures would come at the very end, and
what sends them would hardly get its turn. So a run draws only while it holds the gate: first those
whose visitor has moved a control, then those that begin a page; a run that has drawn its figure lets
others pass before what stands below. While a run waits for a computation, the gate is free.
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

LONGEST = 4.0  # seconds of waiting: then a run goes on, whatever holds up the others
CONTROL, FIRST, LATER = range(3)  # a control has moved; a page begins; what is not waited for
LATELY = 10.0  # seconds for which settings that were shown are counted


class Gate:
    """A lock that the most important thread gets next, and of those the one that came first."""

    def __init__(self, longest: float = LONGEST) -> None:
        self._free, self._longest = 1, longest
        self._queue: list[tuple[int, int, threading.Event]] = []
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._mine = threading.local()
        self._shown: deque[float] = deque(maxlen=100)

    @contextlib.contextmanager
    def turn(self, priority: int = FIRST) -> Iterator[None]:
        """Hold the gate; inside another turn, go on with that."""
        if self._held() is not None:
            yield
            return
        self._take(priority)
        try:
            yield
        finally:
            self._give()

    def later(self) -> None:
        """Let more important threads pass before drawing what is not waited for."""
        if self._give() is not None:
            self._take(LATER)

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Leave the gate to others while this thread waits; a run that is ended does not come back."""
        had = self._give()
        yield
        if had is not None:
            self._take(had)

    def shown(self) -> int:
        """Count a setting that is shown now; return how many were lately, a hundred at most."""
        now = time.monotonic()
        lately = sum(now - then <= LATELY for then in tuple(self._shown))
        self._shown.append(now)
        return lately

    def _take(self, priority: int) -> None:
        called = threading.Event()
        with self._lock:
            ticket = (priority, next(self._numbers), called)
            heapq.heappush(self._queue, ticket)
            self._call()
        if not called.wait(self._longest):
            with self._lock:
                if not called.is_set():
                    self._queue.remove(ticket)
                    heapq.heapify(self._queue)
                    self._free -= 1  # one more thread than there should be
        self._mine.held = priority

    def _held(self) -> int | None:
        """Return the priority with which this thread holds the gate; None if it does not."""
        found: int | None = getattr(self._mine, "held", None)
        return found

    def _give(self) -> int | None:
        """Give the gate away; return the priority with which it was held."""
        had, self._mine.held = self._held(), None
        if had is not None:
            with self._lock:
                self._free += 1
                self._call()
        return had

    def _call(self) -> None:
        """Wake only the threads whose turn it is: each one that wakes costs all others."""
        while self._free > 0 and self._queue:
            self._free -= 1
            heapq.heappop(self._queue)[-1].set()


GATE = Gate()  # of this server
turn, later, aside = GATE.turn, GATE.later, GATE.aside
