"""Binomial chances and tails so far out that they are no float: logs of chances, and sums beside one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["log_chance", "tail_sum"]

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
    """Return what Stirling's formula leaves out of log n!."""
    some = np.maximum(n, 1.0)
    few = special.gammaln(some + 1.0) - (some + 0.5) * np.log(some) + some
    few -= 0.5 * math.log(2.0 * math.pi)
    inverse = 1.0 / (some * some)
    return np.where(
        some < 16.0, few, (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse / 1260.0)) / some
    )


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
