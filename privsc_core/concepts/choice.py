"""The exponential mechanism's draw, in log space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["choose", "probabilities", "with_coins"]


def probabilities(log_weights: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return the weights normalised to sum 1; -inf means weight zero."""
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum())


def with_coins(
    log_weights: NDArray[np.floating[Any]], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return each log weight plus a coin of its own (Gumbel).

    The largest of them is at position i with probability proportional to exp(log_weights[i]).
    """
    return np.asarray(log_weights + rng.gumbel(size=log_weights.shape))


def choose(log_weights: NDArray[np.floating[Any]], rng: np.random.Generator) -> int:
    """Return position i with probability proportional to exp(log_weights[i])."""
    return int(np.argmax(with_coins(log_weights, rng)))
