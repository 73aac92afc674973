"""Poisson weights to rounding, also where the mean is large."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln, xlogy

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["log_poisson", "log_poisson_mean", "poisson_weights"]

# Up to here log k! is taken from its definition, beyond from Stirling's series.
_FEW = 40.0
_DIGITS = 40.0  # as a logarithm: what is below does not matter
# (1 + u) log(1 + u) - u = u^2 (1/2 - u/6 + u^2/12 - ...), the highest power first.
_NEAR = 0.1
_SERIES = np.array([(-1.0) ** n / (n * (n - 1)) for n in range(18, 1, -1)])


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
    near = size < _NEAR
    if near.all():
        deviance = _near(u, float(size.max(initial=0.0)))
    else:
        deviance = np.where(near, _near(np.where(near, u, 0.0), _NEAR),
                            xlogy(1.0 + u, np.maximum(1.0 + u, 0.0)) - u)  # fmt: skip
    deviance *= mean
    return np.asarray(log_poisson_mean(k) - deviance)


def _near(u: NDArray[np.float64], most: float) -> NDArray[np.float64]:
    """Return (1 + u) log(1 + u) - u where |u| is at most so large: by as many terms as that takes."""
    terms = _SERIES.size if most >= _NEAR else math.ceil(_DIGITS / -math.log(most)) if most else 1
    terms = min(max(terms, 1), _SERIES.size)
    found = np.full_like(u, _SERIES[-terms])
    for term in _SERIES[_SERIES.size - terms + 1 :]:
        found *= u
        found += term
    found *= u
    found *= u
    return found


def log_poisson_mean(k: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logs of Poisson weights of the mean itself, whole numbers; 0 has all weight."""
    some = np.maximum(k, 1.0)
    inverse = 1.0 / some
    square = inverse * inverse
    rest = np.asarray((1.0 / 12.0 - square * (1.0 / 360.0 - square / 1260.0)) * inverse)
    small = some <= _FEW
    if small.any():
        few = some[small]
        rest[small] = (
            gammaln(few + 1.0) - (few + 0.5) * np.log(few) + few - 0.5 * math.log(2.0 * math.pi)
        )
    rest += 0.5 * np.log(2.0 * math.pi * some)
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
