"""Success counted over real runs: any learner, any distribution, on all cores."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts import CHUNK, Cell, Estimate
from privsc_core.errors import InputError, shown
from privsc_core.numerics.intervals import Draws

if TYPE_CHECKING:
    from collections.abc import Callable

    from privsc_core.concepts.contracts import Distribution, Learner, Setting

# What takes less by itself is not worth starting processes for.
_WORTH = 0.5


def run_once(
    learner: Learner,
    distribution: Distribution,
    *,
    m: int,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float,
    rng: np.random.Generator,
) -> bool:
    """Draw a sample, run the learner for real, and tell whether it succeeded."""
    sample = distribution.draw(m=m + learner.unlabelled, d=d, alpha=alpha, rng=rng)
    hypothesis = learner.run(sample, Cell(sample.d, epsilon, alpha, beta), rng)
    return distribution.succeeds(hypothesis, d=d, alpha=alpha)


def run_often(
    learner: Learner,
    distribution: Distribution,
    at: Cell,
    trials: int,
    rng: np.random.Generator,
) -> int:
    """Return in how many of so many runs a learner succeeds, with m of `at` examples."""
    return sum(
        run_once(
            learner, distribution, m=at.m, d=at.d, epsilon=at.epsilon, alpha=at.alpha, beta=at.beta,
            rng=rng,
        )
        for _ in progress.steps(range(trials))
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Work:
    """Chunks of at most `CHUNK` runs of one cell each, with seeds of their own."""

    learner: Learner
    distribution: Distribution
    setting: Setting
    cells: list[Cell]
    chunks: list[tuple[int, int, int]]  # cell, first trial, how many

    @classmethod
    def of(cls, learner: Learner, distribution: Distribution, at: Setting) -> _Work:
        cells = [Cell(d, epsilon, at.alpha, at.beta, at.delta, m) for m, d, epsilon in at.cells()]
        last = at.first_trial + at.trials
        chunks = [
            (cell, start, min(CHUNK, last - start))
            for start in range(at.first_trial, last, CHUNK)
            for cell in range(len(cells))
        ]
        return cls(learner, distribution, at, cells, chunks)

    def seconds(self) -> float:
        """Return about how long all of it takes in one process, by one run that does not count."""
        begin = time.perf_counter()
        self._hits(self.cells[0], 1, np.random.default_rng(self.setting.seed))
        share = sum(trials * self.cells[cell].m for cell, _, trials in self.chunks)
        return (time.perf_counter() - begin) * share / self.cells[0].m

    def hits(self, number: int) -> int:
        """Return in how many runs of one chunk the learner succeeded."""
        cell, start, trials = self.chunks[number]
        # As in all simulations every cell has the same streams, so that curves are smooth.
        rng = np.random.default_rng([self.setting.seed, start // CHUNK])
        return self._hits(self.cells[cell], trials, rng)

    def _hits(self, cell: Cell, trials: int, rng: np.random.Generator) -> int:
        # One that can draw many samples at once says so itself.
        own: Callable[..., int] | None = getattr(self.learner, "run_often", None)
        if own is not None:
            return own(self.distribution, cell, trials, rng)
        return run_often(self.learner, self.distribution, cell, trials, rng)


def counted(
    learner: Learner,
    distribution: Distribution,
    setting: Setting,
    processes: int | None = None,
) -> Estimate:
    """Return the share of runs that succeed, with the intervals of Clopper and Pearson.

    Where it takes longer than half a second the chunks are computed by as many processes as there
    are cores, if the system can copy this one (Linux; else by this one alone). The answer does not
    depend on how many there are.

    Parameters
    ----------
    learner, distribution, setting
        As for `Learner.success`; of any learner that has a `run`.
    processes : int, optional
        How many compute, instead of as many as are worth it.

    Raises
    ------
    InputError
        Where the distribution does not exist, or the learner refuses.
    """
    work = _Work.of(learner.at(setting.delta), distribution, setting)
    for d in {cell.d for cell in work.cells}:
        distribution.check(d=d, alpha=setting.alpha)
    drawn = Draws.between(np.zeros(len(work.cells)), np.ones(len(work.cells)))
    for (cell, _, trials), hits in zip(work.chunks, _all_hits(work, processes), strict=True):
        drawn.add(cell, (np.arange(trials) < hits).astype(np.float64))
    drawn = Draws.of(drawn.table.reshape(-1, *setting.shape))
    return Estimate(drawn.mean(), *drawn.ends(), "monte-carlo", drawn=drawn)


def _all_hits(work: _Work, processes: int | None) -> list[int]:
    """Return the hits of every chunk, in their order."""
    count = len(work.chunks)
    if processes is None:
        processes = min(_cores(), count)
        processes = 1 if processes < 2 or work.seconds() < _WORTH else processes
    if processes < 2:
        return [work.hits(number) for number in progress.steps(range(count))]
    return _on_copies(work, processes)


# --- Copies of this process ----------------------------------------------------------------------


class _Copied:
    """What a copy of this process computes: no function is sent to it, it is in its memory."""

    work: _Work


def keep_to_one() -> None:
    """Compute in this process alone from now on: it is itself one of several, or not to be copied."""
    global _alone  # noqa: PLW0603 - a property of the process
    _alone = True


_alone = False


def _cores() -> int:
    """Return how many processes may compute: 1 where this one cannot be copied."""
    # Not imported here: a process that has not imported it was not begun by it.
    begun = sys.modules.get("multiprocessing.process")
    copied = sys.platform.startswith("linux") and (begun is None or begun.parent_process() is None)
    if _alone or not copied or threading.current_thread() is not threading.main_thread():
        return 1
    return len(os.sched_getaffinity(0))


def _on_copies(work: _Work, processes: int) -> list[int]:
    """Return the hits of every chunk, computed by copies of this process, which end with the call."""
    # Not at the top: most numbers need no process.
    import multiprocessing  # noqa: PLC0415 - see above
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - see above
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - see above

    _Copied.work, before = work, set(multiprocessing.active_children())
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(processes, context, _ignore_interrupts)
    try:
        with warnings.catch_warnings():
            # From Python 3.12 on, of threads in a process that is copied: they take no part in this.
            warnings.simplefilter("ignore", DeprecationWarning)
            found = [pool.submit(_hits, number) for number in range(len(work.chunks))]
        return [future.result() for future in progress.steps(found)]
    except BrokenProcessPool:
        raise InputError("learner", "must not end its process", "a process that ended") from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.kill()


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that waits for this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _hits(number: int) -> int:
    try:
        return _Copied.work.hits(number)
    except InputError as error:  # what it got need not pickle
        raise InputError(error.parameter, error.requirement, shown(error.got)) from None
