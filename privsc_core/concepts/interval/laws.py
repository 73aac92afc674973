"""The success laws of the INTERVAL_d learners that weigh thresholds by their mistakes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.interval.cascade import Cascade, Stretches
from privsc_core.concepts.interval.distributions import Hard, Spread
from privsc_core.concepts.interval.nodes import Part, blocks, kept, nearest, side_weights
from privsc_core.concepts.shared.laws import by_d, rao_blackwell
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting

_LOG2 = math.log(2.0)
# Points of the domain fall into the band itself with probability m w / T: below this they are
# taken to lie beyond it.
_RARE = 1e-12
# Nearest points of a part in one simulated sample: 40 MB for a chunk of samples.
_KEPT_MOST = 20_000


def interval_law(
    distribution: Distribution,
    setting: Setting,
    hard: Callable[[Hard, Setting], Estimate],
    rate: Callable[[float], float],
) -> Estimate:
    """Evaluate the law of a learner with weights e^{-rate * mistakes} on any distribution.

    Parameters
    ----------
    distribution, setting
        As for `Learner.success`.
    hard : callable
        The law on the hard distribution.
    rate : callable
        epsilon -> factor of the mistakes in the exponent; infinity for fewest mistakes.
    """
    for d in np.unique(setting.d).tolist():
        distribution.check(d=d, alpha=setting.alpha)
    if isinstance(distribution, Hard):
        return hard(distribution, setting)
    if isinstance(distribution, Cascade):
        return by_d(setting, lambda d, part: _on_cascade(distribution, d, part, rate))
    if not isinstance(distribution, Spread):
        raise InputError("distribution", "must belong to INTERVAL_d", distribution.name)
    spread = distribution

    def one(d: int, part: Setting) -> Estimate:
        return _Simulation.at(spread, d, part.alpha).estimate(part, rate)

    return by_d(setting, one)


def _on_cascade(
    distribution: Cascade, d: int, setting: Setting, rate: Callable[[float], float]
) -> Estimate:
    rates = [rate(loss) for loss in np.unique(setting.epsilon).tolist()]

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[Stretches]:
        return (distribution.draw_stretches(m, trials, d=d, rates=rates, rng=rng),)

    def conditional(d: int, epsilon: float, stretches: Stretches) -> NDArray[np.float64]:
        return distribution.chances(stretches, d=d, alpha=setting.alpha, rate=rate(epsilon))

    return rao_blackwell(setting, draw, conditional)


@dataclass(frozen=True, slots=True)
class _Simulation:
    """A band and a domain at one (d, alpha); sides are (left, right), shares of the domain."""

    d: int
    width: int
    lam: float
    near: tuple[int, int]
    sides: tuple[int, int]
    shares: tuple[float, float]
    allowed: tuple[int, int]

    @classmethod
    def at(cls, spread: Spread, d: int, alpha: float) -> _Simulation:
        width, lam = spread.band(d)
        left, right = spread.sides(d)
        return cls(
            d, width, float(lam), spread.near(d), (left, right), (left / (1 << d), right / (1 << d)),
            spread.allowed(d=d, alpha=alpha),
        )  # fmt: skip

    def estimate(self, setting: Setting, rate: Callable[[float], float]) -> Estimate:
        least = float(setting.epsilon.min())
        slowest = rate(least)
        most = int(setting.m.max())
        if min(kept(slowest, self._span(most)), most) > _KEPT_MOST:
            # Privacy so strict makes so many points matter that samples no longer fit in memory.
            enough = least * kept(slowest, self._span(most)) / _KEPT_MOST
            raise InputError("epsilon", f"must be at least {enough:.2g} to simulate here", least)

        def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
            flat: list[NDArray[np.float64]] = []
            for part in self._parts(m, trials, kept(slowest, self._span(m)), rng):
                flat += [part.count.astype(np.float64), part.share]
            return tuple(flat)

        def conditional(d: int, epsilon: float, *drawn: NDArray[np.float64]) -> NDArray[np.float64]:
            del d
            m = int(sum(count[0] for count in drawn[::2]))
            chance = self._linear if self._merged(m) else self._logarithmic
            speed = rate(epsilon)
            # Drawn for the slowest rate: a faster one needs fewer.
            keep = kept(speed, self._span(m))
            found = np.empty(drawn[0].size)
            for rows in blocks(found.size, max(share[:, :keep].shape[1] for share in drawn[1::2])):
                parts = [
                    Part(count[rows].astype(np.int64), share[rows, :keep])
                    for count, share in zip(drawn[::2], drawn[1::2], strict=True)
                ]
                found[rows] = chance(parts, speed)
            return found

        return rao_blackwell(setting, draw, conditional)

    def _merged(self, m: int) -> bool:
        """Return whether points of the domain may lie among those of the band."""
        return not self.lam or m * math.ldexp(self.width, -min(self.d, 1000)) > _RARE

    def _span(self, m: int) -> float:
        """Return the log of how much larger the side behind the points kept may be: see `kept`.

        It is at most the side, against the gap around the step, which is of the order of a side
        divided by m; where the band is added up apart, its side against one threshold.
        """
        span = math.log(m)
        if self.lam and self._merged(m):
            span += self.d * _LOG2
        elif self.width:
            span += math.log(self.width)
        return span

    def _parts(self, m: int, trials: int, keep: int, rng: np.random.Generator) -> list[Part]:
        """Draw (band left, band right, domain left, domain right)."""
        if not self.lam:
            none = Part(np.zeros(trials, dtype=np.int64), np.ones((trials, 1)))
            below = rng.binomial(m, self.shares[0], size=trials)
            return [none, none, *_both(below, m - below, keep, rng)]
        inside = rng.binomial(m, self.lam, size=trials)
        outside = m - inside
        left = rng.binomial(inside, self.near[0] / self.width) if self.width else inside
        below = rng.binomial(outside, self.shares[0])
        near, far = (left, inside - left), (below, outside - below)
        return [*_both(*near, keep, rng), *_both(*far, keep, rng)]

    def _linear(self, parts: list[Part], rate: float) -> NDArray[np.float64]:
        """Return the chances in units of one threshold: the domain is moderate, or all there is."""
        whole, good = -1.0, -1.0
        total, accurate = np.zeros((2, parts[0].count.size))
        for side in (0, 1):
            band, domain = parts[side], parts[side + 2]
            size = float(min(self.sides[side], 1 << 1000))
            unit = 1.0
            if self.d > 1000:
                # Offsets in units of the domain: one threshold is nothing in it.
                size, unit, whole, good = self.shares[side], 0.0, 0.0, 0.0
            offsets = _offsets(domain.share, size, unit)
            count = domain.count
            if self.lam:
                near = _offsets(band.share, float(self.near[side]), 1.0)
                near[band.share >= 1.0] = size + unit
                offsets = np.concatenate([offsets, near], axis=1)
                offsets.sort(axis=1)
                count = count + band.count
            cut = self.allowed[side] / (1 << self.d) if unit == 0.0 else float(self.allowed[side])
            total += side_weights(offsets, count, size + unit, rate)
            accurate += side_weights(offsets, count, cut + unit, rate)
        return np.asarray((accurate + good) / (total + whole))

    def _logarithmic(self, parts: list[Part], rate: float) -> NDArray[np.float64]:
        """Return the chances where all of the domain's points lie beyond the band."""
        trials = parts[0].count.size
        total, accurate = np.full((2, trials), -1.0)
        far: list[NDArray[np.float64]] = []
        far_good: list[NDArray[np.float64]] = []
        nothing = np.full(trials, -np.inf)
        for side in (0, 1):
            band, domain = parts[side], parts[side + 2]
            near, allowed = self.near[side], self.allowed[side]
            offsets = _offsets(band.share, float(near), 1.0)
            offsets[band.share >= 1.0] = near + 1.0
            passed = np.where(band.count > 0, -rate * np.maximum(band.count, 1), 0.0)
            inner = side_weights(offsets, band.count, near + 1.0, rate)
            inner -= np.exp(passed) * (near + 1.0)
            total += inner
            size = self.shares[side]
            spacing = domain.share * size
            log_unit = passed + self.d * _LOG2
            with np.errstate(divide="ignore"):
                far.append(log_unit + np.log(side_weights(spacing, domain.count, size, rate)))
                if allowed <= near:
                    accurate += side_weights(offsets, band.count, allowed + 1.0, rate)
                    far_good.append(nothing)
                else:
                    accurate += inner
                    cut = allowed / (1 << self.d)
                    weight = side_weights(spacing, domain.count, cut, rate)
                    far_good.append(log_unit + np.log(weight))
        top = np.maximum(np.maximum(far[0], far[1]), 0.0)
        good = accurate * np.exp(-top) + np.exp(far_good[0] - top) + np.exp(far_good[1] - top)
        every = total * np.exp(-top) + np.exp(far[0] - top) + np.exp(far[1] - top)
        return np.asarray(np.clip(good / every, 0.0, 1.0))


def _both(
    left: NDArray[np.int64], right: NDArray[np.int64], keep: int, rng: np.random.Generator
) -> tuple[Part, Part]:
    """Draw the nearest points on both sides at once."""
    drawn = nearest(np.concatenate([left, right]), keep, rng)
    return Part(left, drawn.share[: left.size]), Part(right, drawn.share[left.size :])


def _offsets(share: NDArray[np.float64], size: float, unit: float) -> NDArray[np.float64]:
    """Return offsets of points that lie at these shares of a side; its end plus 1 for none."""
    offsets = share * size
    if unit:
        np.floor(offsets, out=offsets)
        offsets += 1.0
    return np.asarray(offsets)
