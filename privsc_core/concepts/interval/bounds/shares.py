"""What the mass s off the dummy excludes by a guess of chance q: the least m, and the s to try.

All rests on E[min(1, q e^{eps K})] for K ~ Bin(m, s), see `LittlestoneEntropy`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.extremes import log_tail
from privsc_core.concepts.generic.guessing import surely_enough
from privsc_core.concepts.inequalities import (
    least_allowed,
    mean_over_count,
    over_allowed,
    roughly_allowed,
)
from privsc_core.concepts.interval.bounds.guesses import best_guesses, least_possible_guess
from privsc_core.numerics.binomial_windows import LOG_TAIL
from privsc_core.numerics.decimals import complement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell

__all__ = [
    "FEW", "best_shares", "least_m", "littlestone_limit", "near_guesses", "over_shares",
    "strongest", "surely_one", "wide_guesses",
]  # fmt: skip

FEW = 300
"""Up to so many samples the s of many samples need not be the best: a grid of s is tried."""

_SHARES = 33
_REFINED = 9
# Shares around the best one, where there are not so many bits that it is best for any samples.
_RATIOS, _MANY_BITS = np.array([0.85, 0.93, 1.0, 1.08, 1.18]), 2000
_SPREAD = 24
_NOTHING = 1e-15  # what failure may be to count as none: far below a curve's rounding


def _table(
    count: NDArray[np.float64],
    log_share: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    return np.asarray(np.exp(np.minimum(epsilon * count + log_share, 0.0)))


def littlestone_limit(
    m: NDArray[np.int64],
    log_share: NDArray[np.float64],
    mass: float | NDArray[np.float64],
    epsilon: NDArray[np.float64],
    tail: float = LOG_TAIL,
) -> NDArray[np.float64]:
    """Return E[min(1, q e^{eps K})] for K ~ Bin(m, mass), log q = `log_share`."""
    return mean_over_count(_table, m, log_share, mass, epsilon, tail)


def littlestone_failure(
    m: NDArray[np.int64],
    log_share: NDArray[np.float64],
    mass: float | NDArray[np.float64],
    epsilon: NDArray[np.float64],
    tail: float = LOG_TAIL,
) -> NDArray[np.float64]:
    """Return 1 - `littlestone_limit` without cancellation."""
    return mean_over_count(_lacking, m, log_share, mass, epsilon, tail)


def _lacking(
    count: NDArray[np.float64],
    log_share: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    return np.asarray(-np.expm1(np.minimum(epsilon * count + log_share, 0.0)))


def least_m(
    guess: NDArray[np.float64],
    mass: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    beta: float,
) -> NDArray[np.int64]:
    """Return the least m that one (s, delta') does not exclude, each; 0 where that is too large.

    Parameters
    ----------
    guess, mass, epsilon : ndarray, shape (settings,)
        log q, s and epsilon.
    beta : float
    """
    found = np.ones(guess.size, dtype=np.int64)
    open_ = np.flatnonzero(guess < math.log(complement(beta)))
    if not open_.size:
        return found
    columns = [column[open_, None] for column in (guess, mass, epsilon)]
    tail = log_tail(beta)

    def success(which: NDArray[np.intp], m: NDArray[np.int64]) -> NDArray[np.float64]:
        share, weight, loss = (column[which] for column in columns)
        return littlestone_limit(m, share, weight, loss, tail)

    def failure(which: NDArray[np.intp], m: NDArray[np.int64]) -> NDArray[np.float64]:
        share, weight, loss = (column[which] for column in columns)
        return littlestone_failure(m, share, weight, loss, tail)

    start = roughly_allowed(beta, -guess[open_], mass[open_], epsilon[open_], cut=True)
    found[open_] = least_allowed(beta, success, failure, guess=start)
    return found


@lru_cache(maxsize=512)
def best_shares(
    d: tuple[int, ...], alpha: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each d the s that excludes most for many samples, it maximises -log q / s, and log q.

    Parameters
    ----------
    d : tuple of int
    alpha : float
        Below 1/2.
    """
    bits, rows, best, least = np.array(d), np.arange(len(d)), np.ones(len(d)), np.zeros(len(d))
    shares = _first_shares(alpha)
    tried = np.broadcast_to(shares, (bits.size, _SHARES))
    for _ in range(2):

        def promising(rough: NDArray[np.float64], least: NDArray[np.float64]) -> NDArray[np.bool_]:
            score, most = (-x.reshape(tried.shape) / tried for x in (rough, least))  # noqa: B023 - called at once
            return np.asarray(most >= score.max(axis=1, keepdims=True)).ravel()

        guesses = best_guesses(np.repeat(bits, tried.shape[1]), alpha / tried.ravel(), promising)
        guesses = guesses.reshape(tried.shape)
        at = (-guesses / tried).argmax(axis=1)
        best, least = tried[rows, at], guesses[rows, at]
        low, high = (
            tried[rows, np.maximum(at - 1, 0)],
            tried[rows, np.minimum(at + 1, len(tried[0]) - 1)],
        )
        tried = np.geomspace(low, high, _REFINED, axis=1)
    return best, least


def _first_shares(alpha: float) -> NDArray[np.float64]:
    """Return s over all that say something: at 2 alpha the accuracy is 1/2."""
    return np.geomspace(min(2.0 * alpha * (1.0 + 1e-9), 1.0), 1.0, _SHARES)


def surely_one(
    m: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64], alpha: float
) -> NDArray[np.bool_]:
    """Tell where `littlestone_limit` by one of `best_shares` is 1, whichever it is, to rounding.

    Elsewhere it may be so. In an interval of s the chance of a guess is least at the upper end, where the
    accuracy alpha / s is best, and the mass at the lower one.

    Parameters
    ----------
    m, d, epsilon : ndarray, shape (cells,), or one for all
    alpha : float
        Below 1/2.
    """
    shares = _first_shares(alpha)
    guess = least_possible_guess(d[:, None], alpha / shares[1:])
    enough = surely_enough(m[:, None], -guess, shares[:-1], epsilon[:, None], _NOTHING)
    return np.asarray(enough.all(axis=1))


def _near(bits: NDArray[np.int64], alpha: float) -> NDArray[np.float64]:
    """Return the s around the best one for many samples, shape (d, s)."""
    ratios = np.where(bits[:, None] < _MANY_BITS, _RATIOS, 1.0)
    return np.minimum(best_shares(tuple(bits.tolist()), alpha)[0][:, None] * ratios, 1.0)


@lru_cache(maxsize=512)
def near_guesses(d: int, alpha: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return log q and s around the best one for many samples, both of shape (shares,).

    Parameters
    ----------
    d : int
    alpha : float
        Below 1/2.
    """
    return _guesses(d, alpha, np.unique(_near(np.array([d]), alpha)))


@lru_cache(maxsize=512)
def wide_guesses(d: int, alpha: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return log q and s that may exclude few samples, both of shape (shares,).

    Parameters
    ----------
    d : int
    alpha : float
        Below 1/2.
    """
    return _guesses(d, alpha, _wide(alpha))


def _guesses(
    d: int, alpha: float, shares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    accuracy = alpha / shares
    guesses = best_guesses(np.repeat(d, shares.size), accuracy)
    return np.where(accuracy < 0.5, guesses, 0.0), shares


def _many_guesses(
    bits: NDArray[np.int64], alpha: float, shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return log q for each d and each of its s, shape (d, s)."""
    accuracy = alpha / shares
    found = best_guesses(np.repeat(bits, shares.shape[1]), accuracy.ravel())
    return np.where(accuracy < 0.5, found.reshape(shares.shape), 0.0)


def _wide(alpha: float) -> NDArray[np.float64]:
    """Return s up to the papers' 4 alpha, and beyond."""
    spread = np.geomspace(min(2.001 * alpha, 1.0), 1.0, _SPREAD)
    return np.append(spread, min(4.0 * alpha, 1.0))


def over_shares(at: Cell, m: int, by: tuple[NDArray[np.float64], NDArray[np.float64]]) -> float:
    """Return the least log odds of the limits by some s at m, less those of 1 - beta.

    Parameters
    ----------
    at : Cell
    m : int
    by : (ndarray, ndarray), both of shape (shares,)
        log q and s.
    """
    guess, share = by
    says = guess < math.log(complement(at.beta))
    if not says.any():
        return math.inf
    columns = np.array([m]), guess[says], share[says], np.array(at.epsilon), log_tail(at.beta)
    found = over_allowed(
        at.beta, lambda: littlestone_limit(*columns), lambda: littlestone_failure(*columns)
    )
    return float(found.min())


def strongest(
    d: NDArray[np.int64], epsilon: NDArray[np.float64], alpha: float, beta: float
) -> NDArray[np.int64]:
    """Return the largest least m over s, or 0: around the s that is best for many samples.

    Few samples may be told to be too few by quite another s, up to the papers' 4 alpha.

    Parameters
    ----------
    d, epsilon : ndarray, shape (settings,)
    alpha, beta : float
    """
    bits, place = np.unique(d, return_inverse=True)
    near = _near(bits, alpha)
    guesses = _many_guesses(bits, alpha, near)
    top = _largest_least(guesses[place], near[place], epsilon, beta)
    few = np.flatnonzero((top > 0) & (top <= FEW))
    if few.size:
        _exceed(top, few, d, epsilon, alpha, beta)
    return top


def _exceed(
    top: NDArray[np.int64],
    few: NDArray[np.intp],
    d: NDArray[np.int64],
    epsilon: NDArray[np.float64],
    alpha: float,
    beta: float,
) -> None:
    """Raise least m, of few settings, to what one of many s excludes.

    Mostly none excludes as many: that is told from what its guess is at least, before it is looked for.
    """
    bits, place = np.unique(d[few], return_inverse=True)
    wide, tail = _wide(alpha), log_tail(beta)
    possible = least_possible_guess(bits[:, None], alpha / wide)
    enough = surely_enough(top[few, None], -possible[place], wide, epsilon[few, None], beta)

    def exceeding(
        row: NDArray[np.intp], column: NDArray[np.intp], guess: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        at = few[row]
        lost = littlestone_failure(
            top[at], guess[place[row], column], wide[column], epsilon[at], tail
        )
        return row[lost > beta], column[lost > beta]

    row, column = np.nonzero(~enough)
    if row.size:
        row, column = exceeding(row, column, possible)
    if not row.size:
        return
    asked = np.zeros(possible.shape, dtype=np.bool_)
    asked[place[row], column] = True
    of, which = np.nonzero(asked)
    guess = np.zeros(possible.shape)
    guess[of, which] = best_guesses(bits[of], alpha / wide[which])
    row, column = exceeding(row, column, guess)
    at = few[row]
    found = least_m(guess[place[row], column], wide[column], epsilon[at], beta)
    for cell, m in zip(at.tolist(), found.tolist(), strict=True):
        if 0 < top[cell] <= FEW:
            top[cell] = max(m, top[cell]) if m else 0


def _largest_least(
    guess: NDArray[np.float64],
    share: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    beta: float,
) -> NDArray[np.int64]:
    """Return the largest least m over s, shape (settings,), 0 for none.

    The most promising one mostly has it: the others are searched for where they exclude that m.
    """
    rows = np.arange(len(guess))
    best = (-guess / share).argmax(axis=1)
    top = least_m(guess[rows, best], share[rows, best], epsilon, beta)
    rest = littlestone_failure(
        np.maximum(top, 1)[:, None], guess, share, epsilon[:, None], log_tail(beta)
    )
    rest[rows, best] = 0.0
    row, column = np.nonzero((rest > beta) & (top > 0)[:, None])
    if row.size:
        more = least_m(guess[row, column], share[row, column], epsilon[row], beta)
        np.maximum.at(top, row, more)
        top[row[more == 0]] = 0
    return top
