"""Sums over a window of counts of a function that is dear and smooth: few of its values are computed."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.numerics.interpolation import interpolated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

__all__ = ["mean_by_rows"]

# Nodes that interpolate it, each set with the one before in it, and how still the sum must stand: the
# last one errs by far less than it differs from the one before.
_NODES = (17, 33, 65, 129)
_STILL = 3e-13
# Fewer than so many places a node are computed one by one.
_SPARSE = 2
# What may be lost: less than an ulp of 1.
_NOTHING = 1e-17


def mean_by_rows(
    low: int,
    weights: NDArray[np.float64],
    rows: Callable[[NDArray[np.int64]], NDArray[np.float64]],
    *,
    breaks: Iterable[float] = (),
    stride: int = 1,
) -> float:
    """Return the sum over i of weights[i] rows(low + i), with an absolute error of about 1e-13.

    Parameters
    ----------
    low : int
        The first count.
    weights : ndarray, shape (counts,)
        At least 0.
    rows : callable
        Counts, ascending -> values in [0, 1].
    breaks : iterable of float
        Between them `rows` is smooth over the counts of each remainder modulo `stride`.
    stride : int
        At least 1.
    """
    high = low + weights.size
    cuts = sorted({math.ceil(x) for x in breaks if low < x < high})
    total = 0.0
    for start, stop in pairwise([low, *cuts, high]):
        for first in range(start, min(start + stride, stop)):
            places = np.arange(first, stop, stride)
            total += _piece(places, weights[places - low], rows)
    return total


def _piece(
    places: NDArray[np.int64],
    weights: NDArray[np.float64],
    rows: Callable[[NDArray[np.int64]], NDArray[np.float64]],
) -> float:
    if weights.sum() < _NOTHING:
        return 0.0
    known: dict[int, float] = {}
    before = None
    for nodes in _NODES:
        if places.size <= _SPARSE * nodes:
            break
        chosen = _turns(places.size, nodes)
        new = [i for i in chosen.tolist() if i not in known]
        known.update(zip(new, rows(places[new]).tolist(), strict=True))
        values = np.array([known[i] for i in chosen.tolist()])
        at = chosen / (places.size - 1.0)
        now = float(weights @ interpolated(at, values, np.linspace(0.0, 1.0, places.size)))
        if before is not None and abs(now - before) <= _STILL:
            return now
        before = now
    return float(weights @ rows(places))


def _turns(size: int, nodes: int) -> NDArray[np.int64]:
    """Return the places, of so many, that are next to the turns of a Chebyshev polynomial."""
    angles = np.pi * np.arange(nodes) / (nodes - 1)
    return np.unique(np.round(0.5 * (size - 1) * (1.0 - np.cos(angles))).astype(np.int64))
