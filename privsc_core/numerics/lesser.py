"""Expectations over the smaller of two counts of one sample.

For (K, L) the counts of two events of probabilities p and q among n draws, which exclude each other,

    E[f(min(K, L))] = E[f(K) Pr[L > K | K]] + E[f(L) Pr[K >= L | L]],

and given K = k the other count is Bin(n - k, q / (1 - p)): two single sums of positive terms, so
that small expectations are right relative to themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from privsc_core.numerics.binomial import LOG_TAIL, binomial_ends, binomial_expectation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["lesser_expectation"]

# Of windows wider than this it is looked first whether the function changes in them at all.
_WIDE, _SAME = 2048, 2e-16
# Of fewer counts in a row each is looked up.
_FEW = 16


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
        if flat.any():
            sizes = np.broadcast_to(size, flat.shape)[~flat]
            if sizes.size:
                rest = tuple(np.broadcast_to(column, flat.shape)[~flat] for column in columns)
                known[~flat] = _summed(sizes, chances, rest, function, log_tail)
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
    """Tell where a monotone function is constant between two counts, and its values there."""
    low, high = (np.array(function(end.astype(np.float64), *columns)) for end in ends)
    return np.abs(high - low) <= (_SAME * np.abs(low) if relative else _SAME), low


def _summed(
    size: NDArray[np.int64],
    chances: tuple[float, float],
    columns: tuple[NDArray[np.float64], ...],
    function: Callable[..., NDArray[np.float64]],
    log_tail: float,
) -> NDArray[np.float64]:
    def part(own: float, other: float, tie: int) -> NDArray[np.float64]:
        share = min(other / (1.0 - own), 1.0) if own < 1.0 else 0.0

        def kernel(count: Any, rest: Any, *at: Any) -> NDArray[np.float64]:
            return np.asarray(function(count, *at) * _at_least(count + tie, rest, share))

        # A rate of 0: the kernel always sees the rest.
        return binomial_expectation(size, own, columns, kernel, rate=0.0, log_tail=log_tail)

    left, right = chances
    return part(left, right, 1) + part(right, left, 0)


def _at_least(
    count: NDArray[np.float64], draws: NDArray[np.float64], chance: float
) -> NDArray[np.float64]:
    """Return Pr[Bin(draws, chance) >= count] elementwise."""
    if count.ndim == 2 and len(count) > _FEW and chance < 1.0:
        return _along(count, draws, chance)
    known = (count > 0.0) & (count <= draws)
    found = special.betainc(
        np.where(known, count, 1.0), np.where(known, draws - count + 1.0, 1.0), chance
    )
    return np.where(known, found, count <= 0.0)


def _along(
    count: NDArray[np.float64], draws: NDArray[np.float64], chance: float
) -> NDArray[np.float64]:
    """Return the same where down a column each step is one count more and one draw less, or none.

    Such a step lowers the probability by b (1 + odds (draws - count) / draws) with b the probability
    of just `count`, a product of simple factors down the column. The two ends, by themselves, say
    how large these are; all terms are positive, so that nothing cancels.
    """
    odds = chance / (1.0 - chance)
    draws = np.broadcast_to(draws, count.shape)
    above = np.maximum(draws - count, 0.0)
    steps = count[1:] > count[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = above * (above - 1.0) / ((count + 1.0) * draws)
        logs = np.log(np.where(ratio > 0.0, ratio, 0.0)) + np.log(odds / (1.0 - chance))
        drops = np.log1p(np.where(draws > 0.0, odds * above / draws, 0.0))[:-1]
    logs = np.where(steps, logs[:-1], 0.0)
    drops[1:] += np.cumsum(logs[:-1], axis=0)
    drops -= drops.max(axis=0)
    drops = np.where(steps, np.exp(drops), 0.0)
    found = np.zeros(count.shape)
    np.cumsum(drops[::-1], axis=0, out=found[-2::-1])
    top, last = _at_least(count[[0, -1]], draws[[0, -1]], chance)
    found *= (top - last) / np.where(found[0] > 0.0, found[0], 1.0)
    found += last
    return found
