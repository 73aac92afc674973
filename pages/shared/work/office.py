"""Who computes what, and when: one visitor's long computation must not hold up another's slider.

`start` is the one way in. Equal requests of any number of visitors are computed once: the first
one's computation is everybody's, and its result is kept. What is known to be quick runs at once in
the visitor's own thread, a few at a time. Everything else goes to a process of low priority
(worker.py), in the order in which it was asked for, with a bound on time and memory: Python's
threads share one lock, a process does not. There are two such lanes, each with a process of its
own: one for what ends within a second or so, as far as is known, and one for the rest. What takes longer
than it may in the first begins again in the second, so a long computation holds up others that
are short for that long at most.

How long something takes is learned by its `kind`: a kind that nobody has run yet is taken for
long. So a kind names what the time depends on, coarsely: the picture, the class, the
distribution, and the orders of magnitude of the parameters.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import OrderedDict, deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from types import TracebackType

    from pages.shared.work.worker import Answer

__all__ = ["ENTRIES", "LONGEST", "MOST_WAITING", "QUICK", "Job", "Office", "office", "start"]

ENTRIES = 4096  # results kept; a figure, encoded, is some 20 kB
KINDS = 4096  # kinds whose time is remembered
QUICK = 0.05  # seconds; a kind that ever took longer is not quick
BRISK = 1.5  # seconds that a computation may take in the first lane
LONGEST = 60.0  # seconds that one computation may take
MOST_WAITING = 64  # long computations in the queue
TURNS = 2  # quick computations at a time: more of them only swap the lock among themselves

_LOG = logging.getLogger("privsc.work")
_ROOT = Path(__file__).parents[3]
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

State = Literal["waiting", "running", "done", "refused", "failed", "stopped"]


class Job:
    """One computation, perhaps for several visitors: a context manager that they leave.

    When the last one leaves before the end, it is stopped.
    """

    def __init__(
        self, office: Office, key: Hashable, kind: Hashable, call: tuple[Any, ...]
    ) -> None:
        self._office, self.key, self.kind, self.call = office, key, kind, call
        self.state: State = "waiting"
        self.visitors = 0
        self.began = 0.0
        self.lane: _Lane | None = None
        self._value: Any = None
        self._ended = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._office.leave(self)

    def wait(self, seconds: float) -> bool:
        """Wait, at most so long; tell whether it has ended."""
        return self._ended.wait(seconds)

    @property
    def ahead(self) -> int:
        """How many computations have to end before this one begins."""
        return self._office.ahead(self)

    @property
    def words(self) -> str:
        """Where it stands, for the visitor."""
        if self.state == "waiting":
            n = self.ahead
            return f"Queued: {n} longer computation{'s' if n != 1 else ''} of other visitors first."
        if self.state == "running":
            return f"Computing for {time.monotonic() - self.began:.0f} s."
        return ""

    def result(self) -> Any:
        """Return the value, or raise what went wrong; waits for the end.

        Raises
        ------
        InputError
            For bad input, and for what takes more time or memory than is allowed here.
        RuntimeError
            When it failed, or was stopped.
        """
        self._ended.wait()
        if self.state == "done":
            return self._value
        if self.state == "refused":
            raise InputError(*self._value)
        raise RuntimeError(f"a computation {self.state}: {self._value}")

    def end(self, state: State, value: Any) -> None:
        """Settle it; the office calls this once."""
        self.state, self._value = state, value
        self._ended.set()


class _Lane:
    """A queue with a process of its own."""

    def __init__(self, lock: threading.Lock, longest: float) -> None:
        self.longest = longest
        self.queue: deque[Job] = deque()
        self.arrived = threading.Condition(lock)
        self.running: Job | None = None
        self.runner: threading.Thread | None = None
        self.child: subprocess.Popen[bytes] | None = None

    def add(self, job: Job) -> None:
        """Put a job at the end; called with the lock held."""
        job.state, job.lane = "waiting", self
        self.queue.append(job)
        self.arrived.notify()


class Office:
    """Keeps results, joins equal requests, and has two workers for what is not quick."""

    def __init__(
        self,
        *,
        entries: int = ENTRIES,
        brisk: float = BRISK,
        longest: float = LONGEST,
        waiting: int = MOST_WAITING,
    ) -> None:
        self.entries, self.longest, self.most_waiting = entries, longest, waiting
        self.counts = dict.fromkeys(("hits", "joined", "quick", "long", "stopped", "full"), 0)
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, Job] = OrderedDict()
        self._flying: dict[Hashable, Job] = {}
        self._slowest: OrderedDict[Hashable, float] = OrderedDict()
        self._brisk, self._long = _Lane(self._lock, brisk), _Lane(self._lock, longest)
        self._ready: set[subprocess.Popen[bytes]] = set()
        self._turns = threading.Semaphore(TURNS)

    def start(
        self,
        function: Callable[..., Any],
        *arguments: Hashable,
        kind: Hashable,
        tame: bool = False,
        aside: bool = False,
        **keywords: Any,
    ) -> Job:
        """Return the job of a call: ended already, under way for somebody, or new.

        Parameters
        ----------
        function : callable
            Of the core, at the top level of its module; equal arguments give equal results.
        *arguments, **keywords
            Hashable: what the result depends on.
        kind : hashable
            What the time depends on.
        tame : bool
            Whether a kind that nobody has run yet is taken for quick.
        aside : bool
            Whether the worker is to do it in any case: nobody waits for it.

        Raises
        ------
        InputError
            When too many long computations are waiting.
        """
        key = (function, arguments, tuple(sorted(keywords.items())))
        with self._lock:
            if (known := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                self.counts["hits"] += 1
                return known
            if (known := self._flying.get(key)) is not None:
                known.visitors += 1
                self.counts["joined"] += 1
                return known
            job = Job(self, key, kind, (function, arguments, keywords))
            job.visitors = 1
            seconds = self._slowest.get(kind, 0.0 if tame else self._brisk.longest)
            quick = seconds <= QUICK and not aside
            lane = self._brisk if seconds <= self._brisk.longest else self._long
            if not quick and len(lane.queue) >= self.most_waiting:
                self.counts["full"] += 1
                requirement = f"must wait until fewer than {self.most_waiting} others do"
                raise InputError("This computation", requirement, "a full queue; try again soon")
            self._flying[key] = job
            self.counts["quick" if quick else "long"] += 1
            if not quick:
                lane.add(job)
                self._employ(lane)
        if quick:
            self._here(job)
        return job

    def leave(self, job: Job) -> None:
        """Note that a visitor no longer waits for a job; the last one stops it."""
        with self._lock:
            job.visitors -= 1
            if job.visitors > 0 or self._flying.get(job.key) is not job:
                return
            lane = job.lane
            if lane is None:
                return
            if job in lane.queue:
                lane.queue.remove(job)
                self._settle(job, "stopped", "nobody waits for it")
            elif job is lane.running:
                job.state = "stopped"
                self._flying.pop(job.key)  # who asks again asks anew, and does not join its end
                self._dismiss(lane)

    def ahead(self, job: Job) -> int:
        """Return how many long computations come before a waiting one."""
        with self._lock:
            lane = job.lane
            if lane is None:
                return 0
            before = itertools.takewhile(lambda other: other is not job, lane.queue)
            return sum(1 for _ in before) + (lane.running is not None)

    def waiting(self) -> int:
        """Return how many long computations wait."""
        return len(self._brisk.queue) + len(self._long.queue)

    def close(self) -> None:
        """End the workers."""
        with self._lock:
            self._dismiss(self._brisk)
            self._dismiss(self._long)

    # --- quick: here ---------------------------------------------------------------------------

    def _here(self, job: Job) -> None:
        function, arguments, keywords = job.call
        state: State = "stopped"
        value: Any = "interrupted"
        try:
            with self._turns:
                job.state, job.began = "running", time.monotonic()
                begin = time.thread_time()
                value = function(*arguments, **keywords)
                self._learn(job.kind, time.thread_time() - begin)
                state = "done"
        except InputError as refused:
            state, value = "refused", (refused.parameter, refused.requirement, refused.got)
        except Exception as error:
            state, value = "failed", repr(error)
            raise
        finally:  # whatever happens, others may be waiting
            with self._lock:
                self._settle(job, state, value)

    # --- the rest: the workers -----------------------------------------------------------------

    def _employ(self, lane: _Lane) -> None:
        if lane.runner is None:
            lane.runner = threading.Thread(
                target=self._run, args=(lane,), name="privsc-work", daemon=True
            )
            lane.runner.start()

    def _run(self, lane: _Lane) -> None:
        while True:
            with lane.arrived:
                while not lane.queue:
                    lane.arrived.wait()
                job = lane.running = lane.queue.popleft()
                job.state, job.began = "running", time.monotonic()
            answer = self._by_child(job, lane)
            with self._lock:
                lane.running = None
                if answer is None:
                    self._cut_short(job, lane)
                else:
                    state, value, seconds = answer
                    if state == "failed":
                        _LOG.error("a computation failed in the worker:\n%s", value)
                        value = str(value).strip().rsplit("\n", 1)[-1]
                    if state == "done":
                        if lane is self._long:  # what it was taken for does not count any more
                            self._slowest.pop(job.kind, None)
                        self._learn(job.kind, seconds)
                    self._settle(job, cast("State", state), value)

    def _cut_short(self, job: Job, lane: _Lane) -> None:
        """Settle a job whose worker is gone, or let it begin again where there is more time."""
        if job.state == "stopped":
            self._settle(job, "stopped", "nobody waits for it")
        elif time.monotonic() - job.began < lane.longest:
            self._settle(job, "failed", "the worker ended")
        elif lane is self._brisk:
            self._learn(job.kind, 2 * lane.longest)
            self._long.add(job)
            self._employ(self._long)
        else:
            requirement = f"must take at most {lane.longest:g} s on this server"
            self._settle(job, "refused", ("This computation", requirement, "a longer one"))

    def _by_child(self, job: Job, lane: _Lane) -> Answer | None:
        """Return the worker's answer; None when it was ended before it had one."""
        with self._lock:
            if lane.child is None:
                lane.child = self._hire()
            child = lane.child
        watch = None
        try:
            assert child.stdin is not None  # noqa: S101 - both are pipes
            assert child.stdout is not None  # noqa: S101 - as above
            if child not in self._ready:  # it says so when its imports are done
                pickle.load(child.stdout)  # noqa: S301 - from our own child
                self._ready.add(child)
                job.began = time.monotonic()
            # By a clock of its own: reading a pipe has no time-out everywhere.
            watch = threading.Timer(lane.longest, child.kill)
            watch.start()
            pickle.dump(job.call, child.stdin)
            child.stdin.flush()
            answer: Answer = pickle.load(child.stdout)  # noqa: S301 - from our own child
        except (OSError, EOFError, pickle.UnpicklingError):
            with self._lock:
                self._dismiss(lane)
            _shut(child)
            return None
        finally:
            if watch is not None:
                watch.cancel()
        return answer

    @staticmethod
    def _hire() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "pages.shared.work.worker"],
            cwd=_ROOT,
            env=os.environ | dict.fromkeys(_THREADS, "1"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def _dismiss(self, lane: _Lane) -> None:
        """End the worker; called with the lock held. The next computation hires another."""
        child, lane.child = lane.child, None
        if child is not None:
            self._ready.discard(child)
            child.kill()
            child.wait()
            if lane.running is None:  # otherwise somebody is still reading, and shuts them
                _shut(child)

    # --- what is known -------------------------------------------------------------------------

    def _settle(self, job: Job, state: State, value: Any) -> None:
        """End a job and keep what will be the same next time; called with the lock held."""
        if self._flying.get(job.key) is job:
            del self._flying[job.key]
        if state in {"done", "refused"}:
            self._kept[job.key] = job
            while len(self._kept) > self.entries:
                self._kept.popitem(last=False)
        if state == "stopped":
            self.counts["stopped"] += 1
        job.call = ()
        job.end(state, value)

    def _learn(self, kind: Hashable, seconds: float) -> None:
        self._slowest[kind] = max(seconds, self._slowest.get(kind, 0.0))
        self._slowest.move_to_end(kind)
        while len(self._slowest) > KINDS:
            self._slowest.popitem(last=False)


def _shut(child: subprocess.Popen[bytes]) -> None:
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


_OFFICE = Office()


def office() -> Office:
    """Return the office of this server."""
    return _OFFICE


def start(
    function: Callable[..., Any],
    *arguments: Hashable,
    kind: Hashable,
    tame: bool = False,
    aside: bool = False,
    **keywords: Any,
) -> Job:
    """Return the job of a call in this server's office, see `Office.start`."""
    return _OFFICE.start(function, *arguments, kind=kind, tame=tame, aside=aside, **keywords)
