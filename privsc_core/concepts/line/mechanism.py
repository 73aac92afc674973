"""The success law of the exponential mechanism over all lines; only the target is good.

Another line meets the target in one point at most, so it is told by which one, and by whether it
passes (0, 1).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.laws import averaged, exact, rao_blackwell
from privsc_core.concepts.line.mixture_law import law_off_target
from privsc_core.concepts.line.occupied import FEW, occupied
from privsc_core.concepts.line.plane import LARGE
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import of_count
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting
    from privsc_core.concepts.line.distributions import Profile

__all__ = ["law"]

# Odds above this are certain to lose.
_LARGEST = 460.0
_PLACES_MOST = 20_000
# How small odds against success need not be told from none.
_NEGLIGIBLE = 40.0


def law(profile: Profile, p: float, setting: Setting) -> Estimate:
    """Return the law at one p."""
    log_p = np.asarray(setting.d * math.log(2.0) if p > 2.0 ** (LARGE - 1) else math.log(p))
    log_rivals = log_p + math.log1p(-1.0 / p)
    mass, large = profile.mass, p > 2.0 ** (LARGE - 1)
    if profile.off[0] and large and profile.even[0] < decimal(setting.alpha):
        return exact(np.ones(setting.shape), setting)  # of so many points any line misses enough
    if profile.off[0] and not large:
        return law_off_target(profile, p, setting)
    if profile.even[0] and large:
        return averaged(
            setting, mass, (log_p, setting.epsilon), of_count(_spread), rate=0.5 * setting.epsilon
        )
    if profile.even[0]:
        return _of_counts(mass, p, setting)
    if not profile.dummy[0]:
        rare = float(profile.atoms[1][0])
        # The rest counts until it makes up for p lines.
        rate = 0.5 * setting.epsilon / (1.0 + log_p / _NEGLIGIBLE)
        return averaged(setting, rare, (log_rivals, setting.epsilon), _anchor, rate=rate)
    return _of_pair(float(profile.atoms[0][0]), p, setting)


def _capped(exponent: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.exp(np.minimum(exponent, _LARGEST)))


def _anchor(
    count: NDArray[np.float64],
    rest: NDArray[np.float64] | float,
    log_rivals: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    """P - 1 lines pass one of the two points, p - 1 the other, (p - 1)^2 none."""
    half = 0.5 * epsilon
    odds = _capped(log_rivals - half * count)
    if not (isinstance(rest, float) and math.isinf(rest)):
        odds = odds + _capped(log_rivals - half * rest)
        odds = odds + _capped(2.0 * log_rivals - half * (count + rest))
    return odds


def _spread(
    count: NDArray[np.float64], log_p: NDArray[np.float64], epsilon: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For large p no two examples are at one place: p^2 lines pass none of the target's, K p one.

    Those beside the target pass a line with probability 1 / p, which does not count.
    """
    half = 0.5 * epsilon
    one = count * _capped(log_p - half * (count - 1.0))
    return np.asarray(_capped(2.0 * log_p - half * count) + one)


def _of_pair(mass: float, p: float, setting: Setting) -> Estimate:
    """Average over the counts of both points, (0, 0) and (1, 0), and of (0, 1)."""

    def sampled(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
        counts = rng.multinomial(m, [mass, mass, 1.0 - 2.0 * mass], size=trials)
        return tuple(counts.T.astype(np.float64))

    def given(
        d: int, epsilon: float, one: NDArray[np.float64], two: NDArray[np.float64],
        none: NDArray[np.float64],
    ) -> NDArray[np.float64]:  # fmt: skip
        rivals, fewer = _logs_less(p, d)
        half = 0.5 * epsilon
        odds = (
            _capped(rivals - half * two) + _capped(fewer - half * one) + _capped(-half * (one + none))
            + _capped(rivals - half * (one + two + none))
            + _capped(rivals + fewer - half * (one + two))
        )  # fmt: skip
        return np.asarray(1.0 / (1.0 + odds))

    return rao_blackwell(setting, sampled, given)


def _logs_less(p: float, d: int) -> tuple[float, float]:
    """Return log(p - 1) and log(p - 2)."""
    if p > 2.0 ** (LARGE - 1):
        return d * math.log(2.0), d * math.log(2.0)
    return math.log(p - 1.0), math.log(p - 2.0) if p > 2.0 else -math.inf


def _of_counts(mass: float, p: float, setting: Setting) -> Estimate:
    """Average over how often each point of the target occurs."""
    size = int(p)
    least = float(setting.epsilon.min())
    # So many positive examples leave nothing to the p^2 others, if no point has half of them.
    enough = 4.0 * (2.0 * math.log(p) + _NEGLIGIBLE) / least
    most = min(float(setting.m.max()) * mass, enough)
    if size > FEW and most > _PLACES_MOST:
        needed = 4.0 * (2.0 * math.log(p) + _NEGLIGIBLE) / _PLACES_MOST
        raise InputError("epsilon", f"must be at least {needed:.2g} to simulate here", least)

    def sampled(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
        hits = rng.binomial(m, mass, size=trials)
        total = np.full(trials, float(m))
        if size > FEW:
            hits = np.minimum(hits, math.ceil(enough))
        return (hits.astype(np.float64), total, *occupied(hits, size, rng))

    def given(
        d: int, epsilon: float, hits: NDArray[np.float64], total: NDArray[np.float64],
        rows: NDArray[np.int64], counts: NDArray[np.int64], many: NDArray[np.int64],
        above: NDArray[np.int64],
    ) -> NDArray[np.float64]:  # fmt: skip
        del d
        half = 0.5 * epsilon
        missed = np.exp(-half * hits)
        # The first point is below (0, 1), which no line joins with it.
        first = np.exp(-half * (hits - above))
        seen = np.bincount(rows, many, hits.size)
        passed = np.bincount(rows, many * np.exp(-half * (hits[rows] - counts)), hits.size)
        through = passed + (p - seen) * missed - first
        negative = np.exp(-half * (total - hits))
        odds = (
            (p - 2.0) * through + (p - 1.0) * first + (p - 2.0) * missed
            + negative * (through + missed)
        )  # fmt: skip
        return np.asarray(1.0 / (1.0 + odds))

    return rao_blackwell(setting, sampled, given)
