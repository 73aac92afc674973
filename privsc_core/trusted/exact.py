"""The exponential mechanism over any number of candidates, drawn exactly.

The library lists its candidates; here they come in rows, of 2^1000 where it must be. A uniform
number is compared with the cumulative weights, both enclosed by decimals that get longer until the
comparison is certain: every row has its probability exactly, not up to rounding. `decimal` rounds
`exp` correctly, so that its neighbours enclose it.
"""

from __future__ import annotations

import decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from decimal import Context, Decimal
    from fractions import Fraction

_DIGITS = 30


def exponential(
    scores: Sequence[int], members: Sequence[int], rate: Fraction, below: Callable[[int], int]
) -> int:
    """Return row i with probability proportional to members[i] * exp(-rate * scores[i]).

    Parameters
    ----------
    scores, members : sequence of int
        By row; members are at least 0, and not all 0.
    rate : Fraction
        At least 0.
    below : function
        below(n) is a uniformly random whole number from 0 to n - 1.
    """
    held: dict[int, int] = {}
    for score, number in zip(scores, members, strict=True):
        if number:
            held[score] = held.get(score, 0) + number
    least = min(held)
    level = _level([(score - least, number) for score, number in sorted(held.items())], rate, below)
    rank = below(held[level + least])
    for row, (score, number) in enumerate(zip(scores, members, strict=True)):
        if score == level + least:
            if rank < number:
                return row
            rank -= number
    raise AssertionError


def _level(levels: list[tuple[int, int]], rate: Fraction, below: Callable[[int], int]) -> int:
    """Return the score of the level that is drawn."""
    digits, drawn = _DIGITS, below(10**_DIGITS)
    while True:
        found = _certain(levels, rate, drawn, digits)
        if found is not None:
            return found
        # The same number, more of its digits.
        drawn = drawn * 10**digits + below(10**digits)
        digits *= 2


def _certain(levels: list[tuple[int, int]], rate: Fraction, drawn: int, digits: int) -> int | None:
    """Return the level that a number in [drawn, drawn + 1] / 10^digits falls into, None if unclear."""
    down, up = (
        _context(digits + 10, mode) for mode in (decimal.ROUND_FLOOR, decimal.ROUND_CEILING)
    )
    weights = [_enclosed(score, number, rate, down, up) for score, number in levels]
    low = high = decimal.Decimal(0)
    sums = []
    for a, b in weights:
        low, high = down.add(low, a), up.add(high, b)
        sums.append((low, high))
    place = down.multiply(down.scaleb(decimal.Decimal(drawn), -digits), low)
    beyond = up.multiply(up.scaleb(decimal.Decimal(drawn + 1), -digits), high)
    before = decimal.Decimal(0)
    for (score, _), (low, high) in zip(levels, sums, strict=True):
        if beyond <= low:
            return score if before <= place else None
        before = high
    # The last level goes up to the sum, which is above every drawn number times itself.
    return levels[-1][0] if (sums[-2][1] if len(sums) > 1 else 0) <= place else None


def _enclosed(
    score: int, number: int, rate: Fraction, down: Context, up: Context
) -> tuple[Decimal, Decimal]:
    """Return decimals below and above number * exp(-rate * score)."""
    x, y = decimal.Decimal(-rate.numerator * score), decimal.Decimal(rate.denominator)
    a, b = down.exp(down.divide(x, y)), up.exp(up.divide(x, y))
    many = decimal.Decimal(number)
    if score:  # exp(0) is exact
        a, b = max(down.next_minus(a), decimal.Decimal(0)), up.next_plus(b)
    return down.multiply(down.plus(many), a), up.multiply(up.plus(many), b)


def _context(digits: int, rounding: str) -> Context:
    return decimal.Context(
        prec=digits, rounding=rounding, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[]
    )
