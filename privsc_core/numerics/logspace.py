"""Logarithms of sizes and weights that no float can hold, and the exponential mechanism's draw."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_LOG2 = math.log(2.0)


def log_domain(d: NDArray[np.int64], minus: int = 0) -> NDArray[np.float64]:
    """Return log(2^d - minus) elementwise; -inf where the difference is zero.

    Parameters
    ----------
    d : ndarray of int64
        Bits.
    minus : int
        A small whole number, at most 2^d.

    Returns
    -------
    ndarray of float64
        Natural logarithms, of the shape of `d`.
    """
    if minus == 0:
        return np.asarray(d * _LOG2, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(d * _LOG2 + np.log1p(-minus * np.exp2(-d.astype(np.float64))))


def log_domain_scalar(d: int, minus: int = 0) -> float:
    """Return log(2^d - minus) for one d."""
    if d <= 52:
        rest = (1 << d) - minus
        return math.log(rest) if rest > 0 else -math.inf
    return d * _LOG2


def each(function: Callable[[Any], float], values: NDArray[Any]) -> NDArray[np.float64]:
    """Return a function of a number elementwise, asked once for each number that occurs."""
    if values.size == 1:
        return np.full(values.shape, function(values.item()), dtype=np.float64)
    distinct, place = np.unique(values, return_inverse=True)
    found = np.array([function(n) for n in distinct.tolist()], dtype=np.float64)
    return found[place].reshape(values.shape)


def log_sum(
    logs: NDArray[np.float64], times: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Return the log of the sum of numbers along the last axis, from their logs; -inf is 0.

    Of each so many `times` as much.
    """
    top = logs.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    terms = np.exp(logs - top)
    if times is not None:
        terms *= times
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(terms.sum(axis=-1)) + top[..., 0])


def probabilities(log_weights: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return the weights normalised to sum 1; -inf means weight zero."""
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum())


def draw(
    log_weights: NDArray[np.floating[Any]], rng: np.random.Generator
) -> tuple[int, NDArray[np.float64]]:
    """Return position i with probability proportional to exp(log_weights[i]), and how it came.

    Every log weight gets a coin of its own (Gumbel) added; i is where the sum is largest.
    """
    sums = np.asarray(log_weights + rng.gumbel(size=log_weights.shape))
    return int(np.argmax(sums)), sums
