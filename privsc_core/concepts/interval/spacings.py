"""Samples from a band and the whole domain, as the order of their offsets from the target.

Given a sample that the target labels, with the offsets p_1 <= p_2 <= ... of the points on one
side, threshold o makes as many mistakes as there are p_i <= o. So with x = e^{-eps/2} the
weights of the thresholds on that side, and of the target itself, sum to

    A = sum_{i=1..c} (x^{i-1} - x^i) p_i + x^c (side + 1),

and those up to offset `allowed` to the same with every p_i, and `side`, cut at it. Both sides
together weigh A_left + A_right - 1, as the target counts once. Only the nearest O(1/eps) points of
each part matter, and their offsets are drawn directly, from the target outwards, as spacings of
exponential variables: nothing is sorted, nothing has size m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Part", "blocks", "kept", "nearest", "side_weights"]

# By how much the points left out may change a mean: e^{-23}, which is 1e-10.
_NEGLIGIBLE = 23.0
# Numbers per temporary: small enough for the cache, large enough to hide Python.
_BLOCK = 1 << 15


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The points of one part (band or domain) on one side of the step, in many samples.

    Attributes
    ----------
    count : ndarray of int64, shape (trials,)
        How many points fell there.
    share : ndarray of float64, shape (trials, k)
        The k nearest, as fractions of the part's size, increasing; 1 where there are fewer.
    """

    count: NDArray[np.int64]
    share: NDArray[np.float64]


def nearest(count: NDArray[np.int64], keep: int, rng: np.random.Generator) -> Part:
    """Draw the `keep` smallest of `count` uniform variables, row by row.

    Uniform order statistics are the running sums of count + 1 exponential variables, divided by
    their total; those not kept enter the total as one gamma variable.
    """
    keep = max(1, min(keep, int(count.max(initial=0))))
    share = np.empty((count.size, keep))
    for rows in blocks(count.size, keep):
        half = (rows.stop - rows.start + 1) // 2
        # Two rows as the parts of complex numbers: each addition waits for the one before, so
        # twice as much gets done.
        drawn = rng.standard_exponential((half, keep, 2))
        sums = drawn.view(np.complex128)
        np.cumsum(sums, axis=1, out=sums)
        middle = rows.start + half
        _close(drawn[:, :, 0], count[rows.start : middle], rng, share[rows.start : middle])
        rest = slice(middle, rows.stop)
        _close(drawn[: rest.stop - middle, :, 1], count[rest], rng, share[rest])
    return Part(count, share)


def _close(
    sums: NDArray[np.float64],
    count: NDArray[np.int64],
    rng: np.random.Generator,
    out: NDArray[np.float64],
) -> None:
    """Divide running sums by what all count + 1 variables sum to; from `count` on they reach 1."""
    keep = sums.shape[1]
    total = sums[np.arange(count.size), np.minimum(count, keep - 1)]
    more = np.flatnonzero(count >= keep)
    total[more] += rng.standard_gamma(count[more] - (keep - 1.0))
    # By division: the ratio of equal numbers is exactly 1.
    np.divide(sums, total[:, None], out=out)
    np.minimum(out, 1.0, out=out)


def blocks(trials: int, keep: int) -> list[slice]:
    """Cut trials of so many numbers each into parts that stay in the cache."""
    step = max(1, _BLOCK // keep)
    return [slice(start, min(start + step, trials)) for start in range(0, trials, step)]


def kept(rate: float, span: float) -> int:
    """Return how many nearest points matter when weights fall by e^{-rate} a point.

    `span` is the log of how much larger the weight of what is left out may be.
    """
    if math.isinf(rate):
        return 1
    return int(min((_NEGLIGIBLE + span) / rate, 1e7)) + 2


def side_weights(
    offsets: NDArray[np.float64], count: NDArray[np.int64], cut: float, rate: float
) -> NDArray[np.float64]:
    """Return A = sum (x^{i-1} - x^i) p_i + x^c cut, the positions cut at `cut`.

    Parameters
    ----------
    offsets : ndarray, shape (trials, k)
        p_1 <= p_2 <= ..., the nearest only; at least `cut` where there is none.
    count : ndarray of int64, shape (trials,)
        c, how many there are in all.
    cut : float
        Where the side (or what is counted of it) ends, plus 1.
    rate : float
        eps / 2; infinity leaves p_1.

    Returns
    -------
    ndarray of float64, shape (trials,)
    """
    if math.isinf(rate):
        return np.asarray(np.where(count > 0, np.minimum(offsets[:, 0], cut), cut))
    near = np.minimum(offsets, cut)
    keep = offsets.shape[1]
    # A row with fewer points has `cut` in the other places, which adds up to x^c cut.
    return np.asarray(np.vecdot(near, _drops(keep, rate)) + math.exp(-rate * keep) * cut)


@lru_cache(maxsize=4)
def _drops(keep: int, rate: float) -> NDArray[np.float64]:
    """Return x^{i-1} - x^i for i = 1, 2, ..."""
    return np.asarray(np.exp(-rate * np.arange(keep)) * -math.expm1(-rate))
