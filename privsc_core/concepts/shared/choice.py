"""The exponential mechanism's draw, in log space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


def choose(log_weights: NDArray[np.floating[Any]], rng: np.random.Generator) -> int:
    """Return position i with probability proportional to exp(log_weights[i])."""
    return draw(log_weights, rng)[0]
