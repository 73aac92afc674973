"""How large noise may be, in a direction, for a projection to come out at most alpha off."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.marginals.tables import pairs
from privsc_core.numerics.elliptope import Elliptope
from privsc_core.numerics.elliptope_line import where_distant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.marginals.distributions import Table

__all__ = ["critical_radii"]

# From here on, times alpha, no noise in this direction is too large: what is nearest hardly moves.
_FAR = math.log(1e3)
_CLOSE = 1e-6
_FIRST = 4  # directions that tell the others where to begin
_ENTRIES = 1 << 16  # of matrices that go together
_STEPS_MOST = 60


@lru_cache(maxsize=256)
def critical_radii(
    table: Table, d: int, alpha: float, trials: int, seed: int
) -> NDArray[np.float64]:
    """Return how large the noise may be in random directions.

    Parameters
    ----------
    table : Table
        Where the true answers are.
    d : int
        Attributes.
    alpha : float
        What the root mean square of the errors may be after the projection.
    trials, seed : int
        How many directions, and which.

    Returns
    -------
    ndarray, shape (trials,)
        Root mean squares of the noise; infinite where none is too large. They are at least alpha.

    Notes
    -----
    For a point x of a convex set and a direction w, the distance of x to the projection of x + t w
    never falls with t (Toint 1988): there is one such size. Of the first directions it is found by the
    secant method, of the others by Newton's from there.
    """
    rng = np.random.default_rng(seed)
    true = table.moments(d)
    found = np.empty(trials)
    near, shifts = alpha, None
    part = max(1, _ENTRIES // (d + 1) ** 2)
    ends = [0, *range(min(part, _FIRST), trials, part), trials]
    for start, stop in itertools.pairwise(ends):
        directions = _drawn(stop - start, d, rng)
        here = found[start:stop]
        here[:] = math.nan
        # From where the others are about, which some may be too far from.
        if shifts is not None:
            here[:] = np.maximum(where_distant(true, directions, alpha, near, shifts), alpha)
            here[here > alpha * math.exp(_FAR)] = math.inf
        if (open_ := np.flatnonzero(np.isnan(here))).size:
            here[open_], lasts = _radii(true, directions[open_], alpha, near)
            shifts = lasts if shifts is None else shifts
        if np.isfinite(here).any():
            near = float(np.median(here[np.isfinite(here)]))
    found.setflags(write=False)
    return found


def _drawn(count: int, d: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return random directions, as symmetric matrices of root mean square 1 off the diagonal."""
    noise = rng.standard_normal((count, pairs(d)))
    noise /= np.sqrt((noise * noise).mean(axis=1, keepdims=True))
    found = np.zeros((count, d + 1, d + 1))
    upper = np.triu_indices(d + 1, 1)
    found[:, upper[0], upper[1]] = noise
    found += found.transpose(0, 2, 1)
    return found


def _radii(
    true: NDArray[np.float64], directions: NDArray[np.float64], alpha: float, near: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return them, and shifts of a diagonal at one of them; `near` is about where they may be.

    By the Illinois method in logarithms, every direction by itself and all of them at once.
    """
    count, size = len(directions), len(true)
    upper = np.triu_indices(size, 1)
    elliptope = Elliptope(count)

    def over(which: NDArray[np.intp], logs: NDArray[np.float64]) -> NDArray[np.float64]:
        sizes = np.exp(logs)
        noisy = true + sizes[:, None, None] * directions[which]
        gap = (elliptope(noisy, which, sizes) - true)[:, upper[0], upper[1]]
        error = np.sqrt((gap * gap).mean(axis=1))
        return np.asarray(np.log(np.maximum(error / alpha, math.exp(-_FAR))))

    least, most = math.log(alpha), math.log(alpha) + _FAR
    ends, values = np.full((2, count), math.log(near)), np.zeros((2, count))  # below and above
    values[:] = over(np.arange(count), ends[0])
    # Somewhat further than where a line of the usual slope ends, until it lies between two ends.
    steps = np.maximum(1.5 * np.abs(values[0]), 1e-3)
    found = np.full(count, math.nan)
    open_above, open_below = values[0] <= 0.0, values[0] > 0.0
    while (going := np.flatnonzero(open_above | open_below)).size:
        up = open_above[going]
        found[going[up & (ends[1, going] >= most)]] = math.inf
        found[going[~up & (ends[0, going] <= least)]] = least  # up to rounding: nothing was cut off
        going = going[np.isnan(found[going])]
        open_above &= np.isnan(found)
        open_below &= np.isnan(found)
        if not going.size:
            break
        side = np.where(open_above[going], 1, 0)
        ends[1 - side, going], values[1 - side, going] = ends[side, going], values[side, going]
        ends[side, going] = np.clip(
            ends[side, going] + np.where(side == 1, steps[going], -steps[going]), least, most
        )
        values[side, going] = over(going, ends[side, going])
        steps[going] *= 2.0
        open_above &= values[1] <= 0.0
        open_below &= values[0] > 0.0
    between = np.flatnonzero(np.isnan(found))
    last = np.zeros(count, dtype=np.int64)
    for _ in range(_STEPS_MOST):
        if not between.size:
            break
        (low, high), (at_low, at_high) = ends[:, between], values[:, between]
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        value = over(between, middle)
        found[between] = middle
        side = np.where(value > 0.0, 1, 0)
        ends[side, between], values[side, between] = middle, value
        again = side == np.where(last[between] > 0, 1, np.where(last[between] < 0, 0, -1))
        values[1 - side, between] = np.where(
            again, values[1 - side, between] / 2.0, values[1 - side, between]
        )
        last[between] = 2 * side - 1
        done = (np.abs(value) <= _CLOSE) | (ends[1, between] - ends[0, between] <= _CLOSE)
        between = between[~done]
    return np.exp(found), elliptope.end(0)
