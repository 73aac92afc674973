"""The blind guess: the best chance to be right before any data, and sizes of representations.

rho(C, alpha) is the largest number such that for one fixed distribution over hypotheses, every
concept f and every distribution D of points, a draw has error at most alpha with at least that
probability. It says what pure privacy costs: see `samples`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.finite.budget import Between
from privsc_core.numerics.decimals import complement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privsc_core.finite.matrix import FiniteClass

__all__ = [
    "Guess",
    "binomial_share",
    "deterministic_size",
    "guess",
    "patterns_of",
    "probabilistic_size",
    "ranges",
]

_ROUNDING = 1e-9
# The weights of an optimum are fractions with small denominators.
_DENOMINATOR = 10_000
# Nature's maximal bad families {z : D(z) > alpha} of mistakes z, by their minimal sets of points
# and up to the order of the points, where they are known: points, then alpha in [low, high).
_FAMILIES: dict[int, tuple[tuple[float, float, tuple[str, ...]], ...]] = {
    3: ((1 / 3, 1 / 2, ("1 2",)),),
    4: (
        (1 / 4, 1 / 3, ("1 2 3",)),
        (1 / 3, 2 / 5, ("1 2", "1 23 24 34")),
        (2 / 5, 1 / 2, ("1 2", "12 13 14 23 24 34")),
    ),
    5: ((1 / 4, 2 / 7, ("1 2 3", "1 2 34 35 45")),),
}
_REPRESENTED = 4  # points up to which sets of hypotheses are all looked at, at alpha in [1/4, 1/3)


@dataclass(frozen=True, slots=True)
class Guess:
    """The blind guess of a class, or the ends between which it lies.

    Attributes
    ----------
    low, high : float
        rho is from `low` to `high`; equal where it is known.
    reason : str
        How it is known, or which inequality each end is.
    """

    low: float
    high: float
    reason: str

    @property
    def exact(self) -> bool:
        """Whether it is known."""
        return self.low == self.high


def patterns_of(alpha: float) -> int:
    """Return s = ceil(1/alpha) - 1: on so many points every mistake can cost more than alpha."""
    return max(0, math.ceil(1.0 / alpha - _ROUNDING) - 1)


def binomial_share(length: int, alpha: float) -> float:
    """Return Pr[Bin(l, 1/2) <= alpha l]: what a mistake tree of depth l leaves to a guess."""
    good = sum(math.comb(length, i) for i in range(math.floor(alpha * length + _ROUNDING) + 1))
    return float(good / 2**length)


def ranges(points: int) -> tuple[tuple[float, float], ...]:
    """Return the ranges of alpha, from low to below high, in which nature's families are listed."""
    return tuple((low, high) for low, high, _ in _FAMILIES.get(points, ()))


def _listed(points: int, alpha: float) -> tuple[str, ...]:
    """Return the families at this accuracy, or none."""
    return next(
        (words for low, high, words in _FAMILIES.get(points, ())
         if low - _ROUNDING <= alpha < high - _ROUNDING),
        (),
    )  # fmt: skip


def guess(of: FiniteClass, alpha: float, *, patterns: int = 1, depth: int = 0) -> Guess:
    """Return the blind guess at an accuracy.

    Parameters
    ----------
    of : FiniteClass
    alpha : float
        In (0, 1).
    patterns, depth : int
        A number of patterns on ceil(1/alpha) - 1 points, and a depth of a mistake tree, that the
        class has: what is said where the program is too large.
    """
    small = of.reduced()
    if small.points <= patterns_of(alpha):
        rho = 1.0 / len(small)
        return Guess(rho, rho, "every concept needs a hypothesis of its own: fewer than 1/α points")
    high = min(1.0 / max(patterns, 1), *(binomial_share(k, alpha) for k in range(depth + 1)))
    low = 1.0 / deterministic_size(of, alpha).cap
    if math.isclose(low, high, rel_tol=1e-12):
        return Guess(high, high, "a representation, and patterns or a mistake tree, say the same")
    if _listed(small.points, alpha):
        low, high = _program(small.concepts, small.points, alpha)
        how = "linear program over all hypotheses and nature's bad families"
        return Guess(
            low, high, how + (", proved in fractions" if low == high else ": its two ends")
        )
    return Guess(low, high, "from a representation to patterns on few points and the mistake tree")


@lru_cache(maxsize=2048)
def _program(concepts: tuple[int, ...], points: int, alpha: float) -> tuple[float, float]:
    """Return the ends between which rho lies, by linear programming; equal where fractions prove it.

    A row for each concept and bad family. What the solver says is rounded to fractions and mended:
    a distribution over hypotheses promises its least row, one over rows leaves no hypothesis more than
    its largest column.
    """
    from scipy.optimize import linprog  # noqa: PLC0415 - slow to import, and most never ask

    good = _good(points, alpha)  # (families, mistakes)
    hypotheses = np.arange(1 << points)
    rows = np.concatenate([good[:, hypotheses ^ concept] for concept in concepts])
    rows = np.unique(rows, axis=0).astype(np.float64)
    width = hypotheses.size
    result = linprog(
        np.append(np.zeros(width), -1.0),
        A_ub=np.hstack([-rows, np.ones((rows.shape[0], 1))]),
        b_ub=np.zeros(rows.shape[0]),
        A_eq=np.append(np.ones(width), 0.0)[None, :],
        b_eq=[1.0],
        bounds=(0.0, None),
        method="highs",
    )
    if result.x is None:  # the uniform distribution is feasible, and 1 a bound
        raise RuntimeError(f"the program of the blind guess was not solved: {result.message}")
    low = min(_sums(rows, _distribution(result.x[:-1])))
    high = max(_sums(rows.T, _distribution(-result.ineqlin.marginals)))
    if low == high:
        return float(low), float(low)
    return math.nextafter(float(low), 0.0), math.nextafter(float(high), 1.0)


def _distribution(weights: NDArray[np.float64]) -> list[Fraction]:
    """Return weights as fractions that are not negative and add up to 1."""
    parts = [Fraction(max(w, 0.0)).limit_denominator(_DENOMINATOR) for w in weights.tolist()]
    total = sum(parts)
    return [part / total for part in parts]


def _sums(table: NDArray[np.float64], weights: list[Fraction]) -> Iterator[Fraction]:
    """Yield of every row the sum of the weights where it has a 1."""
    for row in table:
        yield sum((weights[i] for i in np.flatnonzero(row).tolist()), Fraction(0))


@lru_cache(maxsize=16)
def _good(points: int, alpha: float) -> NDArray[np.bool_]:
    """Return for every maximal bad family which mistakes z stay at most alpha."""
    found: set[frozenset[int]] = set()
    orders = itertools.permutations(range(points))
    for family, order in itertools.product(_listed(points, alpha), orders):
        sets = (sum(1 << order[int(x) - 1] for x in word) for word in family.split())
        found.add(frozenset(sets))
    mistakes = np.arange(1 << points)
    return np.array(
        [
            ~np.any([mistakes & s == s for s in family], axis=0)
            for family in sorted(map(sorted, found))
        ]
    )


def deterministic_size(of: FiniteClass, alpha: float, least: int = 1) -> Between:
    """Return the size of the least set with a hypothesis of error at most alpha for all f and D.

    Its log2 is the deterministic representation dimension.

    Parameters
    ----------
    of : FiniteClass
    alpha : float
        In (0, 1).
    least : int
        A lower bound that is known, such as 1/rho.
    """
    small = of.reduced()
    if small.points <= patterns_of(alpha):
        return Between(len(small), len(small))
    if small.points == _REPRESENTED and _listed(_REPRESENTED, alpha) == _listed(_REPRESENTED, 0.25):
        target = sum(1 << concept for concept in small.concepts)
        represented, sizes = _all_sets()
        size = int(sizes[(represented & target) == target].min())
        return Between(size, size)
    return Between(min(least, len(small)), len(small))


@lru_cache(maxsize=1)
def _all_sets() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return of all sets of hypotheses on four points which concepts they represent, and sizes.

    At alpha in [1/4, 1/3) a concept is represented when it is in the set, or all four concepts that
    differ from it at one point are.
    """
    sets = np.arange(1 << 16)
    represented, sizes = np.zeros_like(sets), np.zeros_like(sets)
    for f in range(16):
        near = sum(1 << (f ^ 1 << x) for x in range(4))
        own = sets >> f & 1
        sizes += own
        represented |= (own | (sets & near == near)) << f
    return represented, sizes


def probabilistic_size(rho: Guess, deterministic: Between, beta: float) -> tuple[int, int]:
    """Return the ends between which the size of a probabilistic representation lies.

    A random set of hypotheses holds a good one except with probability beta, for every f and D:
    its least size k has (1 - beta)/rho <= k <= min(deterministic size, ln(1/beta)/rho).
    """
    low = math.ceil(complement(beta) / rho.high - _ROUNDING)
    high = math.ceil(math.log(1.0 / beta) / rho.low - _ROUNDING)
    return max(1, low), max(1, low, min(deterministic.cap, high))
