"""Expectations over a binomial count, for whole diagrams at a time.

Weights are built from the mode outwards by cumulative products of ratios and normalised, on
a window that holds all but about 1e-14 of the mass: no gamma functions (they lose ten
digits at m = 10^7), nothing of size m, cost growing as the square root of m.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Kernel", "binomial_expectation", "binomial_window"]

# Bernstein's inequality at this log-tail; the true tail is far smaller.
_LOG_TAIL = math.log(2e13)
# Above this exponent e^{-x} is below half an ulp of 1.
_NEGLIGIBLE = 40.0
# Elements per temporary: larger ones cost several times more in page faults.
_BLOCK = 1 << 14
# Products above this size wake the BLAS threads, which costs more than it gives.
_BLAS_SERIAL = 262_144


# kernel(count, rest, *columns): `count` and `rest` have shape (counts, 1), `rest` being the size
# minus the count, or infinity where it is too large to matter; `columns` have shape
# (1, columns); the values have shape (counts, columns).
Kernel = Callable[..., "NDArray[np.float64]"]


def _half_width(variance: float) -> int:
    return math.ceil(_LOG_TAIL / 3.0 + math.sqrt(_LOG_TAIL**2 / 9.0 + 2.0 * _LOG_TAIL * variance))


def binomial_window(size: int, probability: float) -> tuple[int, NDArray[np.float64]]:
    """Return the weights of Bin(size, probability) around its mode.

    Parameters
    ----------
    size : int
        Number of draws, at least 1.
    probability : float
        In (0, 1].

    Returns
    -------
    first : int
        The count to which the first weight belongs.
    weights : ndarray of float64, shape (window,)
        Normalised to sum 1; the mass left out is below 2e-14.
    """
    if probability >= 1.0:
        return size, np.ones(1)
    first, weights = _windows(np.array([size], dtype=np.int64), probability)
    return first, weights[0]


def _windows(sizes: NDArray[np.int64], probability: float) -> tuple[int, NDArray[np.float64]]:
    """Return one dense weight matrix (sizes, union of the windows) and its first count."""
    odds = probability / (1.0 - probability)
    half = _half_width(float(sizes[-1]) * probability * (1.0 - probability))
    modes = np.minimum(((sizes + 1) * probability).astype(np.int64), sizes)
    low = max(int(modes[0]) - half, 0)
    high = min(int(modes[-1]) + half, int(sizes[-1]))
    up = min(half, int(sizes[-1]) - int(modes[0]))
    down = min(half, int(modes[-1]))
    column_sizes, column_modes = sizes[:, None].astype(np.float64), modes[:, None].astype(float)

    steps = np.arange(up)
    ratios = column_modes + steps
    ratios = np.maximum(column_sizes - ratios, 0.0) * odds / (ratios + 1.0)
    upward = np.cumprod(ratios, axis=1)
    steps = np.arange(down)
    ratios = np.maximum(column_modes - steps, 0.0)
    ratios = ratios / ((column_sizes - ratios + 1.0) * odds)
    downward = np.cumprod(ratios, axis=1)
    total = 1.0 + upward.sum(axis=1) + downward.sum(axis=1)
    scale = 1.0 / total

    dense = np.zeros((len(sizes), high - low + 1))
    for row, mode in enumerate(modes.tolist()):
        here = dense[row]
        centre = mode - low
        here[centre] = 1.0
        above = min(up, high - mode)
        here[centre + 1 : centre + 1 + above] = upward[row, :above]
        below = min(down, centre)
        here[centre - below : centre] = downward[row, :below][::-1]
    dense *= scale[:, None]
    return low, dense


def binomial_expectation(
    size: NDArray[np.int64],
    probability: float,
    columns: tuple[NDArray[np.float64], ...],
    kernel: Kernel,
    *,
    rate: NDArray[np.float64] | float,
) -> NDArray[np.float64]:
    """Return E[kernel(K, size - K, columns)] for K ~ Bin(size, probability).

    Parameters
    ----------
    size : ndarray of int64
        Numbers of draws, of any shape.
    probability : float
        In (0, 1].
    columns : tuple of ndarray
        Settings of the kernel; they broadcast with each other and with `size`. A diagram
        is fastest as an outer product, `size` of shape (rows, 1), columns (1, columns).
    kernel : Kernel
        See `Kernel`.
    rate : ndarray or float
        `rest` reaches the kernel only as e^{-rate * rest}; where that is below rounding
        the kernel sees infinity, and rows of a diagram share one table.

    Returns
    -------
    ndarray of float64
        Of the broadcast shape. Relative error about 1e-13 for sizes up to 10^4, growing
        with the square root of the window to about 1e-12 at 10^7.
    """
    flat = np.broadcast_arrays(*columns, np.asarray(rate, dtype=np.float64))
    column_shape = flat[0].shape
    shape = np.broadcast_shapes(size.shape, column_shape)
    if size.size * flat[0].size == math.prod(shape):
        rates = flat[-1].ravel()
        grid = _outer(
            size.ravel(), probability, [c.ravel()[None, :] for c in flat[:-1]], kernel,
            float(rates.min()),
        )  # fmt: skip
        return _fold(grid, size.shape, column_shape, shape)
    sizes = np.broadcast_to(size, shape).ravel()
    settings = [np.broadcast_to(c, shape).ravel() for c in flat]
    out = np.empty(sizes.size)
    values, inverse = np.unique(sizes, return_inverse=True)
    for position, value in enumerate(values):
        here = np.flatnonzero(inverse == position)
        out[here] = _outer(
            np.array([value]), probability, [c[here][None, :] for c in settings[:-1]], kernel,
            float(settings[-1][here].min()),
        )[0]  # fmt: skip
    return out.reshape(shape)


def _fold(
    grid: NDArray[np.float64],
    size_shape: tuple[int, ...],
    column_shape: tuple[int, ...],
    shape: tuple[int, ...],
) -> NDArray[np.float64]:
    """Bring a (sizes, columns) table to the broadcast shape of the two index sets."""
    if grid.shape[0] == 1 or grid.shape[1] == 1:
        return grid.reshape(shape)
    pad = len(shape)
    full = (1,) * (pad - len(size_shape)) + size_shape + (1,) * (pad - len(column_shape))
    table = grid.reshape(*full, *column_shape)
    order = [axis for pair in zip(range(pad), range(pad, 2 * pad), strict=True) for axis in pair]
    return table.transpose(order).reshape(shape)


def _outer(
    sizes: NDArray[np.int64],
    probability: float,
    columns: list[NDArray[np.float64]],
    kernel: Kernel,
    rate: float,
) -> NDArray[np.float64]:
    values, inverse = np.unique(sizes, return_inverse=True)
    out = np.empty((values.size, columns[0].shape[1]))
    start = 0
    for stop, shared in _groups(values, probability, rate):
        group = values[start:stop]
        if probability >= 1.0:
            first, weights = int(group[0]), np.ones((1, 1))
        else:
            first, weights = _windows(group, probability)
        counts = np.arange(first, first + weights.shape[1], dtype=np.float64)[:, None]
        rest: NDArray[np.float64] | float
        rest = math.inf if shared else np.maximum(float(group[0]) - counts, 0.0)
        _accumulate(weights, counts, rest, columns, kernel, out[start:stop])
        start = stop
    return out[inverse.ravel()]


def _groups(sizes: NDArray[np.int64], probability: float, rate: float) -> list[tuple[int, bool]]:
    """Split increasing sizes into runs that share a table: (end of the run, rest negligible).

    A run shares one table while the union of its windows wastes at most half of the work.
    """
    runs: list[tuple[int, bool]] = []
    spread = probability * (1.0 - probability)
    index, count = 0, len(sizes)
    listed = sizes.tolist()
    while index < count:
        size = listed[index]
        half = _half_width(size * spread)
        if probability >= 1.0 or rate * (size * (1.0 - probability) - half) <= _NEGLIGIBLE:
            index += 1
            runs.append((index, False))
            continue
        low, used, end = size * probability - half, 0.0, index
        while end < count:
            half = _half_width(listed[end] * spread)
            used += 2.0 * half
            if (listed[end] * probability + half - low) * (end - index + 1) > 4.0 * used:
                break
            end += 1
        index = max(end, index + 1)
        runs.append((index, True))
    return runs


def _accumulate(
    weights: NDArray[np.float64],
    counts: NDArray[np.float64],
    rest: NDArray[np.float64] | float,
    columns: list[NDArray[np.float64]],
    kernel: Kernel,
    out: NDArray[np.float64],
) -> None:
    rows, width = weights.shape
    total = columns[0].shape[1]
    step = max(1, min(_BLOCK // width, _BLAS_SERIAL // (rows * width)))
    for start in range(0, total, step):
        part = [column[:, start : start + step] for column in columns]
        out[:, start : start + step] = weights @ kernel(counts, rest, *part)
