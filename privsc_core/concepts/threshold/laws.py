"""The success law of a learner that weighs thresholds by a measure and by their mistakes.

Given a sample that the target labels, let A be the weights of all thresholds on one side of z:
the integral of q^(points passed) over the measure, q = e^{-eps/2}. Points in the window, at mass
u < H from z, lie at R-mass u 2^-k, k = b - r; those outside at R-masses that need no window to be
told. So both are integrated apart, the first in units of 2^-k, and no float has to hold 2^b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from privsc_core.concepts.laws import by_d, rao_blackwell
from privsc_core.concepts.threshold.distributions import Around
from privsc_core.concepts.threshold.line import Crowd
from privsc_core.concepts.threshold.nearest import Points
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting
    from privsc_core.concepts.threshold.reference import Reference

__all__ = ["Linear", "Measure", "Scale", "beyond", "density_law", "weighing_law", "within"]

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
            "distribution", "must be window where the crowd is known", distribution.label
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
        # The points of the window are all passed by whoever comes beyond it.
        shift = scale.log_units - near.rate * near.count
        logs = np.stack([every, out + shift]).reshape(4, -1)
        accurate = np.stack([good, out_good + shift]).reshape(4, -1)
    top = logs.max(axis=0)
    reached, weighed = (np.exp(x - top).sum(axis=0) for x in (accurate, logs))
    return np.asarray(np.clip(reached / weighed, 0.0, 1.0))
