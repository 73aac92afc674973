"""Expectations of smooth functions of a binomial count, from every so-manieth count where that will do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.numerics.binomial import binomial_expectation, of_count
from privsc_core.numerics.binomial_windows import LOG_TAIL
from privsc_core.numerics.strides import strided_expectation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["smooth_expectation"]


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
