"""Half-spaces as hypotheses, on the circle and on the sphere S^{n-1}."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from privsc_core.concepts.shared.hypotheses import Hypothesis
from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.shared.sample import Sample


# --- Half-planes of the circle, cut by a sample: arcs of angles that label its points alike ------
#
# Angles are whole numbers, 2^(bits + 2) to a turn, so that no arc is rounded. Point x of a grid of
# 2^bits lies at 4x - 2, and the half-plane with its normal at phi gives label 1 to the half turn from
# phi - 1/4 (included) to phi + 1/4 (excluded). So an arc of normals has its last angle and lacks its first.


def turn(bits: int) -> int:
    """Return how many units a turn has."""
    return 4 << bits


def place(x: int) -> int:
    """Return the angle of a point."""
    return 4 * x - 2


def inside(phi: int, x: int, bits: int) -> bool:
    """Return whether the half-plane with its normal at phi holds the point x."""
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


# --- The sphere S^{n-1}: its caps, points as whole numbers, and evenly spread directions ---------
#
# The cap of angle phi <= pi/2 has the share I_{sin^2 phi}((n-1)/2, 1/2) / 2 of the sphere: logs are kept,
# as in a thousand dimensions shares are smaller than any float.


# Points of the circle that are drawn; two are equal with a chance of m^2 / 2^61.
CIRCLE_BITS = 60
# Bits of a coordinate; the rest of 32 n + 7 tells a sphere from a circle.
_EACH, _MARK = 32, 7
_SCALE = float(1 << (_EACH - 1))
_TINY = 1e-250


def dimension(bits: int) -> int:
    """Return the n of a sample whose points have so many bits: 2, unless they hold n >= 3 coordinates."""
    n, rest = divmod(bits - _MARK, _EACH)
    return n if n > 2 and not rest else 2


def point_bits(n: int) -> int:
    """Return how many bits the points of a drawn sample have."""
    return CIRCLE_BITS if n == 2 else _EACH * n + _MARK


def encoded(points: NDArray[np.float64]) -> list[int]:
    """Return unit vectors, n >= 3, as points of a sample, each coordinate to 31 bits."""
    whole = np.clip((points + 1.0) * _SCALE, 0.0, 2.0 * _SCALE - 1.0).astype("<u4")
    return [1 + int.from_bytes(row.tobytes(), "little") for row in whole]


def coordinates(points: Sequence[int], bits: int) -> NDArray[np.float64]:
    """Return points of a sample as vectors, shape (points, n); on the circle exactly of length 1."""
    n = dimension(bits)
    if n == 2:
        half = 1 << bits
        turns = np.array([((2 * x - 1) << 60) // (2 * half) / 2.0**60 for x in points])
        return np.column_stack([np.cos(2.0 * np.pi * turns), np.sin(2.0 * np.pi * turns)])
    size = 4 * n
    raw = b"".join(((x - 1) & ((1 << 8 * size) - 1)).to_bytes(size, "little") for x in points)
    found = (np.frombuffer(raw, dtype="<u4").reshape(-1, n) + 0.5) / _SCALE - 1.0
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def log_cap(n: int, angle: float) -> float:
    """Return the log of the share of S^{n-1} within an angle of a point."""
    if angle >= math.pi:
        return 0.0
    if angle > 0.5 * math.pi:
        return math.log1p(-math.exp(log_cap(n, math.pi - angle)))
    a, sine = 0.5 * (n - 1), math.sin(angle)
    x = sine * sine
    share = float(special.betainc(a, 0.5, x))
    if share > _TINY:
        return math.log(0.5 * share)
    series = float(special.hyp2f1(a + 0.5, 1.0, a + 1.0, x))
    log_beta = float(special.betaln(a, 0.5))
    # Not the log of x, which underflows at angles of 1e-170.
    return 2.0 * a * math.log(sine) + math.log(math.cos(angle) * series / (2.0 * a)) - log_beta


def band(n: int, gamma: float) -> float:
    """Return the share of S^{n-1} with |u x| <= gamma, for a direction u."""
    return float(special.betainc(0.5, 0.5 * (n - 1), gamma * gamma))


@lru_cache(maxsize=4)
def fibonacci(count: int) -> NDArray[np.float64]:
    """Return directions that are spread evenly over the sphere, shape (count, 3)."""
    i = np.arange(count) + 0.5
    height, azimuth = 1.0 - 2.0 * i / count, math.pi * (1.0 + math.sqrt(5.0)) * i
    level = np.sqrt(1.0 - height * height)
    found = np.column_stack([level * np.cos(azimuth), level * np.sin(azimuth), height])
    found.flags.writeable = False  # shared
    return found


# What a record of a run has: the normal as an angle, or its first coordinates.
KEYS = ("turns", "w")
_NAMED = 3


@dataclass(frozen=True, slots=True)
class HalfPlane(Hypothesis):
    """The concept h_w on the circle.

    Attributes
    ----------
    phi : int
        The angle of w, 2^(bits + 2) to a turn.
    bits : int
        Of a point.
    """

    phi: int
    bits: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int(inside(self.phi, point, self.bits))

    @property
    def turns(self) -> float:
        """The angle of w from the target's, in (-1/2, 1/2]."""
        whole = (self.phi << 60) // turn(self.bits) / 2.0**60
        return whole if whole <= 0.5 else whole - 1.0

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return f"the half-plane whose normal is turned by {360.0 * self.turns:.4g}°"

    @property
    def parameters(self) -> dict[str, str]:
        """The angle as a fraction of a turn, as exact text."""
        return {"turns": f"{self.phi}/2^{self.bits + 2}"}


@dataclass(frozen=True, slots=True)
class HalfSpace(Hypothesis):
    """The concept h_w: 1 where w x >= 0, in three dimensions or more.

    Attributes
    ----------
    w : tuple of float
        Its normal.
    bits : int
        Of a point.
    """

    w: tuple[float, ...]
    bits: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int((coordinates([point], self.bits) @ np.array(self.w)).item() >= 0.0)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return f"the half-space with normal ({self._first()})"

    def _first(self) -> str:
        shown = ", ".join(f"{x:.4g}" for x in self.w[:_NAMED])
        return shown + (", …" if len(self.w) > _NAMED else "")

    @property
    def parameters(self) -> dict[str, str]:
        """The normal, as exact text."""
        return {"w": " ".join(map(repr, self.w))}

    def record(self) -> dict[str, object]:
        """Return its first coordinates."""
        return {"w": self._first()}


def half_space(w: Sequence[float], bits: int) -> Hypothesis | None:
    """Return the half-space with a normal of any length, None where that is 0 or no number."""
    if not 0.0 < math.hypot(*w) < math.inf:
        return None
    if dimension(bits) > 2:
        return HalfSpace(tuple(float(x) for x in w), bits)
    turns = math.atan2(w[1], w[0]) / (2.0 * math.pi)
    return HalfPlane(math.floor(Fraction(turns) * turn(bits)) % turn(bits), bits)
