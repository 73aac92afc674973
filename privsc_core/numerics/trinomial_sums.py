"""Sums over the windows of two rare events, of many settings at a time.

What is summed, and how the sums come apart, `trinomial` says. On a window of a hundred counts NumPy's
overhead costs more than the arithmetic: lattices that are about as long are made together, and all
that is done to their rows. The value of a setting does not depend on the others: each of its sums has
the same terms, in the same order, as it has alone.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from privsc_core.numerics.binomial import LOG_TAIL, binomial_ends
from privsc_core.numerics.tails import log_poisson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray


# --- The windows of the counts of two rare events among n draws, thinned -------------------------
#
# Why a lattice may be thinned `trinomial` says.


# e^{-36} is 2e-16: what thinning the lattice may cost, and a factor of 10 to spare.
TRAPEZOID = 36.0
# A variance below which weights are too ragged to be thinned.
_RAGGED = 64.0
# Of a window that is wider, and thinned as much at least, what remains is computed by itself.
_WIDE, _APART = 1 << 12, 4

STEP = 34.5
"""e^{-34.5} is 1e-15: beyond this log-ratio a share is 0 or 1, and so is a value."""

LARGEST = 700.0
"""e^{700} is still a float."""

HUGE = 1e8
"""Windows of rarer events than this many are small enough to be remembered."""


def thinning(variance: float, rate: float, cost: float = TRAPEZOID) -> int:
    """Return the step h of the lattice that `trinomial` allows, at e^{-cost}.

    The least of pi (2 pi / h - s) / r + v s^2 / 2 over s in [0, 2 pi / h] is the cost: at s = pi / (rv)
    where that is inside, else at the end s = 2 pi / h, where the share is as good as constant.
    """
    if variance < _RAGGED:
        return 1
    spread = math.sqrt(variance)
    turn = math.pi / (rate * spread)
    if turn * turn < 2.0 * cost:
        return max(1, int(spread * 2.0 * math.pi * turn / (cost + 0.5 * turn * turn)))
    return int(spread * math.pi * math.sqrt(2.0 / cost))


class Factors(NamedTuple):
    """u(K) and v(K+L) over the window of one (size, probability), each 1 near its mode."""

    first: int
    one: NDArray[np.float64]
    both: NDArray[np.float64]


@lru_cache(maxsize=8)
def factors(size: int, probability: float, log_tail: float = LOG_TAIL) -> Factors:
    """Return p^k / k! and (1-2p)^{n-s} / (n-s)!, tilted so that the modes are in the middle."""
    first, last = binomial_ends(size, probability, log_tail)
    middle = int(size * probability)
    one, both = _products(np.array([size]), probability, 1, middle - first, last - middle)
    return Factors(first, one[0], both[0])


def thinned(size: int, probability: float, thin: int) -> Factors:
    """Return every k-th of the factors, up to a constant each; `both` as long as its sums are."""
    first, last = binomial_ends(size, probability)
    points = (last - first) // thin + 1
    if thin >= _APART and last - first >= _WIDE:
        return Factors(first, *_poisson(size, probability, first, thin, points))
    remembered = size * probability < HUGE
    first, one, both = (factors if remembered else factors.__wrapped__)(size, probability)
    return Factors(first, one[::thin].copy(), both[: 2 * thin * (points - 1) + 1 : thin].copy())


def thinned_rows(
    size: NDArray[np.int64], probability: float, thin: list[int], down: list[int], up: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return every k-th of the factors of many sizes, with the whole of np in one column.

    Those of a size do not depend on what it is together with. There are so many on either side of the
    column, and beyond them such as do not matter.

    Returns
    -------
    one : ndarray, shape (sizes, down + 1 + up)
        u, up to a constant, where `down` and `up` are the largest; 0 where there is no such count.
    both : ndarray, shape (sizes, 2 (down + up) + 1)
        v likewise.
    """
    below, above = max(down), max(up)
    one = np.zeros((size.size, below + 1 + above))
    both = np.zeros((size.size, 2 * (below + above) + 1))
    alike: dict[int, list[int]] = {}
    for row, step in enumerate(thin):
        points = down[row] + 1 + up[row]
        if step >= _APART and step * points >= _WIDE:
            n, at = size.item(row), below - down[row]
            first = int(n * probability) - step * down[row]
            one[row, at : at + points], both[row, 2 * at : 2 * (at + points) - 1] = _poisson(
                n, probability, first, step, points
            )
        else:
            alike.setdefault(step, []).append(row)
    for step, rows in alike.items():
        if len(rows) == len(thin):
            return _products(size, probability, step, below, above)
        one[rows], both[rows] = _products(size[rows], probability, step, below, above)
    return one, both


def _poisson(
    size: int, probability: float, first: int, thin: int, points: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return every k-th as a Poisson weight, for less than a product over all between them."""
    middle = size * probability
    count = first + thin * np.arange(points, dtype=np.float64)
    rest = size - (2.0 * first + thin * np.arange(2 * points - 1, dtype=np.float64))
    one = np.exp(log_poisson(np.maximum(count, 0.0), middle))
    one[count < 0.0] = 0.0
    both = np.exp(
        log_poisson(np.maximum(rest, 0.0), (1.0 - 2.0 * probability) / probability * middle)
    )
    both[rest < 0.0] = 0.0
    return one, both


def _products(
    size: NDArray[np.int64], probability: float, thin: int, down: int, up: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the probabilities as products of ratios from the mode outwards, or from next to it.

    There is no cancellation between huge factorials.
    """
    middle = (size * probability)[:, None, None]
    mode = np.floor(middle)
    left = size[:, None, None] - 2.0 * mode
    middle = np.maximum(middle, 1.0)
    rest = (1.0 - 2.0 * probability) / probability * middle
    # Those between one of them and the next stand above each other.
    steps = np.arange(thin)[:, None] + thin * np.arange(2.0 * max(down, up))
    # A count of 0 is followed by none, and so is n, of which nothing is left: weight 0.
    one = _outwards((mode - steps[:, :down]) / middle, middle / (mode + 1.0 + steps[:, :up]))
    both = _outwards(rest / (left + 1.0 + steps[:, : 2 * down]), (left - steps[:, : 2 * up]) / rest)
    return one, both


def _outwards(down: NDArray[np.float64], up: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows of products of ratios, from a 1 between both kinds."""
    if down.shape[1] > 1:
        down, up = down.prod(axis=1, keepdims=True), up.prod(axis=1, keepdims=True)
    middle = down.shape[2]
    block = np.empty((len(down), middle + 1 + up.shape[2]))
    block[:, middle] = 1.0
    np.multiply.accumulate(up[:, 0], axis=1, out=block[:, middle + 1 :])
    np.multiply.accumulate(down[:, 0], axis=1, out=block[:, :middle][:, ::-1])
    return block


def fast_length(least: int) -> int:
    """Return a length of at least so many, for which Fourier transforms are fast."""
    power = 1 << (least - 1).bit_length()
    return next(n for n in (5 * power // 8, 3 * power // 4, power) if n >= least)


# Lattices of up to so many points are summed as they are, filled up to multiples on each side.
_SMALL, _FILL = 200, 8
# Elements of a temporary with a row for each setting, and of one with a table for each.
_ROWS, _CELLS = 1 << 15, 1 << 15
# Elements of a block; products above 9216 wake the BLAS threads, which costs milliseconds.
_BLOCK = 1 << 13


class Shape(NamedTuple):
    """Points on either side of the mode, and the length of their transform.

    The length is 0 where points are few, and summed as they are.
    """

    down: int
    up: int
    length: int


Key: TypeAlias = "tuple[Shape, int, int]"
"""Of a lattice: its shape, n, and every which K and L belongs to it."""


class Run(NamedTuple):
    """Rows of the same shape, which columns are theirs, and which those of sums."""

    rows: slice
    columns: slice
    sums: slice
    length: int


def shares(
    size: NDArray[np.int64],
    probability: float,
    ends: NDArray[np.float64],
    rate: NDArray[np.float64],
    thin: Sequence[int],
) -> NDArray[np.float64]:
    """Return E[1 / (1 + A e^{-rK} + B e^{-rL} + e^{-r(n-L)})] of many settings, by sums over lattices.

    Parameters
    ----------
    size, rate : ndarray, shape (settings,)
        n, and r.
    probability : float
        Of each of the two events, in (0, 1/2).
    ends : ndarray, shape (2, settings)
        log A and log B.
    thin : sequence of int
        Every which K and L is summed, as `thinning` allows.
    """
    keys = [
        (_shape(n, probability, step), n, step) for n, step in zip(size.tolist(), thin, strict=True)
    ]
    if len(keys) == 1:
        return lattices(tuple(keys), probability).shares(ends, rate, [0])
    alike: dict[tuple[bool, int], list[int]] = {}
    for k in sorted(range(len(keys)), key=keys.__getitem__):
        down, up, length = keys[k][0]
        # About as long: within an octave.
        alike.setdefault((length > 0, (down + up).bit_length()), []).append(k)
    found = np.empty(len(keys))
    for (_, bits), members in alike.items():
        step = max(1, _ROWS >> bits)
        for start in range(0, len(members), step):
            which = members[start : start + step]
            rows: dict[Key, int] = {}
            row = [rows.setdefault(keys[k], len(rows)) for k in which]
            some = lattices(tuple(rows), probability)
            found[which] = some.shares(ends[:, which], rate[which], row)
    return found


@lru_cache(maxsize=1024)
def _shape(size: int, probability: float, thin: int) -> Shape:
    """Return the one in which there is place for the window: a few for all sizes."""
    first, last = binomial_ends(size, probability)
    mode = int(size * probability)
    down, up = (mode - first) // thin, (last - mode) // thin
    if down + 1 + up <= _SMALL:
        return Shape(-(-down // _FILL) * _FILL, -(-up // _FILL) * _FILL, 0)
    length = fast_length(4 * max(down, up) + 1)
    return Shape((length - 1) // 4, (length - 1) // 4, length)


class Lattices:
    """The windows of some sizes at one probability, thinned, with all that settings share.

    Attributes
    ----------
    shapes : list of Shape
        Of the rows, equal ones in a run. What is beyond a row's own shape does not count.
    middle : int
        The column of the mode.
    size, least : ndarray, shape (lattices,)
        n, and what is left of it by the last count.
    count : ndarray, shape (lattices, columns)
        K, and likewise L.
    one : ndarray, shape (lattices, columns)
        u at `count`.
    both : ndarray, shape (lattices, 2 columns - 1)
        v of their sums.
    total : ndarray, shape (lattices,)
        The sum over u, u and v.
    waves : ndarray, shape (lattices, 2 frequencies)
        v as a sum of waves, both halves of the spectrum in one, real and imaginary parts in turn.
    spans : list of Span
        Where there are waves.
    """

    def __init__(self, keys: tuple[Key, ...], probability: float) -> None:
        self.shapes = [shape for shape, *_ in keys]
        size, thin = np.array([key[1:] for key in keys], dtype=np.int64).T
        down, up, lengths = (list(column) for column in zip(*self.shapes, strict=True))
        self.size, self.middle = size, max(down)
        self.count = thin[:, None] * np.arange(-float(self.middle), max(up) + 1.0)
        self.count += np.floor(size * probability)[:, None]
        self.one, self.both = thinned_rows(size, probability, thin.tolist(), down, up)
        self.least = size - self.count[:, self.middle] - thin * up
        self.total = np.empty(size.size)
        self.waves = np.empty((size.size, max(lengths) + 2))
        for rows, columns, sums, length in _runs(self.shapes, self.middle):
            one = self.one[rows, columns]
            if not length:
                tables = _tables(self.both)[rows, columns, columns]
                self.total[rows] = np.vecdot(np.vecdot(tables, one[:, None, :]), one)
                continue
            spectrum = np.fft.rfft(self.both[rows, sums], length)
            spectrum[:, 1 : (length + 1) // 2] *= 2.0
            waves = spectrum.view(np.float64)
            np.divide(waves, length, out=self.waves[rows, : waves.shape[1]])
            alone = np.fft.rfft(one, length)
            alone *= alone
            self.total[rows] = _row_sums(alone, self.waves[rows, : waves.shape[1]])
        self.spans = [Span.of(*key, probability) for key in keys] if max(lengths) else []

    def shares(
        self, ends: NDArray[np.float64], rate: NDArray[np.float64], row: list[int]
    ) -> NDArray[np.float64]:
        """Return the expectations at (log A, log B) and r, one row each.

        Those of a shape stand together.
        """
        columns: tuple[NDArray[Any], ...] = (
            self.size, self.least, self.total, self.count, self.one, self.both, self.waves
        )  # fmt: skip
        if len(row) > self.size.size:
            columns = tuple(column[row] for column in columns)
        size, least, total, count, one, both, waves = columns
        terms = np.exp(np.minimum(ends[:, :, None] - rate[:, None] * count, LARGEST))
        mixed = np.flatnonzero(rate * least < STEP)
        if mixed.size:
            rest = rate[mixed, None] * (count[mixed] - size[mixed, None])
            terms[1, mixed] += np.exp(np.minimum(rest, LARGEST))
        above, tables = 1.0 + terms, _tables(both)
        runs = list(_runs([self.shapes[k] for k in row], self.middle))
        found = np.empty(rate.size)
        if not self.shapes[0].length:
            for rows, at, *_ in runs:
                found[rows] = _as_they_are(
                    one[rows, at], above[0, rows, at], terms[1, rows, at], tables[rows, at, at]
                )
            return np.asarray(found / total)
        parts = one / above
        for rows, at, _, length in runs:
            spectrum, other = np.fft.rfft(parts[:, rows, at], length)
            spectrum *= other
            found[rows] = _row_sums(spectrum, waves[rows, : 2 * spectrum.shape[1]])
        # What remains.
        parts *= terms
        settings = list(zip(row, *ends.tolist(), rate.tolist(), strict=True))
        last = set(mixed.tolist())
        for rows, at, *_ in runs:
            for k in range(rows.start, rows.stop):
                place, *setting = settings[k]
                blocks = self.spans[place].blocks(*setting, mixed=k in last)
                found[k] += _in_blocks(
                    blocks, parts[:, k, at], above[0, k, at], terms[1, k, at], tables[k, at, at]
                )
        return np.asarray(found / total)


class Span(NamedTuple):
    """The first K of a lattice, the step, how many there are, and sums between which v matters."""

    first: int
    thin: int
    points: int
    low: int
    high: int

    @classmethod
    def of(cls, shape: Shape, size: int, thin: int, probability: float) -> Span:
        """Return that of a lattice."""
        first = int(size * probability) - thin * shape.down
        low, high = binomial_ends(size, 2.0 * probability)
        points = shape.down + 1 + shape.up
        # Of places of a row and a column.
        return cls(first, thin, points, (low - 2 * first) // thin, -((2 * first - high) // thin))

    def blocks(
        self, log_left: float, log_right: float, rate: float, *, mixed: bool
    ) -> Iterator[tuple[slice, slice]]:
        """Yield rows and columns where both steps are near.

        Where a term is e^x, what remains is at most e^{-|x|}, but e^{-max} where both are large.
        """
        speed = rate * self.thin
        # At the first point.
        log_left, log_right = log_left - rate * self.first, log_right - rate * self.first

        def index(log_ratio: float) -> int:
            """Return the first place where a log is down by so much."""
            return math.ceil(min(max(log_ratio / speed, 0.0), float(self.points)))

        first, last = index(log_left - STEP), index(log_left + STEP)
        if first == last:
            return
        width = min(2.0 * STEP / speed, self.high - self.low + 32, self.points)
        number = math.ceil((last - first) / max(1, int(_BLOCK / width)))
        step = math.ceil((last - first) / number)
        for start in range(first, last, step):
            stop = min(start + step, last)
            top, bottom = log_left - speed * start, log_left - speed * (stop - 1)
            # How large the other term's |log| may be, above 0 and below.
            above = below = STEP + top
            if top >= 0.0:
                above, below = STEP, STEP - max(bottom, 0.0)
            low = max(index(log_right - above), self.low - stop + 1)
            high = min(self.points if mixed else index(log_right + below), self.high - start + 1)
            if low < high:
                yield slice(start, stop), slice(low, high)


def _runs(shapes: Sequence[Shape], middle: int) -> Iterator[Run]:
    """Yield runs of equal shapes around a column in the middle."""
    start = 0
    for (down, up, length), same in groupby(shapes):
        stop = start + len(list(same))
        low, high = middle - down, middle + up
        yield Run(slice(start, stop), slice(low, high + 1), slice(2 * low, 2 * high + 1), length)
        start = stop


def _as_they_are(
    one: NDArray[np.float64],
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    tables: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the sums over all cells of some settings."""
    found = np.empty(len(one))
    step = max(1, _CELLS // one.shape[1] ** 2)
    for start in range(0, len(one), step):
        some = slice(start, start + step)
        table = left[some, :, None] + right[some, None, :]
        np.divide(tables[some], table, out=table)
        found[some] = np.vecdot(np.vecdot(table, one[some, None, :]), one[some])
    return found


def _in_blocks(
    blocks: Iterable[tuple[slice, slice]],
    parts: NDArray[np.float64],
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    table: NDArray[np.float64],
) -> float:
    """Return the sum over the cells of blocks of one setting."""
    total = 0.0
    f, g = parts
    for rows, columns in blocks:
        block = left[rows, None] + right[columns]
        np.divide(table[rows, columns], block, out=block)
        total += float(f[rows] @ (block @ g[columns]))
    return total


def _tables(both: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return views in which row k are the sums from k on."""
    points = (both.shape[1] + 1) // 2
    return np.ndarray(
        (len(both), points, points), np.float64, both, strides=(*both.strides, both.strides[1])
    )


def _row_sums(spectrum: NDArray[np.complex128], waves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return real parts of sums of products, one of them conjugate, without the first.

    Unlike an einsum it cuts no row at the end of a buffer, and wakes no BLAS threads.
    """
    parts = spectrum.view(np.float64)
    parts *= waves
    return np.asarray(parts.sum(axis=1))


@lru_cache(maxsize=16)
def lattices(keys: tuple[Key, ...], probability: float) -> Lattices:
    """Return lattices, of those that were asked for last the same ones."""
    return Lattices(keys, probability)
