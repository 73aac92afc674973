"""The first that accepts, in a random order: integrals of permute-and-flip.

Give everybody a uniform time s: one who always accepts comes out if none that came before accepts,
with probability the integral over s in [0, 1] of the product of (1 - a s) over the others' chances
a. With n others of chance q it is I0 = (1 - (1-q)^{n+1}) / ((n+1) q).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["among", "beside", "first_accepted", "missed", "reached"]

_TOP = 700.0
_SMALL = 0.5  # below it 1 - I0 is summed, not subtracted
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_NODES, _WEIGHTS = 0.5 * (_NODES + 1.0), 0.5 * _WEIGHTS
_FAR, _FAR_NODES = 45.0, 48  # e^-45 is nothing; so many nodes integrate e^{-45 s} to rounding


def _thinning(log_q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return -log(1 - q) / q: 1 where q vanishes, infinite at q = 1."""
    q = np.exp(log_q)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(q > 0.0, -np.log1p(-q) / q, 1.0)


def _share(log_count: NDArray[np.float64], log_q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (1 - (1-q)^c) / (c q) for c = e^{log_count} >= 1."""
    mean = np.exp(np.minimum(log_count + log_q, _TOP))
    with np.errstate(invalid="ignore"):
        found = -np.expm1(-mean * _thinning(log_q)) / mean
    return np.where(mean > 0.0, found, 1.0)


def reached(log_count: NDArray[np.float64], log_q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return I0 for n others of chance q; `log_count` is log(n + 1)."""
    return _share(log_count, log_q)


def missed(log_count: NDArray[np.float64], log_q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 - I0, right relative to itself."""
    log_count, log_q = np.broadcast_arrays(log_count, log_q)
    mean = np.exp(np.minimum(log_count + log_q, _TOP))
    found = np.asarray(1.0 - _share(log_count, log_q))
    little = mean < _SMALL
    if little.any():
        small, at = mean[little], log_q[little]
        few = np.maximum(small - np.minimum(np.exp(at), small), 0.0)  # n q
        total = np.zeros(small.shape)
        for node, weight in zip(_NODES.tolist(), _WEIGHTS.tolist(), strict=True):
            total -= weight * np.expm1(-few * node * _thinning(at + math.log(node)))
        found[little] = total
    return found


def beside(
    log_count: NDArray[np.float64], log_more: NDArray[np.float64], log_q: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return I1, with one more who accepts for certain: (1 - J) / ((n+1) q), J that of n + 1.

    `log_count` is log(n + 1), `log_more` log(n + 2). It is weighted with at most q: absolute
    accuracy 1e-16 / ((n+1) q) does.
    """
    mean = np.exp(np.minimum(log_count + log_q, _TOP))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (1.0 - _share(log_more, log_q)) / mean
    return np.where(mean > 1e-8, found, 0.5)


def among(
    log_others: float, log_q: NDArray[np.float64], own: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the chance of one who accepts for certain among others, row by row.

    Parameters
    ----------
    log_others : float
        Log of how many have the same chance; -inf for none.
    log_q : ndarray, shape (rows,)
        Log of that chance.
    own : ndarray, shape (rows, some)
        The chances of some more, each at most q.
    """
    rate = np.exp(np.minimum(log_others + log_q, _TOP))
    end = np.minimum(1.0, _FAR / np.maximum(rate + own.sum(axis=1), _FAR))
    nodes, weights = np.polynomial.legendre.leggauss(_FAR_NODES)
    total = np.zeros(log_q.shape)
    for node, weight in zip((0.5 * (nodes + 1.0)).tolist(), (0.5 * weights).tolist(), strict=True):
        at = node * end
        log_at = log_q + np.log(at)
        log_kept = -rate * at * _thinning(log_at) + np.log1p(-own * at[:, None]).sum(axis=1)
        total += weight * np.exp(log_kept)
    return np.asarray(end * total)


def first_accepted(accepts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return with which probability each comes out, given everybody's chance to accept.

    Exact up to rounding: the integrand is a polynomial, and all of its terms are positive.
    """
    nodes, weights = np.polynomial.legendre.leggauss(accepts.size // 2 + 1)
    at, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    kept = 1.0 - accepts[:, None] * at
    found = [
        a * float(weights @ np.delete(kept, i, axis=0).prod(axis=0))
        for i, a in enumerate(accepts.tolist())
    ]
    return np.array(found)
