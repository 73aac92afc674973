"""How far along a line its nearest correlation matrix is at a given distance of a point.

On the line center + s W the projection P(s) is given by shifts x of the diagonal, see `elliptope`.
Both are found at once: Newton's method for diag(P) = 1 and |P - center| = distance, in x and log s,
instead of a projection for each s that is tried. All derivatives are semismooth, those of the
distance by one more direction, for the derivative of a projection is self-adjoint.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.numerics.elliptope import Derivative

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["where_distant"]

_STEPS_MOST = 14
_NEAR = 0.3  # while a diagonal is further than this from ones, the size stays as it is
_LEAST, _SHARE = 1e-9, 0.03  # of a right side that a solution may leave
_LEAP = 0.7  # the log of a size changes by so much at most
# The last step, from within these, ends far closer.
_CLOSE = 1e-4


def where_distant(
    center: NDArray[np.float64],
    directions: NDArray[np.float64],
    distance: float,
    size: float,
    shifts: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return sizes s at which the projections of center + s W are so far from the center.

    Parameters
    ----------
    center : ndarray, shape (D, D)
        A correlation matrix.
    directions : ndarray, shape (lines, D, D)
        W: symmetric, 0 on the diagonal.
    distance : float
        Root mean square of the entries off the diagonal.
    size : float
        About where to look.
    shifts : ndarray, shape (D,)
        About the shifts of the projections there.

    Returns
    -------
    ndarray, shape (lines,)
        To about 1e-7 of themselves; NaN where the method did not settle.
    """
    count, entries = len(directions), center.shape[0] * (center.shape[0] - 1)
    found, sizes = np.full(count, math.nan), np.full(count, size)
    at = np.tile(shifts, (count, 1))
    diagonal = np.arange(center.shape[0])
    open_ = np.arange(count)
    for _ in range(_STEPS_MOST):
        if not open_.size:
            break
        ways, s = directions[open_], sizes[open_]
        moved = center + s[:, None, None] * ways
        moved[:, diagonal, diagonal] += at[open_]
        values, vectors = np.linalg.eigh(moved)
        gap = (vectors * np.maximum(values, 0.0)[:, None, :]) @ vectors.transpose(0, 2, 1) - center
        slopes = gap[:, diagonal, diagonal]  # the diagonal of the center is ones
        gap[:, diagonal, diagonal] = 0.0
        squares = np.maximum((gap * gap).sum(axis=(1, 2)), 1e-300)
        missing = math.log(distance) - 0.5 * np.log(squares / entries)
        # d log |P - center| = (pull_x dx + pull_s ds) / squares.
        there = Derivative(values, vectors)
        along_way, along_gap = there.along(ways), there.along(gap)
        pull_x, pull_s = there.diagonals(along_gap), there.product(along_gap, along_way)
        off = np.sqrt((slopes**2).mean(axis=1))
        close = np.clip(off, _LEAST, _SHARE)
        fix, with_size = (
            there.solve(right, close * np.sqrt((right**2).sum(axis=1)))
            for right in (-slopes, -there.diagonals(along_way))
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = s * ((pull_x * with_size).sum(axis=1) + pull_s) / squares
            lead = (missing - (pull_x * fix).sum(axis=1) / squares) / rate
        lead = np.where(off > _NEAR, 0.0, np.clip(lead, -_LEAP, _LEAP))
        sizes[open_] = s * np.exp(lead)
        at[open_] += fix + with_size * (s * np.expm1(lead))[:, None]
        done = (np.abs(lead) <= _CLOSE) & (off <= _CLOSE)
        found[open_[done]] = sizes[open_[done]]
        going = ~done & np.isfinite(at[open_]).all(axis=1) & np.isfinite(sizes[open_])
        open_ = open_[going]
    return found
