"""A queue of computations, and the worker that takes them one by one."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from typing import TYPE_CHECKING, Any

from pages.shared.work.worker import ENDED, TimeUpError, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from pages.shared.work.job import Job

__all__ = ["Lane"]

LATELY = 2.0  # seconds; a worker that has answered since is not asked first whether it lives
DEAF = 4.0  # times as long by the clock, and a worker that has not ended its call is ended


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
        self.queue: deque[Job] = deque()
        self.arrived = threading.Condition(lock)
        self.running: Job | None = None
        self.runner: threading.Thread | None = None
        self._hire = hire
        self._executor: Executor | None = None
        self._answered = 0.0  # when its worker did last
        self._hurried: Job | None = None  # the last one that was told to give way

    @property
    def idle(self) -> bool:
        """Whether it has nothing to do; to be asked with the lock held."""
        return self.running is None and not self.queue

    def add(self, job: Job, longest: float = math.inf) -> None:
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

    def _place(self, job: Job) -> int:
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

    def compute(self, job: Job) -> tuple[Any, float] | None:
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

    def _computed(self, job: Job, executor: Executor) -> tuple[Any, float] | None:
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

    def _ready(self, job: Job) -> Executor | None:
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


def _passes(job: Job, other: Job) -> bool:
    """Tell whether a job that comes now is done before one that waits, where neither is the last."""
    if job.aside != other.aside:
        return other.aside
    return other.slow or not job.slow if job.aside else other.due > job.due
