"""The nearest correlation matrix: positive semidefinite, with ones on the diagonal.

The dual has one variable an entry of the diagonal and a gradient that is semismooth, so that
Newton's method needs a handful of decompositions (Qi and Sun, SIAM J. Matrix Anal. Appl. 2006).
Many matrices go together: small ones cost more in the calls than in the arithmetic.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


# The diagonal is within this of ones, in norm over sqrt(D) and the largest entry of the matrix, before
# it is scaled to them.
_CLOSE = 1e-11
_STEPS_MOST = 100
_HALVINGS_MOST = 30
_ENOUGH_DESCENT = 1e-4
# Added to the Hessian, which may be singular where many eigenvalues are cut off.
_RIDGE = 1e-12
# Entries from which on the end is approached by smaller matrices, each so many times as large.
_LARGE, _CLIMB = 100.0, 10.0
# So many ends of a line lead to the next one, beside the last, and those within such a factor of it.
_LEADING, _NEAR = 2, 5.0
# Larger entries are scaled down to this: only the direction of the matrix is left to tell.
_FARTHEST = 1e6


def nearest_correlation(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlation matrix that is nearest in the Frobenius norm.

    It minimises |(Y + diag(x))_+|^2 / 2 - sum(x) over x, where ()_+ cuts off negative eigenvalues.

    Parameters
    ----------
    matrix : ndarray, shape (D, D) or (matrices, D, D)
        Y, finite and symmetric; or many of them.

    Returns
    -------
    ndarray, of the same shape
        Symmetric, with a diagonal of exactly 1 and eigenvalues of at least 0, up to rounding.

    Raises
    ------
    ArithmeticError
        When the method does not get close to it: not seen so far.
    """
    many = matrix.reshape(-1, *matrix.shape[-2:])
    lines = np.arange(len(many))
    return Elliptope(len(many))(many, lines, np.zeros(len(many))).reshape(matrix.shape)


class Elliptope:
    """The correlation matrices, as a set to go to the nearest point of, from points of several lines.

    Each point begins where the last ends of its line lead: for matrices that differ little that saves
    more than half of the decompositions.

    Parameters
    ----------
    lines : int
        How many.
    """

    def __init__(self, lines: int) -> None:
        self._ends: list[list[tuple[float, NDArray[np.float64]]]] = [[] for _ in range(lines)]

    def __call__(
        self,
        matrices: NDArray[np.float64],
        lines: NDArray[np.intp],
        at: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return what `nearest_correlation` does, up to rounding, for matrices on some of the lines.

        `at` says where: how far from a point of the line, in any unit.
        """
        tops = np.abs(matrices).max(axis=(1, 2))
        matrices = matrices * np.minimum(1.0, _FARTHEST / np.maximum(tops, 1.0))[:, None, None]
        tops = np.minimum(tops, _FARTHEST)
        starts = _cold(matrices)
        known = [self._ends[line] for line in lines.tolist()]
        for row, (ends, place) in enumerate(zip(known, at.tolist(), strict=True)):
            if ends:
                starts[row] = _led(ends, place)
        new = np.flatnonzero((tops > _LARGE) & np.array([not ends for ends in known]))
        if new.size:
            starts[new] = _climbed(matrices[new], tops[new])
        found = _solved(matrices, starts, tops)
        for row, (ends, place) in enumerate(zip(known, at.tolist(), strict=True)):
            others = [end for end in ends if end[0] != place]
            ends[:] = [*others[-_LEADING:], (place, found.shifts[row])]
        return _scaled(found)


def _led(ends: list[tuple[float, NDArray[np.float64]]], place: float) -> NDArray[np.float64]:
    """Return where ends of a line lead, by the polynomial through those that are not far."""
    near = [end for end in ends if place / _NEAR <= end[0] <= place * _NEAR] or ends[-1:]
    found = np.zeros_like(near[0][1])
    for at, shifts in near:
        share = math.prod((place - other) / (at - other) for other, _ in near if other != at)
        found += share * shifts
    return found


class _At(NamedTuple):
    """Where the dual is: the shifts, eigenvalues and vectors there, its values and gradients."""

    shifts: NDArray[np.float64]
    values: NDArray[np.float64]
    vectors: NDArray[np.float64]
    heights: NDArray[np.float64]
    slopes: NDArray[np.float64]

    def rows(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> _At:
        return _At(*(part[which] for part in self))

    def put(self, which: NDArray[np.intp], other: _At) -> None:
        for part, new in zip(self, other, strict=True):
            part[which] = new


def _cold(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shifts that make the diagonals ones."""
    return 1.0 - np.diagonal(matrices, axis1=1, axis2=2)


def _climbed(matrices: NDArray[np.float64], tops: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where to begin for large matrices: at the ends for smaller ones on the way to them.

    There the dual is nearly flat in most directions, and from afar steps lead astray.
    """
    scales = np.full(len(tops), _LARGE)
    shifts = _cold(matrices * (scales / tops)[:, None, None])
    while (low := np.flatnonzero(scales < tops)).size:
        smaller = matrices[low] * (scales[low] / tops[low])[:, None, None]
        shifts[low] = _solved(smaller, shifts[low], scales[low]).shifts * _CLIMB
        scales[low] *= _CLIMB
    return np.asarray(shifts * (tops / scales)[:, None])


def _solved(
    matrices: NDArray[np.float64], shifts: NDArray[np.float64], tops: NDArray[np.float64]
) -> _At:
    """Return the ends of the duals, from these shifts on."""
    close = _CLOSE * math.sqrt(matrices.shape[1]) * np.maximum(1.0, tops)
    at = _begun(matrices, shifts)
    for _ in range(_STEPS_MOST):
        norms = np.sqrt((at.slopes**2).sum(axis=1))
        left = np.flatnonzero(norms > close)
        if not left.size:
            return at
        at.put(left, _stepped(matrices[left], at.rows(left), norms[left]))
    raise ArithmeticError(f"no correlation matrix was near enough after {_STEPS_MOST} steps")


def _begun(matrices: NDArray[np.float64], shifts: NDArray[np.float64]) -> _At:
    """Return where the duals are at shifts, or at others where no way leads on from these."""
    at = _dual(matrices, shifts)
    flat = np.flatnonzero(at.values[:, -1] <= 0.0)
    if flat.size:
        at.put(flat, _dual(matrices[flat], _cold(matrices[flat])))
    return at


def _stepped(matrices: NDArray[np.float64], at: _At, norms: NDArray[np.float64]) -> _At:
    """Return where a step of Newton's method ends, shortened until it descends."""
    close = np.minimum(0.1, norms) * norms
    steps = Derivative(at.values, at.vectors).solve(-at.slopes, close)
    descents = _ENOUGH_DESCENT * (at.slopes * steps).sum(axis=1)
    found = _dual(matrices, at.shifts + steps)
    length = 1.0
    for _ in range(_HALVINGS_MOST):
        # Close to the end the value no longer tells, for rounding: then the gradient does.
        higher = found.heights > at.heights + length * descents
        steeper = np.sqrt((found.slopes**2).sum(axis=1)) > norms / 2
        long = np.flatnonzero(higher & steeper)
        if not long.size:
            break
        length /= 2
        found.put(long, _dual(matrices[long], at.shifts[long] + length * steps[long]))
    return found


def _dual(matrices: NDArray[np.float64], shifts: NDArray[np.float64]) -> _At:
    """Return where the duals are at shifts."""
    moved = matrices.copy()
    diagonal = np.arange(matrices.shape[1])
    moved[:, diagonal, diagonal] += shifts
    values, vectors = np.linalg.eigh(moved)
    kept = np.maximum(values, 0.0)
    heights = (kept * kept).sum(axis=1) / 2 - shifts.sum(axis=1)
    slopes = (vectors**2 @ kept[:, :, None])[:, :, 0] - 1.0
    return _At(shifts.copy(), values, vectors, heights, slopes)


def _scaled(at: _At) -> NDArray[np.float64]:
    """Return the parts above 0, their diagonals scaled to ones."""
    roots = at.vectors * np.sqrt(np.maximum(at.values, 0.0))[:, None, :]
    roots /= np.sqrt((roots**2).sum(axis=2, keepdims=True))
    found = roots @ roots.transpose(0, 2, 1)
    diagonal = np.arange(found.shape[1])
    found[:, diagonal, diagonal] = 1.0
    return np.asarray((found + found.transpose(0, 2, 1)) / 2)


class Derivative:
    """The generalised derivative of cutting off what is below 0, at matrices of these eigenvalues.

    In a direction E it is P (W * (P^T E P)) P^T: W is 1 for two eigenvalues above 0, w / (w - v) for
    w above and v not, and 0 for two others. Along diagonals it is the Hessian of the dual.

    Parameters
    ----------
    values, vectors : ndarray
        As from `eigh`, of shapes (matrices, D) and (matrices, D, D).
    """

    def __init__(self, values: NDArray[np.float64], vectors: NDArray[np.float64]) -> None:
        # Only rows of eigenvalues above 0 matter: as many as any of the matrices has, they come last.
        most = max(int((values > 0.0).sum(axis=1).max()), 1)
        high, low = values[:, -most:, None], values[:, None, :]
        up = high > 0.0
        mixed = up & (low <= 0.0)
        # Twice the mixed part, and the part above, as one product.
        self.weights = np.where(
            mixed, 2.0 * high / np.where(mixed, high - low, 1.0), up & (low > 0.0)
        )
        self.vectors, self.above = vectors, vectors[:, :, -most:]
        self._turned = self.above.transpose(0, 2, 1).copy()
        self._own = ((self.above**2 @ self.weights) * vectors**2).sum(axis=2) + _RIDGE

    def along(self, way: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rows of P^T E P that matter, for symmetric directions E."""
        return np.asarray(self._turned @ way @ self.vectors)

    def rows(
        self,
        values: NDArray[np.float64],
        shifts: NDArray[np.float64],
        others: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return these rows for matrices with such eigenvalues, less diagonals and less what has other rows."""
        found = -others - (self._turned * shifts[:, None, :]) @ self.vectors
        most, size = found.shape[1:]
        found[:, np.arange(most), np.arange(size - most, size)] += values[:, -most:]
        return found

    def on_diagonal(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the diagonal of P^T E P, 0 where its rows do not matter."""
        most, size = rows.shape[1:]
        found = np.zeros((len(rows), size))
        found[:, -most:] = rows[:, np.arange(most), np.arange(size - most, size)]
        return found

    def diagonals(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the diagonals of the derivatives along such directions."""
        return np.asarray(((self.above @ (self.weights * rows)) * self.vectors).sum(axis=2))

    def product(
        self, rows: NDArray[np.float64], others: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the scalar products of derivatives along some directions with others."""
        return np.asarray((self.weights * rows * others).sum(axis=(1, 2)))

    def solve(self, right: NDArray[np.float64], close: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return h with |H h - right| <= close, for the Hessians H."""

        def times(h: NDArray[np.float64]) -> NDArray[np.float64]:
            return self.diagonals(self._turned @ (h[:, :, None] * self.vectors)) + _RIDGE * h

        return _conjugate_gradients(times, right, self._own, close)


def _conjugate_gradients(
    times: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    right: NDArray[np.float64],
    diagonals: NDArray[np.float64],
    close: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return solutions up to `close`, preconditioned by the diagonals; finished ones wait."""
    found, left = np.zeros_like(right), right.copy()
    ready = left / diagonals
    way, old = ready.copy(), (left * ready).sum(axis=1)
    for _ in range(2 * right.shape[1]):
        image = times(way)
        pace = (old / np.maximum((way * image).sum(axis=1), 1e-300))[:, None]
        going = (np.sqrt((left**2).sum(axis=1)) > close)[:, None]
        found = np.where(going, found + pace * way, found)
        left = np.where(going, left - pace * image, left)
        if (np.sqrt((left**2).sum(axis=1)) <= close).all():
            break
        ready = left / diagonals
        new = (left * ready).sum(axis=1)
        way = np.where(going, ready + (new / np.maximum(old, 1e-300))[:, None] * way, way)
        old = new
    return found


# --- How far along a line its nearest correlation matrix is at a given distance of a point -------
#
# On the line center + s W the projection P(s) is given by shifts x of the diagonal, see `elliptope`.
# Both are found at once: Newton's method for diag(P) = 1 and |P - center| = distance, in x and log s,
# instead of a projection for each s that is tried. All derivatives are semismooth, those of the
# distance by one more direction, for the derivative of a projection is self-adjoint. Far from diag(P) = 1
# a step goes to the projection alone, for the same s, and is shortened until the dual descends.


_LINE_STEPS_MOST = 60
_LINE_NEAR = 0.3  # while a diagonal is further than this from ones, the size stays as it is
_LEAST, _SHARE = 1e-9, 0.03  # of a right side that a solution may leave
_LEAP = 0.7  # the log of a size changes by so much at most
_NONE = 1e-6  # of the distance that is looked for, a smaller one counts as this
# The last step, from within these, ends far closer: in the log of a size, and in the diagonal.
_LINE_CLOSE, _LINE_ON = 3e-3, 3e-2


def where_distant(
    center: NDArray[np.float64],
    directions: NDArray[np.float64],
    distance: float,
    most: float,
    size: float | NDArray[np.float64],
    shifts: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sizes s at which the projections of center + s W are so far from the center.

    Parameters
    ----------
    center : ndarray, shape (D, D)
        A correlation matrix.
    directions : ndarray, shape (lines, D, D)
        W: symmetric, 0 on the diagonal.
    distance : float
        Root mean square of the entries off the diagonal.
    most : float
        No larger size is looked for.
    size : float or ndarray, shape (lines,)
        About where to look.
    shifts : ndarray, shape (D,) or (lines, D)
        About the shifts of the projections there.

    Returns
    -------
    sizes : ndarray, shape (lines,)
        To about 1e-4 of themselves; infinite where they are larger than `most`, NaN where the method did not
        settle.
    shifts : ndarray, shape (lines, D)
        Of the projections there.
    """
    found = np.full(len(directions), math.nan)
    # No projection is further than what is projected.
    entries = center.size - len(center)
    least = distance / np.sqrt((directions**2).sum(axis=(1, 2)) / entries)
    sizes = np.clip(np.full(len(directions), size), least, most)
    going = np.arange(len(directions))
    at = _begun(
        center + sizes[:, None, None] * directions,
        np.broadcast_to(shifts, (len(found), len(center))),
    )
    for _ in range(_LINE_STEPS_MOST):
        if not going.size:
            break
        norms = np.sqrt((at.slopes[going] ** 2).sum(axis=1))
        off = norms / math.sqrt(len(center))
        near = off <= _LINE_NEAR
        if (far := going[~near]).size:
            matrices = center + sizes[far, None, None] * directions[far]
            at.put(far, _stepped(matrices, at.rows(far), norms[~near]))
        if (lines := going[near]).size:
            old = sizes[lines]
            shifts, slopes, leads = _joint_step(center, at.rows(lines), off[near], distance, old)
            sizes[lines] = np.clip(old * np.exp(leads), least[lines], most)
            shifts += slopes * (sizes[lines] - old)[:, None]
            close = np.abs(np.log(sizes[lines] / old)) <= _LINE_CLOSE
            done = close & (off[near] <= _LINE_ON)
            at.shifts[lines[done]], found[lines[done]] = shifts[done], sizes[lines[done]]
            open_ = ~done & np.isfinite(shifts).all(axis=1)
            going = np.concatenate([far, lines[open_]])
            if (lines := lines[open_]).size:
                moved = center + sizes[lines, None, None] * directions[lines]
                at.put(lines, _begun(moved, shifts[open_]))
    return np.where(found < most, found, np.where(np.isnan(found), found, math.inf)), at.shifts


def _joint_step(
    center: NDArray[np.float64],
    at: _At,
    off: NDArray[np.float64],
    distance: float,
    s: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return a step of Newton's method: shifts at sizes s, how they change with s, and changes of log s."""
    kept = np.maximum(at.values, 0.0)
    # W is (moved - center - diag(x)) / s, and P - center without its diagonal likewise.
    there = Derivative(at.values, at.vectors)
    middle = there.along(center)
    along_way = there.rows(at.values, at.shifts, middle) / s[:, None, None]
    along_gap = there.rows(kept, at.slopes, middle)
    squares = (kept * (kept - 2.0 * there.on_diagonal(middle))).sum(axis=1) + (center**2).sum()
    wanted = distance**2 * (center.size - len(center))
    squares = np.maximum(squares - (at.slopes**2).sum(axis=1), _NONE**2 * wanted)
    missing = 0.5 * np.log(wanted / squares)
    # d log |P - center| = (pull_x dx + pull_s ds) / squares.
    pull_x, pull_s = there.diagonals(along_gap), there.product(along_gap, along_way)
    close = np.clip(off, _LEAST, _SHARE)
    fix, with_size = (
        there.solve(right, close * np.sqrt((right**2).sum(axis=1)))
        for right in (-at.slopes, -there.diagonals(along_way))
    )
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        rate = s * ((pull_x * with_size).sum(axis=1) + pull_s) / squares
        missing -= (pull_x * fix).sum(axis=1) / squares
        # The distance never falls with s; where it does not seem to grow, the sign tells the way.
        lead = np.where(rate > 0.0, missing / rate, np.sign(missing) * _LEAP)
    return at.shifts + fix, with_size, np.clip(lead, -_LEAP, _LEAP)
