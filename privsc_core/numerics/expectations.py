"""Expectations over two or more counts of one sample: the smaller one, shares, halves, cells.

The smaller of two:

For (K, L) the counts of two events of probabilities p and q among n draws, which exclude each other,

    E[f(min(K, L))] = E[f(K) Pr[L > K | K]] + E[f(L) Pr[K >= L | L]],

and given K = k the other count is Bin(n - k, q / (1 - p)): two single sums of positive terms, so
that small expectations are right relative to themselves.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from privsc_core.numerics.binomial import (
    LOG_TAIL,
    binomial_ends,
    binomial_expectation,
    binomial_window,
)
from privsc_core.numerics.sums import strided_expectation
from privsc_core.numerics.tails import log_chance, tail_sum

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


# Of windows wider than this it is looked first whether the function changes in them at all.
_WIDE, _SAME = 2048, 2e-16
# Tails by themselves are right to some 1e-12 of them, and the error of a finer sum is a square.
_STILL = 1e-10
_APART = 64.0  # a tail by itself costs as much as so many beside each other
# Of fewer rows each tail is computed by itself.
_FEW = 6
_KEPT = 1 << 19  # bytes of an argument of tails that are kept


def lesser_expectation(
    size: NDArray[np.int64],
    chances: tuple[float, float],
    columns: tuple[NDArray[np.float64], ...],
    function: Callable[..., NDArray[np.float64]],
    *,
    log_tail: float = LOG_TAIL,
) -> NDArray[np.float64]:
    """Return E[function(min(K, L), columns)] for (K, L) multinomial of `size` draws.

    Parameters
    ----------
    size : ndarray of int64
        Numbers of draws.
    chances : (float, float)
        Probabilities of the two events, in [0, 1], with a sum of at most 1.
    columns : tuple of ndarray
        Settings of the function; they broadcast with each other and with `size`.
    function : callable
        (count, *columns) -> values of their broadcast shape; monotone in the count.
    log_tail : float
        As for `binomial_expectation`.
    """
    if min(chances) <= 0.0:
        shape = np.broadcast_shapes(size.shape, *(column.shape for column in columns))
        return np.broadcast_to(function(np.zeros(()), *columns), shape)

    ends = _ends(size, chances, log_tail)
    if int((ends[1] - ends[0]).max()) > _WIDE:
        flat, known = _flat(ends, columns, function, relative=log_tail > LOG_TAIL)
        known[~flat] = np.nan

        def some(route: Callable[..., NDArray[np.float64]]) -> None:
            open_ = np.isnan(known)
            cells = [np.broadcast_to(x, open_.shape)[open_] for x in (size, *columns)]
            if open_.any():
                known[open_] = route(cells[0], chances, tuple(cells[1:]), function, log_tail)

        if log_tail > LOG_TAIL:  # of what is rarer each tail is computed by itself
            some(_strided)
        if not np.isnan(known).all():
            some(_summed)
            return known
    return _summed(size, chances, columns, function, log_tail)


def _ends(
    size: NDArray[np.int64], chances: tuple[float, float], log_tail: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return between which counts the smaller one lies, but for a mass that may be neglected."""
    found = [
        [binomial_ends(n, chance, log_tail) for n in size.ravel().tolist()] for chance in chances
    ]
    low, high = np.array(found, dtype=np.int64).min(axis=0).T
    return low.reshape(size.shape), high.reshape(size.shape)


def _flat(
    ends: tuple[NDArray[np.int64], NDArray[np.int64]],
    columns: tuple[NDArray[np.float64], ...],
    function: Callable[..., NDArray[np.float64]],
    *,
    relative: bool,
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return where a monotone function is constant between two counts, and its values there."""
    low, high = (np.array(function(end.astype(np.float64), *columns)) for end in ends)
    return np.abs(high - low) <= (_SAME * np.abs(low) if relative else _SAME), low


def _strided(
    size: NDArray[np.int64],
    chances: tuple[float, float],
    columns: tuple[NDArray[np.float64], ...],
    function: Callable[..., NDArray[np.float64]],
    log_tail: float,
) -> NDArray[np.float64]:
    """Return what every k-th count tells of cells with a size of their own, else NaN."""

    def part(own: float, other: float, tie: int) -> NDArray[np.float64]:
        share = _share(own, other)

        def kernel(count: NDArray[np.float64], cells: NDArray[np.intp]) -> NDArray[np.float64]:
            sizes, first, at = np.unique(size[cells], return_index=True, return_inverse=True)
            reached = _at_least(count[first] + tie, sizes[:, None] - count[first], share)[at]
            return function(count, *(column[cells, None] for column in columns)) * reached

        return strided_expectation(size, own, kernel, log_tail=log_tail, same=_STILL, least=_APART)

    left, right = chances
    return part(left, right, 1) + part(right, left, 0)


def _share(own: float, other: float) -> float:
    """Return how likely a draw is the other event that is not the own one."""
    return min(other / (1.0 - own), 1.0) if own < 1.0 else 0.0


def _summed(
    size: NDArray[np.int64],
    chances: tuple[float, float],
    columns: tuple[NDArray[np.float64], ...],
    function: Callable[..., NDArray[np.float64]],
    log_tail: float,
) -> NDArray[np.float64]:
    def part(own: float, other: float, tie: int) -> NDArray[np.float64]:
        share = _share(own, other)

        def kernel(count: Any, rest: Any, *at: Any) -> NDArray[np.float64]:
            reached = _at_least_each(count, rest, share, tie)
            if reached is None:
                reached = _at_least(count + tie, rest, share)
            return np.asarray(function(count, *at) * reached)

        # A rate of 0: the kernel always sees the rest.
        return binomial_expectation(size, own, columns, kernel, rate=0.0, log_tail=log_tail)

    left, right = chances
    return part(left, right, 1) + part(right, left, 0)


def _at_least(
    count: NDArray[np.float64], draws: NDArray[np.float64], chance: float
) -> NDArray[np.float64]:
    """Return Pr[Bin(draws, chance) >= count] elementwise.

    They are slow, and a search over what the function depends on asks for the same ones again.
    """
    shape = np.broadcast_shapes(np.shape(count), np.shape(draws))
    each = [
        np.broadcast_to(np.asarray(x, dtype=np.float64), shape).tobytes() for x in (count, draws)
    ]
    kept = len(each[0]) <= _KEPT
    return (_tails if kept else _tails.__wrapped__)(*each, chance).reshape(shape)


@lru_cache(maxsize=8)
def _tails(counts: bytes, sizes: bytes, chance: float) -> NDArray[np.float64]:
    count, draws = np.frombuffer(counts), np.frombuffer(sizes)
    known = (count > 0.0) & (count <= draws)
    found = np.asarray(count <= 0.0, dtype=np.float64)
    found[known] = special.betainc(count[known], draws[known] - count[known] + 1.0, chance)
    found.flags.writeable = False  # shared
    return found


def _at_least_each(
    count: NDArray[np.float64], draws: NDArray[np.float64], chance: float, tie: int
) -> NDArray[np.float64] | None:
    """Return Pr[Bin(draws, chance) >= count + tie], where counts and what is left follow each other.

    From one row to the next the count grows by 1 (or stands still) and the draws shrink by as much.
    What the tail then loses is a positive term with a simple ratio to the next one, so that all of
    them come from two tails, at the ends. None where that is not so, or terms overflow.
    """
    if count.ndim != 2 or len(count) < _FEW or not 0.0 < chance < 1.0:
        return None
    size = count[:1] + draws[:1]
    least = np.maximum(count, 1.0 - tie)
    wanted = least + tie
    moves = least[1:] - least[:-1]
    if moves.min() < 0.0 or moves.max() > 1.0 or (count + draws != size).any():
        return None
    # One of n - k draws is set apart: the tail loses Pr[X = w] + chance Pr[X = w - 1] for X of the
    # other `left` draws and w wanted.
    left = np.maximum(size - least[:-1] - 1.0, 1.0)
    over = np.maximum(size - least[:-1] - wanted[:-1], 0.0)
    ratio = over * np.maximum(over - 1.0, 0.0)
    ratio /= left * wanted[:-1]
    ratio *= chance / (1.0 - chance) ** 2
    terms = np.ones(moves.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        np.multiply.accumulate(np.where(moves > 0.0, ratio, 1.0)[:-1], axis=0, out=terms[1:])
        terms *= 1.0 + over / (wanted[:-1] * (1.0 - chance))
        terms *= (moves > 0.0) & (size - least[:-1] >= wanted[:-1])
        lost = terms[::-1].cumsum(axis=0)[::-1]
    ends = _at_least(wanted[[0, -1]], size - least[[0, -1]], chance)
    if not np.isfinite(lost[0]).all():
        return None
    found = np.empty(count.shape)
    found[-1] = ends[1]
    whole = np.where(lost[0] > 0.0, lost[0], 1.0)
    np.multiply(lost, (ends[0] - ends[1]) / whole, out=found[:-1])
    found[:-1] += ends[1]
    return np.where(count + tie <= 0.0, 1.0, found)


# --- The expected share of one group when numbers of members are multinomial ---------------------
#
# With N_c members of group c, each of weight w_c and w_0 = 1, the exponential mechanism picks
# group 0 with probability N_0 / sum_c N_c w_c. Writing 1/S as the integral of e^{-tS} turns the
# expectation over Multinomial(n; p) into one integral,
#
#     n p_0 * integral_0^inf e^{-t} (sum_c p_c e^{-t w_c})^{n-1} dt,
#
# which a Gauss rule computes to about 1e-14 where the integrand decays before e^{-t} bends, and the
# trapezoidal rule in log t to about 1e-12 anywhere: an exact law where simulation would be the
# obvious way.


# From this rate of decay on, Gauss and Laguerre's 10 nodes leave an error of 1e-14 (against 80 of
# Legendre's, over random groups and rates up to 1e7; 8 nodes leave 4e-14).
_RATE = 60.0
_GAUSS_NODES, _GAUSS_WEIGHTS = np.polynomial.laguerre.laggauss(10)
# Other groups whose share is below this do not matter.
_NOTHING = 1e-17
_STEP = 0.25
_NODES = 8
_SPENT = 1e-15
# So few cells are not told apart by their groups.
_SHARES_FEW = 128
# Smaller weights count as 0.
_LEAST = 1e-300


def expected_share(
    members: NDArray[np.float64],
    first: NDArray[np.float64],
    probabilities: Sequence[NDArray[np.float64]],
    weights: Sequence[NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return E[N_0 / (N_0 + sum_c N_c w_c)] for multinomial N (0 when N_0 = 0).

    Parameters
    ----------
    members : ndarray
        n, the total number of members; at least 1.
    first : ndarray
        p_0, the probability of group 0 (weight 1).
    probabilities, weights : sequences of ndarray
        p_c and w_c in [0, 1] of the other groups; with p_0 they sum to 1. All arrays
        broadcast with each other.

    Returns
    -------
    ndarray of float64
        Of the broadcast shape.
    """
    # Groups without weight, of which there are many, only take time.
    heavy = [c for c, w in enumerate(weights) if np.any(w)]
    arrays = np.broadcast_arrays(
        members, first, *(probabilities[c] for c in heavy), *(weights[c] for c in heavy)
    )
    shape = np.broadcast_shapes(arrays[0].shape, *(np.shape(a) for a in (*probabilities, *weights)))
    if arrays[0].shape != shape:
        arrays = np.broadcast_arrays(*arrays, np.empty(shape))[:-1]
    flat = np.array([a.ravel() for a in arrays], dtype=np.float64)
    size, own = flat[:2]
    chances, loads = flat[2 : 2 + len(heavy)], flat[2 + len(heavy) :]
    mixed = chances * loads
    # Where no other has any weight: 1 unless there is no member.
    out = -np.expm1(size * np.log1p(-np.minimum(own, 1.0 - 1e-16)))
    rate = (size - 1.0) * (own + mixed.sum(axis=0))
    # Cells by the rule, and many of them by the groups that matter there, which are mostly few.
    matters = mixed > _NOTHING * own
    kind = (1 << np.arange(len(heavy))) @ matters
    if kind.size <= _SHARES_FEW:
        kind[kind != 0] = np.bitwise_or.reduce(kind)
    kind[rate >= _RATE] *= -1
    for which in np.unique(kind[kind != 0]).tolist():
        groups = np.array([c for c in range(len(heavy)) if abs(which) >> c & 1])
        cells, integral = np.flatnonzero(kind == which), _gauss if which < 0 else _integral
        for start in range(0, cells.size, 512):
            here = cells[start : start + 512]
            there = np.ix_(groups, here)
            found = integral(size[here], own[here], chances[there], loads[there])
            out[here] = np.minimum(found, 1.0)
    return np.asarray(out.reshape(shape))


def expected_rest(
    members: NDArray[np.float64],
    first: NDArray[np.float64],
    probabilities: Sequence[NDArray[np.float64]],
    weights: Sequence[NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return 1 - `expected_share` without cancellation: the expected share of all others.

    The share of group c has N_c w_c in place of N_0, and so w_c e^{-t w_c} in place of e^{-t} in
    the integral. Where no member has any weight at all the others have the share 1. Weights
    and results below 1e-300 count as 0.
    """
    arrays = np.broadcast_arrays(members, first, *probabilities, *weights)
    shape = arrays[0].shape
    flat = [np.asarray(a, dtype=np.float64).ravel() for a in arrays]
    out = np.empty(flat[0].size)
    groups = len(probabilities)
    for start in range(0, out.size, 512):
        part = [a[start : start + 512] for a in flat]
        out[start : start + 512] = _rest(
            part[0], part[1], np.array(part[2 : 2 + groups]), np.array(part[2 + groups :])
        )
    return np.asarray(out.reshape(shape))


def _rest(
    members: NDArray[np.float64],
    first: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    heavy = weights > _LEAST
    weights = np.where(heavy, weights, 0.0)
    weightless = np.where(heavy, 0.0, probabilities).sum(axis=0)
    loaded = first + np.where(heavy, probabilities, 0.0).sum(axis=0)
    with np.errstate(divide="ignore"):
        empty = np.where(loaded < 0.5, np.log1p(-np.minimum(loaded, 0.5)), np.log(weightless))
    total = np.exp(members * empty)
    # Without members of group 0 the others have the share 1; beside one, at most n times a weight.
    with np.errstate(divide="ignore"):
        nobody = np.where(
            first < 0.5, np.log1p(-np.minimum(first, 0.5)), np.log(probabilities.sum(axis=0))
        )
    alone = np.exp(members * nobody)
    light = members * np.where(probabilities > 0.0, weights, 0.0).max(axis=0) <= _NOTHING * alone
    total[light] = alone[light]
    busy = np.flatnonzero(~light)
    total[busy] = _loaded(
        members[busy], first[busy], probabilities[:, busy], weights[:, busy], total[busy]
    )
    return np.asarray(np.minimum(total, 1.0))


def _loaded(
    members: NDArray[np.float64],
    first: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    weights: NDArray[np.float64],
    total: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Add to `total` the integral of `expected_rest`, every cell only where it has some.

    Weights may be 1e-300, and then there are hundreds of orders of t between what is decided by
    some groups and by the others.
    """
    mixed = probabilities * weights
    rate = 1.0 + (members - 1.0) * (first + mixed.sum(axis=0))
    following = np.zeros(members.size)  # the block of nodes that is next
    while (block := following.min(initial=math.inf)) < math.inf:
        here = np.flatnonzero(following == block)
        n, p, w, load = members[here], probabilities[:, here], weights[:, here], mixed[:, here]
        own, known = first[here], total[here]
        y = (-3.6 + _STEP * (block * _NODES + np.arange(_NODES)))[:, None]
        t = np.exp(np.minimum(y - np.exp(-y), 700.0)) / rate[here]
        jacobian = t * (1.0 + np.exp(-y))
        # Two ways to the sum of p e^{-tw}: the one for where it is near 1, and the other.
        drop, left = own * -np.expm1(-t), own * np.exp(-t)
        alive, decay = np.zeros(t.shape), np.empty_like(w)
        for c in range(len(p)):
            spent = t * -w[c]
            fallen = np.exp(spent)
            drop -= p[c] * np.expm1(spent)
            left += p[c] * fallen
            alive += load[c] * fallen
            decay[c] = fallen[-1]
        near = np.log1p(-np.minimum(drop, 0.5))
        others = np.exp((n - 1.0) * np.where(drop < 0.5, near, np.log(np.maximum(left, _LEAST))))
        # Weights are as small as floats, their product with t is not.
        known += n * _STEP * (others * (alive * jacobian)).sum(axis=0)
        total[here] = known
        # What a group can still add: n p e^{-tw} times the others' factor, which falls; and nothing
        # before t w has grown to its share of that.
        most, little = n * others[-1] * p, _NOTHING * known
        matters = (load > 0.0) & (most * decay > little)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            grown = np.log(little * rate[here]) - np.log(most * w)
        begins = np.where(matters, (grown + 3.6) / (_STEP * _NODES), math.inf).min(axis=0)
        following[here] = np.maximum(np.floor(begins), block + 1.0)
    return total


def _gauss(
    members: NDArray[np.float64],
    first: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    # In units of the decay at the beginning u = 1 - e^{-t} is the variable of an integrand that is nearly
    # e^{-u}: e^{-t} dt = du, and p (1 - e^{-tw}) is nearly p w u.
    rate = (members - 1.0) * (first + (probabilities * weights).sum(axis=0))
    u = _GAUSS_NODES[:, None] / rate
    t = np.log1p(-u)
    kept = u * -first
    for p, w in zip(probabilities, weights, strict=True):
        fall = t * w
        np.expm1(fall, out=fall)
        fall *= p
        kept += fall
    np.maximum(kept, -1.0, out=kept)
    with np.errstate(divide="ignore"):
        exponent = np.log1p(kept, out=kept)
    exponent *= members - 1.0
    exponent += _GAUSS_NODES[:, None]
    total = _GAUSS_WEIGHTS @ np.exp(exponent, out=exponent)
    return np.asarray(members * first / rate * total)


def _integral(
    members: NDArray[np.float64],
    first: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    # In units of the initial decay rate the integrand is smooth in log t over the whole
    # range; e^{-e^{-y}} cuts the left end.
    rate = 1.0 + (members - 1.0) * first
    for p, w in zip(probabilities, weights, strict=True):
        rate = rate + (members - 1.0) * p * w
    top = math.log(45.0 * float(rate.max()))
    y = np.arange(-3.6, top + _STEP, _STEP)[:, None]
    stretched = y - np.exp(-y)
    scaled = np.exp(stretched)
    total = np.zeros(members.size)
    for start in range(0, len(y), _NODES):
        t = scaled[start : start + _NODES] / rate
        jacobian = t * (1.0 + np.exp(-y[start : start + _NODES]))
        drop = first * -np.expm1(-t)
        for p, w in zip(probabilities, weights, strict=True):
            drop = drop - p * np.expm1(-t * w)
        with np.errstate(divide="ignore"):
            exponent = -t + (members - 1.0) * np.log1p(-np.minimum(drop, 1.0))
        integrand = np.exp(exponent)
        total += (integrand * jacobian).sum(axis=0)
        # N_0 / S <= N_0, so what is left of the integral is at most the integrand itself.
        if (integrand[-1] <= _SPENT * _STEP * total).all():
            break
    return np.asarray(members * first * total * _STEP)


# --- Expectations of exponentials of a binomial count that are cut at 1, in closed form ----------


_CAPPED_LEAST = 1e-280  # below, scipy loses the digits of a tail


def capped_growth(
    size: NDArray[np.int64],
    probability: NDArray[np.float64],
    log_factor: NDArray[np.float64],
    rate: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return E[min(1, f e^{rate K})] for K ~ Bin(size, probability).

    Parameters
    ----------
    size : ndarray of int64
        At least 1; all of them broadcast.
    probability : ndarray
        In (0, 1).
    log_factor : ndarray
        log f, finite.
    rate : ndarray
        In (0, 700).

    Returns
    -------
    ndarray of float64
        Within 2e-13 for sizes up to 10^8: two incomplete beta functions in place of a sum.

    Notes
    -----
    With t = ceil(-log f / rate) it is Pr[K >= t] + f E[e^{rate K}; K < t], and the latter, by tilting,
    is f (1 + g)^size Pr[K' < t], K' ~ Bin(size, p e^{rate} / (1 + g)), g = p (e^{rate} - 1). A t that is
    off by one in rounding has e^{rate K} f at 1 there: either way counts it alike. Where the tilted
    chance is hardly a float it is that of K' = t - 1 times a fraction, and f e^{rate K} is at most 1 below t.
    """
    n = size.astype(np.float64)
    turn = np.ceil(-log_factor / rate)
    t = np.clip(turn, 1.0, n)
    above = np.where(turn > n, 0.0, special.betainc(t, n - t + 1.0, probability))
    grown = probability * np.expm1(rate)
    below = special.betainc(n - t + 1.0, t, (1.0 - probability) / (1.0 + grown))
    below = np.where(turn > n, 1.0, below)
    log_power = log_factor + n * np.log1p(grown)
    with np.errstate(divide="ignore"):
        part = np.exp(np.minimum(log_power + np.log(below), 0.0))
    # Above, the product of such a chance and the power is 0.
    far = (below < _CAPPED_LEAST) & (log_power > 600.0) & (turn > 0.0)
    if far.any():
        cells = (
            np.broadcast_to(x, far.shape)[far] for x in (n, t, probability, grown, log_factor, rate)
        )
        part[far] = _far(*cells)
    return np.asarray(np.where(turn <= 0.0, 1.0, np.minimum(above + part, 1.0)))


def _far(
    n: NDArray[np.float64],
    t: NDArray[np.float64],
    probability: NDArray[np.float64],
    grown: NDArray[np.float64],
    log_factor: NDArray[np.float64],
    rate: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return f E[e^{rate K}; K < t] where Pr[K' < t] is hardly a float."""
    rest = (1.0 - probability) / (1.0 + grown)
    log_part = log_factor + rate * (t - 1.0) + log_chance(t - 1.0, n, probability)
    return np.asarray(np.exp(log_part) * (1.0 - rest) * tail_sum(n - t + 1.0, t, rest))


# --- Means over counts that are split in halves, and these again: Bin(n, 1/2) at every step ------


# A search asks for ranges that overlap, and every level for the halves of the one above.
@lru_cache(maxsize=2048)
def _half(size: int, tail: float) -> tuple[int, NDArray[np.float64]]:
    return binomial_window(size, 0.5, tail)


def reach(low: int, high: int, tail: float) -> tuple[int, int]:
    """Return the least and the most that a half may have, of low to high, up to e^-tail."""
    first, last = binomial_ends(low, 0.5, tail)
    end = binomial_ends(high, 0.5, tail)
    # The other half of a window is its mirror image.
    return max(min(first, low - last, high - end[1]) - 2, 0), max(end[1], high - end[0]) + 2


def by_halves(
    low: int,
    high: int,
    tail: float,
    values: Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return the means of values(K, n - K), K ~ Bin(n, 1/2), for every n from low to high.

    Parameters
    ----------
    low, high : int
        The first and the last n.
    tail : float
        -log of the probability that may be left out.
    values : callable
        (count, rest) -> an array of shape (rows, counts).

    Returns
    -------
    ndarray, shape (rows, high - low + 1)
        See above.
    """
    columns = []
    for size in range(low, high + 1):
        first, weights = _half(size, tail)
        count = np.arange(first, first + weights.size)
        columns.append(values(count, size - count) @ weights)
    return np.stack(columns, axis=1)


# --- How often each of s cells is drawn, how many are seen, and what that leaves to guess --------


_CERTAIN = 1e-18
# Steps after which it is asked whether all cells are seen, and floats near the least are cleared away:
# products of those take many times longer.
_EVERY, _TINY = 16, 1e-290
# Up to so many draws a cell one by one are quicker than one binomial number a cell; so many at once.
_ONE_BY_ONE, _AT_ONCE = 16, 1 << 18


def uniform_counts(
    m: int | NDArray[np.int64], cells: int, trials: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw how often each of equally likely cells is drawn among m, shape (trials, cells).

    Each trial may have an m of its own.
    """
    many = np.broadcast_to(m, trials)
    if many.sum() > _ONE_BY_ONE * cells * trials:
        return rng.multinomial(many, np.full(cells, 1.0 / cells))
    counts = np.empty((trials, cells), dtype=np.int64)
    step = max(_AT_ONCE // max(int(many.max(initial=0)), cells), 1)
    for start in range(0, trials, step):
        rows, drawn_there = counts[start : start + step], many[start : start + step]
        drawn = rng.integers(cells, size=int(drawn_there.sum()))
        drawn += np.repeat(cells * np.arange(len(rows)), drawn_there)
        rows[...] = np.bincount(drawn, minlength=rows.size).reshape(rows.shape)
    return counts


def expected_reciprocal_unseen(
    draws: NDArray[np.int64],
    cells: int,
    pool: Sequence[int],
    rare: float = _CERTAIN,
    which: NDArray[np.intp] | int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return E[1 / (pool - D)] for D distinct cells among `draws` uniform draws, and 1 less it.

    Parameters
    ----------
    draws : ndarray of int64
        Numbers of draws, any shape.
    cells : int
        Number s of equally likely cells, less than each pool.
    pool : sequence of int
        Sizes of pools that the seen cells are taken from.
    rare : float
        What is no likelier than this does not happen.
    which : ndarray of int, or int
        Which of the pools, of the shape of `draws` or one for all.

    Returns
    -------
    mean, lost : ndarray of float64
        Of the shape of `draws`; the second is without cancellation.
    """
    wanted, inverse = np.unique(draws, return_inverse=True)
    found = _walked(tuple(wanted.tolist()), cells, tuple(pool), rare)
    mean, lost = found[:, which, inverse.reshape(draws.shape)]
    return mean, lost


@lru_cache(maxsize=8)
def _walked(
    draws: tuple[int, ...], cells: int, pool: tuple[int, ...], rare: float
) -> NDArray[np.float64]:
    """Return both expectations for each pool at increasing numbers of draws, in one walk."""
    unseen = [[size - seen for seen in range(cells + 1)] for size in pool]
    shares = np.array([
        [[1 / size for size in row] for row in unseen],
        [[(size - 1) / size for size in row] for row in unseen],
    ])  # fmt: skip
    found = np.empty((2, len(pool), len(draws)))
    state = np.zeros(cells + 1)
    state[0] = 1.0
    stay = np.arange(cells + 1) / max(cells, 1)
    leave = 1.0 - stay[:-1]
    step, over = 0, cells == 0
    for position, target in enumerate(draws):
        while step < target and not over:
            moved = state[:-1] * leave
            state *= stay
            state[1:] += moved
            step += 1
            if step % _EVERY:
                continue
            state[state < _TINY] = 0.0
            # Once all but the last cells are certain, rounding keeps the sum just below 1.
            if state[-1] > 0.5 and state[:-1].sum() < rare:
                state[:-1], state[-1], over = 0.0, 1.0, True
        found[..., position] = shares @ state
    return found


# --- The first that accepts, in a random order: integrals of permute-and-flip --------------------
#
# Give everybody a uniform time s: one who always accepts comes out if none that came before accepts,
# with probability the integral over s in [0, 1] of the product of (1 - a s) over the others' chances
# a. With n others of chance q it is I0 = (1 - (1-q)^{n+1}) / ((n+1) q).


_TOP = 700.0
_SMALL = 0.5  # below it 1 - I0 is summed, not subtracted
# Exact for polynomials of degree 11; with more others than that q is below 1/24, where the
# next derivatives are below rounding.
_FLIPS_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)
_FLIPS_NODES, _WEIGHTS = 0.5 * (_FLIPS_NODES + 1.0), 0.5 * _WEIGHTS
_FAR, _FAR_NODES = 45.0, 48  # e^-45 is nothing; so many nodes integrate e^{-45 s} to rounding


def _thinning(log_q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return -log(1 - q) / q: 1 where q vanishes, infinite at q = 1."""
    q = np.exp(log_q)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(q > 0.0, -np.log1p(-q) / q, 1.0)


def reached(log_count: NDArray[np.float64], log_q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return I0 for n others of chance q, (1 - (1-q)^c) / (c q); `log_count` is log c, c = n + 1."""
    mean = np.exp(np.minimum(log_count + log_q, _TOP))
    with np.errstate(invalid="ignore"):
        found = -np.expm1(-mean * _thinning(log_q)) / mean
    return np.where(mean > 0.0, found, 1.0)


def missed(log_count: NDArray[np.float64], log_q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 - I0, right relative to itself."""
    mean = np.exp(np.minimum(log_count + log_q, _TOP))
    found = np.asarray(1.0 - reached(log_count, log_q))
    little = mean < _SMALL
    if little.any():
        small = mean[little]
        chance = np.broadcast_to(np.exp(log_q), mean.shape)[little]
        few = np.maximum(small - np.minimum(chance, small), 0.0)  # n q
        total = np.zeros(small.shape)
        for node, weight in zip(_FLIPS_NODES.tolist(), _WEIGHTS.tolist(), strict=True):
            # Many rows share their chances: the logarithms are those of one row.
            rates = node * _thinning(log_q + math.log(node))
            total -= weight * np.expm1(-few * np.broadcast_to(rates, mean.shape)[little])
        found[little] = total
    return found


def beside(
    log_count: NDArray[np.float64], log_more: NDArray[np.float64], log_q: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return I1 with one more certain acceptance: (1 - J) / ((n+1) q), J that of n + 1.

    `log_count` is log(n + 1), `log_more` log(n + 2). It is weighted with at most q: absolute
    accuracy 1e-16 / ((n+1) q) does.
    """
    mean = np.exp(np.minimum(log_count + log_q, _TOP))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (1.0 - reached(log_more, log_q)) / mean
    return np.where(mean > 1e-8, found, 0.5)


def among(
    log_others: float, log_q: NDArray[np.float64], own: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the chance of a certain acceptance among others, row by row.

    Parameters
    ----------
    log_others : float
        Log of how many have the same chance; -inf for none.
    log_q : ndarray, shape (rows,)
        Log of that chance.
    own : ndarray, shape (rows, some)
        The chances of some more, each at most q.
    """
    rate = np.exp(np.minimum(log_others + log_q, _TOP))
    end = np.minimum(1.0, _FAR / np.maximum(rate + own.sum(axis=1), _FAR))
    nodes, weights = np.polynomial.legendre.leggauss(_FAR_NODES)
    total = np.zeros(log_q.shape)
    for node, weight in zip((0.5 * (nodes + 1.0)).tolist(), (0.5 * weights).tolist(), strict=True):
        at = node * end
        log_at = log_q + np.log(at)
        log_kept = -rate * at * _thinning(log_at) + np.log1p(-own * at[:, None]).sum(axis=1)
        total += weight * np.exp(log_kept)
    return np.asarray(end * total)


def first_accepted(accepts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return with which probability each comes out, given everybody's chance to accept.

    Exact up to rounding: the integrand is a polynomial, and all of its terms are positive.
    """
    nodes, weights = np.polynomial.legendre.leggauss(accepts.size // 2 + 1)
    at, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    kept = 1.0 - accepts[:, None] * at
    found = [
        a * float(weights @ np.delete(kept, i, axis=0).prod(axis=0))
        for i, a in enumerate(accepts.tolist())
    ]
    return np.array(found)
