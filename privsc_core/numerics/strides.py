"""Expectations of smooth functions of a binomial count, from every so-manieth count.

Over a wide window sums of a smooth function hardly depend on which counts are looked at: the error of
every so-manieth one is squared, at least, where steps are halved. Whether that is enough the sum
over every other one of them tells; if not, more of them are looked at.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.numerics.binomial import LOG_TAIL, binomial_expectation, of_count
from privsc_core.numerics.poisson import log_poisson

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["smooth_expectation", "strided_expectation"]

_PER_DEVIATION, _MORE = 8.0, 4.0
_LEAST = 4  # steps that spare more than they cost
_SAME = 1e-12
_BLOCK = 1 << 18


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


def strided_expectation(
    size: NDArray[np.int64],
    probability: float,
    function: Callable[[NDArray[np.float64], NDArray[np.intp]], NDArray[np.float64]],
    *,
    log_tail: float = LOG_TAIL,
    same: float = _SAME,
    least: float = _LEAST,
) -> NDArray[np.float64]:
    """Return expectations as far as every so-manieth count tells, NaN where all are to be looked at.

    Parameters
    ----------
    size, probability, log_tail
        As for `smooth_expectation`.
    function : callable
        (counts, cells) -> values of the shape of the counts, a row for each cell; smooth where that is
        to help.
    same : float
        How near each other both sums must be, relative to them: at least what rounding costs.
    least : float
        Of steps that are shorter too many counts would be looked at.
    """
    deviation = np.sqrt(size * (probability * (1.0 - probability)))
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
                size[cells].astype(np.float64), probability, deviation[cells], step[cells],
                cells, function, log_tail, same,
            )  # fmt: skip
        each *= _MORE


def _width(log_tail: float, deviation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far counts are looked at by Bernstein's inequality, as for windows."""
    return np.asarray(log_tail / 3.0 + np.sqrt(log_tail**2 / 9.0 + 2.0 * log_tail * deviation**2))


def _strided(
    size: NDArray[np.float64],
    probability: float,
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
    logs = log_poisson(count, mean[:, None])
    logs += log_poisson(size[:, None] - count, (size - mean)[:, None])
    weights = np.where(inside, np.exp(logs - logs.max(axis=1, keepdims=True)), 0.0)
    products = weights * function(count, cells)
    fine, coarse = (
        products[:, ::every].sum(axis=1) / weights[:, ::every].sum(axis=1) for every in (1, 2)
    )
    # As much as windows leave out.
    return np.where(np.isclose(fine, coarse, same, math.exp(-log_tail)), fine, np.nan)
