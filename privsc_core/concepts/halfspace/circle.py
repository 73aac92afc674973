"""Half-planes of the circle, cut by a sample: arcs of angles that label its points alike.

Angles are whole numbers, 2^(bits + 2) to a turn, so that no arc is rounded. Point x of a grid of
2^bits lies at 4x - 2, and the half-plane with its normal at phi gives label 1 to the half turn from
phi - 1/4 (included) to phi + 1/4 (excluded). So an arc of normals has its last angle and lacks its first.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.sample import uniform_below
from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.sample import Sample

__all__ = ["Arcs", "borders", "inside", "place", "turn"]


def turn(bits: int) -> int:
    """Return how many units a turn has."""
    return 4 << bits


def place(x: int) -> int:
    """Return the angle of a point."""
    return 4 * x - 2


def inside(phi: int, x: int, bits: int) -> bool:
    """Tell whether the half-plane with its normal at phi holds the point x."""
    return (place(x) - phi + (1 << bits)) % turn(bits) < 2 << bits


def borders(x: int, bits: int) -> tuple[int, int]:
    """Return behind which angle of the normal x gets label 1, and behind which 0 again."""
    angle, quarter = place(x), 1 << bits
    return (angle - quarter) % turn(bits), (angle + quarter) % turn(bits)


@dataclass(frozen=True, slots=True, eq=False)
class Arcs:
    """The arcs, clockwise: at most two for every point.

    Attributes
    ----------
    ends : tuple of int
        The last angle of each arc, increasing; the first arc begins behind the last end.
    mistakes : ndarray of int64
        On how many examples the half-planes of each arc err.
    bits : int
        Of a point.
    """

    ends: tuple[int, ...]
    mistakes: NDArray[np.int64]
    bits: int

    @classmethod
    def of(cls, sample: Sample) -> Arcs:
        """Cut by a sample, in O(m log m)."""
        bits, change = sample.d, dict[int, int]()
        positive, negative = (tally.tolist() for tally in sample.tallies())
        for x, ones, zeros in zip(sample.points, positive, negative, strict=True):
            enter, leave = borders(x, bits)
            change[enter] = change.get(enter, 0) + zeros - ones
            change[leave] = change.get(leave, 0) + ones - zeros
        ends = sorted(change)
        first = sum(
            zeros if inside(ends[0], x, bits) else ones
            for x, ones, zeros in zip(sample.points, positive, negative, strict=True)
        )
        rises = np.array([change[end] for end in ends[:-1]], dtype=np.int64)
        return cls(tuple(ends), first + np.concatenate(([0], np.cumsum(rises))), bits)

    @property
    def lengths(self) -> list[int]:
        """How long each arc is."""
        ends, whole_turn = self.ends, turn(self.bits)
        before = (ends[-1] - whole_turn, *ends[:-1])
        return [end - start for start, end in zip(before, ends, strict=True)]

    def row(self, phi: int) -> int:
        """Return the arc that an angle belongs to."""
        return bisect.bisect_left(self.ends, phi) % len(self.ends)

    def draw(self, pick: int, rng: np.random.Generator) -> int:
        """Return a uniformly random angle of an arc."""
        return (self.ends[pick] - uniform_below(rng, self.lengths[pick])) % turn(self.bits)

    def name(self, row: int) -> str:
        """Return where an arc ends, in degrees from the target's normal."""
        degrees = (self.ends[row] * 360 << 20) // turn(self.bits) / (1 << 20)
        return f"arc {row + 1}, to {degrees:.4g}°"

    def width(self, row: int) -> str:
        """Return how long an arc is, in a few characters."""
        return whole(self.lengths[row], self.bits + 2)
