"""95% intervals for means in [0, 1] of simulated numbers, such as probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainccinv, betaincinv

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

# Each end of an interval misses the mean with at most this probability.
_TAIL = 0.025


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """What an interval is made of: sums over independent draws, mostly from [0, 1], one a cell.

    They add up over parts of a simulation. Cells without draws have a count of 0.

    Attributes
    ----------
    count, total, squares : ndarray of float64
        How many draws, their sum, and the sum of their squares.
    least, most : ndarray of float64
        The ends of their range.
    floor, ceiling : ndarray of float64
        Between which the mean lies for certain: 0 and 1 where nothing is known.
    """

    count: NDArray[np.float64]
    total: NDArray[np.float64]
    squares: NDArray[np.float64]
    least: NDArray[np.float64]
    most: NDArray[np.float64]
    floor: NDArray[np.float64]
    ceiling: NDArray[np.float64]

    @classmethod
    def between(cls, floor: NDArray[np.float64], ceiling: NDArray[np.float64]) -> Draws:
        """Return cells without draws, with known ends."""
        count, total, squares, most = np.zeros((4, *floor.shape))
        return cls(count, total, squares, most + 1.0, most, floor, ceiling)

    @property
    def table(self) -> NDArray[np.float64]:
        """All of them as rows of one array, in the order of the attributes."""
        return np.stack(
            (self.count, self.total, self.squares, self.least, self.most, self.floor, self.ceiling)
        )

    @classmethod
    def of(cls, table: NDArray[np.float64]) -> Draws:
        """Return what has this `table`."""
        return cls(*table)

    @classmethod
    def pooled(cls, parts: Iterable[Draws]) -> Draws:
        """Return all draws of several parts together; their floors and ceilings are the same."""
        tables = np.stack([part.table for part in parts])
        count, total, squares = tables[:, :3].sum(axis=0)
        least, most = tables[:, 3].min(axis=0), tables[:, 4].max(axis=0)
        return cls(count, total, squares, least, most, *tables[0, 5:])

    def add(self, cell: int, values: NDArray[np.float64]) -> None:
        """Add draws to one cell of a flat array of them."""
        self.count[cell] += values.size
        self.total[cell] += values.sum()
        self.squares[cell] += (values * values).sum()
        self.least[cell] = min(self.least[cell], values.min(initial=1.0))
        self.most[cell] = max(self.most[cell], values.max(initial=0.0))

    def mean(self, otherwise: NDArray[np.float64] | float = math.nan) -> NDArray[np.float64]:
        """Return the means, and something else where nothing was drawn."""
        with np.errstate(invalid="ignore"):
            means = np.clip(self.total / self.count, self.floor, self.ceiling)
        return np.where(self.count > 0.0, means, otherwise)

    def ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return both ends of 95% intervals, which hold for values that were not drawn as well.

        The upper end of Gaffke (Math. Methods Statist. 14, 2005) for a mean in [0, 1] is a quantile
        of the sum of W x over the draws x and one more, x = 1, with weights W that are uniform among
        all that add up to 1: what was not drawn may be 1, and has about the mass of one draw. That it
        misses no more often than it says is conjectured, not proved. Here the sum has the beta distribution on
        [least draw, 1] with its mean and variance. Where all draws are 0 or 1 this is no
        approximation, and the end is that of Clopper and Pearson; of many draws that vary it is the
        normal one. Draws beyond 1, of means in [0, 1] (`laws.corrected`), count as if those that were not drawn
        went as far. `tests/benchmarks/coverage.py` counts how often intervals hold the truth.
        """
        low = 1.0 - _upper(
            self.count, self.count - self.total, self.count - 2.0 * self.total + self.squares,
            1.0 - self.most, 1.0 - self.least,
        )  # fmt: skip
        high = _upper(self.count, self.total, self.squares, self.least, self.most)
        low, high = (
            np.where(self.count > 0.0, end, here) for end, here in ((low, 0.0), (high, 1.0))
        )
        mean = self.mean()  # a difference from 1 may be rounded past it
        low, high = np.fmin(low, mean), np.fmax(high, mean)
        return np.clip(low, self.floor, self.ceiling), np.clip(high, self.floor, self.ceiling)


def _upper(
    count: NDArray[np.float64],
    total: NDArray[np.float64],
    squares: NDArray[np.float64],
    least: NDArray[np.float64],
    most: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return upper ends of means, see `Draws.ends`."""
    span = np.maximum(most, 1.0) - least
    with np.errstate(divide="ignore", invalid="ignore"):
        first = (total - count * least) / span
        second = (squares - 2.0 * least * total + count * least * least) / (span * span)
        # Rounding aside each square is at most its number, on a scale from 0 to 1; then both shapes are at least 1.
        first = np.clip(first, 0.0, count)
        second = np.clip(second, first * first / np.maximum(count, 1.0), first)
        mean = (first + 1.0) / (count + 1.0)
        spread = (second + 1.0) / (count + 1.0) - mean * mean
        size = mean * (1.0 - mean) / spread * (count + 2.0) - 1.0
        found = least + span * betaincinv(mean * size, (1.0 - mean) * size, 1.0 - _TAIL)
    return np.where(np.isnan(found), 1.0, found)  # all of them are 1


def counted(
    hits: NDArray[np.float64], trials: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of the interval of Clopper and Pearson for hits out of trials."""
    zero, one = np.zeros(hits.shape), np.ones(hits.shape)
    least, most = (hits >= trials).astype(np.float64), (hits > 0.0).astype(np.float64)
    return Draws(one * trials, hits, hits, least, most, zero, one).ends()


def at_least(hits: int, trials: int, miss: float) -> float:
    """Return the lower bound of Clopper and Pearson for a chance; too large with probability at most `miss`."""
    return float(betaincinv(hits, trials - hits + 1, miss)) if hits else 0.0


def at_most(hits: int, trials: int, miss: float) -> float:
    """Return the upper bound of Clopper and Pearson for a chance; too small with probability at most `miss`."""
    return float(betainccinv(hits + 1, trials - hits, miss)) if hits < trials else 1.0


def trials_for(chance: float) -> int:
    """Return how many draws of 0 show that a mean is at most `chance`."""
    return math.ceil(math.log(_TAIL) / math.log1p(-chance))
