"""Sums over many whole numbers from few values, and transforms over all subsets."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.numerics.tails import log_poisson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import ArrayLike, NDArray


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


# --- Expectations of smooth functions of a binomial count, from every k-th count -----------
#
# Over a wide window sums of a smooth function hardly depend on which counts are looked at: the error of
# every k-th one is squared, at least, where steps are halved. Whether that is enough the sum
# over every other one of them tells; if not, more of them are looked at.


_PER_DEVIATION, _MORE = 8.0, 4.0
_LEAST = 4  # steps that spare more than they cost
_SAME = 1e-12
_BLOCK = 1 << 18
_HALF = float((1 << 27) + 1)  # splits the digits of a float


def strided_expectation(
    size: NDArray[np.int64],
    probability: float | NDArray[np.float64],
    function: Callable[[NDArray[np.float64], NDArray[np.intp]], NDArray[np.float64]],
    *,
    log_tail: float,
    same: float = _SAME,
    least: float = _LEAST,
) -> NDArray[np.float64]:
    """Return expectations as far as every k-th count tells, NaN where all are to be looked at.

    Parameters
    ----------
    size : ndarray of int64, shape (cells,)
        Numbers of draws.
    probability : float or ndarray, shape (cells,)
        In (0, 1].
    function : callable
        (counts, cells) -> values of the shape of the counts, a row for each cell; smooth where that is
        to help.
    log_tail : float
        As for `binomial_expectation`.
    same : float
        How near each other both sums must be, relative to them: at least what rounding costs.
    least : float
        Of steps that are shorter too many counts would be looked at.
    """
    chance = np.broadcast_to(probability, size.shape)
    deviation = np.sqrt(size * (chance * (1.0 - chance)))
    found = np.full(size.shape, np.nan)
    open_, each = np.arange(size.size), _PER_DEVIATION
    while True:
        step = np.exp2(np.floor(np.log2(np.maximum(deviation / each, 1.0))))
        open_ = open_[np.isnan(found[open_]) & (step[open_] >= least)]
        if not open_.size:
            return found
        counts = float((_width(log_tail, deviation[open_]) / step[open_]).max())
        for cells in np.array_split(open_, math.ceil(2.0 * counts * open_.size / _BLOCK)):
            found[cells] = _strided(
                size[cells].astype(np.float64), chance[cells], deviation[cells], step[cells],
                cells, function, log_tail, same,
            )  # fmt: skip
        each *= _MORE


def _width(log_tail: float, deviation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far counts are looked at by Bernstein's inequality, as for windows."""
    return np.asarray(log_tail / 3.0 + np.sqrt(log_tail**2 / 9.0 + 2.0 * log_tail * deviation**2))


def _strided(
    size: NDArray[np.float64],
    probability: NDArray[np.float64],
    deviation: NDArray[np.float64],
    step: NDArray[np.float64],
    cells: NDArray[np.intp],
    function: Callable[[NDArray[np.float64], NDArray[np.intp]], NDArray[np.float64]],
    log_tail: float,
    same: float,
) -> NDArray[np.float64]:
    """Return expectations from every k-th count, NaN where these are too few."""
    mean = size * probability
    half = math.ceil(float((_width(log_tail, deviation) / step).max()))
    count = np.rint(mean)[:, None] + step[:, None] * np.arange(-half, half + 1.0)
    inside = (count >= 0.0) & (count <= size[:, None])
    count = np.clip(count, 0.0, size[:, None])
    # A binomial count is a Poisson one, given its sum with another.
    others = size - mean
    logs = log_poisson(count, mean[:, None])
    logs += log_poisson(size[:, None] - count, others[:, None])
    # Of a mean of a billion an ulp is told by weights far out.
    off = _off(size, probability, mean)
    logs += (count - mean[:, None]) * (off / mean + (off - (size - others - mean)) / others)[
        :, None
    ]
    weights = np.where(inside, np.exp(logs - logs.max(axis=1, keepdims=True)), 0.0)
    products = weights * function(count, cells)
    fine, coarse = (
        products[:, ::every].sum(axis=1) / weights[:, ::every].sum(axis=1) for every in (1, 2)
    )
    # As much as windows leave out.
    return np.where(np.isclose(fine, coarse, same, math.exp(-log_tail)), fine, np.nan)


def _off(
    size: NDArray[np.float64], probability: NDArray[np.float64], product: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return by how much the product of both is more than the float that it is rounded to (Dekker)."""
    halves = []
    for factor in (size, probability):
        high = factor * _HALF
        high -= high - factor
        halves.append((high, factor - high))
    (a, b), (c, d) = halves
    return np.asarray(((a * c - product) + a * d + b * c) + b * d)


# --- The polynomial through values at nodes that lie as those of Chebyshev do --------------------
#
# SciPy's has its weights from a loop over the nodes, which took most of the time here, and loads splines
# with it.


def interpolated(nodes: ArrayLike, values: ArrayLike, at: ArrayLike) -> NDArray[np.float64]:
    """Return at some places the polynomial that has these values at the nodes.

    By the barycentric formula (Berrut and Trefethen, SIAM Review 46 (2004), 501-517).

    Parameters
    ----------
    nodes : array_like, shape (nodes,)
        Ascending.
    values : array_like, shape (nodes,)
    at : array_like, shape (places,)

    Returns
    -------
    ndarray of float64, shape (places,)
        At a node its value.
    """
    points = np.asarray(nodes, dtype=np.float64)
    known = np.asarray(values, dtype=np.float64)
    gaps = points[:, None] - points
    np.fill_diagonal(gaps, 1.0)
    logs = np.log(np.abs(gaps)).sum(axis=1)
    weights = np.exp(logs.min() - logs)
    weights[1::2] *= -1.0
    away = np.asarray(at, dtype=np.float64)[:, None] - points
    hit = away == 0.0
    away[hit] = 1.0
    shares = np.divide(weights, away, out=away)
    found = (shares @ known) / shares.sum(axis=1)
    place, node = np.nonzero(hit)
    found[place] = known[node]
    return np.asarray(found)


# -------------------------------------------------------------------------------------------------
# Sums over a window of counts of a function that is dear and smooth: few of its values are
# computed.


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


# --- Sums over all larger sets -------------------------------------------------------------------


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


# --- The Walsh-Hadamard transform ----------------------------------------------------------------


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
