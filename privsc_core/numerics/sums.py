"""Sums of a smooth function over whole numbers in a row, from few of its values."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["sum_rule"]


@lru_cache(maxsize=1024)
def sum_rule(length: int, nodes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Gauss' rule for a sum over 0, 1, ..., length - 1.

    The sum of a polynomial of degree below 2 `nodes` is that of the weights times its values at the
    nodes, which lie between whole numbers. They are the zeros of Gram's polynomials, whose
    three-term recurrence makes them the eigenvalues of a matrix (Golub and Welsch).

    Returns
    -------
    at, weights : ndarray of float64, shape (nodes,)
        Where there are no more numbers than nodes: all of them, once each, and others that weigh 0.
    """
    if length <= nodes:
        at = np.minimum(np.arange(nodes, dtype=np.float64), length - 1.0)
        return at, (np.arange(nodes) < length).astype(np.float64)
    k = np.arange(1.0, nodes)
    beside = 0.5 * k * np.sqrt((length - k) * (length + k) / (4.0 * k * k - 1.0))
    at, vectors = np.linalg.eigh(np.diag(beside, 1) + np.diag(beside, -1))
    return at + 0.5 * (length - 1), length * vectors[0] ** 2
