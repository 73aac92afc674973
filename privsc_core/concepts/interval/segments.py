"""Where a sample cannot tell thresholds apart: runs of thresholds with equally many mistakes."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.sample import uniform_below

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Uniform
    from privsc_core.concepts.sample import Sample

__all__ = ["Segments"]


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """The thresholds 1..T+1, cut behind every sample point.

    Attributes
    ----------
    first : tuple of int
        The first threshold of each segment, increasing.
    length : tuple of int
        How many thresholds each has.
    mistakes : ndarray of int64
        On how many examples each of them errs.
    """

    first: tuple[int, ...]
    length: tuple[int, ...]
    mistakes: NDArray[np.int64]

    @classmethod
    def of(cls, sample: Sample) -> Segments:
        """Cut the thresholds by a sample, in O(m log m) at any d."""
        order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
        positive, negative = sample.tallies()
        # Threshold t errs on the negatives below it and on the positives from it on.
        change = (negative - positive)[order]
        start = int(positive.sum())
        mistakes = start + np.concatenate(([0], np.cumsum(change))).astype(np.int64)
        cuts = [0, *(sample.points[i] for i in order), sample.domain_size + 1]
        first = tuple(cut + 1 for cut in cuts[:-1])
        length = tuple(b - a for a, b in itertools.pairwise(cuts))
        return cls(first, length, mistakes)

    def log_weights(self, rate: float) -> NDArray[np.float64]:
        """Return log(length) - rate * mistakes; an infinite rate keeps the fewest mistakes."""
        lengths = np.array([math.log(n) for n in self.length])
        if math.isinf(rate):
            return np.where(self.mistakes == self.mistakes.min(), lengths, -np.inf)
        # Differences first: exact however large the rate.
        return np.asarray(lengths - rate * (self.mistakes - self.mistakes.min()))

    def draw(self, pick: int, rng: Uniform) -> int:
        """Return a uniformly random threshold of a segment."""
        return self.first[pick] + uniform_below(rng, self.length[pick])
