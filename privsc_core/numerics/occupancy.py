"""How many of s cells are seen after m draws, and what that leaves to guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["expected_reciprocal_unseen"]

_CERTAIN = 1e-18


def expected_reciprocal_unseen(
    draws: NDArray[np.int64], cells: int, pool: int, rare: float = _CERTAIN, *, lost: bool = False
) -> NDArray[np.float64]:
    """Return E[1 / (pool - D)], or 1 less it without cancellation, for D distinct cells among `draws` uniform draws.

    Parameters
    ----------
    draws : ndarray of int64
        Numbers of draws, any shape.
    cells : int
        Number s of equally likely cells, less than `pool`.
    pool : int
        Size of the pool that the seen cells are taken from.
    rare : float
        What is no likelier than this does not happen.
    lost : bool
        Which of the two.

    Returns
    -------
    ndarray of float64
        Of the shape of `draws`.
    """
    unseen = [pool - seen for seen in range(cells + 1)]
    reciprocal = np.array([(size - 1) / size if lost else 1 / size for size in unseen])
    wanted, inverse = np.unique(draws, return_inverse=True)
    out = np.full(wanted.size, reciprocal[cells])
    state = np.zeros(cells + 1)
    state[0] = 1.0
    stay = np.arange(cells + 1) / max(cells, 1)
    step = 0
    for position, target in enumerate(wanted.tolist()):
        while step < target and cells and state[:cells].any():
            moved = state * (1.0 - stay)
            state *= stay
            state[1:] += moved[:-1]
            step += 1
            # Once all but the last cells are certain, rounding keeps the sum just below 1.
            if state[cells] > 0.5 and state[:cells].sum() < rare:
                state[:] = 0.0
                state[cells] = 1.0
        out[position] = float(state @ reciprocal)
    return out[inverse].reshape(draws.shape)
