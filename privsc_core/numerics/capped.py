"""Expectations of exponentials of a binomial count that are cut at 1, in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from privsc_core.numerics.far_tails import log_chance, tail_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["capped_growth"]

_LEAST = 1e-280  # below, scipy loses the digits of a tail


def capped_growth(
    size: NDArray[np.int64],
    probability: NDArray[np.float64],
    log_factor: NDArray[np.float64],
    rate: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return E[min(1, f e^{rate K})] for K ~ Bin(size, probability).

    Parameters
    ----------
    size : ndarray of int64
        At least 1; all of them broadcast.
    probability : ndarray
        In (0, 1).
    log_factor : ndarray
        log f, finite.
    rate : ndarray
        In (0, 700).

    Returns
    -------
    ndarray of float64
        Within 2e-13 for sizes up to 10^8: two incomplete beta functions in place of a sum.

    Notes
    -----
    With t = ceil(-log f / rate) it is Pr[K >= t] + f E[e^{rate K}; K < t], and the latter, by tilting,
    is f (1 + g)^size Pr[K' < t], K' ~ Bin(size, p e^{rate} / (1 + g)), g = p (e^{rate} - 1). A t that is
    off by one in rounding has e^{rate K} f at 1 there: either way counts it alike. Where the tilted
    chance is hardly a float it is that of K' = t - 1 times a fraction, and f e^{rate K} is at most 1 below t.
    """
    n = size.astype(np.float64)
    turn = np.ceil(-log_factor / rate)
    t = np.clip(turn, 1.0, n)
    above = np.where(turn > n, 0.0, special.betainc(t, n - t + 1.0, probability))
    grown = probability * np.expm1(rate)
    below = special.betainc(n - t + 1.0, t, (1.0 - probability) / (1.0 + grown))
    below = np.where(turn > n, 1.0, below)
    log_power = log_factor + n * np.log1p(grown)
    with np.errstate(divide="ignore"):
        part = np.exp(np.minimum(log_power + np.log(below), 0.0))
    # Above, the product of such a chance and the power is 0.
    far = (below < _LEAST) & (log_power > 600.0) & (turn > 0.0)
    if far.any():
        cells = (
            np.broadcast_to(x, far.shape)[far] for x in (n, t, probability, grown, log_factor, rate)
        )
        part[far] = _far(*cells)
    return np.asarray(np.where(turn <= 0.0, 1.0, np.minimum(above + part, 1.0)))


def _far(
    n: NDArray[np.float64],
    t: NDArray[np.float64],
    probability: NDArray[np.float64],
    grown: NDArray[np.float64],
    log_factor: NDArray[np.float64],
    rate: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return f E[e^{rate K}; K < t] where Pr[K' < t] is hardly a float."""
    rest = (1.0 - probability) / (1.0 + grown)
    log_part = log_factor + rate * (t - 1.0) + log_chance(t - 1.0, n, probability)
    return np.asarray(np.exp(log_part) * (1.0 - rest) * tail_sum(n - t + 1.0, t, rest))
