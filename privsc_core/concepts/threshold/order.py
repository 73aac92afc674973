"""A sample in its order: all that learners see who protect the labels alone.

Candidate k is h_s with s = x_(k+1), the point that has k examples before it: it labels these 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.sample import Sample

__all__ = ["Order"]


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The examples, sorted by their points.

    Attributes
    ----------
    points : tuple of int
        The distinct points, increasing.
    until : ndarray of int64
        How many examples lie at each of them or before.
    positive : ndarray of int64
        How many of those have label 1.
    bits : int
        Of a point.
    """

    points: tuple[int, ...]
    until: NDArray[np.int64]
    positive: NDArray[np.int64]
    bits: int

    @classmethod
    def of(cls, sample: Sample) -> Order:
        """Sort a sample."""
        order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
        positive, negative = sample.tallies()
        return cls(
            tuple(sample.points[i] for i in order),
            np.cumsum((positive + negative)[order]),
            np.cumsum(positive[order]),
            sample.d,
        )

    @property
    def size(self) -> int:
        """The number m of examples."""
        return int(self.until[-1])

    @property
    def positives(self) -> int:
        """How many of them have label 1."""
        return int(self.positive[-1])

    def cut(self, k: int) -> int:
        """Return j of candidate k: 1 (nothing is labelled 1) below 0, 2^bits + 1 (all) from m on."""
        if k < 0:
            return 1
        if k >= self.size:
            return (1 << self.bits) + 1
        return self.points[int(np.searchsorted(self.until, k, side="right"))]

    def mistakes(self, candidates: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return on how many examples candidates from 0 to m err."""
        place = np.searchsorted(self.until, candidates, side="right")
        before = np.concatenate(([0], self.until))[place]
        ones = np.concatenate(([0], self.positive))[place]
        return np.asarray(before - ones + self.positives - ones)
