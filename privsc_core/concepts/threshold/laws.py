"""The success law of a learner that weighs thresholds by R and by their mistakes.

Given a sample that the target labels, let A be the weights of all thresholds on one side of z:
the integral of q^(points passed) over R, q = e^{-eps/2}. Points in the window, at mass u < H from
z, lie at R-mass u 2^-k, k = b - r; those outside at R-masses that need no window to be told. So
both are integrated apart, the first in units of 2^-k, and no float has to hold 2^b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.interval.spacings import Part, kept, nearest, side_weights
from privsc_core.concepts.laws import by_d, rao_blackwell
from privsc_core.concepts.threshold.distributions import Around
from privsc_core.concepts.threshold.line import Crowd
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting
    from privsc_core.concepts.threshold.reference import Reference

__all__ = ["Scale", "density_law", "weighing_law"]

_LOG2 = math.log(2.0)
# Nearest points of a part in one simulated sample: 40 MB for a chunk of samples.
_KEPT_MOST = 20_000


@dataclass(frozen=True, slots=True)
class Scale:
    """R-mass outwards from z.

    Attributes
    ----------
    inside : callable
        Shares of the window's side, from 0 to 1 -> R-mass from z, in a unit.
    outside : callable
        Shares of the mass beyond the window -> R-mass from the window's end, in a unit of its own.
    log_units : float
        Log of the second unit over the first.
    """

    inside: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    outside: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    log_units: float


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

    def scale(crowd: Crowd, b: int) -> Scale:
        r = reference.bits(b)
        known = Crowd(min(r, crowd.b), crowd.mass)
        k = crowd.b - known.b
        half, reach, away = crowd.half, crowd.reach, 0.5 - crowd.reach
        if not known.b:
            return Scale(lambda share: half * share, lambda share: share * away, k * _LOG2)
        slope = known.rest
        # How far the reference's window reaches beyond the crowd's, and how dense it is there.
        further = known.reach - reach
        steep = math.ldexp(1.0, known.b) if known.b <= 1000 else 0.0
        jump = known.half - math.ldexp(half, -min(k, 1100))

        def outside(share: NDArray[np.float64]) -> NDArray[np.float64]:
            y = share * away
            beyond = jump + slope * (y - further)
            return np.asarray(np.where(y <= further, steep * np.minimum(y, further), beyond))

        return Scale(lambda share: half * share, outside, k * _LOG2)

    return weighing_law(distribution, setting, scale, rate)


def weighing_law(
    distribution: Distribution,
    setting: Setting,
    scale: Callable[[Crowd, int], Scale],
    rate: Callable[[float], float],
) -> Estimate:
    """Average over simulated samples: weights e^{-rate * mistakes} by the R of a scale."""
    if not isinstance(distribution, Around):
        raise InputError("distribution", "must belong to thresholds on [0, 1]", distribution.name)
    distribution.check(d=int(setting.d.min()), alpha=setting.alpha)

    def one(d: int, part: Setting) -> Estimate:
        crowd = distribution.crowd(d, part.alpha)
        return _Simulation(crowd, scale(crowd, d), part.alpha).estimate(part, rate)

    return by_d(setting, one)


@dataclass(frozen=True, slots=True)
class _Simulation:
    """A crowd and a scale at one (b, alpha)."""

    crowd: Crowd
    scale: Scale
    alpha: float

    def estimate(self, setting: Setting, rate: Callable[[float], float]) -> Estimate:
        least = float(setting.epsilon.min())
        slowest = rate(least)
        most = int(setting.m.max())
        if min(kept(slowest, math.log(most)), most) > _KEPT_MOST:
            enough = least * kept(slowest, math.log(most)) / _KEPT_MOST
            raise InputError("epsilon", f"must be at least {enough:.2g} to simulate here", least)
        half = self.crowd.half

        def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
            keep = kept(slowest, math.log(m))
            shares = [half, half, max(0.5 - half, 0.0), max(0.5 - half, 0.0)]
            counts = rng.multinomial(m, np.array(shares) / sum(shares), size=trials).T
            flat: list[NDArray[np.float64]] = []
            for count in counts:
                part = nearest(count, keep, rng)
                flat += [part.count.astype(np.float64), part.share]
            return tuple(flat)

        def conditional(d: int, epsilon: float, *drawn: NDArray[np.float64]) -> NDArray[np.float64]:
            del d
            speed = rate(epsilon)
            keep = kept(speed, math.log(most))
            parts = [
                Part(count.astype(np.int64), share[:, :keep])
                for count, share in zip(drawn[::2], drawn[1::2], strict=True)
            ]
            return self._chances(parts, speed)

        return rao_blackwell(setting, draw, conditional)

    def _chances(self, parts: list[Part], rate: float) -> NDArray[np.float64]:
        """Return the chances of success given what was drawn: inside left, right, then outside."""
        half, scale = self.crowd.half, self.scale
        within = min(self.alpha / half, 1.0)
        beyond = (self.alpha - half) / (0.5 - half) if self.alpha > half else 0.0
        ends = [float(f(np.array([share]))[0]) for f, share in (
            (scale.inside, 1.0), (scale.inside, within), (scale.outside, 1.0), (scale.outside, beyond),
        )]  # fmt: skip
        good, every = np.zeros((2, parts[0].count.size))
        far: list[NDArray[np.float64]] = []
        far_good: list[NDArray[np.float64]] = []
        for side in (0, 1):
            near, out = parts[side], parts[side + 2]
            offsets = scale.inside(near.share)
            every += side_weights(offsets, near.count, ends[0], rate)
            good += side_weights(offsets, near.count, ends[1], rate)
            # The points of the window are all passed; none of infinitely heavy ones may be.
            passed = np.where(near.count > 0, rate * near.count, 0.0)
            offsets = scale.outside(out.share)
            with np.errstate(divide="ignore"):
                weights = np.log(side_weights(offsets, out.count, ends[2], rate))
                cut = np.log(side_weights(offsets, out.count, ends[3], rate))
            far.append(scale.log_units - passed + weights)
            far_good.append(scale.log_units - passed + cut)
        top = np.maximum(np.maximum(far[0], far[1]), 0.0)
        good = good * np.exp(-top) + np.exp(far_good[0] - top) + np.exp(far_good[1] - top)
        every = every * np.exp(-top) + np.exp(far[0] - top) + np.exp(far[1] - top)
        return np.asarray(np.clip(good / every, 0.0, 1.0))
