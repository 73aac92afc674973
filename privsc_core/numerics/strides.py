"""Expectations of smooth functions of a binomial count, from every so-manieth count.

Over a wide window sums of a smooth function hardly depend on which counts are looked at: the error of
every so-manieth one is squared, at least, where steps are halved. Whether that is enough the sum
over every other one of them tells; if not, more of them are looked at.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.numerics.poisson import log_poisson

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["strided_expectation"]

_PER_DEVIATION, _MORE = 8.0, 4.0
_LEAST = 4  # steps that spare more than they cost
_SAME = 1e-12
_BLOCK = 1 << 18
_HALF = float((1 << 27) + 1)  # splits the digits of a float


def strided_expectation(
    size: NDArray[np.int64],
    probability: float | NDArray[np.float64],
    function: Callable[[NDArray[np.float64], NDArray[np.intp]], NDArray[np.float64]],
    *,
    log_tail: float,
    same: float = _SAME,
    least: float = _LEAST,
) -> NDArray[np.float64]:
    """Return expectations as far as every so-manieth count tells, NaN where all are to be looked at.

    Parameters
    ----------
    size : ndarray of int64, shape (cells,)
        Numbers of draws.
    probability : float or ndarray, shape (cells,)
        In (0, 1].
    function : callable
        (counts, cells) -> values of the shape of the counts, a row for each cell; smooth where that is
        to help.
    log_tail : float
        As for `binomial_expectation`.
    same : float
        How near each other both sums must be, relative to them: at least what rounding costs.
    least : float
        Of steps that are shorter too many counts would be looked at.
    """
    chance = np.broadcast_to(probability, size.shape)
    deviation = np.sqrt(size * (chance * (1.0 - chance)))
    found = np.full(size.shape, np.nan)
    open_, each = np.arange(size.size), _PER_DEVIATION
    while True:
        step = np.exp2(np.floor(np.log2(np.maximum(deviation / each, 1.0))))
        open_ = open_[np.isnan(found[open_]) & (step[open_] >= least)]
        if not open_.size:
            return found
        counts = float((_width(log_tail, deviation[open_]) / step[open_]).max())
        for cells in np.array_split(open_, math.ceil(2.0 * counts * open_.size / _BLOCK)):
            found[cells] = _strided(
                size[cells].astype(np.float64), chance[cells], deviation[cells], step[cells],
                cells, function, log_tail, same,
            )  # fmt: skip
        each *= _MORE


def _width(log_tail: float, deviation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far counts are looked at by Bernstein's inequality, as for windows."""
    return np.asarray(log_tail / 3.0 + np.sqrt(log_tail**2 / 9.0 + 2.0 * log_tail * deviation**2))


def _strided(
    size: NDArray[np.float64],
    probability: NDArray[np.float64],
    deviation: NDArray[np.float64],
    step: NDArray[np.float64],
    cells: NDArray[np.intp],
    function: Callable[[NDArray[np.float64], NDArray[np.intp]], NDArray[np.float64]],
    log_tail: float,
    same: float,
) -> NDArray[np.float64]:
    """Return expectations from every so-manieth count, NaN where these are too few."""
    mean = size * probability
    half = math.ceil(float((_width(log_tail, deviation) / step).max()))
    count = np.rint(mean)[:, None] + step[:, None] * np.arange(-half, half + 1.0)
    inside = (count >= 0.0) & (count <= size[:, None])
    count = np.clip(count, 0.0, size[:, None])
    # A binomial count is a Poisson one, given its sum with another.
    others = size - mean
    logs = log_poisson(count, mean[:, None])
    logs += log_poisson(size[:, None] - count, others[:, None])
    # Of a mean of a billion an ulp is told by weights far out.
    off = _off(size, probability, mean)
    logs += (count - mean[:, None]) * (off / mean + (off - (size - others - mean)) / others)[
        :, None
    ]
    weights = np.where(inside, np.exp(logs - logs.max(axis=1, keepdims=True)), 0.0)
    products = weights * function(count, cells)
    fine, coarse = (
        products[:, ::every].sum(axis=1) / weights[:, ::every].sum(axis=1) for every in (1, 2)
    )
    # As much as windows leave out.
    return np.where(np.isclose(fine, coarse, same, math.exp(-log_tail)), fine, np.nan)


def _off(
    size: NDArray[np.float64], probability: NDArray[np.float64], product: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return by how much the product of both is more than the float that it is rounded to (Dekker)."""
    halves = []
    for factor in (size, probability):
        high = factor * _HALF
        high -= high - factor
        halves.append((high, factor - high))
    (a, b), (c, d) = halves
    return np.asarray(((a * c - product) + a * d + b * c) + b * d)
