"""Expectations over a binomial count, for whole diagrams at a time.

Weights are built from the mode outwards by cumulative products of ratios and normalised, on
a window that holds all but about 1e-14 of the mass (less, where it is asked for): no gamma
functions (they lose ten digits at m = 10^7), nothing of size m, cost growing as the square root
of m.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privsc_core.numerics.strides import strided_expectation

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "LOG_TAIL",
    "Kernel",
    "binomial_ends",
    "binomial_expectation",
    "binomial_rows",
    "binomial_window",
    "of_count",
]

# Bernstein's inequality at this log-tail; the true tail is far smaller.
LOG_TAIL = math.log(2e13)
# Above this exponent e^{-x} is below half an ulp of 1.
_NEGLIGIBLE = 37.0
# Elements per temporary: larger ones cost several times more in page faults.
_BLOCK = 1 << 14
# The same where cells have sizes of their own: calls cost more there.
_PAIRS = 1 << 15
# Of so few cells mostly none is spared, see `_uneven`: they are part of a search, not of a curve.
_FEW = 40
# Up to so many columns cells that see the rest are done together, each with weights of its own.
_PAIRED = 8
# Products above this size wake the BLAS threads, which costs more than it gives.
_BLAS_SERIAL = 262_144


# On windows wider than this, columns that do not change by more than this are not summed.
_WIDE = 2048
# Of windows wider than this every so-manieth count is looked at, where that will do.
_WIDEST, _WIDEST_COSTLY = 1 << 15, 1 << 10
_FLAT = 2e-16


# kernel(count, rest, *columns): `count` and `rest` have shape (counts, 1), or (counts, columns) where
# every column has a size of its own, `rest` being the size minus the count, or infinity where it is
# too large to matter; `columns` have shape (1, columns); the values have shape (counts, columns).
# With an infinite rest the values must be monotone in the count.
Kernel = Callable[..., "NDArray[np.float64]"]


def of_count(function: Callable[..., NDArray[np.float64]]) -> Kernel:
    """Return the kernel of a function of the count and the columns alone."""
    return lambda count, _rest, *columns: function(count, *columns)


class _Windows(NamedTuple):
    """Sizes with the mode, and the first and the last count that matter, of each."""

    sizes: NDArray[np.int64]
    modes: NDArray[np.int64]
    lowest: NDArray[np.int64]
    highest: NDArray[np.int64]

    def part(self, start: int, stop: int) -> _Windows:
        """Return those of sizes[start:stop]."""
        return _Windows(*(column[start:stop] for column in self))

    def see_rest(self, rates: NDArray[np.float64], shortcuts: _Shortcuts) -> NDArray[np.bool_]:
        """Tell in which cells (sizes, rates) the rest is not negligible."""
        least = (self.sizes - self.highest)[:, None].astype(np.float64)
        return _near(least, rates, shortcuts)


class _Shortcuts(NamedTuple):
    """From which exponent on e^{-x} is left out, and whether a change is small by itself."""

    negligible: float
    relative: bool

    @classmethod
    def at(cls, log_tail: float) -> _Shortcuts:
        """Return those for a `log_tail`."""
        return cls(max(_NEGLIGIBLE, log_tail), log_tail > LOG_TAIL)


def _near(
    rest: NDArray[Any], rates: NDArray[np.float64], shortcuts: _Shortcuts
) -> NDArray[np.bool_]:
    """Tell where a rest is not negligible; at an infinite rate none is seen."""
    finite = np.isfinite(rates)
    return np.asarray(finite & (rest * np.where(finite, rates, 0.0) <= shortcuts.negligible))


def _windows(
    sizes: NDArray[np.int64], probability: float | NDArray[np.float64], log_tail: float
) -> _Windows:
    if isinstance(probability, float) and probability >= 1.0:
        return _Windows(sizes, sizes, sizes, sizes)
    variance = sizes * (probability * (1.0 - probability))
    width = log_tail / 3.0 + np.sqrt(log_tail**2 / 9.0 + 2.0 * log_tail * variance)
    half = np.ceil(width).astype(np.int64)
    modes = np.minimum(((sizes + 1) * probability).astype(np.int64), sizes)
    return _Windows(sizes, modes, np.maximum(modes - half, 0), np.minimum(modes + half, sizes))


def binomial_ends(size: int, probability: float, log_tail: float = LOG_TAIL) -> tuple[int, int]:
    """Return the first and the last count of `binomial_window`, without the weights."""
    if probability >= 1.0:
        return size, size
    # As `_windows`, without arrays.
    variance = size * (probability * (1.0 - probability))
    half = math.ceil(log_tail / 3.0 + math.sqrt(log_tail**2 / 9.0 + 2.0 * log_tail * variance))
    mode = min(int((size + 1) * probability), size)
    return max(mode - half, 0), min(mode + half, size)


def binomial_window(
    size: int, probability: float, log_tail: float = LOG_TAIL
) -> tuple[int, NDArray[np.float64]]:
    """Return the weights of Bin(size, probability) around its mode.

    Parameters
    ----------
    size : int
        Number of draws, at least 1.
    probability : float
        In (0, 1].
    log_tail : float
        The mass left out is below 2 e^{-log_tail}.

    Returns
    -------
    first : int
        The count to which the first weight belongs.
    weights : ndarray of float64, shape (window,)
        Normalised to sum 1.
    """
    windows = _windows(np.array([size], dtype=np.int64), probability, log_tail)
    first, weights = _weights(windows, probability)
    return first, weights[0]


def binomial_rows(
    sizes: NDArray[np.int64], probability: float, log_tail: float = LOG_TAIL
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the weights of Bin(size, probability) around their modes, for many sizes.

    Parameters
    ----------
    sizes : ndarray of int64, shape (sizes,)
        Numbers of draws.
    probability, log_tail : float
        As for `binomial_window`.

    Returns
    -------
    first : ndarray of int64, shape (sizes,)
        The count to which the first weight of a row belongs; negative ones weigh 0.
    weights : ndarray of float64, shape (sizes, window)
        Every row normalised to sum 1.
    """
    windows = _windows(sizes, probability, log_tail)
    weights, down = _weights_around_modes(windows, probability)
    return windows.modes - down, weights


def _weights(windows: _Windows, probability: float) -> tuple[int, NDArray[np.float64]]:
    """Return one dense weight matrix (sizes, union of the windows) and its first count."""
    sizes, modes, _, _ = windows
    block, down = _weights_around_modes(windows, probability)
    if probability >= 1.0:
        return int(sizes[0]), block[:1]
    up = block.shape[1] - down - 1

    # Aligned by count instead of by distance from the mode, without counts below 0.
    low = int(modes[0]) - down
    dense = np.zeros((len(sizes), int(modes[-1]) + up + 1 - low))
    for row, start in zip(range(len(sizes)), (modes - modes[0]).tolist(), strict=True):
        dense[row, start : start + down + 1 + up] = block[row]
    first = max(low, 0)
    return first, dense[:, first - low : int(sizes[-1]) + 1 - low]


def _weights_around_modes(
    windows: _Windows, probability: float | NDArray[np.float64]
) -> tuple[NDArray[np.float64], int]:
    """Return weights (sizes, counts around the mode) and how many counts are below the mode."""
    block, down = _terms(windows, probability)
    block *= 1.0 / _sums(block, windows, down)[:, None]
    return block, down


def _terms(
    windows: _Windows, probability: float | NDArray[np.float64]
) -> tuple[NDArray[np.float64], int]:
    """Return the weights as multiples of that of the mode, see `_weights_around_modes`.

    Those of a size do not depend on what it is together with: outside its own window they are 0.
    """
    sizes, modes, lowest, highest = windows
    if isinstance(probability, float):
        if probability >= 1.0:
            return np.ones((len(sizes), 1)), 0
        odds: Any = probability / (1.0 - probability)
    else:
        odds = (probability / (1.0 - probability))[:, None]
    below, above = modes - lowest, highest - modes
    down, up = int(below.max()), int(above.max())
    hits, misses = modes[:, None].astype(np.float64), (sizes - modes)[:, None].astype(np.float64)

    # A ratio is 0 at the end of the range or window, and so is every product from there on.
    block = np.empty((len(sizes), down + 1 + up))
    block[:, down] = 1.0
    steps = np.arange(up, dtype=np.float64)
    ratios = misses - steps
    ratios *= odds
    ratios /= hits + 1.0 + steps
    narrow = np.flatnonzero(above < up)
    ratios[narrow, above[narrow]] = 0.0
    np.multiply.accumulate(ratios, axis=1, out=block[:, down + 1 :])
    steps = np.arange(down, dtype=np.float64)
    ratios = hits - steps
    ratios /= odds
    ratios /= misses + 1.0 + steps
    narrow = np.flatnonzero(below < down)
    ratios[narrow, below[narrow]] = 0.0
    np.multiply.accumulate(ratios, axis=1, out=block[:, :down][:, ::-1])
    return block, down


def _sums(terms: NDArray[np.float64], windows: _Windows, down: int) -> NDArray[np.float64]:
    """Return the sums of rows around the modes, each over its own window.

    Of all columns they would depend, in the last bits, on how many there are.
    """
    first = np.arange(len(terms)) * terms.shape[1] + down - windows.modes
    places = np.stack([first + windows.lowest, first + windows.highest + 1], axis=1).ravel()
    if places[-1] == terms.size:
        places = places[:-1]
    # Every second one is what lies between two windows.
    return np.add.reduceat(terms.ravel(), places)[::2]


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
        in windows of a thousand.

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
    widest = _WIDEST_COSTLY if costly else _WIDEST
    if isinstance(probability, np.ndarray):
        shape = np.broadcast_shapes(size.shape, probability.shape, *(c.shape for c in settings))
        probability = np.broadcast_to(probability, shape).ravel()
    else:
        # A curve, or a few cells: each has its weights to itself, and columns that are all alike
        # stay one.
        shape = np.broadcast_shapes(size.shape, *(c.shape for c in settings))
        many = max(c.size for c in settings)
        if many == 1 and size.size == math.prod(shape):
            own = [c.reshape(1) for c in settings]
            return _paired(size.ravel(), probability, own, kernel, log_tail, widest).reshape(shape)
        flat = np.broadcast_arrays(*settings)
        if many > _PAIRED and size.size * flat[0].size == math.prod(shape):
            grid = _outer(
                size.ravel(), probability, [c.ravel()[None, :] for c in flat[:-1]], kernel,
                flat[-1].ravel(), log_tail,
            )  # fmt: skip
            return _fold(grid, size.shape, flat[0].shape, shape)
    cells = [np.broadcast_to(c, shape).ravel() if c.size > 1 else c.reshape(1) for c in settings]
    sizes = np.broadcast_to(size, shape).ravel()
    return _paired(sizes, probability, cells, kernel, log_tail, widest).reshape(shape)


def _paired(
    sizes: NDArray[np.int64],
    probability: float | NDArray[np.float64],
    settings: list[NDArray[np.float64]],
    kernel: Kernel,
    log_tail: float,
    widest: int = _WIDEST,
) -> NDArray[np.float64]:
    """Return the expectations of cells that have a size of their own each.

    `settings` are the columns of the kernel and then the rates: one for each cell, or one for all.
    """
    shortcuts = _Shortcuts.at(log_tail)
    windows = _windows(sizes, probability, log_tail)
    width = windows.highest - windows.lowest + 1
    own = _near(sizes - windows.highest, settings[-1], shortcuts)
    near = int(np.count_nonzero(own))
    fits = sizes.size * int(width.max()) <= _PAIRS
    wide = (width > min(widest, _WIDE)) & ~own
    plain = fits and sizes.size <= _FEW and not wide.any()
    if plain and near in {0, sizes.size}:
        return _block_of_pairs(windows, probability, settings[:-1], kernel, sees_rest=near > 0)
    out = np.empty(sizes.size)
    # Cells that see the rest first, then the others; by size, so that windows of a block are alike.
    far = _uneven(windows, ~own, settings[:-1], kernel, shortcuts, out)
    many = far[width[far] > widest]
    if many.size:
        _stride(many, windows, probability, settings[:-1], kernel, log_tail, out)
        far = np.setdiff1d(far, many[~np.isnan(out[many])])
    for sees_rest, cells in ((True, np.flatnonzero(own)), (False, far)):
        order = cells[np.argsort(sizes[cells], kind="stable")]
        start = 0
        while start < order.size:
            # The last of a block is the widest.
            rooms = np.arange(1, order.size - start + 1) * width[order[start:]] <= _PAIRS
            stop = start + max(1, int(rooms.size if rooms.all() else rooms.argmin()))
            block = order[start:stop]
            out[block] = _block_of_pairs(
                *_picked(block, windows, probability, settings[:-1]), kernel, sees_rest=sees_rest
            )
            start = stop
    return out


def _picked(
    cells: NDArray[np.intp],
    windows: _Windows,
    probability: float | NDArray[np.float64],
    settings: list[NDArray[np.float64]],
) -> tuple[_Windows, float | NDArray[np.float64], list[NDArray[np.float64]]]:
    """Return what is known of some of the cells."""
    return (
        _Windows(*(column[cells] for column in windows)),
        probability if isinstance(probability, float) else probability[cells],
        [column if column.size == 1 else column[cells] for column in settings],
    )


def _stride(
    cells: NDArray[np.intp],
    windows: _Windows,
    probability: float | NDArray[np.float64],
    settings: list[NDArray[np.float64]],
    kernel: Kernel,
    log_tail: float,
    out: NDArray[np.float64],
) -> None:
    """Fill in cells by every so-manieth count, NaN where all are to be looked at."""
    picked, chance, columns = _picked(cells, windows, probability, settings)
    out[cells] = strided_expectation(
        picked.sizes, chance,
        lambda k, at: kernel(k.T, math.inf, *(c[None, at] if c.size > 1 else c for c in columns)).T,
        log_tail=log_tail,
    )  # fmt: skip


def _uneven(
    windows: _Windows,
    which: NDArray[np.bool_],
    settings: list[NDArray[np.float64]],
    kernel: Kernel,
    shortcuts: _Shortcuts,
    out: NDArray[np.float64],
) -> NDArray[np.intp]:
    """Return the cells of some whose kernel changes over the window, and fill in the others.

    What is equal at both ends of a window is, being monotone, equal all over it: of a curve mostly
    the points from where on it is 1, which have the widest windows.
    """
    cells = np.flatnonzero(which)
    if not cells.size:
        return cells
    ends = np.stack([windows.lowest[cells], windows.highest[cells]]).astype(np.float64)
    columns = [(column if column.size == 1 else column[cells])[None, :] for column in settings]
    low, high = np.broadcast_to(kernel(ends, math.inf, *columns), ends.shape)
    relative = shortcuts.relative | (ends[1] - ends[0] <= _WIDE)
    flat = np.abs(high - low) <= _FLAT * np.where(relative, np.abs(low), 1.0)
    out[cells[flat]] = low[flat]
    return np.asarray(cells[~flat])


def _block_of_pairs(
    windows: _Windows,
    probability: float | NDArray[np.float64],
    settings: list[NDArray[np.float64]],
    kernel: Kernel,
    *,
    sees_rest: bool,
) -> NDArray[np.float64]:
    sizes, modes, lowest, highest = windows
    columns = [setting[None, :] for setting in settings]
    weights, down = _terms(windows, probability)
    total = _sums(weights, windows, down)  # so that the expectation of 1 is 1, to the last bit
    steps = np.arange(-down, weights.shape[1] - down)
    first, last = int(lowest[0]), int(highest[-1])
    if not sees_rest and last - first < weights.size and all(c.size == 1 for c in columns):
        # One table of the kernel serves all sizes.
        first, last = int(lowest.min()), int(highest.max())
        counts = np.arange(first, last + 1, dtype=np.float64)[:, None]
        table = np.broadcast_to(kernel(counts, math.inf, *columns), counts.shape)[:, 0]
        place = np.clip(modes[:, None] + (steps - first), 0, last - first)
        weights *= table[place]
        return np.asarray(_sums(weights, windows, down) / total)
    count = (modes[:, None] + steps).astype(np.float64)
    # Beyond the ends a weight is 0, and the kernel must not see a count that cannot be.
    np.clip(count, 0.0, sizes[:, None].astype(np.float64), out=count)
    rest = (sizes[:, None] - count).T if sees_rest else math.inf
    weights *= kernel(count.T, rest, *columns).T
    return np.asarray(_sums(weights, windows, down) / total)


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
    windows = _windows(sizes, probability, log_tail)
    start = 0
    while start < sizes.size:
        stop = start + _group(windows.part(start, sizes.size), probability)
        group = windows.part(start, stop)
        if not _all_flat(group, columns, kernel, rates, log_tail, out[start:stop]):
            weights = _weights(group, probability)
            _diagram(
                group, *weights, probability, columns, kernel, rates, log_tail, out[start:stop]
            )
        start = stop
    return out


def _group(windows: _Windows, probability: float) -> int:
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
    windows: _Windows,
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
    shortcuts = _Shortcuts.at(log_tail)
    own = windows.see_rest(rates, shortcuts)
    alone: NDArray[np.bool_] = np.asarray(own.all(axis=1))
    if not alone.all():
        top = int(alone.argmin())  # the rest grows with the size: the rows below share as well
        _shared(weights[top:], counts, columns, kernel, shortcuts, out[top:])
    if rates.size <= _PAIRED and own.any():
        rows, at = np.nonzero(own)
        mine = [*(column[0, at] for column in columns), rates[at]]
        out[rows, at] = _paired(sizes[rows], probability, mine, kernel, log_tail)
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
    shortcuts: _Shortcuts,
    out: NDArray[np.float64],
) -> None:
    """Fill rows for which the rest is negligible."""
    if counts.size <= _WIDE:
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
    shortcuts: _Shortcuts,
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Tell which columns are constant between two counts, the rows of `ends`, and their values.

    What is equal at both ends of a window is, being monotone, equal all over it: most points of
    a curve, where numbers are so large that the others take long.
    """
    low, high = kernel(ends, math.inf, *columns)
    spread = np.abs(high - low)
    return spread <= (_FLAT * np.abs(low) if shortcuts.relative else _FLAT), low


def _all_flat(
    windows: _Windows,
    columns: list[NDArray[np.float64]],
    kernel: Kernel,
    rates: NDArray[np.float64],
    log_tail: float,
    out: NDArray[np.float64],
) -> bool:
    """Fill the rows without any weights if they are constant; tell whether that was so."""
    sizes, _, lowest, highest = windows
    first, last = int(lowest.min()), int(highest.max())
    shortcuts = _Shortcuts.at(log_tail)
    if last - first < _WIDE or _near((sizes - highest).min(), rates, shortcuts).any():
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
