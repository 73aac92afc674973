"""Exact comparisons with numbers that were typed as decimals.

0.07 * 50 is 3.5000000000000004 in binary floating point, so floors, ceilings and "at most"
tests are done on the decimal that the user meant.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache


@lru_cache(maxsize=4096)
def decimal(value: float) -> Fraction:
    """Return the shortest decimal that prints as `value`, as an exact fraction."""
    return Fraction(repr(float(value)))


@lru_cache(maxsize=4096)
def complement(value: float) -> float:
    """Return 1 - value for the decimal that was typed: 1e-13 for 0.9999999999999."""
    return float(1 - decimal(value))


def floor(value: Fraction) -> int:
    """Return the largest integer that is at most `value`."""
    return value.numerator // value.denominator


def ceiling(value: Fraction) -> int:
    """Return the least integer that is at least `value`."""
    return -((-value.numerator) // value.denominator)


def share_of_domain(count: int, d: int) -> Fraction:
    """Return count / 2^d; to 64 bits where reducing so long a fraction would take seconds."""
    return Fraction(count, 1 << d) if d <= 60 else Fraction((count << 64) >> d, 1 << 64)
