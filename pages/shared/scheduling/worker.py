"""What computes for the scheduler: one process after the other, and what runs in each.

A worker is a process of its own (processes.py). It imports no Streamlit: what it runs are functions
of the core. It has one thread for linear algebra, a low priority, a bound on its memory, and ends
with the server, however that ends.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import pickle
import queue
import threading
import time
import traceback
from collections import deque
from concurrent.futures import BrokenExecutor, CancelledError, Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pages.shared.scheduling import brought, processes
from privsc_core.own.runs import keep_to_one
from privsc_core.progress import heard

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from pages.shared.scheduling.processes import Channel

    # Function, arguments, keywords.
    Call: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]

# What a call raises whose process died, or was ended before it.
ENDED = (BrokenExecutor, CancelledError)
MEMORY = 1500 * 2**20  # bytes of data; a large request takes a tenth of it

SLICE = 0.4  # seconds of a processor that a call has before it gives way to others
_IDLE = 15  # degrees of niceness from which on a process runs only while no other would
_LOOKS = 0.02  # seconds between two looks at whether it shares a processor
_SHARED = 1.3, 4.0  # times as long by the clock as by the processor, and it does, about evenly
_RESTS = 0.03  # seconds for which it then leaves it to others
_EVERY = 0.2  # seconds between two messages
_PAUSE = 0.5  # seconds without a call: then there is time to tidy up
_WANTED = ("pages.shared.chart.payload",)


class TimeUpError(Exception):
    """A call has taken the processor time that it may."""


class GaveWayError(Exception):
    """A call has ended early, for others wait that are shorter."""


class AwayError(Exception):
    """Other machines that computed for us cannot any more; the message is the reason, a clause."""


class Computer(Protocol):
    """What computes one call after the other: a process of this machine, or a cluster."""

    def compute(self, call: Call, seconds: float = math.inf) -> Future[tuple[Any, float]]:
        """Compute a call, see `run`; its parts and its value must pickle."""

    def told(self) -> float | None:
        """Return how much of its call is done, from 0 to 1, as it told last; None if it did not."""

    def hurry(self) -> None:
        """Make the running call yield after its time slice; at most the next call instead."""

    def stop(self) -> None:
        """End it, in the middle of a call, which then fails with one of `ENDED`."""


class Worker:
    """One process that takes one call after the other, see `Computer`.

    Parameters
    ----------
    niceness : int
        How much it leaves to others, from 0 to 19, where the system knows of such a thing; from 15
        on it gets only what no other process wants, and any that wakes up has the processor at once.
    """

    def __init__(self, niceness: int = 0) -> None:
        self._channel, self._end = processes.start(__name__, niceness)
        self._share: float | None = None
        self._lock = threading.Lock()
        self._asked: deque[Future[tuple[Any, float]]] = deque()  # the calls that have not ended
        self._ended = False
        threading.Thread(target=self._listen, name="privsc-listens", daemon=True).start()

    def compute(self, call: Call, seconds: float = math.inf) -> Future[tuple[Any, float]]:
        """See `Computer`."""
        found: Future[tuple[Any, float]] = Future()
        with self._lock:
            if self._ended:
                raise BrokenExecutor
            try:
                self._channel.send((*call, seconds))
            except (OSError, ValueError) as ended:  # the latter where it has been closed
                raise BrokenExecutor from ended
            self._share = None
            self._asked.append(found)
        return found

    def _listen(self) -> None:
        """Take what the process says, until it ends."""
        try:
            with contextlib.suppress(EOFError):
                while True:
                    said = self._channel.receive()
                    if isinstance(said, float):
                        self._share = said
                    else:
                        self._settle(*said)
        finally:
            with self._lock:
                self._ended = True
            for found in self._asked:
                found.set_exception(BrokenExecutor())
            self._channel.close()

    def _settle(self, packed: bytes, done: bool) -> None:  # noqa: FBT001 - from a message
        """End the call under way with a value, or with what it raised."""
        with self._lock:
            found = self._asked.popleft()
        try:
            value = pickle.loads(packed)  # noqa: S301 - of our own process
        except Exception as error:  # noqa: BLE001 - whatever a value does when it is made anew
            done, value = False, error
        (found.set_result if done else found.set_exception)(value)

    def told(self) -> float | None:
        """See `Computer`."""
        return self._share

    def hurry(self) -> None:
        """See `Computer`."""
        with contextlib.suppress(OSError, ValueError):  # it has ended
            self._channel.send(None)

    def stop(self) -> None:
        """See `Computer`."""
        self._end()


def run(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    seconds: float = math.inf,
) -> tuple[Any, float]:
    """Return the value of a call, and the seconds of a processor that it took.

    In a worker the call ends itself where one of its loops is heard (`privsc_core.progress`) after
    more than these seconds: the worker lives on, and on a busy machine nothing is given up for want
    of a processor.

    Raises
    ------
    TimeUpError
        When it did.
    GaveWayError
        In a worker, when it was told to hurry and has had its slice.
    """
    begin = time.thread_time()
    stand_back = _Standing() if _Telling.idle else None

    def look() -> None:
        used = time.thread_time() - begin
        if used > seconds:
            raise TimeUpError
        if _Telling.hurried and used > SLICE:
            raise GaveWayError
        if stand_back is not None:
            stand_back()

    try:
        with heard(tell if _Telling.pipe is not None else None, pulse=look):
            value = function(*arguments, **keywords)
    finally:  # not before: it may have been told since it was sent here
        _Telling.hurried = False
    return value, time.thread_time() - begin


class _Telling:
    """The way back to the server, in the process of a worker."""

    pipe: Channel | None = None
    last = 0.0
    idle = False  # whether what it computes can wait for everybody else
    hurried = False  # whether others wait for the end of what it computes


class _Standing:
    """Stands back where others want the processor that it has.

    The system does so by its priority, but only inside one container: two servers in containers of
    their own share the processor evenly, whatever of theirs runs. Who gets less has been held back.
    """

    def __init__(self) -> None:
        self._clock, self._used = time.monotonic(), time.thread_time()

    def __call__(self) -> None:
        """Rest for a while if since the last look some other had the processor."""
        passed = time.monotonic() - self._clock
        if passed < _LOOKS:
            return
        used = time.thread_time() - self._used
        if _SHARED[0] * used < passed < _SHARED[1] * used:
            time.sleep(_RESTS)
        self._clock, self._used = time.monotonic(), time.thread_time()


def tell(share: float) -> None:
    """Report progress of the running call to the server, from 0 to 1.

    What the core's loops are heard by (`privsc_core.progress`): it can be called often. Outside a
    worker it does nothing.
    """
    now = time.monotonic()
    if _Telling.pipe is not None and now - _Telling.last >= _EVERY:
        _Telling.last = now
        _Telling.pipe.send(float(share))


def prepare() -> None:
    """Import what calls need, before the first of them."""
    brought.bring()
    for name in _WANTED:
        importlib.import_module(name)


def serve(channel: Channel, niceness: int) -> None:
    """Compute what the server asks for, in the process of a worker, until the server ends."""
    _Telling.pipe = channel
    keep_to_one()
    asked: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
    threading.Thread(target=_hear, args=(channel, asked), daemon=True).start()
    _take_little(niceness)
    while True:
        channel.send(_answer(*_next(asked)))


def _next(asked: queue.SimpleQueue[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the next call, and use a pause before it to give memory back."""
    with contextlib.suppress(queue.Empty):
        return asked.get(timeout=_PAUSE)
    processes.trim()
    return asked.get()


def _answer(*call: Any) -> tuple[bytes, bool]:
    """Return value and seconds of a call, pickled, or what it raised; and which of them it is."""
    try:
        return pickle.dumps(run(*call), pickle.HIGHEST_PROTOCOL), True
    except BaseException as error:  # noqa: BLE001 - the boundary between two processes
        error.add_note("".join(traceback.format_exception(error)))
        try:
            return pickle.dumps(error.with_traceback(None)), False
        except Exception:  # noqa: BLE001 - it holds what does not pickle
            return pickle.dumps(RuntimeError(repr(error))), False


def _hear(channel: Channel, asked: queue.SimpleQueue[tuple[Any, ...]]) -> None:
    """Hear what is asked for and that others wait, and end with the server."""
    try:
        while True:
            said = channel.receive()
            if said is None:
                _Telling.hurried = True
            else:
                asked.put(said)
    except EOFError:
        pass
    except BaseException:  # noqa: BLE001 - what was asked for cannot be read
        traceback.print_exc()
    os._exit(0)


def _take_little(niceness: int) -> None:
    """Leave processors and memory to others, for they drag sliders meanwhile."""
    if hasattr(os, "nice"):
        os.nice(niceness)
    _Telling.idle = niceness >= _IDLE
    if _Telling.idle:
        _take_what_is_left()
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not on every system

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def _take_what_is_left() -> None:
    """Ask the system for idle processor time only, where it offers that.

    Linux shares it among logins first, of which a server may be one: so this process is one of its
    own, and gives way to all others.
    """
    with contextlib.suppress(AttributeError, OSError):
        os.setsid()
        Path("/proc/self/autogroup").write_text("19", encoding="ascii")
    with contextlib.suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
