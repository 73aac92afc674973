"""Expectations over the smaller of two counts of one sample.

For (K, L) the counts of two events of probabilities p and q among n draws, which exclude each other,

    E[f(min(K, L))] = E[f(K) Pr[L > K | K]] + E[f(L) Pr[K >= L | L]],

and given K = k the other count is Bin(n - k, q / (1 - p)): two single sums of positive terms, so
that small expectations are right relative to themselves.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from privsc_core.numerics.binomial import binomial_expectation
from privsc_core.numerics.binomial_windows import LOG_TAIL, binomial_ends
from privsc_core.numerics.strides import strided_expectation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["lesser_expectation"]

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
    """Tell where a monotone function is constant between two counts, and its values there."""
    low, high = (np.array(function(end.astype(np.float64), *columns)) for end in ends)
    return np.abs(high - low) <= (_SAME * np.abs(low) if relative else _SAME), low


def _strided(
    size: NDArray[np.int64],
    chances: tuple[float, float],
    columns: tuple[NDArray[np.float64], ...],
    function: Callable[..., NDArray[np.float64]],
    log_tail: float,
) -> NDArray[np.float64]:
    """Return what every so-manieth count tells of cells with a size of their own, else NaN."""

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
