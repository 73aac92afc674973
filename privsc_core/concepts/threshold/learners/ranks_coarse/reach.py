"""How likely so many points of one side lie within mass alpha of the target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from privsc_core.numerics.binomial_windows import binomial_rows
from privsc_core.numerics.near_normal import tails

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Pair = tuple[NDArray[np.float64], NDArray[np.float64]]
    Chances = Callable[[NDArray[np.float64], NDArray[np.bool_]], Pair]

__all__ = ["Reach", "Smooth", "Tables"]

# Below 1 by less a chance is 1: else what rounding leaves would keep candidates far away in the sum.
_ROUNDED = 2e-15
# Rows of a block; up to so many points chances are computed point by point.
_ROWS, _STEPWISE = 32, 200


class Reach(Protocol):
    """How likely points are within reach, of numbers of points that suit it."""

    def open(self, points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return between which counts it is open whether more than so many of the points are."""

    def chances(self, points: NDArray[np.float64]) -> Chances:
        """Return how likely more than some count of the points are within reach, and not.

        A function of the count, of the shape of `points`, and of where it is asked for: the count is
        then between those of `open`.
        """


@dataclass(frozen=True, slots=True)
class _Points:
    """Points of which each is within reach by itself.

    Attributes
    ----------
    mass : float
        2 alpha, how likely that is.
    log_tail : float
        What is below e^-log_tail is 0.
    """

    mass: float
    log_tail: float

    def open(self, points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return them as `Reach`, by Bernstein's inequality."""
        mean, third = self.mass * points, self.log_tail / 3.0
        wide = third + np.sqrt(third**2 + 2.0 * self.log_tail * (1.0 - self.mass) * mean)
        return mean - wide, np.minimum(mean + wide, points)


class Smooth(_Points):
    """Many points on either side of all that is within reach, whole numbers or not."""

    def chances(self, points: NDArray[np.float64]) -> Chances:
        """Return them as `Reach`."""

        def found(count: NDArray[np.float64], where: NDArray[np.bool_]) -> Pair:
            missed, hit = tails(count[where], points[where], self.mass, self.log_tail)
            return hit, missed

        return found


class Tables(_Points):
    """Few points, whole numbers that are close to each other."""

    def chances(self, points: NDArray[np.float64]) -> Chances:
        """Return them as `Reach`."""
        # Of whole blocks, so that both sides share them, and sizes that are close.
        low, high = int(points.min()) // _ROWS * _ROWS, (int(points.max()) // _ROWS + 1) * _ROWS - 1
        first, missed, hit = _tables(self.mass, low, high, self.log_tail)
        row = points.astype(np.int64) - low
        least = first[row]

        def found(count: NDArray[np.float64], where: NDArray[np.bool_]) -> Pair:
            column = count[where].astype(np.int64) - least[where]
            np.clip(column, 0, missed.shape[1] - 1, out=column)
            return hit[row[where], column], missed[row[where], column]

        return found


@lru_cache(maxsize=4)
def _tables(
    mass: float, low: int, high: int, log_tail: float
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the first c, and Pr[Bin(n, mass) <= c] and > c from there on, for n from low to high."""
    if high <= _STEPWISE:
        # Point by point: what is a short sum of products comes out as on paper.
        missed, hit = np.zeros((2, high + 1, high + 2))
        missed[0, 1:] = hit[:, 0] = 1.0
        for n in range(1, high + 1):
            for table in (missed, hit):
                table[n, 1:] = (1.0 - mass) * table[n - 1, 1:] + mass * table[n - 1, :-1]
        return np.full(high + 1 - low, -1), missed[low:], hit[low:]
    first, weights = binomial_rows(np.arange(low, high + 1), mass, log_tail)
    # A column of what is below, and one of what is above.
    missed, hit = np.zeros((2, weights.shape[0], weights.shape[1] + 1))
    np.cumsum(weights, axis=1, out=missed[:, 1:])
    hit[:, :-1] = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1]
    for table in (missed, hit):
        table[table > 1.0 - _ROUNDED] = 1.0
    return first - 1, missed, hit
