"""Sums over all larger sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["add_supersets"]


def add_supersets(values: NDArray[Any]) -> None:
    """Replace values[S] by the sum of values[x] over all x that contain S, along the first axis.

    Parameters
    ----------
    values : ndarray, shape (2^d, ...)
        Contiguous numbers at every set x, whose d elements are the bits of its position; changed in
        place by d 2^(d-1) additions a column.
    """
    half = 1
    while half < len(values):
        pairs = values.reshape(-1, 2, half, *values.shape[1:])
        pairs[:, 0] += pairs[:, 1]
        half *= 2
