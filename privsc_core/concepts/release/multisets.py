"""Multisets of points, listed in tiny domains and counted in domains of any size."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["log_multisets", "multisets"]


@lru_cache(maxsize=8)
def multisets(size: int, points: int) -> NDArray[np.int64]:
    """Return all multisets of `size` entries as rows of counts, one column per point."""
    # Stars and bars: the counts are the gaps between points - 1 bars.
    slots = size + points - 1
    bars = np.array(list(itertools.combinations(range(slots), points - 1)), dtype=np.int64)
    ends = np.full((len(bars), 1), slots)
    return np.diff(np.hstack([np.full_like(ends, -1), bars, ends]), axis=1) - 1


@lru_cache(maxsize=256)
def log_multisets(d: int, fewer: int, size: int) -> NDArray[np.float64]:
    """Return the log number of multisets of r entries whose largest multiplicity is s.

    Over 2^d - fewer points; row r and column s run from 0 to `size`. With k_v points of
    multiplicity v and u points in all there are (M)_u / (k_1! k_2! ...) of them, (M)_u a
    falling factorial: a sum of positive terms, in log space because of (M)_u.
    """
    steps = [log_domain_scalar(d, fewer + i) for i in range(size)]
    falling = np.concatenate([[0.0], np.cumsum(steps)])
    patterns = _patterns(size)
    terms = falling[patterns.points] + patterns.logs
    top = np.maximum.reduceat(terms, patterns.starts)
    top[np.isneginf(top)] = 0.0
    sums = np.add.reduceat(np.exp(terms - top[patterns.group]), patterns.starts)
    out = np.full((size + 1, size + 1), -math.inf)
    with np.errstate(divide="ignore"):
        out[patterns.total, patterns.largest] = top + np.log(sums)
    return out


@dataclass(frozen=True, slots=True, eq=False)
class _Patterns:
    """All (largest part, sum of the parts, number of parts) that exist, grouped by the first two.

    Attributes
    ----------
    points, logs : ndarray
        Per pattern the number of parts, and the log of the sum of 1 / (k_1! k_2! ...).
    group : ndarray
        Per pattern the number of its group.
    starts, largest, total : ndarray
        Per group its first pattern, its largest part and the sum of the parts.
    """

    points: NDArray[np.intp]
    logs: NDArray[np.float64]
    group: NDArray[np.intp]
    starts: NDArray[np.intp]
    largest: NDArray[np.intp]
    total: NDArray[np.intp]


@lru_cache(maxsize=8)
def _patterns(size: int) -> _Patterns:
    sums = np.zeros((size + 1, size + 1, size + 1))
    sums[0, 0, 0] = 1.0
    smaller = sums[0].copy()
    for part in range(1, size + 1):
        for times in range(1, size // part + 1):
            weight = 1.0 / math.factorial(times)
            moved = smaller[: size + 1 - part * times, : size + 1 - times]
            sums[part, part * times :, times:] += weight * moved
        smaller += sums[part]
    largest, total, points = np.nonzero(sums)
    new = np.diff(largest * (size + 1) + total, prepend=-1) > 0
    starts = np.flatnonzero(new)
    logs = np.log(sums[largest, total, points])
    return _Patterns(points, logs, np.cumsum(new) - 1, starts, largest[starts], total[starts])
