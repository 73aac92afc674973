"""Expectations over a binomial count, for whole diagrams at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from privsc_core.numerics.sums import strided_expectation

if TYPE_CHECKING:
    from numpy.typing import NDArray


# --- Weights of a binomial count on the window that matters, of many sizes at a time -------------
#
# Weights are built from the mode outwards by cumulative products of ratios and normalised, on
# a window that holds all but about 1e-14 of the mass (less, where it is asked for): no gamma
# functions (they lose ten digits at m = 10^7), nothing of size m, cost growing as the square root
# of m.


# Bernstein's inequality at this log-tail; the true tail is far smaller.
LOG_TAIL = math.log(2e13)
# On windows wider than this, columns that do not change by more than this are not summed.
WIDE = 2048
FLAT = 2e-16
# Above this exponent e^{-x} is below half an ulp of 1.
_NEGLIGIBLE = 37.0


class Windows(NamedTuple):
    """Sizes with the mode, and the first and the last count that matter, of each."""

    sizes: NDArray[np.int64]
    modes: NDArray[np.int64]
    lowest: NDArray[np.int64]
    highest: NDArray[np.int64]

    def part(self, start: int, stop: int) -> Windows:
        """Return the windows of sizes[start:stop]."""
        return Windows(*[column[start:stop] for column in self])

    def see_rest(self, rates: NDArray[np.float64], shortcuts: Shortcuts) -> NDArray[np.bool_]:
        """Return in which cells (sizes, rates) the rest is not negligible."""
        least = (self.sizes - self.highest)[:, None].astype(np.float64)
        return near(least, rates, shortcuts)


class Shortcuts(NamedTuple):
    """From which exponent on e^{-x} is left out, and whether a change is small by itself."""

    negligible: float
    relative: bool

    @classmethod
    def at(cls, log_tail: float) -> Shortcuts:
        """Return the shortcuts for a `log_tail`."""
        return cls(max(_NEGLIGIBLE, log_tail), log_tail > LOG_TAIL)


def near(rest: NDArray[Any], rates: NDArray[np.float64], shortcuts: Shortcuts) -> NDArray[np.bool_]:
    """Return where a rest is not negligible; at an infinite rate none is seen."""
    if rates.size == 1 and math.isinf(rates.item()):
        return np.zeros(rest.shape, dtype=np.bool_)
    finite = np.isfinite(rates)
    return np.asarray(finite & (rest * np.where(finite, rates, 0.0) <= shortcuts.negligible))


def windows_of(
    sizes: NDArray[np.int64], probability: float | NDArray[np.float64], log_tail: float
) -> Windows:
    """Return the windows of sizes at one probability, or at one each."""
    if isinstance(probability, float) and probability >= 1.0:
        return Windows(sizes, sizes, sizes, sizes)
    variance = sizes * (probability * (1.0 - probability))
    width = log_tail / 3.0 + np.sqrt(log_tail**2 / 9.0 + 2.0 * log_tail * variance)
    half = np.ceil(width).astype(np.int64)
    modes = np.minimum(((sizes + 1) * probability).astype(np.int64), sizes)
    return Windows(sizes, modes, np.maximum(modes - half, 0), np.minimum(modes + half, sizes))


def binomial_ends(size: int, probability: float, log_tail: float = LOG_TAIL) -> tuple[int, int]:
    """Return the first and the last count of `binomial_window`, without the weights."""
    if probability >= 1.0:
        return size, size
    # As `windows_of`, without arrays.
    variance = size * (probability * (1.0 - probability))
    half = math.ceil(log_tail / 3.0 + math.sqrt(log_tail**2 / 9.0 + 2.0 * log_tail * variance))
    mode = min(int((size + 1) * probability), size)
    return max(mode - half, 0), min(mode + half, size)


def binomial_span(
    sizes: NDArray[np.int64], probability: float, log_tail: float = LOG_TAIL
) -> tuple[int, int]:
    """Return the first and the last count of the windows of several sizes.

    Of every one of them: ends are rounded, so that a larger size may begin one count earlier.
    """
    ends = [binomial_ends(size, probability, log_tail) for size in np.unique(sizes).tolist()]
    return min(first for first, _ in ends), max(last for _, last in ends)


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
    windows = windows_of(np.array([size], dtype=np.int64), probability, log_tail)
    first, weights = dense_weights(windows, probability)
    return first, weights[0]


def binomial_rows(
    sizes: NDArray[np.int64], probability: float | NDArray[np.float64], log_tail: float = LOG_TAIL
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the weights of Bin(size, probability) around their modes, for many sizes.

    Parameters
    ----------
    sizes : ndarray of int64, shape (sizes,)
        Numbers of draws.
    probability : float or ndarray of float64, shape (sizes,)
        As for `binomial_window`; one each is in (0, 1).
    log_tail : float
        As for `binomial_window`.

    Returns
    -------
    first : ndarray of int64, shape (sizes,)
        The count to which the first weight of a row belongs; negative ones weigh 0.
    weights : ndarray of float64, shape (sizes, window)
        Every row normalised to sum 1.
    """
    windows = windows_of(sizes, probability, log_tail)
    weights, down = _weights_around_modes(windows, probability)
    return windows.modes - down, weights


def dense_weights(windows: Windows, probability: float) -> tuple[int, NDArray[np.float64]]:
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
    windows: Windows, probability: float | NDArray[np.float64]
) -> tuple[NDArray[np.float64], int]:
    """Return weights (sizes, counts around the mode) and how many counts are below the mode."""
    block, down = terms(windows, probability)
    block *= 1.0 / sums(block, windows, down)[:, None]
    return block, down


def terms(
    windows: Windows, probability: float | NDArray[np.float64]
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


def sums(terms: NDArray[np.float64], windows: Windows, down: int) -> NDArray[np.float64]:
    """Return the sums of rows around the modes, each over its own window.

    Of all columns they would depend, in the last bits, on how many there are.
    """
    first = np.arange(len(terms)) * terms.shape[1] + down - windows.modes
    places = np.empty(2 * len(terms), dtype=np.intp)
    np.add(first, windows.lowest, out=places[::2])
    np.add(first + 1, windows.highest, out=places[1::2])
    if places[-1] == terms.size:
        places = places[:-1]
    # Every second one is what lies between two windows.
    return np.add.reduceat(terms.ravel(), places)[::2]


# --- Expectations over binomial counts of cells that have a size of their own each ---------------


# Elements per block: calls cost more here than where columns share their sizes.
_PAIRS = 1 << 15
# Of so few cells mostly none is spared, see `_uneven`: they are part of a search, not of a curve.
_FEW = 40
# Of windows wider than this every k-th count is looked at, where that will do.
_WIDEST, _WIDEST_COSTLY = 1 << 15, 1 << 10
# Else a costly kernel is looked at every k-th count, in deviations of the count and in units of
# the rate: it changes no faster than e^{rate count} does. Sums over every other one of these counts
# are to be as near: of what remains the error is about the square of that.
_PER_DEVIATION, _PER_RATE = 0.5, 0.6
_NEAR = 1e-7
# Cells share a table of the kernel where it is so much smaller than what they would compute.
_SPARED = 4


# kernel(count, rest, *columns): `count` and `rest` have shape (counts, 1), or (counts, columns) where
# every column has a size of its own, `rest` being the size minus the count, or infinity where it is
# too large to matter; `columns` have shape (1, columns); the values have shape (counts, columns).
# With an infinite rest the values must be monotone in the count.
Kernel = Callable[..., "NDArray[np.float64]"]


def paired(
    sizes: NDArray[np.int64],
    probability: float | NDArray[np.float64],
    settings: list[NDArray[np.float64]],
    kernel: Kernel,
    log_tail: float,
    *,
    costly: bool = False,
) -> NDArray[np.float64]:
    """Return the expectations of cells that have a size of their own each.

    `settings` are the columns of the kernel and then the rates: one for each cell, or one for all.
    """
    shortcuts = Shortcuts.at(log_tail)
    windows = windows_of(sizes, probability, log_tail)
    width = windows.highest - windows.lowest + 1
    own = near(sizes - windows.highest, settings[-1], shortcuts)
    widest = _WIDEST_COSTLY if costly else _WIDEST
    seen = int(np.count_nonzero(own))
    fits = sizes.size * int(width.max()) <= _PAIRS
    wide = (width > min(widest, WIDE)) & ~own
    plain = fits and sizes.size <= _FEW and not wide.any()
    if plain and seen in {0, sizes.size}:
        return _block_of_pairs(
            windows, probability, settings, kernel, shortcuts, sees_rest=seen > 0, costly=costly
        )
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
                *_picked(block, windows, probability, settings),
                kernel,
                shortcuts,
                sees_rest=sees_rest,
                costly=costly,
            )
            start = stop
    return out


def _picked(
    cells: NDArray[np.intp],
    windows: Windows,
    probability: float | NDArray[np.float64],
    settings: list[NDArray[np.float64]],
) -> tuple[Windows, float | NDArray[np.float64], list[NDArray[np.float64]]]:
    """Return what is known of some of the cells."""
    return (
        Windows(*[column[cells] for column in windows]),
        probability if isinstance(probability, float) else probability[cells],
        [column if column.size == 1 else column[cells] for column in settings],
    )


def _stride(
    cells: NDArray[np.intp],
    windows: Windows,
    probability: float | NDArray[np.float64],
    settings: list[NDArray[np.float64]],
    kernel: Kernel,
    log_tail: float,
    out: NDArray[np.float64],
) -> None:
    """Fill in cells by every k-th count, NaN where all are to be looked at."""
    picked, chance, columns = _picked(cells, windows, probability, settings)
    out[cells] = strided_expectation(
        picked.sizes, chance,
        lambda k, at: kernel(k.T, math.inf, *(c[None, at] if c.size > 1 else c for c in columns)).T,
        log_tail=log_tail,
    )  # fmt: skip


def _uneven(
    windows: Windows,
    which: NDArray[np.bool_],
    settings: list[NDArray[np.float64]],
    kernel: Kernel,
    shortcuts: Shortcuts,
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
    relative = shortcuts.relative | (ends[1] - ends[0] <= WIDE)
    flat = np.abs(high - low) <= FLAT * np.where(relative, np.abs(low), 1.0)
    out[cells[flat]] = low[flat]
    return np.asarray(cells[~flat])


def _block_of_pairs(
    windows: Windows,
    probability: float | NDArray[np.float64],
    settings: list[NDArray[np.float64]],
    kernel: Kernel,
    shortcuts: Shortcuts,
    *,
    sees_rest: bool,
    costly: bool,
) -> NDArray[np.float64]:
    sizes, modes, lowest, highest = windows
    *settings, rates = settings
    columns = [setting[None, :] for setting in settings]
    weights, down = terms(windows, probability)
    total = sums(weights, windows, down)  # so that the expectation of 1 is 1, to the last bit
    steps = np.arange(-down, weights.shape[1] - down)
    first, last = int(lowest[0]), int(highest[-1])
    if not sees_rest and last - first < weights.size and all(c.size == 1 for c in columns):
        # One table of the kernel serves all sizes.
        first, last = int(lowest.min()), int(highest.max())
        counts = np.arange(first, last + 1, dtype=np.float64)[:, None]
        table = np.broadcast_to(kernel(counts, math.inf, *columns), counts.shape)[:, 0]
        place = np.clip(modes[:, None] + (steps - first), 0, last - first)
        weights *= table[place]
        return np.asarray(sums(weights, windows, down) / total)
    shared = _tables(windows, settings, kernel, weights.size) if costly and not sees_rest else None
    if shared is not None:
        table, begins, firsts, lasts = shared
        place = np.clip(modes[:, None] + steps, firsts[:, None], lasts[:, None])
        place += (begins - firsts)[:, None]
        weights *= table[place]
        return np.asarray(sums(weights, windows, down) / total)
    if costly:
        every = _every(windows, probability, rates)
        if (every > 1).any():
            found = _sparse(
                weights, windows, down, every, settings, kernel, shortcuts, sees_rest=sees_rest
            )
            left = np.flatnonzero(np.isnan(found))
            if left.size:
                found[left] = _block_of_pairs(
                    *_picked(left, windows, probability, [*settings, rates]), kernel, shortcuts,
                    sees_rest=sees_rest, costly=False,
                )  # fmt: skip
            return found
    count = (modes[:, None] + steps).astype(np.float64)
    # Beyond the ends a weight is 0, and the kernel must not see a count that cannot be.
    np.maximum(count, 0.0, out=count)
    np.minimum(count, sizes[:, None], out=count)
    rest = (sizes[:, None] - count).T if sees_rest else math.inf
    weights *= kernel(count.T, rest, *columns).T
    return np.asarray(sums(weights, windows, down) / total)


def _every(
    windows: Windows, probability: float | NDArray[np.float64], rates: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return the step k of each cell at which every k-th count is enough."""
    deviation = np.sqrt(windows.sizes * (probability * (1.0 - probability)))
    least = np.minimum(_PER_DEVIATION * deviation, _PER_RATE / rates)
    return np.asarray(np.maximum(least, 1.0).astype(np.int64))


def _sparse(
    weights: NDArray[np.float64],
    windows: Windows,
    down: int,
    every: NDArray[np.int64],
    settings: list[NDArray[np.float64]],
    kernel: Kernel,
    shortcuts: Shortcuts,
    *,
    sees_rest: bool,
) -> NDArray[np.float64]:
    """Return expectations by every k-th count, NaN where that is 1 or not enough."""
    rows = np.flatnonzero(every > 1)
    step, modes, sizes = every[rows, None], windows.modes[rows, None], windows.sizes[rows, None]
    reach = max(down, weights.shape[1] - 1 - down) // int(step.min())
    steps = step * np.arange(-reach - reach % 2, reach + reach % 2 + 1)
    place = steps + down
    inside = (place >= 0) & (place < weights.shape[1])
    few = weights[rows[:, None], np.where(inside, place, 0)] * inside
    count = np.clip(modes + steps, 0, sizes).astype(np.float64)
    columns = [(one if one.size == 1 else one[rows])[None, :] for one in settings]
    values = few * kernel(count.T, (sizes - count).T if sees_rest else math.inf, *columns).T
    fine, coarse = (values[:, ::n].sum(axis=1) / few[:, ::n].sum(axis=1) for n in (1, 2))
    near = np.abs(fine - coarse) <= _NEAR * np.where(shortcuts.relative, np.abs(fine), 1.0)
    found = np.full(every.size, np.nan)
    found[rows] = np.where(near, fine, np.nan)
    return found


def _tables(
    windows: Windows, settings: list[NDArray[np.float64]], kernel: Kernel, most: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]] | None:
    """Return a table of the kernel for each setting that cells have, one after the other.

    And of every cell where its table begins, and the first and the last count there. None where
    the tables are not much smaller than what they would spare.
    """
    cells = windows.sizes.size
    given = np.array([np.broadcast_to(column, cells) for column in settings])
    order = np.lexsort(given)
    sorted_ = given[:, order]
    fresh = np.ones(cells, dtype=np.bool_)
    fresh[1:] = (sorted_[:, 1:] != sorted_[:, :-1]).any(axis=0)
    starts = np.flatnonzero(fresh)
    if _SPARED * starts.size > cells:
        return None
    first = np.minimum.reduceat(windows.lowest[order], starts)
    last = np.maximum.reduceat(windows.highest[order], starts)
    rooms = last - first + 1
    if _SPARED * rooms.sum() > most:
        return None
    begins = np.cumsum(rooms) - rooms
    counts = np.arange(rooms.sum()) + np.repeat(first - begins, rooms)
    columns = np.repeat(sorted_[:, starts], rooms, axis=1)[:, None, :]
    table = kernel(counts.astype(np.float64)[None, :], math.inf, *columns)
    group = np.empty(cells, dtype=np.intp)
    group[order] = np.cumsum(fresh) - 1
    return np.broadcast_to(table, (1, counts.size))[0], begins[group], first[group], last[group]


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
        Whether a value of the kernel costs so much that every k-th count is looked at already
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
        many = max([c.size for c in settings])
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
    if counts.size <= WIDE:
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
    """Return which columns are constant between two counts, the rows of `ends`, and their values.

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
    if last - first < WIDE or near((sizes - highest).min(), rates, shortcuts).any():
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


# -------------------------------------------------------------------------------------------------
# Expectations of smooth functions of a binomial count, from every k-th count where that will
# do.


def smooth_expectation(
    size: NDArray[np.int64],
    probability: float,
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    *,
    log_tail: float = LOG_TAIL,
) -> NDArray[np.float64]:
    """Return E[function(K)] for K ~ Bin(size, probability), as `binomial_expectation` does.

    Parameters
    ----------
    size : ndarray of int64, shape (sizes,)
        Numbers of draws.
    probability : float
        In (0, 1].
    function : callable
        Counts -> values of their shape, monotone in the count.
    log_tail : float
        As for `binomial_expectation`.
    """
    found = strided_expectation(size, probability, lambda k, _: function(k), log_tail=log_tail)
    rest = np.flatnonzero(np.isnan(found))
    if rest.size:
        found[rest] = binomial_expectation(
            size[rest], probability, (), of_count(function), rate=math.inf, log_tail=log_tail
        )
    return found
