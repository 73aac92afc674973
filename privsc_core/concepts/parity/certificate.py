"""What the exponential mechanism's law on the uniform distribution lies between.

Given the sample points, an m x d matrix X of coins, r is drawn with probability 1 / W,
W = sum_v e^{-e |Xv|}. Any two of the rows Xv with v != 0 are independent, so the mean mu and the
variance of W are known, and with W >= 1

    1/W = 1/mu - (W - mu)/mu^2 + (W - mu)^2 / (mu^2 W)

gives 1/mu <= E[1/W] <= 1/mu + Var/mu^2. Also W >= 2^(d - rank), so that E[1/W] <= R(m, d).

Where e is large W varies with the rank more than with anything else. Given the rank d - D, W is 2^D
times the same sum over a uniformly random space of 2^(d-D) vectors: all nonzero vectors are alike, and
any two of them are negatively correlated, so that the same inequality holds with
mu_D = 1 + n a and Var_D <= n (b - a^2), n = 2^(d-D) - 1, a and b the means of e^{-e|c|} and of its
square over the nonzero c. Averaged over D it is never wider.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privsc_core.concepts.parity.rank import kernel_law, solved
from privsc_core.numerics.logspace import log_domain

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Between", "between", "by_rank"]

_LARGEST = 300.0  # its square is still a float


class Between(NamedTuple):
    """The two ends, and 1 minus each of them without cancellation, of one shape."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    most_missed: NDArray[np.float64]
    least_missed: NDArray[np.float64]


def between(m: NDArray[np.int64], d: NDArray[np.int64], rate: NDArray[np.float64]) -> Between:
    """Return the ends of the certificate for weights e^{-rate * mistakes}; they broadcast."""
    m, d, rate = np.broadcast_arrays(m, d, rate)
    once = np.log1p(np.exp(-rate)) - np.log(2.0)
    twice = np.log1p(np.exp(-2.0 * rate)) - np.log(2.0)
    log_rivals = log_domain(d, 1)
    log_excess = log_rivals + m * once  # log(mu - 1)
    excess = np.exp(np.minimum(log_excess, _LARGEST))
    mu = 1.0 + excess
    # 2 once - twice, which are close where rate is small.
    apart = m * np.log1p(-0.5 * np.expm1(-rate) ** 2 / (1.0 + np.exp(-2.0 * rate)))
    log_mu = np.logaddexp(0.0, log_excess)
    with np.errstate(divide="ignore"):
        spread = np.exp(log_rivals + m * twice + np.log(-np.expm1(apart)) - 2.0 * log_mu)
    low = np.exp(-log_mu)
    found, missed = solved(m, d)
    lost = excess / mu
    return Between(
        low,
        np.maximum(np.minimum(low + spread, found), low),
        lost,
        np.minimum(np.maximum(lost - spread, missed), lost),
    )


def by_rank(
    m: NDArray[np.int64], d: int, rate: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return low and high of E[1/W] by the rank, and 1 - low; m and rate broadcast."""
    m, rate = np.broadcast_arrays(m, rate)
    law, free = kernel_law(m, d)
    size, e = m[..., None].astype(np.float64), rate[..., None]
    whole = _log_power(size, np.array(np.log(2.0)))
    log_a = _log_power(size, np.log1p(np.exp(-e))) - whole
    log_b = _log_power(size, np.log1p(np.exp(-2.0 * e))) - whole
    log_rivals = log_domain(d - free, 1)
    excess = np.exp(np.minimum(log_rivals + log_a, _LARGEST))
    variance = np.exp(np.minimum(log_rivals + log_b, _LARGEST)) - excess * np.exp(log_a)
    mu = 1.0 + excess
    share = np.exp2(-free.astype(np.float64))
    low = (law * share / mu).sum(axis=-1)
    high = (law * share * np.minimum(1.0 / mu + np.maximum(variance, 0.0) / mu**2, 1.0)).sum(
        axis=-1
    )
    missed = (law * ((1.0 - share) + share * excess / mu)).sum(axis=-1)
    return low, np.maximum(high, low), missed


def _log_power(size: NDArray[np.float64], log_base: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log((base)^size - 1)."""
    exponent = size * log_base
    with np.errstate(divide="ignore"):
        return np.asarray(exponent + np.log(-np.expm1(-exponent)))
