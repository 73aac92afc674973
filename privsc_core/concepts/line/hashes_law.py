"""The success laws of the hashed lines: in closed form but for the counts of the sample.

Multiplied by r and moved by r0 all of Z_p is reached, so that of all slopes exactly a share N / p
takes a point beside x = 0 into a bucket of N heights.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.laws import averaged, exact, gathered, rao_blackwell
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting
    from privsc_core.concepts.line.distributions import Profile
    from privsc_core.concepts.line.learners.hash_line import HashLine

__all__ = ["law"]

_LARGEST = 460.0
_EXACT = 2.0**41  # beyond it all buckets are alike


def law(profile: Profile, p: float, setting: Setting, learner: HashLine) -> Estimate:
    """Return the law at one p, for the learner's t in place of the design's where it has one."""

    def at(epsilon: float) -> int:
        return learner.design(int(setting.d.min()), epsilon, setting.alpha, setting.beta).bits

    if profile.dummy[0]:
        return _by_epsilon(setting, lambda part, one: _pair(profile, p, part, at(one)))
    return _by_epsilon(setting, lambda part, one: _anchor(profile, p, part, at(one)))


def _by_epsilon(setting: Setting, one: Callable[[Setting, float], Estimate]) -> Estimate:
    """Evaluate a law that takes one epsilon at a time, on which the hash depends."""
    m, d, epsilon = (x.ravel() for x in np.broadcast_arrays(setting.m, setting.d, setting.epsilon))
    parts = []
    for loss in np.unique(epsilon).tolist():
        here = np.flatnonzero(epsilon == loss)
        part = replace(setting, m=m[here], d=d[here], epsilon=epsilon[here])
        parts.append((here, one(part, loss)))
    return gathered(setting.shape, parts)


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf


def _sizes(p: float, bits: int) -> list[tuple[float, int | float]]:
    """Return (N / p, how many buckets) for each size N of a bucket."""
    if p >= _EXACT:
        return [(math.ldexp(1.0, -bits), math.ldexp(1.0, bits))]
    many, more = divmod(int(p), 1 << bits)
    found = [((many + 1) / p, more), (many / p, (1 << bits) - more)]
    return [pair for pair in found if pair[1]]


def _mixed(setting: Setting, parts: list[tuple[float, Estimate]]) -> Estimate:
    """Return the mean of exact laws."""
    value = sum(share * part.value for share, part in parts)
    lost = [share * part.failure for share, part in parts if part.failure is not None]
    return exact(np.asarray(value), setting, np.asarray(sum(lost)) if lost else None)


# --- Two points ----------------------------------------------------------------------------------


def _anchor(profile: Profile, p: float, setting: Setting, bits: int) -> Estimate:
    """Return the exact law: a share f of the slopes takes both points into the target's bucket."""
    rare = float(profile.atoms[1][0])
    whole = math.ldexp(1.0, bits)
    shape = setting.epsilon.shape
    rate = 0.5 * setting.epsilon.item(0)

    def one(share: float) -> Estimate:
        inverse = 1.0 / share
        columns = (
            np.full(shape, _log(inverse - 1.0)),
            np.full(shape, _log((whole - 2.0) * inverse + 1.0 if bits else 0.0)),
            np.full(shape, rate),
        )
        slow = rate / (1.0 + (bits + 1) * 2.0 * math.log(2.0) / 40.0)
        return averaged(setting, rare, columns, _on_anchor, rate=slow)

    return _mixed(setting, [(share * many, one(share)) for share, many in _sizes(p, bits)])


def _on_anchor(
    count: NDArray[np.float64],
    rest: NDArray[np.float64] | float,
    log_one: NDArray[np.float64],
    log_none: NDArray[np.float64],
    rate: NDArray[np.float64],
) -> NDArray[np.float64]:
    odds = _capped(log_one - rate * count)
    if not (isinstance(rest, float) and math.isinf(rest)):
        odds = odds + _capped(log_one - rate * rest) + _capped(log_none - rate * (count + rest))
    return odds


def _capped(exponent: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.exp(np.minimum(exponent, _LARGEST)))


def _pair(profile: Profile, p: float, setting: Setting, bits: int) -> Estimate:
    """Return the law over drawn counts; the buckets of the target and of (0, 1) are gone through."""
    share = float(profile.atoms[0][0])
    off, slope = profile.dummy
    forgiven = (off, slope) <= (decimal(setting.alpha), 0)
    whole, sizes = math.ldexp(1.0, bits), _sizes(p, bits)
    less = 1.0 / p if p < _EXACT else 0.0
    cases = [
        (f * many * (f - less) / (1.0 - less), f, None) for f, many in sizes
    ] + [
        (f * many * g * (others - (f == g)) / (1.0 - less), f, g)
        for f, many in sizes for g, others in sizes
    ]  # fmt: skip

    def sampled(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
        drawn = rng.multinomial(m, [share, share, max(1.0 - 2.0 * share, 0.0)], size=trials)
        return tuple(drawn.T.astype(np.float64))

    def given(
        d: int, epsilon: float, first: NDArray[np.float64], second: NDArray[np.float64],
        dummy: NDArray[np.float64],
    ) -> NDArray[np.float64]:  # fmt: skip
        del d
        rate = 0.5 * epsilon
        one, two = np.exp(-rate * second), np.exp(-rate * first)
        none, lost = one * two, np.exp(-rate * dummy)
        total = np.zeros_like(first)
        for chance, f, g in cases:
            if g is None:
                # The target's bucket has (0, 1) as well.
                two_lost, none_lost = (
                    _capped(rate * (dummy - first)), _capped(rate * (dummy - first - second))
                )  # fmt: skip
                odds = ((1.0 - f) * (one + two_lost) + (whole - 2.0 + f) * none_lost) / f
                total += chance * forgiven / (1.0 + odds)
            else:
                other = (1.0 - f) * one + g * two * lost + (1.0 - g) * none * lost
                apart = max(1.0 - f - g, 0.0)
                other = other + apart * two + max(whole - 2.0 - apart, 0.0) * none
                total += chance * f / (f + other)
        return total

    return rao_blackwell(setting, sampled, given)
