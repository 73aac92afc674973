"""The law of the exponential mechanism on `hard8`: four sides, each found apart.

Of a rectangle around the centre every side has three choices: right, too far in (errs on the inner
point) or too far out (on the outer one). So given the counts success is the product over the sides of
1 / (1 + in e^{-rate K_in} + out e^{-rate K_out}), up to the rectangles that miss the centre. Given how
many examples a side has its two counts are binomial, given those of two sides the share of one is, and
so on: three sums.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Estimate
from privsc_core.concepts.laws import by_d, exact, narrowed, rao_blackwell
from privsc_core.concepts.rectangle.distributions import SIDES
from privsc_core.errors import InputError
from privsc_core.numerics.binomial_windows import binomial_span
from privsc_core.numerics.halves import by_halves, reach, window

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Setting

__all__ = ["COUNTED_MOST", "all_labelled", "by_sides", "conditional"]

# Examples on the eight points together, up to which the sums are done.
COUNTED_MOST = 40_000
# A failure bounded by this share of what is asked for is as good as none.
_SURE = 1e-17
# A bound so small is rounding; up to so many bits one above the next is replaced by a simulation.
_NOTHING, _NARROW = 1e-10, 1e-4
_DRAWN_MOST = 8
_ROUND = 32  # counts
_LN2 = float(np.log(2.0))


def all_labelled(
    distribution: Distribution, setting: Setting, rate: Callable[[float], float]
) -> Estimate:
    """Return the law; `rate` is the factor of the mistakes at an epsilon."""
    for d in (int(setting.d.min(initial=3)), int(setting.d.max(initial=3))):
        distribution.check(d=d, alpha=setting.alpha)
    return by_d(setting, lambda d, part: _at_one_d(d, part, rate))


def _at_one_d(d: int, setting: Setting, rate: Callable[[float], float]) -> Estimate:
    value, lost, miss = np.empty((3, *setting.shape))
    m, epsilon = np.broadcast_arrays(setting.m, setting.epsilon)
    for loss in np.unique(epsilon).tolist():
        here = epsilon == loss
        value[here], lost[here], miss[here] = by_sides(
            d, m[here], setting.alpha, rate(loss), setting.log_tail
        )
    if miss.max(initial=0.0) <= _NOTHING:
        return exact(value, setting, lost if setting.extreme else None)
    estimate = Estimate(value, np.maximum(value - miss, 0.0), value, "rao-blackwell", lost)
    wide = miss > _NARROW
    if d > _DRAWN_MOST or not wide.any():
        return estimate
    part = replace(setting, m=m[wide], d=np.full(wide.sum(), d), epsilon=epsilon[wide])
    drawn = rao_blackwell(
        part,
        lambda size, trials, rng: (_counts(size, setting.alpha, trials, rng),),
        lambda bits, loss, counts: conditional(bits, rate(loss), counts),
    )
    return narrowed(estimate, wide, drawn)


def _counts(m: int, alpha: float, trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
    shares = [max(1.0 - 2 * SIDES * alpha, 0.0), *[alpha] * (2 * SIDES)]
    return rng.multinomial(m, shares, size=trials)


def conditional(d: int, rate: float, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the chance that the target's labelling is drawn, given the counts of the nine points.

    Parameters
    ----------
    d : int
        Bits of a side.
    rate : float
        The factor of the mistakes.
    counts : ndarray, shape (samples, 9)
        In the order of `Hard8.atoms`.
    """
    inner, outer = rate * counts[:, 1 : SIDES + 1], rate * counts[:, SIDES + 1 :]
    quarter = 2.0 ** (d - 2)
    low = np.array([1.0, 0.0] * 2)  # left and bottom have one place fewer outside
    around = np.prod(1.0 + quarter * np.exp(-inner) + (quarter - low) * np.exp(-outer), axis=1)
    # What misses the centre holds points of one side at most: its range of one coordinate lies beside
    # the centre, and it holds both points, the inner or the outer one; or it holds nothing.
    every = inner.sum(axis=1, keepdims=True)
    both, alone = (quarter - low) * quarter, (quarter, quarter - low)
    held = (
        both * np.exp(inner - outer - every)
        + alone[0] * np.exp(inner - every)
        + alone[1] * np.exp(-outer - every)
    ).sum(axis=1)
    across, ranges = 2 * quarter * (2 * quarter + 1), 2 * quarter * (4 * quarter + 1)
    nothing = ranges**2 + 1 - across**2 - across * (both + alone[0] + alone[1]).sum()
    missing = np.exp(-rate * counts[:, 0]) * (across * held + nothing * np.exp(-every[:, 0]))
    return np.asarray(1.0 / (around + missing))


def by_sides(
    d: int, m: NDArray[np.int64], alpha: float, rate: float, tail: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return success and failure without what misses the centre, and a bound on what that takes."""
    share = min(2.0 * SIDES * alpha, 1.0)
    # At most so often: by the mean odds of every side, and of all rectangles beside the centre, which err
    # on it and on the inner points of three sides at least.
    gone = -m * np.log1p(alpha * np.expm1(-rate))
    far = -m * np.log1p((1.0 - (SIDES + 1) * alpha) * np.expm1(-rate))
    bound = np.exp(d * _LN2 + _LN2 - gone) + np.exp(np.minimum(4 * d * _LN2 - far, 700.0))
    value, lost, miss = np.ones(m.shape), np.minimum(bound, 1.0), np.zeros(m.shape)
    open_ = bound > np.exp(-tail) * _SURE
    if not open_.any():
        return value, lost, miss
    least, most = binomial_span(m[open_], share, tail)
    if most > COUNTED_MOST:
        requirement = f"must have at most {COUNTED_MOST:,} examples on the eight points of hard8"
        raise InputError("m", requirement, int(m[open_].max()))
    # Rounded outwards: the turns of a search ask for about the same counts, and share them.
    first_counted, past = least // _ROUND * _ROUND, -(-most // _ROUND) * _ROUND
    hit, missed, _, freed = _four(d, rate, first_counted, past, tail)
    log_arm = (4 * d - 4) * _LN2
    for cell in zip(*np.nonzero(open_), strict=True):
        first, weights = window(int(m[cell]), share, tail)
        at = slice(first - first_counted, first - first_counted + weights.size)
        value[cell] = weights @ hit[at]
        lost[cell] = weights @ missed[at]
        centre = rate * (m[cell] - first - np.arange(weights.size))
        with np.errstate(divide="ignore"):
            taken = np.exp(np.minimum(log_arm - centre + np.log(freed[at]), 0.0))
        miss[cell] = weights @ np.minimum(hit[at], taken) + 4.0 * np.exp(-tail)
    return value, lost, miss


@lru_cache(maxsize=64)
def _four(d: int, rate: float, low: int, high: int, tail: float) -> NDArray[np.float64]:
    """Return means over the four sides, for low to high examples on their eight points.

    The rows are, with f the chance of a side and g = e^{-rate K_in} f^2: the product of the f, 1 minus
    it, the product of the g, and the sum over the sides of f^2 there times g elsewhere.
    """
    least, most = reach(low, high, tail)
    first, last = reach(least, most, tail)
    near = 2.0 ** (d - 2)

    def side(far: float) -> NDArray[np.float64]:
        def values(inner: NDArray[np.intp], outer: NDArray[np.intp]) -> NDArray[np.float64]:
            kept = np.exp(-rate * inner)
            odds = near * kept + far * np.exp(-rate * outer)
            hit = 1.0 / (1.0 + odds)
            return np.stack((hit, odds * hit, kept * hit * hit, hit * hit))

        return by_halves(first, last, tail, values)

    pair = by_halves(least, most, tail, _both(side(near - 1.0), side(near), first))
    return by_halves(low, high, tail, _both(pair, pair, least))


def _both(
    one: NDArray[np.float64], two: NDArray[np.float64], first: int
) -> Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.float64]]:
    """Return the rows of `_four` for two parts together; theirs start at `first` examples."""

    def values(count: NDArray[np.intp], rest: NDArray[np.intp]) -> NDArray[np.float64]:
        hit, lost, kept, freed = one[:, count - first]
        other, failed, left, loose = two[:, rest - first]
        return np.stack(
            (hit * other, lost + hit * failed, kept * left, freed * left + kept * loose)
        )

    return values
