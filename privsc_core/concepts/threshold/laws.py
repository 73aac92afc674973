"""The success law of a learner that weighs thresholds by a measure and by their mistakes.

Given a sample that the target labels, let A be the weights of all thresholds on one side of z:
the integral of q^(points passed) over the measure, q = e^{-eps/2}. Points in the window, at mass
u < H from z, lie at R-mass u 2^-k, k = b - r; those outside at R-masses that need no window to be
told. So both are integrated apart, the first in units of 2^-k, and no float has to hold 2^b.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from privsc_core.concepts.shared.laws import by_d, rao_blackwell
from privsc_core.concepts.threshold.distributions import Around, Crowd
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting
    from privsc_core.concepts.threshold.distributions import Reference


# --- The points nearest to z, drawn once for samples of every size -------------------------------
#
# The i-th nearest of c uniform points of a part of the line lies at the share S_i / S_{c+1} of it,
# S_i a sum of i exponential variables. These do not depend on c: they are drawn once, with the
# weighed sums that integrals need, and a sample of another size then costs a few lookups.
#
# Where weights fall so slowly that thousands of points matter, points are drawn in blocks over which
# they fall by 8% at most, and taken for evenly spread in each: it moves a chance by about 1e-5.


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
        """Draw at least so many blocks, row by row, so that fewer are a prefix of more."""
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


_LOG2 = math.log(2.0)
# A piece of the line that so small a share of points falls on has none.
_RARE = 1e-12


class Measure(Protocol):
    """What thresholds of a part of the line weigh before any mistake, from z outwards."""

    def log_weights(self, points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the logs of the weights of all thresholds of the part, and of the accurate ones."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A measure with a density: constant on pieces of the part.

    Attributes
    ----------
    ends, masses : tuple of float
        Where the pieces end, in shares of the part, and what they weigh.
    good : float
        The share of the part that is accurate.
    head : float
        Weight at the very beginning, before all points.
    """

    ends: tuple[float, ...]
    masses: tuple[float, ...]
    good: float
    head: float = 0.0

    def log_weights(self, points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the logs of the weights of all thresholds of the part, and of the accurate ones."""
        every = np.log(self._until(points, 1.0))
        return every, every if self.good >= 1.0 else np.log(self._until(points, self.good))

    def _until(self, points: Points, cut: float) -> NDArray[np.float64]:
        found = np.full(points.count.shape, self.head if cut > 0.0 else 0.0)
        start, before = 0.0, np.zeros(())
        for end, mass in zip(self.ends, self.masses, strict=True):
            if start >= cut:
                break
            after = points.integral(min(end, cut))
            found += mass / (end - start) * (after - before)
            start, before = end, after
        return found


@dataclass(frozen=True, slots=True)
class Scale:
    """How thresholds weigh in the window and beyond it.

    Attributes
    ----------
    inside, outside : Measure
        Of one side of z, each in a unit of its own.
    log_units : float
        Log of the second unit over the first.
    """

    inside: Measure
    outside: Measure
    log_units: float


def within(crowd: Crowd, alpha: float) -> float:
    """Return the share of the window that is accurate."""
    return min(alpha / crowd.half, 1.0)


def beyond(crowd: Crowd, alpha: float) -> float:
    """Return the share of what lies beyond the window that is accurate."""
    return (alpha - crowd.half) / (0.5 - crowd.half) if alpha > crowd.half else 0.0


def density_law(
    distribution: Distribution,
    setting: Setting,
    reference: Reference,
    rate: Callable[[float], float],
) -> Estimate:
    """Evaluate the law of the density learner: weights by R itself."""
    hard = isinstance(distribution, Around) and distribution.hard
    if reference.told and not hard:
        raise InputError(
            "distribution",
            "must be window where the learner knows the distribution",
            distribution.label,
        )

    def scale(crowd: Crowd, b: int, alpha: float) -> Scale:
        known = Crowd(min(reference.bits(b), crowd.b), crowd.mass)
        k = crowd.b - known.b
        inside = Linear((1.0,), (crowd.half,), within(crowd, alpha))
        return Scale(inside, _outside(crowd, known, beyond(crowd, alpha)), k * _LOG2)

    return weighing_law(distribution, setting, scale, rate)


def _outside(crowd: Crowd, known: Crowd, good: float) -> Linear:
    """Return the R-mass beyond the crowd's window."""
    away = max(0.5 - crowd.reach, 0.0)
    if not known.b:
        return Linear((1.0,), (away,), good)
    # How far the reference's window reaches beyond the crowd's, and what it weighs there.
    further = known.reach - crowd.reach
    jump = known.half - math.ldexp(crowd.half, -min(crowd.b - known.b, 1100))
    rest = known.rest * (away - further)
    if away <= 0.0 or further <= _RARE * away:
        return Linear((1.0,), (rest,), good, head=jump)
    if away - further <= _RARE * away:
        return Linear((1.0,), (jump,), good)
    return Linear((further / away, 1.0), (jump, rest), good)


def weighing_law(
    distribution: Distribution,
    setting: Setting,
    scale: Callable[[Crowd, int, float], Scale],
    rate: Callable[[float], float],
) -> Estimate:
    """Average over simulated samples: weights e^{-rate * mistakes} by the measure of a scale."""
    if not isinstance(distribution, Around):
        raise InputError("distribution", "must belong to thresholds on [0, 1]", distribution.name)
    distribution.check(d=int(setting.d.min()), alpha=setting.alpha)

    def one(d: int, part: Setting) -> Estimate:
        crowd = distribution.crowd(d, part.alpha)
        return _estimate(crowd, scale(crowd, d, part.alpha), part, rate)

    return by_d(setting, one)


def _estimate(
    crowd: Crowd, scale: Scale, setting: Setting, rate: Callable[[float], float]
) -> Estimate:
    shares = np.repeat([crowd.half, max(0.5 - crowd.half, 0.0)], 2)

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], ...]:
        # Drawn first: the same for every m.
        tag = rng.integers(1 << 62)
        counts = rng.multinomial(m, shares / shares.sum(), size=trials).T.reshape(2, -1)
        return np.array(tag), np.array(m), *counts

    def conditional(
        d: int, epsilon: float, tag: NDArray[np.int64], m: NDArray[np.int64],
        *counts: NDArray[np.int64],
    ) -> NDArray[np.float64]:  # fmt: skip
        del d
        near, far = (
            Points(count, int(m), rate(epsilon), int(tag), part)
            for part, count in enumerate(counts)
        )
        return _chances(scale, near, far)

    return rao_blackwell(setting, draw, conditional)


def _chances(scale: Scale, near: Points, far: Points) -> NDArray[np.float64]:
    """Return the chances of success given what was drawn; columns are left sides, then right ones."""
    with np.errstate(divide="ignore", over="ignore"):
        every, good = scale.inside.log_weights(near)
        out, out_good = scale.outside.log_weights(far)
        # The points of the window are all passed on the way beyond it.
        shift = scale.log_units - near.rate * near.count
        logs = np.stack([every, out + shift]).reshape(4, -1)
        accurate = np.stack([good, out_good + shift]).reshape(4, -1)
    top = logs.max(axis=0)
    reached, weighed = (np.exp(x - top).sum(axis=0) for x in (accurate, logs))
    return np.asarray(np.clip(reached / weighed, 0.0, 1.0))


# --- The net of CH11's A_1r: N thresholds s_i = (i - 1/2) / N, evenly spaced ---------------------
#
# N has more bits than a float when b is large. From z the thresholds lie at (i - 1/2) / N where N is
# even, and at i / N, one of them at z itself, where it is odd.


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
