"""The thresholds of [0, 1] cut by a sample: cells on which the number of mistakes is constant."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.sample import uniform_below
from privsc_core.concepts.threshold.order import Order
from privsc_core.numerics.text import chance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.threshold.line import Crowd

__all__ = ["Cells", "log_mass", "place_of", "target_row"]

_LOG2 = math.log(2.0)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells, from left to right.

    Attributes
    ----------
    ends : tuple of int
        Their ends, one more than cells, from z in units of 2^-(bits + 1).
    mistakes : ndarray of int64
        On how many examples the thresholds of each cell err.
    bits : int
        Of a point.
    """

    ends: tuple[int, ...]
    mistakes: NDArray[np.int64]
    bits: int

    @classmethod
    def of(cls, sample: Sample) -> Cells:
        """Cut by a sample, in O(m log m)."""
        order, bits = Order.of(sample), sample.d
        inner = [place_of(x, bits) for x in order.points]
        candidates = np.concatenate(([0], order.until))
        size = 1 << bits
        return cls((-size, *inner, size), order.mistakes(candidates), bits)

    def log_masses(self, known: Crowd) -> NDArray[np.float64]:
        """Return the log of the mass that a crowd gives to each cell."""
        pairs = itertools.pairwise(self.ends)
        return np.array([log_mass(a, b, known, self.bits) for a, b in pairs])

    def draw(self, pick: int, known: Crowd, rng: np.random.Generator) -> int:
        """Return the j of a threshold of a cell, drawn from what the crowd is on it."""
        a, b = self.ends[pick], self.ends[pick + 1]
        if known.b:
            low, high = _overlap(a, b, known, self.bits)
            inside = _log_window(low, high, known, self.bits)
            share = math.exp(min(inside - log_mass(a, b, known, self.bits), 0.0))
            if rng.random() < share:
                a, b = low, high
        return (a + uniform_below(rng, b - a) + (1 << self.bits) + 1) // 2 + 1

    def name(self, row: int) -> str:
        """Return which cell it is, in a few characters."""
        a, b = self.ends[row : row + 2]
        shown = self.bits + 1
        size = 1 << shown
        if 1000 * max(abs(a), abs(b)) > size:
            low, high = (0.5 + (end << 60) // size / 2.0**60 for end in (a, b))
            return f"s from {low:.4g} to {high:.4g}"
        if a < 0 < b:
            return f"{_away(-a, shown)} left to {_away(b, shown)} right of 1/2"
        side = "left" if b <= 0 else "right"
        near, far = sorted((abs(a), abs(b)))
        return f"{_away(near, shown)} to {_away(far, shown)} {side} of 1/2"


def _away(units: int, shift: int) -> str:
    return chance(math.log(units) - shift * _LOG2) if units else "0"


def place_of(x: int, bits: int) -> int:
    """Return where a point lies, from z in units of 2^-(bits + 1)."""
    return 2 * x - 1 - (1 << bits)


def target_row(ends: tuple[int, ...], j: int, bits: int) -> int:
    """Return the cell that holds the threshold j of the grid."""
    place = 2 * (j - 1) - (1 << bits)
    return next(row for row, end in enumerate(ends[1:]) if place < end or end == ends[-1])


def log_mass(a: int, b: int, known: Crowd, bits: int) -> float:
    """Return the log of a crowd's mass between two places, a < b."""
    spread = math.log(b - a) - (bits + 1) * _LOG2
    if not known.b:
        return spread
    inside = _log_window(*_overlap(a, b, known, bits), known, bits)
    outside = spread + math.log(known.rest) if known.rest else -math.inf
    return float(np.logaddexp(outside, inside))


def _overlap(a: int, b: int, known: Crowd, bits: int) -> tuple[int, int]:
    reach = known.reach_on(bits)
    return max(a, -reach), min(b, reach)


def _log_window(low: int, high: int, known: Crowd, bits: int) -> float:
    if high <= low:
        return -math.inf
    reach = known.reach_on(bits)
    return math.log(known.mass) + math.log(high - low) - math.log(2 * reach)
