"""Tables of 0/1 attributes and their marginals: how signs, pairs and moments are written.

A row is a point of [2^d]: bit j of x - 1 tells attribute j + 1, and counts as the sign +1 or -1. In
front stands a constant sign, so that the moments of pairs of the D = d + 1 signs are the means of all
attributes and of all products of two: P = D (D - 1) / 2 answers, from which every cell of every table
of two attributes follows, Pr[x_j = a, x_k = b] = (1 + a X_0j + b X_0k + a b X_jk) / 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.sample import Sample
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["BITS_MOST", "Population", "answers", "moments", "pairs", "signs", "symmetric"]

# A projection takes some 50 ms there; matrices grow with the square.
BITS_MOST = 128


@dataclass(frozen=True, eq=False, slots=True)
class Population(Sample):
    """Rows as they occur in a population, of which the moments are known.

    Attributes
    ----------
    moments : ndarray, shape (D, D)
        What the answers are, whatever the number of rows: those of the population.
    """

    moments: NDArray[np.float64]


def pairs(d: int) -> int:
    """Return P, the number of answers."""
    return d * (d + 1) // 2


def signs(points: Sequence[int], d: int) -> NDArray[np.float64]:
    """Return the signs of rows, the constant one in front, shape (points, d + 1)."""
    if d > BITS_MOST:
        raise InputError("d", f"must be at most {BITS_MOST} to list all marginals", d)
    bits = [[(x - 1) >> j & 1 for j in range(d)] for x in points]
    found = np.ones((len(bits), d + 1))
    found[:, 1:] = 2.0 * np.array(bits, dtype=np.float64).reshape(len(bits), d) - 1.0
    return found


def moments(sample: Sample) -> NDArray[np.float64]:
    """Return the matrix of second moments of the rows of a table, shape (D, D)."""
    if isinstance(sample, Population):
        return sample.moments
    rows = signs(sample.points, sample.d)
    weights = np.bincount(sample.index, minlength=len(rows)) / sample.size
    return np.asarray(rows.T @ (weights[:, None] * rows))


def answers(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the P answers of a symmetric matrix, row by row above its diagonal."""
    return np.asarray(matrix[np.triu_indices(len(matrix), 1)])


def symmetric(values: NDArray[np.float64], size: int, diagonal: float) -> NDArray[np.float64]:
    """Return the matrix with these P values on both sides of a constant diagonal."""
    found = np.zeros((size, size))
    found[np.triu_indices(size, 1)] = values
    found += found.T
    np.fill_diagonal(found, diagonal)
    return found
