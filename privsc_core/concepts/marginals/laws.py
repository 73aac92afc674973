"""Sensitivities, scales of noise and the laws of its size.

A row that is replaced and differs in h of the D signs turns the h (D - h) products of a changed and an
unchanged sign, by 2 / m each: at most floor(D^2 / 4) of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from privsc_core.concepts.marginals.distributions import pairs
from privsc_core.numerics.logspace import each
from privsc_core.numerics.tails import gaussian_parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray


def turned(d: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many answers one row can turn: floor(D^2 / 4)."""
    return np.asarray((d + 1) ** 2 // 4)


def laplace_scale(
    n: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return b, the scale of Laplace noise on every answer: their l1 sensitivity over epsilon."""
    return np.asarray(2.0 * turned(d) / (n * epsilon))


def deviation(
    n: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64], delta: float
) -> NDArray[np.float64]:
    """Return sigma, the least private standard deviation of Gaussian noise on every answer."""
    spread = each(lambda e: gaussian_parameter(e, delta), epsilon)
    return np.asarray(2.0 / n * np.sqrt(turned(d)) / spread)


def log_within(d: NDArray[np.int64], log_outside: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log Pr[all P answers are within alpha], from that of one being outside."""
    return np.asarray(each(lambda bits: float(pairs(int(bits))), d) * _log1m(log_outside))


def _log1m(log: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log(1 - e^log) for log <= 0."""
    small = np.minimum(log, -1e-300)
    with np.errstate(divide="ignore"):
        return np.where(small > -math.log(2.0), np.log(-np.expm1(small)), np.log1p(-np.exp(small)))


def within_root(
    d: NDArray[np.int64], ratio: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Pr[chi_P <= ratio sqrt(P)] and its opposite: the root mean square of Gaussian noise."""
    half = each(lambda bits: pairs(int(bits)) / 2.0, d)
    level = half * np.minimum(ratio, 1e100) ** 2
    return special.gammainc(half, level), special.gammaincc(half, level)
