"""Searches for least integers, many at a time, with the rounding direction stated."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.numerics.decimals import complement
from privsc_core.numerics.search_few import least_few
from privsc_core.numerics.search_many import Together
from privsc_core.numerics.search_near import least_by_newton

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Score = Callable[[NDArray[np.intp], NDArray[np.int64]], NDArray[np.float64]]

__all__ = ["least_integer", "least_integers", "log_odds_over"]

# Of many searches every eighth goes first; the others start between their answers.
_STRIDE, _ORDERED, _NEAREST = 8, 24, 6
_DOUBT = 0.003  # of a guess, relative to it
_SURE = 0.25  # by how much polynomials are off, of what those of one less are from them
_WILD = 0.01  # polynomials that are so far off are none


def least_integers(
    score: Score, *, guess: NDArray[np.float64], limit: int, near: bool = False
) -> NDArray[np.int64]:
    """Return for each of several searches the least integer n in [1, limit] with score(n) >= 0.

    The results round *up*: score(n) >= 0 and, unless n is 1, score(n - 1) < 0, both as
    computed. The brackets are narrowed in a few turns, each of them one call for all searches that
    are open: of a few by `least_few`, of many by `Together`, where some tell the others about where
    to look.

    Parameters
    ----------
    score : callable
        (searches, numbers) -> scores. `searches`, shape (n,), says which; `numbers` and the
        scores have shape (n, k). Non-decreasing in the number; infinities are allowed. See
        `log_odds_over`.
    guess : ndarray, shape (searches,)
        Where to start; any positive numbers are correct. Neighbours should be about alike.
    limit : int
        Largest number tried.
    near : bool
        Whether the guess is good and scores are smooth: then Newton's steps go first.

    Returns
    -------
    ndarray of int64, shape (searches,)
        0 where score(limit) < 0.
    """
    guess = np.clip(guess, 1.0, float(limit))
    count = guess.size
    if near and count:
        found = least_by_newton(score, guess, limit)
        left = np.flatnonzero(found == 0)
        if left.size:
            found[left] = least_integers(
                lambda which, n: score(left[which], n), guess=guess[left], limit=limit
            )
        return found
    if count <= _ORDERED:
        return np.array(least_few(score, guess=guess.tolist(), limit=limit), dtype=np.int64)
    goes_first = np.zeros(count, dtype=np.bool_)
    runs = _runs(np.log(guess))
    for order, _ in runs:
        goes_first[order[::_STRIDE]] = goes_first[order[-1]] = True
    first, rest = np.flatnonzero(goes_first), np.flatnonzero(~goes_first)
    searches = Together(score, limit, count)
    doubt = _DOUBT * guess
    searches.search(first, guess[first], doubt[first], told=False)
    for order, at in runs:
        leads = goes_first[order]
        others, roots = order[~leads], searches.roots[order[leads]]
        there = ~np.isnan(roots)
        if there.any():
            along, off = _along(at[~leads], at[leads][there], np.log(roots[there]))
            guess[others] = np.exp(np.clip(along, 0.0, np.log(limit)))
            doubt[others] = guess[others] * off
        # Between two that have no number there is mostly none.
        before = np.cumsum(leads)[~leads]
        doubt[others[~there[before - 1] & ~there[before]]] = np.inf
    searches.search(rest, guess[rest], doubt[rest], told=True)
    return searches.found


def least_integer(
    score: Callable[[NDArray[np.int64]], NDArray[np.float64]], *, guess: float = 1.0, limit: int
) -> int | None:
    """Return the least integer n in [1, limit] with score(n) >= 0, None if there is none.

    As `least_integers` for one search; `score` takes an increasing array of numbers.
    """
    (found,) = least_few(lambda _, n: score(n[0])[None, :], guess=[guess], limit=limit)
    return found or None


def _runs(at: NDArray[np.float64]) -> list[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Cut searches into rows of alike ones: their order in each, and where they stand along it.

    Settings that differ in two numbers come row by row: where guesses turn for a single step,
    another row begins. Answers are about proportional to distinct guesses; else neighbours are in
    order.
    """
    way = np.sign(np.diff(at))
    turns = 2 + np.flatnonzero((way[1:-1] != way[:-2]) & (way[2:] == way[:-2]))
    rows = np.split(np.arange(at.size), turns)
    if at.size < _ORDERED * len(rows):
        rows = [np.arange(at.size)]
    found = []
    for row in rows:
        order = row[np.argsort(at[row], kind="stable")]
        distinct = bool((np.diff(at[order]) > 0.0).all())
        order = order if distinct else row
        found.append((order, at[order] if distinct else order.astype(np.float64)))
    return found


def _along(
    at: NDArray[Any], known: NDArray[Any], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return values between known ones, by polynomials through the nearest, and how far off they may be."""
    count = min(_NEAREST, known.size)
    if count < 4:
        return np.interp(at, known, values), np.full(at.size, _DOUBT)
    start = np.clip(np.searchsorted(known, at) - count // 2, 0, known.size - count)
    nodes = start[:, None] + np.arange(count)
    x, y = at[:, None] - known[nodes], values[nodes]
    inner = y  # by nodes that are one less
    for k in range(1, count):
        inner, y = y, (x[:, k:] * y[:, :-1] - x[:, :-k] * y[:, 1:]) / (x[:, k:] - x[:, :-k])
    off = _SURE * np.abs(y - inner).max(axis=1)
    return np.where(off < _WILD, y[:, 0], np.interp(at, known, values)), np.minimum(off, _DOUBT)


def log_odds_over(
    beta: float,
    success: ArrayLike,
    failure: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the log odds of success less those of 1 - beta: at least 0 iff success suffices.

    Parameters
    ----------
    beta : float
        The probability with which failure is allowed, as it was typed.
    success, failure : array_like
        Probabilities that sum to 1. Both are needed where beta or 1 - beta is so small that the
        other one, rounded, does not tell it from 0.
    """
    goal, reached = complement(beta), np.asarray(success, dtype=np.float64)
    lost, allowed = 1.0 - reached, 1.0 - goal
    if failure is not None:
        lost, allowed = np.asarray(failure, dtype=np.float64), beta
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.log(np.maximum(reached, 0.0)) - np.log(np.maximum(lost, 0.0))
    return np.asarray(odds - (math.log(goal) - math.log(allowed)))
