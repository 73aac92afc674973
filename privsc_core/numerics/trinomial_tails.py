"""The expected share of `trinomial` where it, or what is left of it, is tiny.

There an absolute error of 1e-13 says nothing. With f = a / (1+a) and g = b / (1+b),

    1 - 1 / (1+a+b) = f + g - fg (2-f-g) / (1-fg),

and the last term is at most 2fg. Where f + g is expected to be tiny, its expectation is tinier
still: K and L are negatively associated, so E[f g] <= E[f] E[g] for decreasing f and g. That
leaves two single sums. Where the last term matters, it is summed over the corner of the lattice in
which neither f nor g is nothing. A tiny share is summed over the whole lattice as it is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from privsc_core.numerics.binomial_windows import binomial_ends, binomial_window
from privsc_core.numerics.trinomial import two_sided_share
from privsc_core.numerics.trinomial_lattice import thinning

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["two_sided_odds"]

# Between this and 1 minus this the usual share is right to a ten-millionth of itself.
_TINY = 1e-6
# What the product term may be of the sum.
_GAP = 2e-7
# e^{700} is still a float.
_LARGEST = 700.0
# A share of the sum that rounding hides.
_NOTHING = 1e-16
# Elements of a temporary, and of a lattice that takes about a second.
_BLOCK = 1 << 16
_MOST = 1 << 26


def two_sided_odds(
    size: int,
    probability: float,
    log_left: float,
    log_right: float,
    rate: float,
    log_tail: float,
    *,
    wanted: Literal["share", "rest", "both"] = "both",
) -> tuple[float, float] | None:
    """Return E[1 / (1+R)] and E[R / (1+R)], what is wanted of them right relative to itself.

    Parameters
    ----------
    size, probability, log_left, log_right, rate
        As for `two_sided_share`; R = A e^{-rK} + B e^{-rL} + e^{-r(n-L)}.
    log_tail : float
        Masses below e^{-log_tail} may be neglected.
    wanted : {"share", "rest", "both"}
        Of the other one an absolute error of 1e-13 is allowed.

    Returns
    -------
    (float, float) or None
        The error relative to what is wanted is below 1e-6 of it; None where the sum would take too
        long.
    """
    if probability == 0.5:
        return _one_sum(size, log_left, log_right, rate, log_tail)
    first, weights = binomial_window(size, probability, log_tail)
    count = first + np.arange(weights.size, dtype=np.float64)
    left = _odds(log_left, rate, count)
    right = _odds(log_right, rate, count) + np.exp(-rate * (size - count))
    one, other = (float(weights @ (odds / (1.0 + odds))) for odds in (left, right))
    lost = one + other
    if lost < _TINY and _product(size, probability, log_left, rate, one * other) <= _GAP * lost:
        return 1.0 - lost, lost
    share = two_sided_share(size, probability, log_left, log_right, rate)
    if (share > _TINY or wanted == "rest") and (share < 1.0 - _TINY or wanted == "share"):
        return share, 1.0 - share
    if share <= _TINY:
        return _lattice(size, probability, log_left, log_right, rate, log_tail)
    thin = _thinning(size, probability, rate, log_tail)
    corner = _corner(size, probability, first, weights, left, right, thin)
    return None if corner is None else (1.0 - (lost - corner), lost - corner)


def _product(size: int, probability: float, log_left: float, rate: float, apart: float) -> float:
    """Return at least the expectation of the term with f g, of E[f] times E[g'] or more.

    g' is g without e^{-r(n-L)}, which grows with L. With f <= a^t that costs at most `mixed`, for t
    in [0, 1].
    """
    mixed = min(
        (t * log_left if t else 0.0)
        + size
        * math.log(
            probability * (1.0 + math.exp(-(1.0 + t) * rate))
            + (1.0 - 2.0 * probability) * math.exp(-rate)
        )
        for t in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    return 2.0 * (apart + math.exp(min(mixed, 0.0)))


def _thinning(size: int, probability: float, rate: float, log_tail: float) -> int:
    conditional = size * probability * (1.0 - 2.0 * probability) / (1.0 - probability)
    return thinning(conditional, rate, log_tail)


def _odds(log_odds: float, rate: float, count: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.exp(np.minimum(log_odds - rate * count, _LARGEST)))


def _one_sum(
    size: int, log_left: float, log_right: float, rate: float, log_tail: float
) -> tuple[float, float]:
    """Return both where every draw is one of the two events, so that L = n - K."""
    first, weights = binomial_window(size, 0.5, log_tail)
    count = first + np.arange(weights.size, dtype=np.float64)
    odds = _odds(log_left, rate, count) + _odds(log_right, rate, size - count)
    odds += np.exp(-rate * count)
    return float(weights @ (1.0 / (1.0 + odds))), float(weights @ (odds / (1.0 + odds)))


def _lattice(
    size: int, probability: float, log_left: float, log_right: float, rate: float, log_tail: float
) -> tuple[float, float] | None:
    """Return both as double sums, thinned where that costs less than e^{-log_tail}."""
    first, last = binomial_ends(size, probability, log_tail)
    thin = _thinning(size, probability, rate, log_tail)
    count = np.arange(first, last + 1, thin, dtype=np.float64)
    if count.size**2 > _MOST:
        return None
    one, both = (np.exp(logs) for logs in _log_factors(size, probability, first, last))
    one = one[::thin].copy()
    sums = np.lib.stride_tricks.sliding_window_view(
        both[: 2 * thin * (count.size - 1) + 1 : thin], count.size
    )
    left, right = _odds(log_left, rate, count), _odds(log_right, rate, count)
    right = right + np.exp(-rate * (size - count))
    whole = success = failure = 0.0
    for start in range(0, count.size, max(1, _BLOCK // count.size)):
        rows = slice(start, start + max(1, _BLOCK // count.size))
        weights = sums[rows] * one
        weights *= one[rows, None]
        odds = left[rows, None] + right
        whole += float(weights.sum())
        weights /= 1.0 + odds
        success += float(weights.sum())
        weights *= odds
        failure += float(weights.sum())
    return success / whole, failure / whole


def _corner(
    size: int,
    probability: float,
    first: int,
    weights: NDArray[np.float64],
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    thin: int,
) -> float | None:
    """Return E[f + g - R / (1+R)] by a double sum over the counts at which f and g are something.

    There the sums of f and of g are at most what they are everywhere, and so are their errors.

    Parameters
    ----------
    size, probability
        As for `two_sided_odds`.
    first : int
        The first count.
    weights, left, right : ndarray of float64, shape (counts,)
        The chance of either count, and a and b there.
    thin : int
        Every so-manieth count is looked at.
    """
    one, both = (
        np.exp(x) for x in _log_factors(size, probability, first, first + weights.size - 1)
    )
    chance, one, left, right = (x[::thin].copy() for x in (weights, one, left, right))
    both = both[: 2 * thin * (one.size - 1) + 1 : thin].copy()
    f, g = left / (1.0 + left), right / (1.0 + right)
    nothing = _NOTHING * float(chance @ (f + g)) / one.size
    rows, columns = (_span(chance * x > nothing) for x in (f, g))
    height, width = rows.stop - rows.start, columns.stop - columns.start
    if height * width > _MOST:
        return None
    if not height * width:
        return 0.0
    # What the factors are multiples of chances by, at the count that is likeliest.
    mode = int(chance.argmax())
    scale = thin * float(chance[mode] / (one[mode] * (both[mode : mode + one.size] @ one)))
    other, other_g = one[columns], g[columns]
    near = both[rows.start + columns.start : rows.stop + columns.stop - 1]
    sums = np.lib.stride_tricks.sliding_window_view(near, width)
    found = float(
        (one[rows] * f[rows]) @ np.correlate(near, other)
        + one[rows] @ np.correlate(near, other * other_g)
    )
    step = max(1, _BLOCK // width)
    for start in range(0, height, step):
        here = slice(rows.start + start, min(rows.start + start + step, rows.stop))
        odds = left[here, None] + right[columns]
        odds /= 1.0 + odds
        odds *= sums[start : start + step]
        found -= float(one[here] @ np.einsum("kl,l->k", odds, other))
    return scale * found


def _span(where: NDArray[np.bool_]) -> slice:
    """Return the least stretch with all that is true."""
    at = np.flatnonzero(where)
    return slice(int(at[0]), int(at[-1]) + 1) if at.size else slice(0, 0)


def _log_factors(
    size: int, probability: float, first: int, last: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return logs of u(K) and v(K+L), as `trinomial` has them, each 0 near its mode."""
    middle = max(size * probability, 1.0)
    rest = (1.0 - 2.0 * probability) / probability * middle
    steps = np.arange(first + 1, last + 1, dtype=np.float64)
    sums = np.arange(2 * first, 2 * last, dtype=np.float64)
    with np.errstate(divide="ignore"):
        one = np.log(middle / steps)
        both = np.log(np.maximum(size - sums, 0.0) / rest)
    found = [np.concatenate([[0.0], np.cumsum(ratios)]) for ratios in (one, both)]
    return found[0] - found[0].max(), found[1] - found[1].max()
