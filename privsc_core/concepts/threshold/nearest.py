"""The points nearest to z, drawn once for samples of every size.

The i-th nearest of c uniform points of a part of the line lies at the share S_i / S_{c+1} of it,
S_i a sum of i exponential variables. These do not depend on c: they are drawn once, with the
weighed sums that integrals need, and a sample of another size then costs a few lookups.

Where weights fall so slowly that thousands of points matter, points are drawn in blocks over which
they fall by 8% at most, and taken for evenly spread in each: it moves a chance by about 1e-5.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Points"]

# By how much what is left out may change a weight: e^-23.
_NEGLIGIBLE = 23.0
_FALL = 0.08
# Up to so many examples every point is drawn by itself.
_SINGLY = 1024
# One mistake more already makes no difference.
_FASTEST = 40.0


class _Sums:
    """S_0 = 0, S_g, S_2g, ... of many samples, g the size of a block, for more and more blocks.

    Attributes
    ----------
    reached : ndarray of float64, shape (blocks + 1, columns)
        A column is one side of one part in one sample.
    """

    def __init__(self, seed: tuple[int, int], columns: int, block: int) -> None:
        """Begin with no blocks."""
        self.reached: NDArray[np.float64] = np.zeros((1, columns))
        self._rng, self._block, self._lock = np.random.default_rng(seed), block, threading.Lock()
        self._weighed: dict[tuple[float, int], NDArray[np.float64]] = {}

    def upto(self, blocks: int) -> _Sums:
        """Draw so many blocks at least: row by row, so that who needs fewer has the same ones."""
        with self._lock:
            known, have = self.reached, len(self.reached)
            if have <= blocks:
                found = np.empty((max(blocks + 1, have + have // 4), known.shape[1]))
                found[:have] = known
                if self._block == 1:
                    self._rng.standard_exponential(out=found[have:])
                else:
                    self._rng.standard_gamma(self._block, out=found[have:])
                np.cumsum(found[have - 1 :], axis=0, out=found[have - 1 :])
                self.reached = found
        return self

    def weighed(self, rate: float, slopes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the integrals of the weights up to each block's end."""
        keep = slopes.size - 1
        found = self._weighed.get((rate, keep))
        if found is None:
            found = np.empty((keep + 1, self.reached.shape[1]))
            found[0] = 0.0
            np.subtract(self.reached[1 : keep + 1], self.reached[:keep], out=found[1:])
            found[1:] *= slopes[:-1, None]
            np.cumsum(found, axis=0, out=found)
            self._weighed.clear()
            self._weighed[rate, keep] = found
        return found


# Two parts of each of the four blocks of trials, of a pilot and of a look at two: twelve in a search.
@lru_cache(maxsize=16)
def _sums(tag: int, part: int, columns: int, block: int) -> _Sums:
    return _Sums((tag, part), columns, block)


@lru_cache(maxsize=64)
def _slopes(rate: float, block: int, keep: int) -> NDArray[np.float64]:
    """Return the mean weights of the blocks; the last one is of everything behind them."""
    inside = math.expm1(-rate * block) / (block * math.expm1(-rate))
    found = np.exp(-rate * block * np.arange(keep + 1))
    found[:-1] *= inside
    return np.asarray(found)


@dataclass(frozen=True, eq=False)
class Points:
    """The points of a part in samples of one size, seen by somebody whose weights fall at a rate.

    Attributes
    ----------
    count : ndarray of int64, shape (columns,)
        How many there are.
    m : int
        At most so many.
    rate : float
        By how much each point passed lowers the log of a weight.
    tag, part : int
        What is drawn with the same two is the same.
    """

    count: NDArray[np.int64]
    m: int
    rate: float
    tag: int
    part: int

    @property
    def rng(self) -> np.random.Generator:
        """What is drawn for samples of this size alone, from its beginning."""
        return np.random.default_rng([self.tag, self.part, 1])

    @property
    def pace(self) -> float:
        """The rate, where faster makes no difference."""
        return min(self.rate, _FASTEST)

    @cached_property
    def block(self) -> int:
        """How many points are drawn at once."""
        most = min(_FALL / self.pace, self.m / (_SINGLY // 2))
        return 1 << int(math.log2(most)) if self.m > _SINGLY and most > 1.0 else 1

    @cached_property
    def _keep(self) -> int:
        matter = (_NEGLIGIBLE + 2.0 * math.ceil(math.log(self.m + 1.0) / 2.0)) / self.pace + 2.0
        # Rounded up, so that samples of many sizes share their tables.
        return int(min(matter, 1 << self.m.bit_length()) / self.block) + 1

    @cached_property
    def _sums(self) -> _Sums:
        return _sums(self.tag, self.part, self.count.size, self.block).upto(self._keep)

    @cached_property
    def _whole(self) -> NDArray[np.int64]:
        """How many blocks lie before the end of the part, of those that matter."""
        return np.asarray(np.minimum((self.count + 1) // self.block, self._keep))

    @cached_property
    def _total(self) -> NDArray[np.float64]:
        """S_{count+1}, the length of the part: what is not kept enters as one gamma variable."""
        near = self._sums.reached[self._whole, np.arange(self.count.size)]
        return np.asarray(
            near + self.rng.standard_gamma(self.count + 1.0 - self._whole * self.block)
        )

    def integral(self, cut: float) -> NDArray[np.float64]:
        """Return the integral of q^{points passed} over shares of the part from 0 to `cut`."""
        slopes, columns = _slopes(self.pace, self.block, self._keep), np.arange(self.count.size)
        passed = self._passed(cut)
        near = self._sums.weighed(self.pace, slopes)[passed, columns] / self._total
        left = cut - self._sums.reached[passed, columns] / self._total
        return np.asarray(near + slopes[passed] * np.maximum(left, 0.0))

    def _passed(self, cut: float) -> NDArray[np.int64]:
        """Return how many blocks end before a share: by bisection."""
        if cut >= 1.0:
            return self._whole
        low, high = np.zeros_like(self._whole), self._whole
        goal, columns = cut * self._total, np.arange(high.size)
        for _ in range(int(high.max(initial=0)).bit_length()):
            middle = (low + high + 1) >> 1
            before = self._sums.reached[middle, columns] <= goal
            low, high = np.where(before, middle, low), np.where(before, high, middle - 1)
            high = np.maximum(high, low)
        return low

    def shares(self) -> NDArray[np.float64]:
        """Return where the blocks end, shape (blocks, columns); 1 behind the last."""
        found = np.minimum(self._sums.reached[1 : self._keep + 1] / self._total, 1.0)
        found[np.arange(self._keep)[:, None] >= self._whole] = 1.0
        return np.asarray(found)

    def weigh(self, places: NDArray[np.float64], end: float) -> NDArray[np.float64]:
        """Return the integral of q^{points passed} over a measure that has `places` before them.

        Parameters
        ----------
        places : ndarray of float64, shape (blocks, columns)
            How much of the measure lies before the end of each block.
        end : float
            How much counts.
        """
        slopes = _slopes(self.pace, self.block, self._keep)
        # By parts: every place is multiplied by how much the weight falls there.
        return np.asarray(-np.diff(slopes) @ np.minimum(places, end) + slopes[-1] * end)
