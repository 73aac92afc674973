"""The least number of samples that reaches a target, and that from which on every one does."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Distribution, Estimate, Learner, Setting
from privsc_core.concepts.inequalities import SEARCH_LIMIT
from privsc_core.errors import InputError
from privsc_core.evaluate.results import NeedResult
from privsc_core.evaluate.success import method_of
from privsc_core.numerics.envelope import SCANNED_MOST, Unsettled, ladder, nearest
from privsc_core.numerics.search import least_integer
from privsc_core.parameters import scalar, validated

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from privsc_core.numerics.envelope import Judge, Trial

__all__ = ["Found", "need", "suffices", "tabulate"]

# A simulated least m is searched only this far: beyond, drawing samples takes too long.
_SIMULATED_LIMIT = 10**6
# Envelopes are computed along another way than the law itself: where they are closer than rounding
# to the target the law decides.
_ROUNDING = 1e-9
# Periods that are looked at as a whole, and beginnings that are tried one by one.
_PERIOD_MOST = 50
_SETTLED_MOST = 100
# So many m at the end of the search tell whether some fail even there.
_LAST = 64


@dataclass(frozen=True, slots=True)
class Found:
    """The answer at one setting: numbers (NaN where there is none), why, and a remark."""

    m: float
    m_from: float
    reason: str = ""
    note: str = ""

    @classmethod
    def single(cls, m: float, reason: str = "", note: str = "") -> Found:
        """Return an answer where every larger m suffices too."""
        return cls(m, m, reason, note)


def suffices(found: Estimate, beta: float) -> NDArray[np.bool_]:
    """Tell whether success is at least 1 - beta; the one place that decides."""
    return np.asarray(found.value >= 1.0 - beta)


def need(
    learner: Learner,
    distribution: Distribution,
    *,
    d: ArrayLike,
    epsilon: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    delta: ArrayLike = 0.0,
    trials: int = 1000,
    seed: int = 1,
) -> NeedResult:
    """Return the least m with success probability at least 1 - beta.

    Rounds up: the value reaches the target at m and at no smaller one. Where success may fall
    again as m grows (`Learner.monotone`) `m_from` is the least number from which on every m
    suffices; elsewhere it is m. Where the law is simulated m is the least of the simulated curve.

    Parameters
    ----------
    learner, distribution
        From the catalog.
    d, epsilon, alpha, beta, delta : array_like
        They broadcast.
    trials, seed : int
        As for `success`.

    Returns
    -------
    NeedResult
        NaN with a reason where no number of samples suffices, or none from which on all do.

    Raises
    ------
    InputError
        As for `success`.
    """
    trials, seed = scalar("trials", trials), scalar("seed", seed)
    method = method_of(learner, distribution)
    if method == "monte-carlo":
        sentence = f"must have a law for {learner.name}: one of {', '.join(learner.laws)}"
        raise InputError("distribution", sentence, distribution.label)

    # One search serves every d where nothing depends on it.
    free = learner.free_of_d and not distribution.depends_on_d
    for bits in np.unique(validated("d", d)).tolist():
        distribution.check(d=bits, alpha=float(validated("alpha", alpha).max()))
    same = int(np.max(validated("d", d)))

    def one(d: int, epsilon: float, alpha: float, beta: float, delta: float) -> Found:
        bits = same if free else d
        return _need(learner, distribution, bits, epsilon, alpha, beta, delta, trials, seed)

    return tabulate(one, method, d=d, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta)


def tabulate(
    one: Callable[[int, float, float, float, float], Found],
    method: str,
    *,
    d: ArrayLike,
    epsilon: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    delta: ArrayLike,
) -> NeedResult:
    """Validate, broadcast and collect what is found at one setting at a time."""
    arrays = np.broadcast_arrays(
        validated("d", d), validated("epsilon", epsilon), validated("alpha", alpha),
        validated("beta", beta), validated("delta", delta),
    )  # fmt: skip
    shape = arrays[0].shape
    rows = [one(*cell) for cell in zip(*(a.ravel().tolist() for a in arrays), strict=True)]
    return NeedResult(
        np.array([row.m for row in rows], dtype=np.float64).reshape(shape),
        np.array([row.m_from for row in rows], dtype=np.float64).reshape(shape),
        np.array([row.reason for row in rows], dtype=np.str_).reshape(shape),
        np.array([row.note for row in rows], dtype=np.str_).reshape(shape),
        method,
    )


@lru_cache(maxsize=16384)
def _need(
    learner: Learner, distribution: Distribution, d: int, epsilon: float, alpha: float,
    beta: float, delta: float, trials: int, seed: int,
) -> Found:  # fmt: skip
    limit = SEARCH_LIMIT
    if learner.laws[distribution.name] != "exact":
        limit = _SIMULATED_LIMIT
    bits, loss = np.array(d), np.array(epsilon)

    def where(m: NDArray[np.int64]) -> Setting:
        return Setting(m, bits, loss, alpha, beta, delta, trials, seed)

    monotone = learner.monotone(distribution, alpha)
    falls = learner.falls(distribution, alpha)
    # Where some m fail however large they are, the better of two neighbours tells where to look.
    pair = np.arange(2 if falls else 1)

    def at(m: int) -> float:
        sizes = np.array(m) if monotone else np.minimum(m + pair, limit)
        return float(learner.success(distribution, where(sizes)).value.max())

    # At the guess the weight of all 2^d points is about balanced.
    guess = max(1, int(min(2.0 * d * math.log(2.0) / (epsilon * alpha), 1e9)))
    crossing = least_integer(at, 1.0 - beta, guess=guess, limit=limit)
    if monotone:
        if crossing is None:
            return Found.single(math.nan, _too_low(at(limit), beta, limit))
        return Found.single(float(crossing))

    def judge(first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
        low, high = learner.span(distribution, where(first), where(last))
        sure = suffices(low, beta * (1.0 - _ROUNDING))
        return sure.astype(np.int64) - ~suffices(high, beta * (1.0 + _ROUNDING))

    def trial(m: NDArray[np.int64]) -> NDArray[np.bool_]:
        return suffices(learner.success(distribution, where(m)), beta)

    if falls and crossing is not None and not trial(np.array([crossing])).item():
        crossing += 1
    period, settled = learner.chain(distribution, alpha)
    if crossing is not None and _chains_agree(trial, crossing, period, settled):
        return Found.single(float(crossing))
    say = _Words(falls, at, beta)
    return _search(_chained(judge, trial, period, settled), trial, crossing, limit, say)


def _chains_agree(trial: Trial, crossing: int, period: int, settled: int) -> bool:
    """Tell whether nothing below the crossing suffices, and everything from it on.

    One period on each side of it decides, and what is below m0.
    """
    if not 0 < period <= _PERIOD_MOST or settled > min(_SETTLED_MOST, crossing - period):
        return False
    before = np.concatenate([np.arange(1, settled), np.arange(crossing - period, crossing)])
    good = trial(np.concatenate([before, np.arange(crossing, crossing + period)]))
    return not good[: before.size].any() and bool(good[before.size :].all())


def _chained(judge: Judge, trial: Trial, period: int, settled: int) -> Judge:
    """Return a judge that also looks at one period at the ends of what stays open."""
    if not 0 < period <= _PERIOD_MOST:
        return judge
    steps = np.arange(period)

    def ask(first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
        verdicts = judge(first, last)
        open_ = np.flatnonzero((verdicts == 0) & (first >= settled) & (last - first >= period))
        if open_.size:
            starts, ends = first[open_, None] + steps, last[open_, None] - steps
            good = trial(np.stack([starts, ends]))
            verdicts[open_] = good[0].all(axis=1).astype(np.int64) - ~good[1].any(axis=1)
        return verdicts

    return ask


@dataclass(frozen=True, slots=True)
class _Words:
    """What to say where a number is missing."""

    falls: str
    at: Callable[[int], float]
    beta: float

    def none(self, limit: int) -> str:
        return _too_low(self.at(limit), self.beta, limit)

    def never(self, m: int) -> str:
        if self.falls:
            return f"there is no m from which on all suffice, however large: {self.falls}"
        return (
            f"no m was found from which on all suffice: success is below {1.0 - self.beta:.6g} at some "
            f"m up to {m:,}, where the search ends"
        )

    def unsettled(self, m: int) -> str:
        return (
            f"near m = {m:,} success crosses {1.0 - self.beta:.6g} too often to tell: more than "
            f"{SCANNED_MOST:,} numbers would have to be tried"
        )


def _too_low(top: float, beta: float, limit: int) -> str:
    return (
        f"the success probability stays below {1.0 - beta:.6g}: it is {top:.6g} at m = {limit:.0e}"
    )


def _search(judge: Judge, trial: Trial, crossing: int | None, limit: int, say: _Words) -> Found:
    """Return both numbers, where success crosses the target at `crossing` and maybe elsewhere."""
    below, above = _sides(crossing, limit)
    # Mostly the envelopes confirm at one look that all of one is bad and all of the other is good.
    if crossing is not None:
        verdicts = judge(*np.array(below + above).T).tolist()
        open_ = [span for span, v in zip(below + above, verdicts, strict=True)
                 if v != (-1 if span[0] < crossing else 1)]  # fmt: skip
        below = [span for span in open_ if span[0] < crossing]
        above = [span for span in open_ if span[0] >= crossing]
        if not open_:
            return Found.single(float(crossing))
    m = last = None
    try:
        m = nearest(below, judge, trial) or crossing
        if m is None:
            return Found(math.nan, math.nan, say.none(limit))
        if above and above[-1][1] == limit and not trial(np.arange(limit - _LAST, limit) + 1).all():
            return Found(float(m), math.nan, say.never(limit))
        last = nearest(above, judge, trial, wanted=False, from_above=True)
        if last is None and crossing is not None and m + 1 < crossing:
            between = [(m + 1, crossing - 1)]
            last = nearest(between, judge, trial, wanted=False, from_above=True)
    except Unsettled as stopped:
        return Found(math.nan if m is None else float(m), math.nan, say.unsettled(stopped.at))
    if last is None or last < m:
        return Found.single(float(m))
    note = f"some larger m fall short again; from {last + 1:,} on every m suffices"
    return Found(float(m), float(last + 1), note=note)


def _sides(crossing: int | None, limit: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Cut what is below the crossing, and what is not, into few intervals."""
    if crossing is None:
        everything = ladder(1, limit, 16)
        return everything, everything
    cuts = sorted({1, max(crossing // 64, 1), max(crossing // 4, 1), crossing})
    below = [(first, after - 1) for first, after in itertools.pairwise(cuts)]
    middle = min(4 * crossing, limit)
    return below, [(crossing, middle)] + ([(middle + 1, limit)] if middle < limit else [])
