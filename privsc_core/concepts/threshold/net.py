"""The net of CH11's A_1r: N thresholds s_i = (i - 1/2) / N, evenly spaced.

N has more bits than a float when b is large. From z the thresholds lie at (i - 1/2) / N where N is
even, and at i / N, one of them at z itself, where it is odd.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.threshold.laws import Linear, Scale, beyond, within
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from privsc_core.concepts.threshold.laws import Measure
    from privsc_core.concepts.threshold.line import Crowd
    from privsc_core.concepts.threshold.nearest import Points

__all__ = ["Net"]

# Beyond so many thresholds the net is as good as a density, up to rounding.
_EXACT = 1 << 40
_SHIFT = 80
# Up to so many thresholds points are counted between them.
_FEW = 64


@dataclass(frozen=True, slots=True)
class Net:
    """N thresholds.

    Attributes
    ----------
    size : int
        N.
    """

    size: int

    @classmethod
    def of(cls, bits: int, alpha: float) -> Net:
        """Return the net for a guess of kappa, 2^bits: N = ceil(2 kappa / alpha)."""
        p, q = decimal(alpha).as_integer_ratio()
        return cls(-((-2 * q << bits) // p))

    @property
    def odd(self) -> bool:
        """Whether one of them is z itself, which counts half on either side."""
        return bool(self.size % 2)

    def before(self, x: int, bits: int) -> int:
        """Return how many thresholds give label 0 to the point x of 2^bits."""
        return ((2 * x - 1) * self.size + (1 << bits)) >> (bits + 1)

    def cut(self, i: int, bits: int) -> int:
        """Return the j of s_i, i from 1 to N: the first point of 2^bits with label 0."""
        return -((-((2 * i - 1) << bits) - self.size) // (2 * self.size))

    def near(self, p: int, q: int, bits: int = 0) -> float:
        """Return how many lie within p / (q 2^bits) of z on one side, the end included."""
        if self.odd:
            return ((p * self.size) >> bits) // q + 0.5
        return float(((2 * p * self.size >> bits) + q) // (2 * q))

    def scale(self, crowd: Crowd, alpha: float) -> Scale:
        """Return how its thresholds weigh under a crowd."""
        inside = self._inside(crowd, alpha)
        log_inside = 0.0 if isinstance(inside, Steps) else _log(self.size, crowd)
        if self.size > _EXACT:
            outside = Linear((1.0,), (max(0.5 - crowd.reach, 0.0),), beyond(crowd, alpha))
            return Scale(inside, outside, math.log(self.size) - log_inside)
        window = self._until(crowd.end)
        edge = self._until(crowd.place(alpha)) if alpha > crowd.half else window
        start, length = self.size * crowd.reach, self.size * (0.5 - crowd.reach)
        steps = Steps(self.odd, start, length, window, 0.5 * self.size - window, edge - window)
        return Scale(inside, steps, -log_inside)

    def _until(self, away: Fraction) -> float:
        return self.near(*away.as_integer_ratio())

    def _inside(self, crowd: Crowd, alpha: float) -> Measure:
        dense, good = _over(self.size, crowd.b) * crowd.half, within(crowd, alpha)
        if dense > _EXACT:
            return Linear((1.0,), (1.0,), good)
        p, q = decimal(crowd.mass).as_integer_ratio()
        # The window's end is at lam / (2 (kappa - 1 + lam)): no fraction of so many bits is reduced.
        window = self.near(p, 2 * ((q << crowd.b) - q + p))
        edge = self.near(*decimal(alpha).as_integer_ratio(), crowd.b) if good < 1.0 else window
        return Steps(self.odd, 0.0, dense, 0.0, window, min(edge, window))


def _over(size: int, b: int) -> float:
    """Return size / 2^b, infinity beyond all floats."""
    try:
        return ((size << _SHIFT) >> b) / (1 << _SHIFT)
    except OverflowError:
        return math.inf


def _log(size: int, crowd: Crowd) -> float:
    """Return the log of how many thresholds lie in one side of the window."""
    return math.log(size) - crowd.b * math.log(2.0) + math.log(crowd.half)


@dataclass(frozen=True, slots=True)
class Steps:
    """Thresholds of a net on one side of z, in a part of the line: a measure in steps.

    Attributes
    ----------
    odd : bool
        Whether z is a threshold.
    start, length : float
        Where the part begins, and how long it is, in units of 1 / N from z.
    passed : float
        How many thresholds lie before the part.
    size, good : float
        How many lie in it, and how many of them are accurate.
    """

    odd: bool
    start: float
    length: float
    passed: float
    size: float
    good: float

    def log_weights(self, points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the logs of the weights of all thresholds of the part, and of the accurate ones."""
        if not self.size:
            nothing = np.full(points.count.shape, -np.inf)
            return nothing, nothing
        # Few thresholds, or so many points between two that each costs a factor e: counts suffice.
        crowded = points.m * points.rate * 0.25 >= self.size
        return self._by_counts(points) if self.size <= _FEW or crowded else self._by_points(points)

    def _by_points(self, points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        shares = points.shares()
        place = self.start + self.length * shares
        count = np.floor(place) + 0.5 if self.odd else np.floor(place + 0.5)
        before = np.where(shares < 1.0, count - self.passed, self.size)
        every = np.log(points.weigh(before, self.size))
        if self.good == self.size:
            return every, every
        return every, np.log(points.weigh(before, self.good))

    def _by_counts(self, points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Draw how many points lie between thresholds, the nearest ones where there are many."""
        own = 0.5 if self.odd and not self.passed else 0.0
        number = math.ceil(min(self.size, float(_FEW)))
        first = math.ceil(self.passed)
        place = np.arange(first, first + number) + (0.0 if self.odd else 0.5)
        shares = np.clip((place - self.start) / self.length, 0.0, 1.0)
        left, rng = points.count.copy(), points.rng
        lost = np.zeros((number, left.size))
        weights = np.full(number, 1.0)
        if own:
            weights[0] = own
        weights[-1] += self.size - weights.sum()
        before, passed = 0.0, np.zeros(left.size)
        for row, share in enumerate(shares.tolist()):
            odds = (share - before) / (1.0 - before) if share > before else 0.0
            more = rng.binomial(left, min(odds, 1.0))
            left, passed, before = left - more, passed + more, share
            lost[row] = points.rate * passed
        logs = np.log(weights)[:, None] - lost
        kept = np.minimum(weights, np.maximum(self.good - (np.cumsum(weights) - weights), 0.0))
        top = logs.max(axis=0)
        every = top + np.log(np.exp(logs - top).sum(axis=0))
        if self.good >= self.size:
            return every, every
        accurate = np.log(kept)[:, None] - lost
        return every, top + np.log(np.exp(accurate - top).sum(axis=0))
