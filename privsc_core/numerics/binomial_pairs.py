"""Expectations over binomial counts of cells that have a size of their own each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.numerics import binomial_windows
from privsc_core.numerics.binomial_windows import (
    FLAT,
    Shortcuts,
    Windows,
    near,
    sums,
    terms,
    windows_of,
)
from privsc_core.numerics.strides import strided_expectation

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Kernel", "paired"]

# Elements per block: calls cost more here than where columns share their sizes.
_PAIRS = 1 << 15
# Of so few cells mostly none is spared, see `_uneven`: they are part of a search, not of a curve.
_FEW = 40
# Of windows wider than this every so-manieth count is looked at, where that will do.
_WIDEST, _WIDEST_COSTLY = 1 << 15, 1 << 10
# Else a costly kernel is looked at every so-manieth count, in deviations of the count and in units of
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
    wide = (width > min(widest, binomial_windows.WIDE)) & ~own
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
        Windows(*(column[cells] for column in windows)),
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
    """Fill in cells by every so-manieth count, NaN where all are to be looked at."""
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
    relative = shortcuts.relative | (ends[1] - ends[0] <= binomial_windows.WIDE)
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
    """Return which so-manieth counts of each cell will do."""
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
    """Return expectations by every so-manieth count, NaN where that is 1 or not enough."""
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
