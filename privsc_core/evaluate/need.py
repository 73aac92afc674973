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

__all__ = ["Found", "need", "suffices", "tabulate"]

# A simulated least m is searched only this far: beyond, drawing samples takes too long.
_SIMULATED_LIMIT = 10**6
# Envelopes are computed along another way than the law itself: where they are closer than rounding
# to the target the law decides.
_ROUNDING = 1e-9
# What happens beyond this share of the limit is taken to happen however large m is.
_TOP = 0.999


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
    again as m grows (data release, whose counts are whole numbers) `m_from` is the least number
    from which on every m suffices; elsewhere it is m. Where the law is simulated m is the least
    of the simulated curve.

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

    def at(m: int) -> float:
        return float(learner.success(distribution, where(np.array(m))).value)

    # At the guess the weight of all 2^d points is about balanced.
    guess = max(1, int(min(2.0 * d * math.log(2.0) / (epsilon * alpha), 1e9)))
    crossing = least_integer(at, 1.0 - beta, guess=guess, limit=limit)
    if learner.monotone(distribution, alpha):
        if crossing is not None:
            return Found.single(float(crossing))
        return Found.single(math.nan, _too_low(at(limit), beta, limit))

    def judge(first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
        low, high = learner.span(distribution, where(first), where(last))
        sure = suffices(low, beta * (1.0 - _ROUNDING))
        return sure.astype(np.int64) - ~suffices(high, beta * (1.0 + _ROUNDING))

    def trial(m: NDArray[np.int64]) -> NDArray[np.bool_]:
        return suffices(learner.success(distribution, where(m)), beta)

    return _search(judge, trial, crossing, limit, _Words(learner.falls(distribution, alpha), at, beta))


@dataclass(frozen=True, slots=True)
class _Words:
    """What to say where a number is missing."""

    falls: str
    at: Callable[[int], float]
    beta: float

    def none(self, limit: int) -> str:
        return _too_low(self.at(limit), self.beta, limit)

    def never(self, m: int) -> str:
        again = f"above it success is below {1.0 - self.beta:.6g} again"
        if self.falls:
            return f"{again}, however large m is: {self.falls}"
        return f"{again} at some m up to {m:,}, where the search ends"

    def unsettled(self, m: int) -> str:
        return (
            f"near m = {m:,} success crosses {1.0 - self.beta:.6g} too often to tell: more than "
            f"{SCANNED_MOST:,} numbers would have to be tried"
        )


def _too_low(top: float, beta: float, limit: int) -> str:
    return f"the success probability stays below {1.0 - beta:.6g}: it is {top:.6g} at m = {limit:.0e}"


def _search(
    judge: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]],
    trial: Callable[[NDArray[np.int64]], NDArray[np.bool_]],
    crossing: int | None,
    limit: int,
    say: _Words,
) -> Found:
    """Return both numbers, where success crosses the target at `crossing` and maybe elsewhere.

    Mostly the envelopes confirm at one look that nothing below the crossing suffices and
    everything above does.
    """
    below, above = _sides(crossing, limit)
    try:
        m = nearest(below, judge, trial) or crossing
    except Unsettled as stopped:
        return Found(math.nan, math.nan, say.unsettled(stopped.at))
    if m is None:
        return Found(math.nan, math.nan, say.none(limit))
    try:
        last = nearest(above, judge, trial, wanted=False, from_above=True)
        if last is None and crossing is not None and m + 1 < crossing:
            between = [(m + 1, crossing - 1)]
            last = nearest(between, judge, trial, wanted=False, from_above=True)
    except Unsettled as stopped:
        return Found(float(m), math.nan, say.unsettled(stopped.at))
    if last is None or last < m:
        return Found.single(float(m))
    if last > _TOP * limit:
        return Found(float(m), math.nan, say.never(limit))
    return Found(float(m), float(last + 1))


def _sides(crossing: int | None, limit: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Cut what is below the crossing, and what is not, into few intervals."""
    if crossing is None:
        everything = ladder(1, limit, 16)
        return everything, everything
    cuts = sorted({1, max(crossing // 64, 1), max(crossing // 4, 1), crossing})
    below = [(first, after - 1) for first, after in itertools.pairwise(cuts)]
    middle = min(4 * crossing, limit)
    return below, [(crossing, middle)] + ([(middle + 1, limit)] if middle < limit else [])
