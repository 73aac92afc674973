"""95% intervals for simulated probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["interval", "sums_from", "wilson"]

# Two-sided 95% normal quantile.
_NORMAL_95 = 1.959963984540054


def interval(
    total: NDArray[np.float64], squares: NDArray[np.float64], trials: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and half width of the normal interval from sum and sum of squares."""
    value = total / trials
    variance = np.maximum(squares - trials * value * value, 0.0) / max(trials - 1, 1)
    return value, _NORMAL_95 * np.sqrt(variance / trials)


def sums_from(
    value: NDArray[np.float64], half: NDArray[np.float64], trials: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sum and sum of squares from mean and half width: the inverse of `interval`."""
    variance = (half / _NORMAL_95) ** 2 * trials
    return value * trials, variance * (trials - 1) + trials * value * value


def wilson(
    hits: NDArray[np.float64], trials: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of Wilson's interval for hits out of trials."""
    share = hits / trials
    spread = _NORMAL_95**2 / trials
    middle = (share + spread / 2.0) / (1.0 + spread)
    half = np.sqrt(share * (1.0 - share) * spread + spread**2 / 4.0) / (1.0 + spread)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
