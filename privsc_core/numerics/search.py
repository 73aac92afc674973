"""Searches for a least integer, with the rounding direction stated."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.numerics.decimals import complement

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["least_integer", "log_odds_over"]


def least_integer(score: Callable[[int], float], *, guess: int = 1, limit: int) -> int | None:
    """Return the least integer n in [1, limit] with score(n) >= 0.

    The result rounds *up*: score(n) >= 0 and, unless n is 1, score(n - 1) < 0, both as
    computed. Between, a secant on the score narrows the bracket in a few evaluations and
    bisection guards it.

    Parameters
    ----------
    score : callable
        Non-decreasing in its integer argument; infinities are allowed. See `log_odds_over`.
    guess : int
        Where to start; any positive integer is correct.
    limit : int
        Largest n tried.

    Returns
    -------
    int or None
        None when score(limit) < 0.
    """
    low, low_score = 0, -math.inf
    high = min(max(guess, 1), limit)
    high_score = score(high)
    # A guess is mostly a few percent off: small steps first, then larger ones.
    step = max(high // 32, 1)
    while high_score < 0.0:
        if high >= limit:
            return None
        low, low_score = high, high_score
        high = min(high + step, limit)
        high_score = score(high)
        step *= 4
    while low == 0 and high > 1:
        n = max(high - step, high // 2, 1)
        step *= 4
        here = score(n)
        if here < 0.0:
            low, low_score = n, here
        else:
            high, high_score = n, here
    turns = 0
    while high - low > 1:
        n = _between(low, high, low_score, high_score, bisect=turns % 3 == 2)
        here = score(n)
        if here < 0.0:
            low, low_score = n, here
        else:
            high, high_score = n, here
        turns += 1
    return high


def log_odds_over(beta: float, success: float, failure: float | None = None) -> float:
    """Return the log odds of success less those of 1 - beta: at least 0 iff success suffices.

    Parameters
    ----------
    beta : float
        The probability with which failure is allowed, as it was typed.
    success, failure : float
        Probabilities that sum to 1. Both are needed where beta or 1 - beta is so small that the
        other one, rounded, does not tell it from 0.
    """
    goal = complement(beta)
    if failure is None:
        return _log_ratio(success, 1.0 - success) - _log_ratio(goal, 1.0 - goal)
    return _log_ratio(success, failure) - _log_ratio(goal, beta)


def _log_ratio(above: float, below: float) -> float:
    if above <= 0.0:
        return -math.inf
    return math.inf if below <= 0.0 else math.log(above / below)


def _between(low: int, high: int, low_score: float, high_score: float, *, bisect: bool) -> int:
    if bisect or not (math.isfinite(low_score) and math.isfinite(high_score)):
        return (low + high) // 2
    share = low_score / (low_score - high_score)
    # One step past the root: the other end then closes in on the next turn.
    at = low + share * (high - low)
    nudge = max(1.0, 0.02 * (high - low))
    at += nudge if share < 0.5 else -nudge
    return min(max(round(at), low + 1), high - 1)
