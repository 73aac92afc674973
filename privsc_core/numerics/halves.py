"""Means over counts that are split in halves, and these again: Bin(n, 1/2) at every step."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.numerics.binomial_windows import binomial_ends, binomial_window

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["by_halves", "reach", "window"]


def window(size: int, share: float, tail: float) -> tuple[int, NDArray[np.float64]]:
    """Return the first count and the weights of Bin(size, share), where share may be 1."""
    return binomial_window(size, share, tail) if share < 1.0 else (size, np.ones(1))


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
