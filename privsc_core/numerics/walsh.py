"""The Walsh-Hadamard transform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["walsh"]


def walsh(values: NDArray[Any]) -> NDArray[Any]:
    """Return sum_x (-1)^<v,x> values[..., x] for every v, along the last axis.

    Parameters
    ----------
    values : ndarray, shape (..., 2^d)
        Numbers at every x, whose d bits are those of its position.

    Returns
    -------
    ndarray
        Of the same shape and type; d 2^d additions a row.
    """
    found = np.array(values)
    size, half = found.shape[-1], 1
    while half < size:
        pairs = found.reshape(*found.shape[:-1], size // (2 * half), 2, half)
        total = pairs[..., 0, :] + pairs[..., 1, :]
        pairs[..., 1, :] = pairs[..., 0, :] - pairs[..., 1, :]
        pairs[..., 0, :] = total
        half *= 2
    return found
