"""Tails of counts and of noise: binomial, Poisson, Gaussian.

Binomial tails for numbers of draws far beyond what a table could hold.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import special
from scipy.special import gammaln, xlogy

if TYPE_CHECKING:
    from numpy.typing import NDArray


_LARGE_BITS = 40
_CERTAIN_EXPONENT = 745.0


def binomial_at_most(
    count: int, draws: int, probability: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return Pr[Bin(draws, probability) <= count] elementwise in `probability`.

    For more than 2^40 draws the tail is rounded to 0 or 1 where Hoeffding's bound is below
    the smallest float; elsewhere it is the regularised incomplete beta function.
    """
    p = np.asarray(probability, dtype=np.float64)
    if count < 0:
        return np.zeros_like(p)
    if count >= draws:
        return np.ones_like(p)
    if draws.bit_length() > _LARGE_BITS:
        gap = count / draws - p
        scale = min(draws, 1 << 1000)
        certain = 2.0 * math.sqrt(scale) * np.abs(gap) > math.sqrt(2.0 * _CERTAIN_EXPONENT)
        near = special.betaincc(
            float(min(count, 1 << 1000)) + 1.0, float(min(draws - count, 1 << 1000)), p
        )
        # Within rounding of the mean the beta function may not converge: there the normal law
        # is exact to the same rounding.
        spread = np.sqrt(np.maximum(p * (1.0 - p), 1e-300))
        middle = special.ndtr(math.sqrt(scale) * np.clip(gap / spread, -1e3, 1e3))
        near = np.where(np.isnan(near), middle, near)
        return np.where(certain, (gap > 0.0).astype(np.float64), near)
    return np.asarray(special.betaincc(count + 1.0, float(draws - count), p))


def binomial_above(
    count: int, draws: int, probability: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return Pr[Bin(draws, probability) > count], relative to itself up to 2^40 draws.

    For more it is 1 - `binomial_at_most`.
    """
    p = np.asarray(probability, dtype=np.float64)
    if count < 0:
        return np.ones_like(p)
    if count >= draws:
        return np.zeros_like(p)
    if draws.bit_length() > _LARGE_BITS:
        return np.asarray(1.0 - binomial_at_most(count, draws, p))
    return np.asarray(special.betainc(count + 1.0, float(draws - count), p))


# -------------------------------------------------------------------------------------------------
# Binomial chances and tails so far out that they are no float: logs of chances, and sums beside
# one.


_STEPS = 20


def log_chance(
    count: NDArray[np.float64],
    size: NDArray[np.float64],
    share: float | NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return log Pr[Bin(size, share) = count], by the deviance, without the cancellation of n log n."""
    ratio = count / size
    deviance = special.rel_entr(ratio, share) + special.rel_entr(1.0 - ratio, 1.0 - share)
    inside = np.maximum(count, 1.0) * np.maximum(size - count, 1.0) / size
    stirling = _beyond(size) - _beyond(count) - _beyond(size - count)
    edge = (count == 0.0) | (count == size)
    return np.asarray(
        -size * deviance + np.where(edge, 0.0, stirling - 0.5 * np.log(2.0 * math.pi * inside))
    )


def _beyond(n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what Stirling's formula leaves out of log n!; of numbers below 1 that of 1."""
    some = np.maximum(n, 1.0)
    inverse = 1.0 / some
    square = inverse * inverse
    rest = np.asarray((1.0 / 12.0 - square * (1.0 / 360.0 - square / 1260.0)) * inverse)
    small = some <= _FEW
    if small.any():
        few = some[small]
        rest[small] = (
            gammaln(few + 1.0) - (few + 0.5) * np.log(few) + few - 0.5 * math.log(2.0 * math.pi)
        )
    return rest


def tail_sum(
    a: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the continued fraction of the incomplete beta function, far out in its tail; shape (cells,).

    I_x(a, b) is x^a (1-x)^b / (a B(a, b)) times it; so far out it has settled after ten steps or so.
    """
    step = np.arange(1.0, _STEPS)[:, None]
    twice = a + 2.0 * step
    even = step * (b - step) * x / ((twice - 1.0) * twice)
    odd = -(a + step) * (a + b + step) * x / (twice * (twice + 1.0))
    found = np.ones(x.shape)
    # From the last one backwards: each step is two operations.
    for one, other in zip(even[::-1], odd[::-1], strict=True):
        found = 1.0 + one / (1.0 + other / found)
    return np.asarray(np.maximum(1.0 / (1.0 - (a + b) * x / ((a + 1.0) * found)), 1e-300))


# --- Poisson weights to rounding, also where the mean is large -----------------------------------


# Up to here log k! is taken from its definition, beyond from Stirling's series.
_FEW = 40.0
_DIGITS = 40.0  # as a logarithm: what is below does not matter
# (1 + u) log(1 + u) - u = u^2 (1/2 - u/6 + u^2/12 - ...), the highest power first.
_POISSON_NEAR = 0.1
_POISSON_SERIES = np.array([(-1.0) ** n / (n * (n - 1)) for n in range(18, 1, -1)])


def log_poisson(k: NDArray[np.float64], mean: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logs of Poisson weights, without the cancellation of mean - k + k log(k / mean).

    Parameters
    ----------
    k : ndarray of float64
        Whole numbers, of any shape.
    mean : float or ndarray of float64
        Above 0.
    """
    u = (k - mean) / mean
    size = np.abs(u)
    near = size < _POISSON_NEAR
    if near.all():
        deviance = _near(u, float(size.max(initial=0.0)))
    else:
        deviance = np.where(near, _near(np.where(near, u, 0.0), _POISSON_NEAR),
                            xlogy(1.0 + u, np.maximum(1.0 + u, 0.0)) - u)  # fmt: skip
    deviance *= mean
    return np.asarray(log_poisson_mean(k) - deviance)


def _near(u: NDArray[np.float64], most: float) -> NDArray[np.float64]:
    """Return (1 + u) log(1 + u) - u where |u| is at most so large: by as many terms as that takes."""
    terms = (
        _POISSON_SERIES.size
        if most >= _POISSON_NEAR
        else math.ceil(_DIGITS / -math.log(most))
        if most
        else 1
    )
    terms = min(max(terms, 1), _POISSON_SERIES.size)
    found = np.full_like(u, _POISSON_SERIES[-terms])
    for term in _POISSON_SERIES[_POISSON_SERIES.size - terms + 1 :]:
        found *= u
        found += term
    found *= u
    found *= u
    return found


def log_poisson_mean(k: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logs of Poisson weights of the mean itself, whole numbers; 0 has all weight."""
    rest = _beyond(k) + 0.5 * np.log(2.0 * math.pi * np.maximum(k, 1.0))
    return np.asarray(np.where(k > 0.0, -rest, 0.0))


def poisson_weights(k: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return Poisson weights but for a factor, such that the largest is 1.

    Parameters
    ----------
    k : ndarray of float64, shape (numbers,)
        Whole numbers, one after the other.
    mean : float
        Above 0.
    """
    mode = min(max(math.floor(mean) - int(k[0]), 0), k.size - 1)
    weights = np.ones(k.size)
    np.cumprod(mean / k[mode + 1 :], out=weights[mode + 1 :])
    np.cumprod(k[mode:0:-1] / mean, out=weights[:mode][::-1])
    return weights


# --- Gaussian noise and (epsilon, delta): exact, not by a tail bound -----------------------------


_NOISE_HALVINGS = 220
_NOISE_LEAST, _MOST = -700.0, 400.0  # logs between which the parameter is looked for


def gaussian_slack(mu: float, epsilon: float) -> float:
    """Return the least delta for which mu-Gaussian privacy is (epsilon, delta)-privacy.

    Phi(a) - e^epsilon Phi(b), a = mu/2 - epsilon/mu, b = -mu/2 - epsilon/mu (Balle and Wang 2018).
    As b^2 = a^2 + 2 epsilon, the second term is the density at a times Mills' ratio at b: nothing
    overflows.

    Parameters
    ----------
    mu : float
        The sensitivity divided by the standard deviation of the noise; of k queries sqrt(k) times
        that of one.
    epsilon : float
        Above 0.
    """
    a, b = 0.5 * mu - epsilon / mu, -0.5 * mu - epsilon / mu
    mills = math.exp(-0.5 * a * a) * 0.5
    far = float(special.erfcx(-b / math.sqrt(2.0)))
    if a < 0.0:
        return mills * (float(special.erfcx(-a / math.sqrt(2.0))) - far)
    return float(special.ndtr(a)) - mills * far


@lru_cache(maxsize=4096)
def gaussian_parameter(epsilon: float, delta: float) -> float:
    """Return the largest mu whose slack at epsilon is at most delta, by bisection of its logarithm."""
    low, high = _NOISE_LEAST, _MOST
    for _ in range(_NOISE_HALVINGS):
        middle = 0.5 * (low + high)
        if gaussian_slack(math.exp(middle), epsilon) <= delta:
            low = middle
        else:
            high = middle
    return math.exp(low)
