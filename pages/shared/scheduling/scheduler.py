"""Who computes what, and when: one visitor's long computation must not hold up another's slider.

`start` is the one way in. Equal requests of any number of visitors are computed once: the first
one's computation is everybody's, and its result is kept. What is known to be quick runs at once in
the visitor's own thread, a few at a time. Everything else goes to a process of low priority
(worker.py), in the order in which it was asked for, with a bound on time and memory: Python's
threads share one lock, a process does not. There are two such lanes, each with a process of its
own: one for what ends within a second or so, as far as is known, and one for the rest; and a third
for what makes a page nicer but is not waited for: the strips of sliders, the newest first, slow
ones after all others and giving way to them, and only while nobody waits in the first lane. In the
first, what is short passes what is long. What is known to be slow goes to the second while that has
nothing to do, and in any case where nobody waits for it. What takes longer than it may in the first
begins again in the second, and what nobody has run yet may take less: so a long computation holds up
others that are short for that long at most.

The processes are executors of `concurrent.futures`: another kind can stand in their place. One
that cannot stop a call, such as a thread, is left alone with it, and another is hired. Where the
host names a cluster (`privsc serve --scheduler`), what is long goes there, in several lanes
(far.py); once that is lost, here again.

How much of a computation is done, its loops tell (privsc_core/progress.py). Until they do, it is
guessed from how long the last one of its kind took.

How long something takes is learned by its `kind`. So a kind names what the time depends on,
coarsely: the picture, the class, the distribution, and the orders of magnitude of the parameters.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import math
import threading
import time
from collections import deque
from collections.abc import Sized
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
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
    from collections.abc import Callable, Hashable, Iterator
    from concurrent.futures import Executor
    from types import TracebackType

ENTRIES = 4096  # results kept, in units of
UNIT = 25_000  # bytes: a figure, encoded, is one; a strip of them some three
KINDS = 4096  # kinds whose time is remembered
QUICK = 0.08  # seconds; a kind that took longer lately is not quick
COLD = 0.25  # seconds; a kind that took longer is slow for good, others may have filled tables
WARM = 1.01 * COLD  # what one is taken to need that was long once, however short it was at last
FORGETS = 0.7  # of such a time, with every call of the kind
# Seconds of a processor: on a machine that has other things to do, they last longer.
BRISK = 1.5  # that a computation may take in the first lane
TRIAL = 0.5  # that one may which nobody has run yet, while there is time for it elsewhere
BRIEF = 6.0  # that one may take that the page can do without
LONGEST = 60.0  # that one computation may take
UNKNOWN = 0.2  # that one of the first lane is taken to need which nobody has run yet
RESTS = 0.05  # between two looks at whether somebody waits in the first lane
PASSED = 5.0  # times as long as it takes, a computation may be passed by shorter ones
MOST_WAITING = 64  # long computations in the queue
# How much a lane's process leaves to others, in degrees of Unix; the visitors' threads have 0.
PATIENT, MORE_PATIENT, MOST_PATIENT = 5, 10, 15
LINGERS = 1.0  # seconds that a computation goes on while its visitor begins anew
TURNS = 2  # quick computations at a time: more of them only swap the lock among themselves

_LOG = logging.getLogger("privsc.work")
LATELY = 2.0  # seconds; a worker that has answered since is not asked first whether it lives
DEAF = 4.0  # times as long by the clock, and a worker that has not ended its call is ended
_SECONDS = 90.0  # that are left, from which on they are said in minutes
_GUESSED = 0.8  # the share when it has taken as long as the last of its kind; never all of it
_GUESSED_LEAST = 1.0  # seconds that it took
_TOLD_LEAST = 0.02  # before, what was told says nothing of the rest

State = Literal["waiting", "running", "done", "refused", "failed", "lost", "stopped"]


class Task:
    """One computation, perhaps for several visitors: a context manager that they leave.

    When the last one leaves before the end, it is stopped.
    """

    def __init__(
        self, office: Scheduler, key: Hashable, kind: Hashable, call: tuple[Any, ...]
    ) -> None:
        self._office, self.key, self.kind, self.call = office, key, kind, call
        self.state: State = "waiting"
        self.visitors = 0
        self.began = 0.0
        self.due = 0.0  # shorter ones that come later pass it while theirs is earlier
        self.lane: Lane | None = None
        self.longest = 0.0  # seconds that it may take in its lane
        self._most = 0.0
        self.apart = False  # whether it is quick only where tables are filled
        self.aside = False  # whether it lets all others pass
        self.slow = False  # whether it lets those pass that do: it takes longer than a slice
        self.kept = True  # whether its value is for those who ask later too
        self.weight = 1  # of its value, where it is kept
        self.unwanted: Future[Any] = Future()  # done when nobody waits for it any more
        self._value: Any = None
        self._ended = threading.Event()
        self._listening: list[threading.Event] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.leave()

    def leave(self) -> None:
        """Note that one visitor no longer waits for it."""
        self._office.leave(self)

    def linger(self) -> None:
        """Stay for a moment longer than the visitor, who may ask for it again at once."""
        self._office.linger(self)

    def wait(self, seconds: float) -> bool:
        """Wait, at most so long; tell whether it has ended."""
        return self._ended.wait(seconds)

    @contextlib.contextmanager
    def ringing(self, bell: threading.Event) -> Iterator[None]:
        """Ring a bell when it ends; at once where it has."""
        self._listening.append(bell)
        if self._ended.is_set():
            bell.set()
        try:
            yield
        finally:
            self._listening.remove(bell)

    @property
    def ahead(self) -> int:
        """How many computations have to end before this one begins."""
        return self._office.ahead(self)

    def progress(self) -> tuple[float | None, str]:
        """Return how much is done, from 0 to 1 or None if unknown, and where it stands in words.

        The share never goes back, not even where the computation has to begin again.
        """
        if self.state != "running":
            n = self.ahead
            words = (
                f"Queued: {n} longer computation{'s' if n != 1 else ''} of other visitors first."
            )
            return None, words if self.state == "waiting" else ""
        share, seconds = self._known()
        if share is None:
            return None, f"Computing for {time.monotonic() - self.began:.0f} s"
        self._most = max(share, self._most)
        return self._most, done_in_words(self._most, seconds)

    def _known(self) -> tuple[float | None, float | None]:
        """Return the share and the seconds that are left, as it tells or else as others took."""
        gone = time.monotonic() - self.began
        told = self.lane.told() if self.lane is not None else None
        if told is not None and told > _TOLD_LEAST:
            return told, gone * (1.0 / told - 1.0)
        lasted = self._office.lasted(self.kind)
        if lasted is None or lasted < _GUESSED_LEAST:  # that one was quick, and this one is not
            return told, None
        ratio = gone / lasted
        if ratio < 1.0:
            return _GUESSED * ratio, lasted - gone
        return 1.0 - (1.0 - _GUESSED) / ratio, None  # it takes longer: nobody knows how long

    def result(self) -> Any:
        """Return the value, or raise what went wrong; waits for the end.

        Raises
        ------
        InputError
            For bad input, for what takes more time or memory than is allowed here, and where the
            worker ended before it.
        RuntimeError
            When it failed, or was stopped.
        """
        self._ended.wait()
        if self.state == "done":
            return self._value
        if self.state in {"refused", "lost"}:
            raise InputError(*self._value)  # a new one: it keeps the frames that it passes
        raise RuntimeError(f"a computation {self.state}: {self._value}")

    def end(self, state: State, value: Any) -> None:
        """Settle it; the office calls this once."""
        self.state, self._value = state, value
        self._ended.set()
        for bell in self._listening.copy():
            bell.set()


def done_in_words(share: float, seconds: float | None = None) -> str:
    """Return in words how much is done, and how many seconds are left where that is known."""
    rest = "" if seconds is None else f", {left(seconds)}"
    return f"Computing … {100 * share:.0f} %{rest}"


def left(seconds: float) -> str:
    """Return in words how long something takes yet."""
    if seconds < 1.5:
        return "about a second left"
    if seconds < _SECONDS:
        return f"about {seconds:.0f} s left"
    return f"about {seconds / 60:.0f} minutes left"


class Lane:
    """A queue with an executor of its own, which gets one call at a time."""

    def __init__(
        self,
        hire: Callable[[], Executor],
        lock: threading.Lock,
        longest: float,
        *,
        newest: bool = False,
    ) -> None:
        self.longest, self._newest = longest, newest
        self.queue: deque[Task] = deque()
        self.arrived = threading.Condition(lock)
        self.running: Task | None = None
        self.runner: threading.Thread | None = None
        self._hire = hire
        self._executor: Executor | None = None
        self._answered = 0.0  # when its worker did last
        self._hurried: Task | None = None  # the last one that was told to give way

    @property
    def idle(self) -> bool:
        """Whether it has nothing to do; to be asked with the lock held."""
        return self.running is None and not self.queue

    def add(self, job: Task, longest: float = math.inf) -> None:
        """Put a job in its place, before those that nobody waits for; called with the lock held.

        It may take so many seconds there, at most what all may.

        By when it is due: what is short passes what is long, for a while. Of those that nobody
        waits for the newest may come first, what is slow after the others: a hand lies on a slider
        now, and will not for long. What runs then gives way.
        """
        job.state, job.lane, job.longest = "waiting", self, min(longest, self.longest)
        self.queue.insert(self._place(job), job)
        self.arrived.notify()
        if self._newest and not job.slow and self.running is not None and self.running.aside:
            self.hurry()

    def _place(self, job: Task) -> int:
        if job.aside and not self._newest:
            return len(self.queue)
        passed = (n for n, other in enumerate(self.queue) if _passes(job, other))
        return next(passed, len(self.queue))

    def hurry(self) -> None:
        """Have what runs give way to others after a while, where the executor can; told once."""
        hurry: Callable[[], None] | None = getattr(self._executor, "hurry", None)
        if hurry is not None and self.running is not None and self.running is not self._hurried:
            self._hurried = self.running
            hurry()

    def compute(self, job: Task) -> tuple[Any, float] | None:
        """Return value and seconds; None when time was up, or nobody waited any more.

        Raises what the call raised, and one of `ENDED` when the worker ended.
        """
        if self._executor is not None and time.monotonic() - self._answered < LATELY:
            with contextlib.suppress(
                *ENDED
            ):  # it has died since; or by this call, which ends the next too
                return self._computed(job, self._executor)
        executor = self._ready(job)
        return None if executor is None else self._computed(job, executor)

    def _computed(self, job: Task, executor: Executor) -> tuple[Any, float] | None:
        job.began, self._hurried = time.monotonic(), None
        try:
            function, arguments, keywords = job.call
            future: Future[Any] = executor.submit(run, function, arguments, keywords, job.longest)
            wait((future, job.unwanted), DEAF * self.longest, FIRST_COMPLETED)
            if future.done():
                found: tuple[Any, float] = future.result()
                self._answered = time.monotonic()
                return found
        except TimeUpError:
            return None
        except ENDED:
            self.dismiss()
            raise
        self.dismiss()
        return None

    def _ready(self, job: Task) -> Executor | None:
        """Return the executor once it answers; None when nobody waits for that."""
        for _ in range(2):  # an idle worker may have died; a new one should not
            self._executor = self._executor or self._hire()
            try:
                answer: Future[Any] = self._executor.submit(int)
                wait((answer, job.unwanted), return_when=FIRST_COMPLETED)
                if not answer.done():
                    return None
                answer.result()
            except ENDED:
                self.dismiss()
            else:
                return self._executor
        raise BrokenExecutor("no worker starts")

    def told(self) -> float | None:
        """Return how much of its call is done, where the executor can tell."""
        told: Callable[[], float | None] | None = getattr(self._executor, "told", None)
        return told() if told is not None else None

    def dismiss(self) -> None:
        """End the worker, whatever it does. The next computation hires another."""
        executor, self._executor, self._answered = self._executor, None, 0.0
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)


def _passes(job: Task, other: Task) -> bool:
    """Tell whether a job that comes now is done before one that waits, where neither is the last."""
    if job.aside != other.aside:
        return other.aside
    return other.slow or not job.slow if job.aside else other.due > job.due


class Scheduler:
    """Keeps results, joins equal requests, and has three workers for what is not quick."""

    def __init__(
        self,
        *,
        entries: int = ENTRIES,
        brisk: float = BRISK,
        longest: float = LONGEST,
        waiting: int = MOST_WAITING,
        hire: Callable[[int], Executor] = Worker,
    ) -> None:
        self.most_waiting = waiting
        self.counts = dict.fromkeys(
            ("hits", "joined", "quick", "long", "stopped", "lost", "full"), 0
        )
        self._lock = threading.Lock()
        self._kept: LRUCache[Hashable, Task] = LRUCache(entries, lambda job: job.weight)
        self._flying: dict[Hashable, Task] = {}
        self._slowest: LRUCache[Hashable, float] = LRUCache(KINDS)
        self._lasted: LRUCache[Hashable, float] = LRUCache(KINDS)
        self._brisk = Lane(partial(hire, PATIENT), self._lock, brisk)
        self._long = Lane(partial(hire, MORE_PATIENT), self._lock, longest)
        self._brief = Lane(partial(hire, MOST_PATIENT), self._lock, BRIEF, newest=True)
        self._away: list[Lane] = []
        self._turns = threading.Semaphore(TURNS)
        self._unknown = min(UNKNOWN, brisk)

    def send_away(self, hire: Callable[[], Executor], lanes: int) -> None:
        """Have what is long computed by other machines, so many calls at a time, while they can."""
        with self._lock:
            self._away = [Lane(hire, self._lock, self._long.longest) for _ in range(lanes)]

    def stay(self, why: str) -> None:
        """Compute here from now on; the reason is a clause."""
        with self._lock:
            lanes, self._away = self._away, []
            for lane in lanes:
                while lane.queue:
                    self._long.add(lane.queue.popleft())
            if lanes:
                _LOG.warning("the cluster is lost: %s; from now on this machine computes", why)
                self._employ(self._long)

    def start(
        self,
        function: Callable[..., Any],
        *arguments: Hashable,
        kind: Hashable,
        tame: bool = False,
        apart: bool = False,
        long: bool = False,
        aside: bool = False,
        brief: bool = False,
        kept: bool = True,
        **keywords: Any,
    ) -> Task:
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
        apart : bool
            Whether it is quick only where tables are filled: never in the visitor's own process.
        long : bool
            Whether it goes where there is time, however quick the last one of its kind was: in the first
            lane it would find no tables, and hold up the others.
        aside : bool
            Whether the worker is to do it in any case, after everything that somebody waits for.
        brief : bool
            Whether it is given up, for good, rather than that it takes long; it has a lane of its
            own, where it is in no figure's way.
        kept : bool
            Whether to keep the value; not that of somebody's file, which is theirs alone.

        Raises
        ------
        InputError
            When too many long computations are waiting.
        """
        key = (function, arguments, tuple(sorted(keywords.items())))
        with self._lock:
            if (known := self._kept.get(key)) is not None:
                self.counts["hits"] += 1
                return known
            if (known := self._flying.get(key)) is not None:
                known.visitors += 1
                self.counts["joined"] += 1
                if brief or (known.aside and not aside):
                    self._promote(known, aside=aside)
                return known
            job = Task(self, key, kind, (function, arguments, keywords))
            job.visitors, job.apart, job.aside, job.kept = 1, apart, aside, kept
            job.due = self._due(kind)
            seconds = self._slowest.get(kind, 0.0 if tame else self._unknown)
            job.slow = seconds > SLICE
            quick = seconds <= QUICK and not (aside or apart or long)
            lane = self._brief if brief else self._lane(seconds, long=long, aside=aside)
            ahead = sum(1 for other in lane.queue if other.aside == aside)
            if brief and aside and ahead >= self.most_waiting:
                self._settle(lane.queue.pop(), "stopped", "others came after it")
            elif not quick and ahead >= self.most_waiting:
                self.counts["full"] += 1
                requirement = f"must wait until fewer than {self.most_waiting} others do"
                raise InputError("This computation", requirement, "a full queue; try again soon")
            self._flying[key] = job
            self.counts["quick" if quick else "long"] += 1
            if not quick:
                lane.add(job, self._budget(kind, lane, aside=aside))
                self._employ(lane)
        if quick:
            self._here(job)
        return job

    def kept(self, function: Callable[..., Any], *arguments: Hashable) -> Task | None:
        """Return the job of a call that has ended and is kept; None if there is none."""
        with self._lock:
            return self._kept.get((function, arguments, ()))

    def leave(self, job: Task) -> None:
        """Note that a visitor no longer waits for a job; the last one stops it.

        Not where it ends soon, as far as is known: to hire another worker would take as long.
        """
        with self._lock:
            job.visitors -= 1
            lane = job.lane
            if lane is None or not self._unwanted(job):
                return
            if job in lane.queue:
                lane.queue.remove(job)
                self._settle(job, "stopped", "nobody waits for it")
            elif lane is self._brief:
                lane.hurry()
                _later(lane.longest, self._stop, job)
            elif self._slowest.get(job.kind, math.inf) > self._brisk.longest:
                self._give_up(job)
            else:
                _later(self._brisk.longest, self._stop, job)

    def _unwanted(self, job: Task) -> bool:
        """Tell whether nobody waits for a job that could be stopped; called with the lock held."""
        if job.visitors > 0 or self._flying.get(job.key) is not job or job.lane is None:
            return False
        return job in job.lane.queue or (job is job.lane.running and job.lane is not self._brisk)

    def _stop(self, job: Task) -> None:
        with self._lock:
            if self._unwanted(job):
                self._give_up(job)

    def linger(self, job: Task) -> None:
        """Have a job wanted for a moment longer: whoever goes on with it then joins it."""
        with self._lock:
            job.visitors += 1
        _later(LINGERS, self.leave, job)

    def _due(self, kind: Hashable) -> float:
        """Return until when a job that is asked for now may be passed; with the lock held."""
        needs = min(self._slowest.get(kind, self._unknown), self._brisk.longest)
        return time.monotonic() + PASSED * needs

    def _promote(self, job: Task, *, aside: bool) -> None:
        """Have a job wait as if it were asked for now; called with the lock held."""
        job.aside, job.due = aside, self._due(job.kind)
        lane = job.lane
        if lane is not None and job in lane.queue:
            lane.queue.remove(job)
            lane.add(job)

    def _give_up(self, job: Task) -> None:
        """Have a running job stopped by its lane; called with the lock held."""
        job.state = "stopped"
        if self._flying.get(job.key) is job:  # who asks again asks anew, and does not join its end
            del self._flying[job.key]
        if not job.unwanted.done():
            job.unwanted.set_result(None)

    def ahead(self, job: Task) -> int:
        """Return how many long computations come before a waiting one."""
        with self._lock:
            lane = job.lane
            if lane is None:
                return 0
            before = itertools.takewhile(lambda other: other is not job, lane.queue)
            return sum(1 for _ in before) + (lane.running is not None)

    def lasted(self, kind: Hashable) -> float | None:
        """Return for how many seconds visitors waited for the last of a kind, once it began."""
        with self._lock:
            return self._lasted.get(kind)

    def waiting(self) -> int:
        """Return how many long computations wait."""
        return sum(len(lane.queue) for lane in self._lanes())

    def close(self) -> None:
        """End the workers."""
        with self._lock:
            for lane in self._lanes():
                if lane.running is None:
                    lane.dismiss()
                else:
                    self._give_up(lane.running)

    def _lanes(self) -> tuple[Lane, ...]:
        return (self._brisk, self._long, self._brief, *self._away)

    def _lane(self, seconds: float, *, long: bool, aside: bool) -> Lane:
        """Return the lane for what takes so many seconds, as far as is known; with the lock held.

        What is slow is not in the way of what is not, while there is time for it elsewhere; nor
        where nobody waits for it.
        """
        if long or seconds > self._brisk.longest:
            return self._free()
        return self._long if seconds > COLD and (aside or self._long.idle) else self._brisk

    def _budget(self, kind: Hashable, lane: Lane, *, aside: bool) -> float:
        """Return what a job may take in a lane; with the lock held."""
        new = lane is self._brisk and kind not in self._slowest
        return min(TRIAL, lane.longest) if new and (aside or self._long.idle) else lane.longest

    def _free(self) -> Lane:
        """Return the lane for a long computation that has least to do; with the lock held."""
        lanes = self._away or [self._long]
        return min(lanes, key=lambda lane: len(lane.queue) + (lane.running is not None))

    # --- quick: here ---------------------------------------------------------------------------

    def _here(self, job: Task) -> None:
        state: State = "stopped"
        value: Any = "interrupted"
        seconds = None
        try:
            with self._turns:
                job.state, job.began = "running", time.monotonic()
                value, seconds = run(*job.call)
                state = "done"
        except InputError as refused:
            state, value = "refused", (refused.parameter, refused.requirement, refused.got)
        except Exception as error:
            state, value = "failed", repr(error)
            raise
        finally:  # whatever happens, others may be waiting
            with self._lock:
                self._settle(job, state, value, seconds)

    # --- the rest: the workers -----------------------------------------------------------------

    def _employ(self, lane: Lane) -> None:
        if lane.runner is None:
            lane.runner = threading.Thread(
                target=self._run, args=(lane,), name="privsc-work", daemon=True
            )
            lane.runner.start()

    def _run(self, lane: Lane) -> None:
        while True:
            with lane.arrived:
                while not lane.queue or self._rests(lane):
                    lane.arrived.wait(RESTS if lane.queue else None)
                job = lane.running = lane.queue.popleft()
                job.state, job.began = "running", time.monotonic()
            try:
                state, value, seconds = self._answer(job, lane)
            except AwayError as lost:
                self.stay(str(lost))
                state, value, seconds = "waiting", None, None
            with self._lock:
                self._leave_lane(job, lane, state, value, seconds)

    def _leave_lane(
        self, job: Task, lane: Lane, state: State, value: Any, seconds: float | None
    ) -> None:
        """Settle a job whose lane is done with it, or pass it on; called with the lock held."""
        lane.running = None
        if job.unwanted.done():
            self._settle(job, "stopped", "nobody waits for it")
        elif state == "waiting":  # it may begin again where there is more time, or when there is
            if lane is self._brisk:
                tried = job.longest < lane.longest
                self._learn(job.kind, job.longest if tried else 2 * lane.longest)
            elif lane is self._brief:
                job.slow = True
                self._learn(job.kind, 2 * SLICE)
            if job.visitors > 0 or (job.aside and lane is not self._brief):
                other = lane if lane is self._brief else self._free()
                other.add(job)
                self._employ(other)
            else:
                self._settle(job, "stopped", "nobody waits for it")
        else:
            if state == "done":
                self._lasted[job.kind] = max(time.monotonic() - job.began, QUICK)
            if state == "done" and lane not in {self._brisk, self._brief} and not job.apart:
                # What it was taken for is no news now; but another process may have nothing of it.
                self._slowest[job.kind] = WARM
            self._settle(job, state, value, seconds)

    def _rests(self, lane: Lane) -> bool:
        """Tell whether a lane leaves the processor to another; called with the lock held."""
        return lane is self._brief and bool(self._brisk.queue)

    def _answer(self, job: Task, lane: Lane) -> tuple[State, Any, float | None]:
        """Return how a job ended in its lane; "waiting" when it is to begin again."""
        this = "This computation"
        late: State = "waiting" if lane is self._brisk else "refused"
        try:
            found = lane.compute(job)
        except InputError as refused:
            return "refused", (refused.parameter, refused.requirement, refused.got), None
        except MemoryError:
            limit = f"must fit in {MEMORY // 2**20} MB of memory on this server"
            return "refused", (this, limit, "more"), None
        except GaveWayError:
            found, late = None, "waiting"
        except AwayError:
            raise
        except ENDED:
            early = "a worker that ended before it: try again"
            return "lost", (this, "must run to its end to be shown", early), None
        except Exception as error:  # noqa: BLE001 - the boundary between two processes
            _LOG.exception("a computation failed in the worker")
            return "failed", repr(error), None
        if found is not None:
            return "done", *found
        limit = f"must take at most {job.longest:g} s on this server"
        return late, (this, limit, "a longer one"), None

    # --- what is known -------------------------------------------------------------------------

    def _settle(self, job: Task, state: State, value: Any, seconds: float | None = None) -> None:
        """End a job and keep what will be the same next time; called with the lock held."""
        if self._flying.get(job.key) is job:
            del self._flying[job.key]
        if seconds is not None:
            self._learn(job.kind, seconds)
        if job.kept and state in {"done", "refused"}:
            job.weight = 1 + (len(value) // UNIT if isinstance(value, Sized) else 0)
            self._kept[job.key] = job
        if state in {"stopped", "lost"}:
            self.counts[state] += 1
        job.call = ()
        job.end(state, value)

    def _learn(self, kind: Hashable, seconds: float) -> None:
        """Remember how long a kind takes at worst; called with the lock held."""
        known = self._slowest.get(kind, 0.0)
        self._slowest[kind] = max(seconds, known if known > COLD else FORGETS * known)


def _later(seconds: float, call: Callable[[Task], None], job: Task) -> None:
    timer = threading.Timer(seconds, call, (job,))
    timer.daemon = True
    timer.start()


SCHEDULER = Scheduler()  # of this server


def start(function: Callable[..., Any], *arguments: Hashable, **how: Any) -> Task:
    """Return the task of a call, see `Scheduler.start`."""
    return SCHEDULER.start(function, *arguments, **how)
