"""The weights of all rectangles that a sample, or a grid, can tell apart; O(k^3) for O(k^4) of them.

Both coordinates are cut into k cells. A rectangle is a range of cells in x and one in y. Its gain is
the sum of positives minus negatives in it, and its weight exp(rate * gain) times the number of
rectangles of the board that it stands for: so many left ends for its first cell, and so on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from privsc_core.concepts.choice import draw
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CELLS_MOST", "Axis", "Weights"]

# Beyond so many distinct coordinates nobody waits for k^3 sums.
CELLS_MOST = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """The cells of one coordinate: between which values a range may start and end.

    Attributes
    ----------
    firsts, lasts : tuple of (int, int)
        Of each cell the values, first and last included, at which a range that starts in it may
        start, and those at which one that ends in it may end.
    size : int
        How many values the coordinate has.
    """

    firsts: tuple[tuple[int, int], ...]
    lasts: tuple[tuple[int, int], ...]
    size: int

    @classmethod
    def of_values(cls, values: list[int], size: int) -> Axis:
        """Return one cell a value: ranges hold the same values iff they start and end in the same."""
        if len(values) > CELLS_MOST:
            requirement = f"must have at most {CELLS_MOST:,} different coordinates"
            raise InputError("x", requirement, len(values))
        firsts = tuple(zip([1, *(v + 1 for v in values[:-1])], values, strict=True))
        lasts = tuple(zip(values, [*(v - 1 for v in values[1:]), size], strict=True))
        return cls(firsts, lasts, size)

    @classmethod
    def of_grid(cls, cuts: list[int], size: int) -> Axis:
        """Return the cells between cuts, each of which starts one: ranges are made of whole cells."""
        starts = sorted({1, *cuts})
        ends = [*(cut - 1 for cut in starts[1:]), size]
        return cls(tuple((s, s) for s in starts), tuple((e, e) for e in ends), size)

    def __len__(self) -> int:
        """Return how many cells there are."""
        return len(self.firsts)

    def logs(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the logs of how many starts and how many ends every cell has."""
        first, last = (
            np.array([math.log(high - low + 1) for low, high in ends])
            for ends in (self.firsts, self.lasts)
        )
        return first, last


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """All rectangles made of cells, and what holds none of them.

    Attributes
    ----------
    x, y : Axis
        The cells.
    gains : ndarray, shape (cells of x, cells of y)
        Positives minus negatives in every cell.
    rate : float
        The factor of the gain in the exponent.
    log_others : float
        The log of how many rectangles hold no cell: their weight is 1 each.
    """

    x: Axis
    y: Axis
    gains: NDArray[np.float64]
    rate: float
    log_others: float = 0.0

    def ranges(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return first and last cell of every range of x."""
        return np.triu_indices(len(self.x))

    def strip(self, first: int, last: int) -> NDArray[np.float64]:
        """Return rate times the gains of the cells of y, added up over a range of x."""
        return np.asarray(self.rate * self.gains[first : last + 1].sum(axis=0))

    def by_range(self) -> NDArray[np.float64]:
        """Return the log weight of every range of x, with all ranges of y together.

        For one range of x with prefix sums V_0..V_k of its strip the weight of all that end in cell
        j of y is e^{V_(j+1)} times the sum over i <= j of e^{-V_i}.
        """
        start_x, end_x = self.x.logs()
        start_y, end_y = self.y.logs()
        found = []
        for first in range(len(self.x)):
            strips = self.rate * np.cumsum(self.gains[first:], axis=0)
            sums = np.cumsum(strips, axis=1)
            below = np.logaddexp.accumulate(start_y - (sums - strips), axis=1)
            tops = logsumexp(below + sums + end_y, axis=1)
            found.append(tops + start_x[first] + end_x[first:])
        return np.concatenate(found)

    def log_total(self) -> float:
        """Return the log of the sum of all weights."""
        return float(np.logaddexp(logsumexp(self.by_range()), self.log_others))

    def of_strip(self, first: int, last: int) -> NDArray[np.float64]:
        """Return the log weights of all ranges of y, without what belongs to the range of x.

        In the order of `np.triu_indices` over the cells of y.
        """
        start_y, end_y = self.y.logs()
        sums = np.concatenate(([0.0], np.cumsum(self.strip(first, last))))
        low, high = np.triu_indices(len(self.y))
        return np.asarray(start_y[low] - sums[low] + sums[high + 1] + end_y[high])

    def pick(self, rng: np.random.Generator) -> Picked:
        """Draw a range of x, or what holds no cell, and then a range of y."""
        over_x = np.append(self.by_range(), self.log_others)
        place, coins_x = draw(over_x, rng)
        if place == over_x.size - 1:
            return Picked(over_x, coins_x, place, None, None, None)
        first, last = (int(ends[place]) for ends in self.ranges())
        over_y = self.of_strip(first, last)
        within, coins_y = draw(over_y, rng)
        low, high = (int(ends[within]) for ends in np.triu_indices(len(self.y)))
        return Picked(over_x, coins_x, place, over_y, coins_y, (first, last, low, high))


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """One draw: the log weights and coins of the ranges of x and of y, and the cells drawn.

    Attributes
    ----------
    over_x, coins_x : ndarray
        Of all ranges of x, and last of what holds no cell.
    place : int
        Which of them was drawn.
    over_y, coins_y : ndarray or None
        Of all ranges of y, given the range of x.
    cells : tuple of int or None
        First and last cell of x, first and last cell of y.
    """

    over_x: NDArray[np.float64]
    coins_x: NDArray[np.float64]
    place: int
    over_y: NDArray[np.float64] | None
    coins_y: NDArray[np.float64] | None
    cells: tuple[int, int, int, int] | None
