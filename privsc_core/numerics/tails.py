"""Binomial tails for numbers of draws far beyond what a table could hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["binomial_above", "binomial_at_most"]

_LARGE_BITS = 40
_CERTAIN_EXPONENT = 745.0


def binomial_at_most(
    count: int, draws: int, probability: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return Pr[Bin(draws, probability) <= count] elementwise in `probability`.

    For more than 2^40 draws the tail is rounded to 0 or 1 where Hoeffding's bound is below
    the smallest float; elsewhere it is the regularised incomplete beta function.
    """
    p = np.asarray(probability, dtype=np.float64)
    if count < 0:
        return np.zeros_like(p)
    if count >= draws:
        return np.ones_like(p)
    if draws.bit_length() > _LARGE_BITS:
        gap = count / draws - p
        scale = min(draws, 1 << 1000)
        certain = 2.0 * math.sqrt(scale) * np.abs(gap) > math.sqrt(2.0 * _CERTAIN_EXPONENT)
        near = special.betaincc(
            float(min(count, 1 << 1000)) + 1.0, float(min(draws - count, 1 << 1000)), p
        )
        # Within rounding of the mean the beta function may not converge: there the normal law
        # is exact to the same rounding.
        spread = np.sqrt(np.maximum(p * (1.0 - p), 1e-300))
        middle = special.ndtr(math.sqrt(scale) * np.clip(gap / spread, -1e3, 1e3))
        near = np.where(np.isnan(near), middle, near)
        return np.where(certain, (gap > 0.0).astype(np.float64), near)
    return np.asarray(special.betaincc(count + 1.0, float(draws - count), p))


def binomial_above(
    count: int, draws: int, probability: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return Pr[Bin(draws, probability) > count], relative to itself up to 2^40 draws.

    For more it is 1 - `binomial_at_most`.
    """
    p = np.asarray(probability, dtype=np.float64)
    if count < 0:
        return np.ones_like(p)
    if count >= draws:
        return np.zeros_like(p)
    if draws.bit_length() > _LARGE_BITS:
        return np.asarray(1.0 - binomial_at_most(count, draws, p))
    return np.asarray(special.betainc(count + 1.0, float(draws - count), p))
