"""Expectations of smooth functions of a binomial count, from every so-manieth count.

Over a wide window sums of a smooth function hardly depend on which counts are looked at: the error of
every so-manieth one is squared, at least, where steps are halved. Whether that is enough the sum
over every other one of them tells.
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

__all__ = ["smooth_expectation"]

_PER_DEVIATION = 8.0
_LEAST = 4  # steps that spare more than they cost
_SAME = 1e-12


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
    deviation = np.sqrt(size * (probability * (1.0 - probability)))
    step = np.exp2(np.floor(np.log2(np.maximum(deviation / _PER_DEVIATION, 1.0))))
    found = np.full(size.shape, np.nan)
    wide = np.flatnonzero(step >= _LEAST)
    if wide.size:
        found[wide] = _strided(
            size[wide].astype(np.float64),
            probability,
            deviation[wide],
            step[wide],
            function,
            log_tail,
        )
    rest = np.flatnonzero(np.isnan(found))
    if rest.size:
        found[rest] = binomial_expectation(
            size[rest], probability, (), of_count(function), rate=math.inf, log_tail=log_tail
        )
    return found


def _strided(
    size: NDArray[np.float64],
    probability: float,
    deviation: NDArray[np.float64],
    step: NDArray[np.float64],
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    log_tail: float,
) -> NDArray[np.float64]:
    """Return expectations from every so-manieth count, NaN where these are too few."""
    mean = size * probability
    # Bernstein's inequality, as for windows.
    width = log_tail / 3.0 + np.sqrt(log_tail**2 / 9.0 + 2.0 * log_tail * deviation**2)
    half = math.ceil(float((width / step).max()))
    count = np.rint(mean)[:, None] + step[:, None] * np.arange(-half, half + 1.0)
    inside = (count >= 0.0) & (count <= size[:, None])
    count = np.clip(count, 0.0, size[:, None])
    # A binomial count is a Poisson one, given its sum with another.
    logs = log_poisson(count, mean[:, None])
    logs += log_poisson(size[:, None] - count, (size - mean)[:, None])
    weights = np.where(inside, np.exp(logs - logs.max(axis=1, keepdims=True)), 0.0)
    products = weights * function(count)
    fine, coarse = (
        products[:, ::every].sum(axis=1) / weights[:, ::every].sum(axis=1) for every in (1, 2)
    )
    return np.where(np.isclose(fine, coarse, _SAME, 0.0), fine, np.nan)
