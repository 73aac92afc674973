"""The scheduler of computations: one visitor's long one must not hold up another's slider.

`start` is the one way in. Equal calls of any number of visitors are one task: the first one's
computation is everybody's, and its result is kept. What is known to be quick runs at once in the
visitor's own thread. Everything else goes to the queue, from where three processes of low priority
(worker.py) take it, with a bound on time and memory: Python's threads share one lock, a process
does not. Each serves a pool of its own: `short`, what ends within a second or so, as far as is
known; `long`, the rest; and `frames`, the frames of sliders, which a page can do without: newest
first, slow ones after all others and giving way to them, and only while nothing waits in `short`.

In `short`, short tasks pass longer ones. What is known to be slow goes to `long` while that is
idle, and always if no visitor waits for it. A task that takes longer than `short` allows begins
again in `long`; the first task of its kind is allowed less. So a long task holds up short ones for
no longer than that. Where the host names a cluster (`privsc serve --scheduler`), that takes what is long,
several tasks at a time (cluster.py); once it is lost, this machine does.

How long a task takes is learned by its `kind`. So a kind names what the time depends on, coarsely:
the picture, the class, the distribution, and the orders of magnitude of the parameters.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Sized
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

from cachetools import LRUCache

from pages.shared.scheduling.worker import (
    ENDED,
    MEMORY,
    SLICE,
    AwayError,
    GaveWayError,
    TimeUpError,
    Worker,
    run,
)
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from pages.shared.scheduling.worker import Call, Computer

ENTRIES = 4096  # results kept, in units of
UNIT = 25_000  # bytes: a figure, encoded, is one; the frames of a slider some three
KINDS = 4096  # kinds whose time is remembered
QUICK = 0.08  # seconds; a kind that took longer lately is not quick
COLD = 0.25  # seconds; a kind that took longer is slow for good: a quicker call may have found filled tables
WARM = 1.01 * COLD  # assumed of a kind that was long once, however short its last task was
FORGETS = 0.7  # of such a time, with every call of the kind
# Seconds of a processor: on a machine that has other things to do, they last longer.
SHORT = 1.5  # a task in `short` may take
TRIAL = 0.5  # the first task of its kind may take there, while `long` is idle
FRAMES_MOST = 6.0  # a task in `frames` may take
LONGEST = 60.0  # a task may take anywhere
UNKNOWN = 0.2  # assumed of a kind that has not run yet
PASSED = 5.0  # times as long as it takes, a task may be passed by shorter ones
MOST_WAITING = 64  # tasks of one pool in the queue
NICENESS = {"short": 5, "long": 10, "frames": 15}  # of the processes; the visitors' threads have 0
RESTS = 60.0  # seconds without a task after which a process ends, and its tables with it
LINGERS = 1.0  # seconds that a task goes on while its visitor begins anew
TURNS = 2  # quick tasks at a time: more of them only swap the lock among themselves
DEAF = 4.0  # times as long by the clock, and a process that has not ended its task is ended

_GUESSED = 0.8  # the share when it has taken as long as the last of its kind; never all of it
_GUESSED_LEAST = 1.0  # seconds that it took
_TOLD_LEAST = 0.02  # before, what was told says nothing of the rest
_LOG = logging.getLogger("privsc.work")

_DONE: Future[Any] = Future()
_DONE.set_result(None)

State = Literal["waiting", "running", "done", "refused", "failed", "lost", "stopped"]
Pool = Literal["short", "long", "frames"]
# Where a call may run. "here": in the visitor's thread, even the first of its kind. "any": there too, once
# its kind is known to be quick. "worker": never there, for it is quick only where tables are filled.
# "long": in `long`, however quick the last of its kind was. "frames": in `frames`.
Place = Literal["here", "any", "worker", "long", "frames"]


class Priority(IntEnum):
    """How urgent a task is."""

    ASKED = 0  # a visitor waits for it
    PREPARED = 1  # computed in any case, before a visitor asks
    FRAMES = 2  # of a slider; in `frames`, the newest first


class Task:
    """One call, perhaps for several visitors: a context manager that each of them leaves.

    When the last one leaves before its end, it is stopped.
    """

    def __init__(
        self, scheduler: Scheduler, key: Hashable, kind: Hashable, call: Call,
        priority: Priority = Priority.ASKED, *, kept: bool = True,
    ) -> None:  # fmt: skip
        self._scheduler, self.key, self.kind, self.call = scheduler, key, kind, call
        self.priority, self.kept = priority, kept
        self.state: State = "waiting"
        self.pool: Pool | None = None
        self.visitors = 1
        self.limit = math.inf  # seconds of a processor that it may take where it is
        self.due = 0.0  # shorter ones that come later pass it while theirs is earlier
        self.slow = False  # of `frames`: whether it lets the others pass
        # Whether the visitors' own threads may compute its kind, once it is quick.
        self.shared = True
        self.began = 0.0
        self.weight = 1  # of its value, where it is kept
        self.hurried = False
        self.unwanted: Future[Any] = Future()  # done when its last visitor has left
        self.ended: Future[None] = Future()
        self._value: Any = None
        self._most = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """Note that one visitor no longer waits for it."""
        self._scheduler.leave(self)

    def linger(self) -> None:
        """Keep it alive for `LINGERS` seconds, so that the visitor's next run can join it."""
        self._scheduler.linger(self)

    def wait(self, seconds: float) -> bool:
        """Wait, at most so long; tell whether it has ended."""
        return bool(wait((self.ended,), seconds).done)

    @property
    def order(self) -> tuple[int, bool, float]:
        """What the tasks of a pool are sorted by."""
        if self.priority == Priority.FRAMES:
            return self.priority, self.slow, -self.due
        return self.priority, False, self.due

    @property
    def ahead(self) -> int:
        """How many tasks have to end before this one begins."""
        return self._scheduler.ahead(self)

    def progress(self) -> tuple[float | None, float | None]:
        """Return the share that is done and the seconds that are left, each None if unknown.

        The share is what the task tells, or else guessed from the last of its kind. It never goes
        back, not even where the task has to begin again.
        """
        if self.state != "running":
            return None, None
        share, seconds = self._estimate()
        if share is not None:
            self._most = share = max(share, self._most)
        return share, seconds

    def _estimate(self) -> tuple[float | None, float | None]:
        gone = time.monotonic() - self.began
        told = self._scheduler.told(self)
        if told is not None and told > _TOLD_LEAST:
            return told, gone * (1.0 / told - 1.0)
        lasted = self._scheduler.lasted(self.kind)
        if lasted is None or lasted < _GUESSED_LEAST:  # that one was quick, and this one is not
            return told, None
        ratio = gone / lasted
        if ratio < 1.0:
            return _GUESSED * ratio, lasted - gone
        return 1.0 - (1.0 - _GUESSED) / ratio, None  # it takes longer than the last: no guess

    def result(self) -> Any:
        """Return the value, or raise what went wrong; waits for the end.

        Raises
        ------
        InputError
            For bad input, for what takes more time or memory than is allowed here, and where the
            process ended before it.
        RuntimeError
            When it failed, or was stopped.
        """
        self.ended.result()
        if self.state == "done":
            return self._value
        if self.state in {"refused", "lost"}:
            raise InputError(*self._value)  # a new one: it keeps the frames that it passes
        raise RuntimeError(f"a computation {self.state}: {self._value}")

    def end(self, state: State, value: Any) -> None:
        """Settle it; the scheduler calls this once."""
        self.state, self._value = state, value
        self.ended.set_result(None)
        # Thousands are kept, without what only a task under way needs: 2 kB each.
        self.ended = self.unwanted = _DONE


class Runner:
    """The thread that takes the tasks of a pool one by one, and what computes them."""

    def __init__(
        self, pool: Pool, limit: float, start: Callable[[], Computer], *, remote: bool = False
    ) -> None:
        self.pool, self.limit, self.remote = pool, limit, remote
        self.running: Task | None = None
        self.thread: threading.Thread | None = None
        self.computer: Computer | None = None
        self._start, self._rests = start, 0.0  # since when

    def compute(self, task: Task) -> tuple[Any, float] | None:
        """Return value and seconds; None if time was up or the last visitor left.

        Raises what the call raised, and one of `ENDED` when the process ended, which a task of
        `frames` also ends with that gets too little of a processor.
        """
        for last in (False, True):  # an idle process may have died since; a new one should not
            new = self.computer is None
            try:
                if self.computer is None:
                    self.computer = self._start()
                    there: Future[Any] = self.computer.compute((int, (), {}))
                    wait((there, task.unwanted), return_when=FIRST_COMPLETED)
                    if not there.done():
                        return None
                    there.result()
                    if task.hurried:  # meanwhile
                        self.computer.hurry()
                task.began = time.monotonic()
                found = self.computer.compute(task.call, task.limit)
                wait((found, task.unwanted), DEAF * self.limit, FIRST_COMPLETED)
                if found.done():
                    return found.result()
                break
            except TimeUpError:
                return None
            except ENDED:
                self.stop()
                if new or last:
                    raise
        self.stop()
        if self.pool == "frames" and not task.unwanted.done():
            raise CancelledError
        return None

    def rest(self) -> float | None:
        """End a process that has had nothing to do for long; return when to look again, in seconds."""
        left = self._rests + RESTS - time.monotonic()
        if left <= 0.0:
            self.stop()
        return None if self.computer is None else left

    def begin(self, task: Task | None) -> None:
        """Note that a task begins, or that the last one has ended."""
        self.running, self._rests = task, time.monotonic()

    def hurry(self) -> None:
        """Make the running task yield to others after a while; once per task."""
        if self.running is not None and not self.running.hurried:
            self.running.hurried = True
            if self.computer is not None:
                self.computer.hurry()

    def stop(self) -> None:
        """End the process, whatever it does. The next task starts another."""
        computer, self.computer = self.computer, None
        if computer is not None:
            computer.stop()


class Scheduler:
    """Keeps results, joins equal calls, and has a queue and three workers for what is not quick."""

    def __init__(
        self,
        *,
        entries: int = ENTRIES,
        short: float = SHORT,
        longest: float = LONGEST,
        waiting: int = MOST_WAITING,
        worker: Callable[[int], Computer] = Worker,
    ) -> None:
        self.most_waiting = waiting
        self.counts = dict.fromkeys(
            ("hits", "joined", "quick", "long", "stopped", "lost", "full"), 0
        )
        self._queue: list[Task] = []
        self._changed = threading.Condition()  # of the queue; its lock guards all that is here
        self._kept: LRUCache[Hashable, Task] = LRUCache(entries, lambda task: task.weight)
        self._flying: dict[Hashable, Task] = {}  # those that have not ended, by their keys
        self._slowest: LRUCache[Hashable, float] = LRUCache(KINDS)
        self._lasted: LRUCache[Hashable, float] = LRUCache(KINDS)
        self._limits: dict[Pool, float] = {"short": short, "long": longest, "frames": FRAMES_MOST}
        self._runners = [
            Runner(pool, limit, partial(worker, NICENESS[pool]))
            for pool, limit in self._limits.items()
        ]
        self._turns = threading.Semaphore(TURNS)
        self._unknown = min(UNKNOWN, short)

    def send_away(self, start: Callable[[], Computer], runners: int) -> None:
        """Compute long tasks on other machines, so many at a time, as long as these answer."""
        with self._changed:
            self._runners += [
                Runner("long", self._limits["long"], start, remote=True) for _ in range(runners)
            ]

    def stay(self, why: str) -> None:
        """Compute here from now on; the reason is a clause."""
        with self._changed:
            here = [runner for runner in self._runners if not runner.remote]
            if len(here) < len(self._runners):
                _LOG.warning("the cluster is lost: %s; from now on this machine computes", why)
            self._runners = here
            self._wake()

    def start(
        self,
        function: Callable[..., Any],
        *arguments: Hashable,
        kind: Hashable,
        run_in: Place = "any",
        priority: Priority = Priority.ASKED,
        kept: bool = True,
        **keywords: Any,
    ) -> Task:
        """Return the task of a call: ended already, running for another visitor, or new.

        Parameters
        ----------
        function : callable
            Of the core, at the top level of its module; equal arguments give equal results.
        *arguments, **keywords
            Hashable: what the result depends on.
        kind : hashable
            What the time depends on.
        run_in : Place
            Where it may run.
        priority : Priority
        kept : bool
            Whether to keep the value for later calls; False for what is read in a visitor's own file.

        Raises
        ------
        InputError
            When too many tasks are waiting.
        """
        key = (function, arguments, tuple(sorted(keywords.items())))
        with self._changed:
            if (known := self._kept.get(key)) is not None:
                self.counts["hits"] += 1
                return known
            if (known := self._flying.get(key)) is not None:
                known.visitors += 1
                self.counts["joined"] += 1
                if priority < known.priority or known.pool == "frames":
                    known.priority, known.due = priority, self._due(known.kind, priority)
                return known
            task = Task(self, key, kind, (function, arguments, keywords), priority, kept=kept)
            task.shared, task.due = run_in in {"here", "any"}, self._due(kind, priority)
            seconds = self._slowest.get(kind, 0.0 if run_in == "here" else self._unknown)
            task.slow = seconds > SLICE
            quick = seconds <= QUICK and task.shared and priority == Priority.ASKED
            if not quick:
                self._enqueue(task, self._pool(seconds, run_in, priority))
            self._flying[key] = task
            self.counts["quick" if quick else "long"] += 1
        if quick:
            self._run_here(task)
        return task

    def kept(self, function: Callable[..., Any], *arguments: Hashable) -> Task | None:
        """Return the task of a call that has ended and is kept; None if there is none."""
        with self._changed:
            return self._kept.get((function, arguments, ()))

    def leave(self, task: Task) -> None:
        """Note that a visitor no longer waits for a task; the last one stops it.

        Not at once where it ends soon, as far as is known: to start another process takes as long.
        """
        with self._changed:
            task.visitors -= 1
            runner = self._runner(task)
            if task.visitors > 0:
                return
            long = self._slowest.get(task.kind, math.inf) > self._limits["short"]
            if runner is None or (runner.pool == "long" and long):
                self._stop(task)
            elif runner.pool == "frames":
                runner.hurry()
                _later(runner.limit, self._stop, task)
            elif runner.pool == "long":
                _later(self._limits["short"], self._stop, task)

    def linger(self, task: Task) -> None:
        """Count the visitor once more, for `LINGERS` seconds."""
        with self._changed:
            task.visitors += 1
        _later(LINGERS, self.leave, task)

    def _stop(self, task: Task) -> None:
        """Stop a task without a visitor that waits for it."""
        with self._changed:
            if task.visitors > 0:
                return
            if task in self._queue:
                self._queue.remove(task)
                self._settle(task, "stopped", "its last visitor left")
            elif self._runner(task) is not None:
                self._give_up(task)

    def _give_up(self, task: Task) -> None:
        """Stop a running task through its runner; called with the lock held."""
        task.state = "stopped"
        if self._flying.get(task.key) is task:  # a later call is a new task, and does not join it
            del self._flying[task.key]
        if not task.unwanted.done():
            task.unwanted.set_result(None)

    def ahead(self, task: Task) -> int:
        """Return how many tasks come before a waiting one, the running one included."""
        with self._changed:
            before = [
                one for one in self._queue if one.pool == task.pool and one.order < task.order
            ]
            return len(before) + any(self._running(task.pool))

    def lasted(self, kind: Hashable) -> float | None:
        """Return for how many seconds visitors waited for the last of a kind, once it began."""
        return self._lasted.get(kind)

    def told(self, task: Task) -> float | None:
        """Return how much of a running task is done, as it told last."""
        runner = self._runner(task)
        computer = None if runner is None else runner.computer
        return None if computer is None else computer.told()

    def waiting(self) -> int:
        """Return how many tasks wait."""
        return len(self._queue)

    def close(self) -> None:
        """End the processes."""
        with self._changed:
            for runner in self._runners:
                if runner.running is None:
                    runner.stop()
                else:
                    self._give_up(runner.running)

    # --- The queue; all of this is called with the lock held -------------------------------------

    def _runner(self, task: Task) -> Runner | None:
        return next((runner for runner in self._runners if runner.running is task), None)

    def _running(self, pool: Pool | None) -> list[Task]:
        return [r.running for r in self._runners if r.pool == pool and r.running is not None]

    def _due(self, kind: Hashable, priority: Priority) -> float:
        """Return until when a task that is asked for now may be passed."""
        needs = min(self._slowest.get(kind, self._unknown), self._limits["short"])
        return time.monotonic() + (PASSED * needs if priority == Priority.ASKED else 0.0)

    def _idle(self) -> bool:
        """Return whether `long` has nothing to do."""
        return not self._running("long") and all(task.pool != "long" for task in self._queue)

    def _pool(self, seconds: float, run_in: Place, priority: Priority) -> Pool:
        """Return the pool for what takes so many seconds, as far as is known."""
        if run_in == "frames" or priority == Priority.FRAMES:
            return "frames"
        if run_in == "long" or seconds > self._limits["short"]:
            return "long"
        spared = seconds > COLD and (priority == Priority.PREPARED or self._idle())
        return "long" if spared else "short"

    def _enqueue(self, task: Task, pool: Pool) -> None:
        """Add a new task, unless too many wait: of frames the oldest is given up then."""
        rivals = [one for one in self._queue if one.pool == pool and one.priority == task.priority]
        if len(rivals) >= self.most_waiting:
            if task.priority != Priority.FRAMES:
                self.counts["full"] += 1
                requirement = f"must wait until fewer than {self.most_waiting} others do"
                raise InputError("This computation", requirement, "a full queue; try again soon")
            last = max(rivals, key=lambda one: one.order)
            self._queue.remove(last)
            self._settle(last, "stopped", "others came after it")
        new = pool == "short" and task.kind not in self._slowest
        tried = new and (task.priority == Priority.PREPARED or self._idle())
        self._add(task, pool, TRIAL if tried else math.inf)

    def _add(self, task: Task, pool: Pool, limit: float = math.inf) -> None:
        task.state, task.pool, task.limit = "waiting", pool, min(limit, self._limits[pool])
        self._queue.append(task)
        if pool == "frames" and not task.slow:
            for runner in self._runners:
                if runner.running and runner.running.priority == Priority.FRAMES:
                    runner.hurry()
        self._wake()

    def _wake(self) -> None:
        """Wake the runners, so that they look at the queue."""
        for runner in self._runners:
            if runner.thread is None and any(task.pool == runner.pool for task in self._queue):
                runner.thread = threading.Thread(
                    target=self._run, args=(runner,), name="privsc-work", daemon=True
                )
                runner.thread.start()
        self._changed.notify_all()

    def _next(self, runner: Runner) -> Task | None:
        """Return what a runner computes now; None while it has to wait."""
        away = any(other.remote for other in self._runners)
        if runner.pool == "long" and away != runner.remote:
            return None
        if runner.pool == "frames" and any(task.pool == "short" for task in self._queue):
            return None
        mine = (task for task in self._queue if task.pool == runner.pool)
        return min(mine, key=lambda task: task.order, default=None)

    # --- Quick tasks: in the visitor's thread ----------------------------------------------------

    def _run_here(self, task: Task) -> None:
        state: State = "stopped"
        value: Any = "interrupted"
        seconds = None
        try:
            with self._turns:
                task.state, task.began = "running", time.monotonic()
                value, seconds = run(*task.call)
                state = "done"
        except InputError as refused:
            state, value = "refused", (refused.parameter, refused.requirement, refused.got)
        except Exception as error:
            state, value = "failed", repr(error)
            raise
        finally:  # whatever happens, others may be waiting
            with self._changed:
                self._settle(task, state, value, seconds)

    # --- The rest: by the workers ----------------------------------------------------------------

    def _run(self, runner: Runner) -> None:
        while True:
            with self._changed:
                while (task := self._next(runner)) is None and runner in self._runners:
                    self._changed.wait(runner.rest())
                if task is None:  # its cluster is lost
                    return
                self._queue.remove(task)
                task.hurried = False
                runner.begin(task)
                task.state, task.began = "running", time.monotonic()
                self._changed.notify_all()
            state, value, seconds = self._answer(task, runner)
            with self._changed:
                runner.begin(None)
                self._after(task, runner, state, value, seconds)

    def _answer(self, task: Task, runner: Runner) -> tuple[State, Any, float | None]:
        """Return how a task ended; "waiting" when it is to begin again."""
        state: State = "refused"
        value: Any = None
        this = "This computation"
        try:
            found = runner.compute(task)
            if found is not None:
                return "done", *found
            value = this, f"must take at most {task.limit:g} s on this server", "a longer one"
            state = "waiting" if runner.pool == "short" else "refused"
        except InputError as refused:
            value = refused.parameter, refused.requirement, refused.got
        except MemoryError:
            value = this, f"must fit in {MEMORY // 2**20} MB of memory on this server", "more"
        except GaveWayError:
            state = "waiting"
        except AwayError as lost:
            self.stay(str(lost))
            state = "waiting"
        except ENDED:
            early = "a worker that ended before it: try again"
            state, value = "lost", (this, "must run to its end to be shown", early)
        except Exception as error:  # noqa: BLE001 - the boundary between two processes
            _LOG.exception("a computation failed in the worker")
            state, value = "failed", repr(error)
        return state, value, None

    def _after(
        self, task: Task, runner: Runner, state: State, value: Any, seconds: float | None
    ) -> None:
        """Settle a task whose runner is done with it, or have it begin again; with the lock held."""
        if task.unwanted.done():
            self._settle(task, "stopped", "its last visitor left")
            return
        if state == "waiting":
            if runner.pool == "short":
                tried = task.limit < runner.limit
                self._learn(task.kind, task.limit if tried else 2 * runner.limit)
            elif runner.pool == "frames":
                task.slow = True
                self._learn(task.kind, 2 * SLICE)
            if task.visitors > 0 or task.priority == Priority.PREPARED:
                self._add(task, "frames" if runner.pool == "frames" else "long")
            else:
                self._settle(task, "stopped", "its last visitor left")
            return
        if state == "done":
            self._lasted[task.kind] = max(time.monotonic() - task.began, QUICK)
            if runner.pool == "long" and task.shared:
                # Another process may lack the tables that made it quick here.
                self._slowest[task.kind] = WARM
        self._settle(task, state, value, seconds)

    # --- What is known ---------------------------------------------------------------------------

    def _settle(self, task: Task, state: State, value: Any, seconds: float | None = None) -> None:
        """End a task and keep what will be the same next time; called with the lock held."""
        if self._flying.get(task.key) is task:
            del self._flying[task.key]
        if seconds is not None:
            self._learn(task.kind, seconds)
        if task.kept and state in {"done", "refused"}:
            task.weight = 1 + (len(value) // UNIT if isinstance(value, Sized) else 0)
            self._kept[task.key] = task
        if state in {"stopped", "lost"}:
            self.counts[state] += 1
        task.end(state, value)
        self._changed.notify_all()  # what waited behind it in the queue may begin

    def _learn(self, kind: Hashable, seconds: float) -> None:
        """Remember how long a kind takes at worst; called with the lock held."""
        known = self._slowest.get(kind, 0.0)
        self._slowest[kind] = max(seconds, known if known > COLD else FORGETS * known)


def _later(seconds: float, call: Callable[[Task], None], task: Task) -> None:
    timer = threading.Timer(seconds, call, (task,))
    timer.daemon = True
    timer.start()


SCHEDULER = Scheduler()  # of this server


def start(function: Callable[..., Any], *arguments: Hashable, **how: Any) -> Task:
    """Return the task of a call, see `Scheduler.start`."""
    return SCHEDULER.start(function, *arguments, **how)
