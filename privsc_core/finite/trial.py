"""The exponential mechanism on a finite class: any target row, any distribution of the points.

The generic private learner of the survey (Vadhan 2017, Theorem 8.3). Its weights are
e^{-eps * mistakes / 2}; the paper writes e^{-eps * mistakes}, which is 2 eps-DP.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import progress
from privsc_core.concepts.shared.inequalities import least_at_rate, mechanism_rate
from privsc_core.errors import InputError
from privsc_core.numerics.intervals import Draws
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.finite.matrix import FiniteClass

_SIZES = 24  # numbers of samples of a curve
_BLOCK = 1 << 21  # scores at once
_HEAVIEST = 10**6


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """How often the mechanism finds a good row, along numbers of samples.

    Attributes
    ----------
    m : ndarray of int64, shape (sizes,)
    value, low, high : ndarray of float64, shape (sizes,)
        The probability of error at most alpha, simulated over samples and exact over the
        mechanism's coins, with a 95 % interval.
    promised : ndarray of float64, shape (sizes,)
        At least so often it succeeds, for every target and distribution.
    one_step, two_step : int
        From so many samples on it is promised with probability 1 - beta: by the rate of a bad
        row, and by the survey's two steps.
    good : int
        How many rows have error at most alpha.
    """

    m: NDArray[np.int64]
    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    promised: NDArray[np.float64]
    one_step: int
    two_step: int
    good: int


def two_steps(size: int, *, epsilon: float, alpha: float, beta: float) -> int:
    """Return the m of Theorem 8.3 with constants (ours, the paper's route).

    All empirical errors are within alpha/2 of the true ones (Hoeffding), and the mechanism's row
    is within alpha/2 of the best: m >= max{(2/α²) log(4|C|/β), (4/(εα)) log(2|C|/β)}.
    """
    uniform = 2.0 / alpha**2 * math.log(4.0 * size / beta)
    drawn = 4.0 / (epsilon * alpha) * math.log(2.0 * size / beta)
    return max(1, math.ceil(max(uniform, drawn) * (1.0 - 1e-14)))


def good_rows(
    of: FiniteClass, target: int, weights: Sequence[int], alpha: float
) -> NDArray[np.bool_]:
    """Return which rows have error at most alpha; an error of exactly alpha is good."""
    wrong = np.array([_mass(concept ^ of.concepts[target], weights) for concept in of.concepts])
    return np.asarray(wrong <= alpha * sum(weights) * (1.0 + 1e-12))


def _mass(mistakes: int, weights: Sequence[int]) -> int:
    return sum(weight for x, weight in enumerate(weights) if mistakes >> x & 1)


def weights_of(
    of: FiniteClass, weights: Sequence[int] = (), heaviest: int = _HEAVIEST
) -> tuple[int, ...]:
    """Return the weights of the points, each at most `heaviest`: all alike where none are given.

    Raises
    ------
    InputError
        When they are no distribution of the points.
    """
    given = tuple(weights) or (1,) * of.points
    if len(given) != of.points or sum(given) <= 0 or not all(0 <= w <= heaviest for w in given):
        raise InputError(
            "weights", f"must be {of.points} whole numbers from 0 to {heaviest:,}, not all 0",
            " ".join(map(str, given)),
        )  # fmt: skip
    return given


def trial(
    of: FiniteClass, target: int, weights: Sequence[int] = (), *, epsilon: float, alpha: float,
    beta: float, trials: int = 400, seed: int = 1,
) -> Trial:  # fmt: skip
    """Simulate the mechanism over the class on samples of the target.

    Parameters
    ----------
    of : FiniteClass
    target : int
        A row, from 0.
    weights : sequence of int
        Of the points, whole numbers from 0, not all 0; none for the uniform distribution.
    epsilon, alpha, beta : float
    trials : int
        Samples at each number of samples.
    seed : int

    Raises
    ------
    InputError
        For a row that is not there, and weights that are no distribution of the points.
    """
    epsilon, alpha, beta = (
        scalar(name, value)
        for name, value in (("epsilon", epsilon), ("alpha", alpha), ("beta", beta))
    )
    if not 0 <= target < len(of):
        raise InputError("target", f"must be a row from 1 to {len(of)}", target + 1)
    given = weights_of(of, weights)
    rate = float(mechanism_rate(np.array(epsilon), alpha))
    one_step = least_at_rate(math.log(len(of) / beta), rate)
    m = np.unique(np.round(np.geomspace(1, 1.3 * one_step, _SIZES)).astype(np.int64))
    good = good_rows(of, target, given, alpha)
    differs = np.array(
        [[(concept ^ of.concepts[target]) >> x & 1 for x in range(of.points)]
         for concept in of.concepts], dtype=np.float64,
    )  # fmt: skip
    drawn = Draws.between(np.zeros(m.size), np.ones(m.size))
    chances = np.array(given) / sum(given)
    seeds = np.random.SeedSequence(seed).spawn(m.size)
    for i in progress.steps(range(m.size)):
        kept = _kept(
            int(m[i]), differs, good, chances, epsilon, trials, np.random.default_rng(seeds[i])
        )
        drawn.add(i, kept)
    bad = len(of) - int(good.sum())
    promised = np.maximum(
        0.0, 1.0 - np.exp(np.minimum(math.log(max(len(of) - 1, 1e-300)) - rate * m, 0.0))
    )
    two_step = two_steps(len(of), epsilon=epsilon, alpha=alpha, beta=beta)
    return Trial(m, drawn.mean(), *drawn.ends(), promised, one_step, two_step, len(of) - bad)


def _kept(
    m: int, differs: NDArray[np.float64], good: NDArray[np.bool_], chances: NDArray[np.float64],
    epsilon: float, trials: int, rng: np.random.Generator,
) -> NDArray[np.float64]:  # fmt: skip
    """Return for each sample the probability that the mechanism draws a good row."""
    found = np.empty(trials)
    block = max(1, _BLOCK // len(differs))
    for start in range(0, trials, block):
        counts = rng.multinomial(m, chances, size=min(block, trials - start))
        # The target makes no mistake, so the largest weight is 1.
        weights = np.exp(-0.5 * epsilon * (counts @ differs.T))
        found[start : start + len(counts)] = weights @ good / weights.sum(axis=1)
    return found
