"""Expectations over a binomial count, for whole diagrams at a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from privsc_core.numerics import binomial_windows
from privsc_core.numerics.binomial_pairs import paired
from privsc_core.numerics.binomial_windows import (
    FLAT,
    LOG_TAIL,
    Shortcuts,
    Windows,
    dense_weights,
    near,
    windows_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.numerics.binomial_pairs import Kernel

__all__ = ["binomial_expectation", "of_count"]

_Number = TypeVar("_Number", np.int64, np.float64)

# Elements per temporary: larger ones cost several times more in page faults.
_BLOCK = 1 << 14
# Up to so many columns cells that see the rest are done together, each with weights of its own.
_PAIRED = 8
# Products above this size wake the BLAS threads, which costs more than it gives.
_BLAS_SERIAL = 262_144


def of_count(function: Callable[..., NDArray[np.float64]]) -> Kernel:
    """Return the kernel of a function of the count and the columns alone."""
    return lambda count, _rest, *columns: function(count, *columns)


def binomial_expectation(
    size: NDArray[np.int64],
    probability: float | NDArray[np.float64],
    columns: tuple[NDArray[np.float64], ...],
    kernel: Kernel,
    *,
    rate: NDArray[np.float64] | float,
    log_tail: float = LOG_TAIL,
    costly: bool = False,
) -> NDArray[np.float64]:
    """Return E[kernel(K, size - K, columns)] for K ~ Bin(size, probability).

    Parameters
    ----------
    size : ndarray of int64
        Numbers of draws, of any shape.
    probability : float or ndarray
        In (0, 1]; an array, which broadcasts with the rest, is below 1.
    columns : tuple of ndarray
        Settings of the kernel; they broadcast with each other and with `size`. A diagram
        is fastest as an outer product, `size` of shape (rows, 1), columns (1, columns).
    kernel : Kernel
        See `Kernel`.
    rate : ndarray or float
        `rest` reaches the kernel only as e^{-rate * rest}; where that is below rounding
        the kernel sees infinity, and rows of a diagram share one table. Infinite where the
        kernel is one `of_count`, monotone in it.
    log_tail : float
        Windows leave out a mass below 2 e^{-log_tail}; larger where expectations so small
        matter that the default would cut them off.
    costly : bool
        Whether a value of the kernel costs so much that every so-manieth count is looked at already
        in windows of a thousand, or where it will do at the rate: then the kernel is to be an analytic
        function of e^{-rate * count} and e^{-rate * rest}. Cells with the same columns share a table.

    Returns
    -------
    ndarray of float64
        Of the broadcast shape. For values in [0, 1] the error is below 1e-13 for sizes up to
        10^4, and about 1e-12 at 10^7. It is absolute with the default `log_tail`: a value far
        below that, which only counts outside the window would make larger, is right in its
        order at best. With a larger one the error is that large relative to a value above
        e^{37 - log_tail}, for kernels that are right to rounding relative to themselves.
    """
    settings = [*columns, np.asarray(rate, dtype=np.float64)]
    if isinstance(probability, np.ndarray):
        shape = np.broadcast(size, probability, *settings).shape
        probability = _spread(probability, shape)
    else:
        # A curve, or a few cells: each has its weights to itself, and columns that are all alike
        # stay one.
        shape = np.broadcast(size, *settings).shape
        many = max(c.size for c in settings)
        if many == 1 and size.size == math.prod(shape):
            own = [c.reshape(1) for c in settings]
            return paired(size.ravel(), probability, own, kernel, log_tail, costly=costly).reshape(
                shape
            )
        flat = np.broadcast_arrays(*settings)
        if many > _PAIRED and size.size * flat[0].size == math.prod(shape):
            grid = _outer(
                size.ravel(), probability, [c.ravel()[None, :] for c in flat[:-1]], kernel,
                flat[-1].ravel(), log_tail,
            )  # fmt: skip
            return _fold(grid, size.shape, flat[0].shape, shape)
    cells = [_spread(c, shape) if c.size > 1 else c.reshape(1) for c in settings]
    sizes = _spread(size, shape)
    return paired(sizes, probability, cells, kernel, log_tail, costly=costly).reshape(shape)


def _spread(column: NDArray[_Number], shape: tuple[int, ...]) -> NDArray[_Number]:
    """Return `broadcast_to(column, shape).ravel()`, of a few cells for a fifth of what that costs."""
    if column.shape == shape:
        return column.ravel()
    out = np.empty(shape, dtype=column.dtype)
    out[...] = column
    return out.ravel()


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
    rates: NDArray[np.float64],
    log_tail: float,
) -> NDArray[np.float64]:
    if not (sizes[1:] > sizes[:-1]).all():
        values, inverse = np.unique(sizes, return_inverse=True)
        return _outer(values, probability, columns, kernel, rates, log_tail)[inverse.ravel()]
    out = np.empty((sizes.size, rates.size))
    windows = windows_of(sizes, probability, log_tail)
    start = 0
    while start < sizes.size:
        stop = start + _group(windows.part(start, sizes.size), probability)
        group = windows.part(start, stop)
        if not _all_flat(group, columns, kernel, rates, log_tail, out[start:stop]):
            weights = dense_weights(group, probability)
            _diagram(
                group, *weights, probability, columns, kernel, rates, log_tail, out[start:stop]
            )
        start = stop
    return out


def _group(windows: Windows, probability: float) -> int:
    """Return how many sizes, from the first on, share a matrix: it is a quarter full at least.

    Products are cheap, calls are not.
    """
    if probability >= 1.0:
        return 1
    used = np.cumsum(windows.highest - windows.lowest + 1)
    members = np.arange(1, used.size + 1)
    sparse = (windows.highest - windows.lowest[0] + 1) * members > 4 * used
    return int(sparse.argmax()) or used.size


def _diagram(
    windows: Windows,
    first: int,
    weights: NDArray[np.float64],
    probability: float,
    columns: list[NDArray[np.float64]],
    kernel: Kernel,
    rates: NDArray[np.float64],
    log_tail: float,
    out: NDArray[np.float64],
) -> None:
    """Fill the rows of sizes that share a window, which starts at the count `first`.

    Where the rest is negligible the kernel does not know the size, so that one table of the
    kernel serves all rows: one matrix product. The other cells, small sizes and rates, are
    then done row by row, or one by one where there are few columns.
    """
    counts = np.arange(first, first + weights.shape[1], dtype=np.float64)[:, None]
    sizes, _, lowest, highest = windows
    shortcuts = Shortcuts.at(log_tail)
    own = windows.see_rest(rates, shortcuts)
    alone: NDArray[np.bool_] = np.asarray(own.all(axis=1))
    if not alone.all():
        top = int(alone.argmin())  # the rest grows with the size: the rows below share as well
        _shared(weights[top:], counts, columns, kernel, shortcuts, out[top:])
    if rates.size <= _PAIRED and own.any():
        rows, at = np.nonzero(own)
        mine = [*(column[0, at] for column in columns), rates[at]]
        out[rows, at] = paired(sizes[rows], probability, mine, kernel, log_tail)
        return
    for row in np.flatnonzero(own.any(axis=1)).tolist():
        here = slice(int(lowest[row]) - first, int(highest[row]) - first + 1)
        rest = sizes[row] - counts[here]
        if alone[row]:
            _accumulate(weights[row : row + 1, here], counts[here], rest, columns, kernel,
                        out[row : row + 1])  # fmt: skip
        else:
            part_of = np.flatnonzero(own[row])
            part = [column[:, part_of] for column in columns]
            cells = np.empty((1, part_of.size))
            _accumulate(weights[row : row + 1, here], counts[here], rest, part, kernel, cells)
            out[row, part_of] = cells


def _shared(
    weights: NDArray[np.float64],
    counts: NDArray[np.float64],
    columns: list[NDArray[np.float64]],
    kernel: Kernel,
    shortcuts: Shortcuts,
    out: NDArray[np.float64],
) -> None:
    """Fill rows for which the rest is negligible."""
    if counts.size <= binomial_windows.WIDE:
        _accumulate(weights, counts, math.inf, columns, kernel, out)
        return
    flat, values = _flat(counts[[0, -1]], columns, kernel, shortcuts)
    out[:, flat] = values[flat]
    busy = np.flatnonzero(~flat)
    if busy.size:
        cells = np.empty((len(out), busy.size))
        part = [column[:, busy] for column in columns]
        _accumulate(weights, counts, math.inf, part, kernel, cells)
        out[:, busy] = cells


def _flat(
    ends: NDArray[np.float64],
    columns: list[NDArray[np.float64]],
    kernel: Kernel,
    shortcuts: Shortcuts,
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Tell which columns are constant between two counts, the rows of `ends`, and their values.

    What is equal at both ends of a window is, being monotone, equal all over it: most points of
    a curve, where numbers are so large that the others take long.
    """
    low, high = kernel(ends, math.inf, *columns)
    spread = np.abs(high - low)
    return spread <= (FLAT * np.abs(low) if shortcuts.relative else FLAT), low


def _all_flat(
    windows: Windows,
    columns: list[NDArray[np.float64]],
    kernel: Kernel,
    rates: NDArray[np.float64],
    log_tail: float,
    out: NDArray[np.float64],
) -> bool:
    """Fill the rows without any weights if they are constant; tell whether that was so."""
    sizes, _, lowest, highest = windows
    first, last = int(lowest.min()), int(highest.max())
    shortcuts = Shortcuts.at(log_tail)
    if (
        last - first < binomial_windows.WIDE
        or near((sizes - highest).min(), rates, shortcuts).any()
    ):
        return False
    flat, values = _flat(np.array([[first], [last]], np.float64), columns, kernel, shortcuts)
    if not flat.all():
        return False
    out[:] = values
    return True


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
    step = max(1, _BLOCK // width)
    # The table in blocks that stay in the cache, the product in blocks that stay on one thread.
    serial = max(1, _BLAS_SERIAL // (rows * width))
    for start in range(0, total, step):
        table = kernel(counts, rest, *(column[:, start : start + step] for column in columns))
        for left in range(0, table.shape[1], serial):
            here = table[:, left : left + serial]
            cells = out[:, start + left : start + left + here.shape[1]]
            # Windows wider than that are summed in parts, for the same reason.
            cells[:] = weights[:, :_BLAS_SERIAL] @ here[:_BLAS_SERIAL]
            for part in range(_BLAS_SERIAL, width, _BLAS_SERIAL):
                stop = part + _BLAS_SERIAL
                cells += weights[:, part:stop] @ here[part:stop]
