"""The expected share of one hypothesis between two rare events, tiny shares included.

For (K, L) the counts of two events of probability p each among n draws, and
a = A e^{-rK}, b = B e^{-rL} + e^{-r(n-L)}, the expectation E[1 / (1 + a + b)] is a double sum over
a window of about 16 standard deviations each way. Four reductions make it cheap:

- Where a Chernoff bound says that the value is 0 or 1 to 1e-15, nothing is summed.
- The lattice is thinned where the summand is smooth. Over every h-th K and L the sum errs, by
  Poisson's formula, by Fourier coefficients at frequencies 2 pi j / h other than 0. That of the
  weights at (s, t) is at most about e^{-v s^2 / 2}, v = n p (1-2p) / (1-p) being the variance of
  one count given the other; that of the share (a ratio of gamma functions) falls like
  e^{-pi max(|s|, |t|) / r}. Their convolution at 2 pi / h is e^{-36} where h is as in `thinning`.
- A weight is a constant times u(K) u(L) v(K+L), and

      1 / (1+a+b) = 1 / (1+a) * 1 / (1+b) + ab / ((1+a)(1+b)(1+a+b)).

  In the frequencies of K+L the product's sum is a single one, over three transforms.
- What remains matters only where both steps are near: in a block, summed as it is.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from privsc_core.numerics.binomial import LOG_TAIL, binomial_ends, binomial_window
from privsc_core.numerics.sums import interpolated
from privsc_core.numerics.trinomial_sums import (
    HUGE,
    LARGEST,
    STEP,
    TRAPEZOID,
    factors,
    fast_length,
    shares,
    thinned,
    thinning,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray


# e^{-800} is 0: a rate that is larger than a logarithm by this much is as good as infinite.
_GONE = 800.0
# A rate that is as good as 0, and can be halved and divided by.
_SLOWEST = 1e-290
# Windows up to this width are summed over both counts.
_NARROW = 1024
# Nodes that interpolate what one count makes of the other, and how still their sum must stand.
_NODES = (17, 33, 65, 129, 257)
_STILL = 1e-12


def two_sided_share(
    size: int, probability: float, log_left: float, log_right: float, rate: float
) -> float:
    """Return E[1 / (1 + A e^{-rK} + B e^{-rL} + e^{-r(n-L)})].

    Parameters
    ----------
    size : int
        n, at least 1.
    probability : float
        Of each of the two events, in (0, 1/2].
    log_left, log_right : float
        log A and log B; -inf for none.
    rate : float
        r > 0.

    Returns
    -------
    float
        With an absolute error of about 1e-13.
    """
    columns = (np.array([x]) for x in (size, log_left, log_right, rate))
    sizes, *rest = columns
    return float(two_sided_shares(sizes, probability, *rest)[0])


def two_sided_shares(
    size: NDArray[np.int64],
    probability: float,
    log_left: NDArray[np.float64],
    log_right: NDArray[np.float64],
    rate: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return `two_sided_share` of many settings, all of shape (settings,)."""
    most = np.maximum(log_left, log_right)
    rate = np.minimum(np.maximum(rate, _SLOWEST), np.maximum(most, 0.0) + _GONE)
    lost = _all_fail(size, probability, log_left, log_right, rate)
    sure = _none_fails(size, probability, most, rate)
    found = np.where(sure & ~lost, 1.0, 0.0)
    open_ = np.flatnonzero(~(lost | sure))
    size, rate, ends = size[open_], rate[open_], np.array([log_left[open_], log_right[open_]])
    if probability == 0.5:
        cells = zip(size.tolist(), *ends.tolist(), rate.tolist(), strict=True)
        found[open_] = [_one_sum(*cell)[0] for cell in cells]
        return found
    variance = size * _given_other(probability)
    thin = [*map(thinning, variance.tolist(), rate.tolist())]
    found[open_] = shares(size, probability, ends, rate, thin)
    return np.minimum(np.maximum(found, 0.0), 1.0)


def two_counts(
    size: int, probability: float, log_tail: float = LOG_TAIL, rows: int = 1 << 18
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]:
    """Yield counts K, counts L and their joint weights, in blocks that broadcast.

    Parameters
    ----------
    size : int
        Number of draws.
    probability : float
        Of each of the two events, in (0, 1/2].
    log_tail : float
        As for `binomial_window`.
    rows : int
        Cells of a block at most, but one row at least.
    """
    if probability == 0.5:
        low, weights = binomial_window(size, 0.5, log_tail)
        count = np.arange(low, low + weights.size, dtype=np.float64)
        yield count, size - count, weights
        return
    first, one, both = factors(size, probability, log_tail)
    count = np.arange(first, first + one.size, dtype=np.float64)
    sums = np.lib.stride_tricks.sliding_window_view(both, one.size)
    total = float(one @ (sums @ one))
    step = max(1, rows // one.size)
    for start in range(0, one.size, step):
        part = slice(start, start + step)
        yield count[part, None], count, sums[part] * one * (one[part, None] / total)


def either_fails(
    size: int,
    probability: float,
    left: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    right: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    log_tail: float,
) -> float:
    """Return E[1 - e^{left(K) + right(L)}], K and L as for `two_counts`, in sums of positive terms.

    Given K the count L is binomial, and the mean of 1 - e^{right(L)} a smooth function h of K. Where
    the window is wide the log of h is interpolated, with more and more nodes until it stands still:
    a double sum has too many terms there.

    Parameters
    ----------
    size, probability, log_tail
        As for `two_counts`.
    left, right : callable
        counts -> logs of the chances that either succeeds.
    """
    low, weights = binomial_window(size, probability, log_tail)
    count = np.arange(low, low + weights.size, dtype=np.float64)
    if probability == 0.5 or weights.size <= _NARROW:
        return _by_pairs(size, probability, left, right, log_tail)
    sure = left(count)
    other = probability / (1.0 - probability)

    @cache
    def mean(place: int) -> float:
        first, chances = binomial_window(size - place, other, log_tail)
        counts = np.arange(first, first + chances.size, dtype=np.float64)
        return -float(chances @ np.expm1(right(counts)))

    before = None
    for nodes in _NODES:
        # Each set of nodes contains the one before.
        turns = np.cos(np.pi * np.arange(nodes) / (nodes - 1))
        places = np.unique(
            np.round(low + 0.5 * (weights.size - 1) * (1.0 + turns)).astype(np.int64)
        )
        means = np.array([mean(place) for place in places.tolist()])
        if not means.all():
            break
        logs = interpolated(places, np.log(means), count)
        now = float(weights @ (np.exp(sure + logs) - np.expm1(sure)))
        if before is not None and abs(now - before) <= _STILL * now:
            return now
        before = now
    if not means.any():
        return -float(weights @ np.expm1(sure))
    return _by_pairs(size, probability, left, right, log_tail)


def _by_pairs(
    size: int,
    probability: float,
    left: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    right: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    log_tail: float,
) -> float:
    return -sum(
        float((weight * np.expm1(left(x) + right(y))).sum())
        for x, y, weight in two_counts(size, probability, log_tail)
    )


def product_mean(
    size: int,
    probability: float,
    left: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    right: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    rate: float = math.inf,
) -> float:
    """Return E[left(K) right(L)], K and L as for `two_counts`, with an absolute error of about 1e-13.

    In the frequencies of K + L it is one sum.

    Parameters
    ----------
    size, probability
        As for `two_counts`.
    left, right : callable
        Counts -> values in [0, 1].
    rate : float
        r, where Fourier coefficients of the two at a frequency s fall like e^{-pi |s| / r}: the
        lattice is thinned then.
    """
    if probability == 0.5:
        return sum(float((w * left(k) * right(n)).sum()) for k, n, w in two_counts(size, 0.5))
    thin = thinning(size * _given_other(probability), rate)
    first, one, both = thinned(size, probability, thin)
    count = first + thin * np.arange(one.size, dtype=np.float64)
    length = fast_length(2 * one.size - 1)
    alone = np.fft.rfft(one, length)
    waves = np.fft.rfft(one * left(count), length) * np.fft.rfft(one * right(count), length)
    sums = np.fft.irfft(np.stack([waves, alone * alone]), length)[:, : both.size]
    return float((sums[0] @ both) / (sums[1] @ both))


def _given_other(probability: float) -> float:
    """Return the variance of one count given the other, for each draw."""
    return probability * (1.0 - 2.0 * probability) / (1.0 - probability)


def _all_fail(
    size: NDArray[np.int64],
    probability: float,
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    rate: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Return where the value is below 1e-15, by Chernoff's bound.

    1 / (1 + a + b) is at most (ab)^{-t/2} for t in [0, 1], and K + L ~ Bin(n, 2p); with one
    of the two missing it is at most a^{-t}, and K ~ Bin(n, p).
    """
    height = 0.5 * (left + right)
    missing = np.isneginf(height)
    height = np.where(missing, np.maximum(left, right), height)
    speed = np.where(missing, rate, 0.5 * rate)
    chance = np.where(missing, probability, 2.0 * probability)
    # The best t, from the derivative; if t may grow for ever, 1.
    slack = chance * (size * speed - height)
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(
            (slack > 0.0) & (chance < 1.0), np.log(height * (1.0 - chance) / slack), np.inf
        )
        tilt = np.maximum(np.minimum(np.minimum(most, speed), LARGEST), 0.0)
        bound = size * np.log1p(chance * np.expm1(tilt)) - height * tilt / speed
    return np.asarray((height > 0.0) & (bound < -STEP))


def _none_fails(
    size: NDArray[np.int64],
    probability: float,
    log_most: NDArray[np.float64],
    rate: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Return where the value is above 1 - 1e-15, by Chernoff's bound on each term.

    1 - 1 / (1 + x + y + z) is at most x^t + y^t + z for t in [0, 1].
    """
    rest = size * np.log1p((1.0 - probability) * np.expm1(-rate))
    slack = probability * (size * rate - log_most)
    with np.errstate(divide="ignore", invalid="ignore"):
        tilt = np.minimum(rate, -np.log(log_most * (1.0 - probability) / slack))
        tilt = np.where(log_most > 0.0, tilt, rate)
        decay = size * np.log1p(probability * np.expm1(-tilt))
        small = log_most * tilt / rate + decay < -STEP - 1.0
    told = (log_most <= 0.0) | ((slack > 0.0) & (tilt > 0.0))
    return np.asarray((rest <= -STEP - 1.0) & told & small)


def _one_sum(
    size: int, log_left: float, log_right: float, rate: float, log_tail: float = LOG_TAIL
) -> tuple[float, float]:
    """Return the expected share and what is left where every draw is one of both, so that L = n - K.

    One sum, thinned likewise: both terms turn with K, and the share falls like e^{-pi s / 2r}.
    """
    first, weights = (_even if 0.5 * size < HUGE else _even.__wrapped__)(size, log_tail)
    thin = thinning(0.25 * size, 2.0 * rate, max(log_tail, TRAPEZOID))
    count = np.arange(first, first + weights.size, thin, dtype=np.float64)
    odds = _odds(log_left, rate, count) + _odds(log_right, rate, size - count)
    odds += np.exp(-rate * count)
    above, weights = 1.0 + odds, weights[::thin]
    return float(weights @ (1.0 / above)) * thin, float(weights @ (odds / above)) * thin


@lru_cache(maxsize=16)
def _even(size: int, log_tail: float) -> tuple[int, NDArray[np.float64]]:
    return binomial_window(size, 0.5, log_tail)


# --- The expected share of `trinomial` where it, or what is left of it, is tiny ------------------
#
# There an absolute error of 1e-13 says nothing. With f = a / (1+a) and g = b / (1+b),
#
#     1 - 1 / (1+a+b) = f + g - fg (2-f-g) / (1-fg),
#
# and the last term is at most 2fg. Where f + g is expected to be tiny, its expectation is tinier
# still: K and L are negatively associated, so E[f g] <= E[f] E[g] for decreasing f and g. That
# leaves two single sums. Where the last term matters, it is summed over the corner of the lattice in
# which neither f nor g is nothing. A tiny share is summed over the whole lattice as it is.


# Between this and 1 minus this the usual share is right to a ten-millionth of itself.
_TINY = 1e-6
# What the product term may be of the sum.
_GAP = 2e-7
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
    return np.asarray(np.exp(np.minimum(log_odds - rate * count, LARGEST)))


def _lattice(
    size: int, probability: float, log_left: float, log_right: float, rate: float, log_tail: float
) -> tuple[float, float] | None:
    """Return both expectations as double sums, thinned where that costs less than e^{-log_tail}."""
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
        Every k-th count is looked at.
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
