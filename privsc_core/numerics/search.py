"""Searches for a least integer, with the rounding direction stated."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["least_integer"]


def least_integer(
    value: Callable[[int], float], target: float, *, guess: int = 1, limit: int
) -> int | None:
    """Return the least integer n in [1, limit] with value(n) >= target.

    The result rounds *up*: value(n) >= target and, unless n is 1, value(n - 1) < target,
    both as computed. Between, a secant on the logit of the value against log n narrows the
    bracket in a few evaluations and bisection guards it.

    Parameters
    ----------
    value : callable
        Non-decreasing in its integer argument, with values in [0, 1].
    target : float
        In (0, 1).
    guess : int
        Where to start; any positive integer is correct.
    limit : int
        Largest n tried.

    Returns
    -------
    int or None
        None when value(limit) < target.
    """

    def score(n: int) -> float:
        return _logit(value(n)) - goal

    goal = _logit(target)
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


def _logit(probability: float) -> float:
    if probability <= 0.0:
        return -math.inf
    if probability >= 1.0:
        return math.inf
    return math.log(probability / (1.0 - probability))


def _between(low: int, high: int, low_score: float, high_score: float, *, bisect: bool) -> int:
    if bisect or not (math.isfinite(low_score) and math.isfinite(high_score)):
        return (low + high) // 2
    share = low_score / (low_score - high_score)
    # One step past the root: the other end then closes in on the next turn.
    at = low + share * (high - low)
    nudge = max(1.0, 0.02 * (high - low))
    at += nudge if share < 0.5 else -nudge
    return min(max(round(at), low + 1), high - 1)
