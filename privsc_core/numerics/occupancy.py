"""How often each of s cells is drawn, how many are seen, and what that leaves to guess."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["expected_reciprocal_unseen", "uniform_counts"]

_CERTAIN = 1e-18
# Steps after which it is asked whether all cells are seen, and floats near the least are cleared away:
# products of those take many times longer.
_EVERY, _TINY = 16, 1e-290
# Up to so many draws a cell one by one are quicker than one binomial number a cell; so many at once.
_ONE_BY_ONE, _AT_ONCE = 16, 1 << 18


def uniform_counts(m: int, cells: int, trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw how often each of equally likely cells is drawn among m, shape (trials, cells)."""
    if m > _ONE_BY_ONE * cells:
        return rng.multinomial(m, np.full(cells, 1.0 / cells), size=trials)
    counts = np.empty((trials, cells), dtype=np.int64)
    step = max(_AT_ONCE // max(m, cells), 1)
    for start in range(0, trials, step):
        rows = counts[start : start + step]
        drawn = rng.integers(cells, size=(len(rows), m))
        drawn += cells * np.arange(len(rows))[:, None]
        rows[...] = np.bincount(drawn.ravel(), minlength=rows.size).reshape(rows.shape)
    return counts


def expected_reciprocal_unseen(
    draws: NDArray[np.int64],
    cells: int,
    pool: Sequence[int],
    rare: float = _CERTAIN,
    which: NDArray[np.intp] | int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return E[1 / (pool - D)] for D distinct cells among `draws` uniform draws, and 1 less it.

    Parameters
    ----------
    draws : ndarray of int64
        Numbers of draws, any shape.
    cells : int
        Number s of equally likely cells, less than each pool.
    pool : sequence of int
        Sizes of pools that the seen cells are taken from.
    rare : float
        What is no likelier than this does not happen.
    which : ndarray of int, or int
        Which of the pools, of the shape of `draws` or one for all.

    Returns
    -------
    mean, lost : ndarray of float64
        Of the shape of `draws`; the second is without cancellation.
    """
    wanted, inverse = np.unique(draws, return_inverse=True)
    found = _walked(tuple(wanted.tolist()), cells, tuple(pool), rare)
    mean, lost = found[:, which, inverse.reshape(draws.shape)]
    return mean, lost


@lru_cache(maxsize=8)
def _walked(
    draws: tuple[int, ...], cells: int, pool: tuple[int, ...], rare: float
) -> NDArray[np.float64]:
    """Return both expectations for each pool at increasing numbers of draws, in one walk."""
    unseen = [[size - seen for seen in range(cells + 1)] for size in pool]
    shares = np.array([
        [[1 / size for size in row] for row in unseen],
        [[(size - 1) / size for size in row] for row in unseen],
    ])  # fmt: skip
    found = np.empty((2, len(pool), len(draws)))
    state = np.zeros(cells + 1)
    state[0] = 1.0
    stay = np.arange(cells + 1) / max(cells, 1)
    leave = 1.0 - stay[:-1]
    step, over = 0, cells == 0
    for position, target in enumerate(draws):
        while step < target and not over:
            moved = state[:-1] * leave
            state *= stay
            state[1:] += moved
            step += 1
            if step % _EVERY:
                continue
            state[state < _TINY] = 0.0
            # Once all but the last cells are certain, rounding keeps the sum just below 1.
            if state[-1] > 0.5 and state[:-1].sum() < rare:
                state[:-1], state[-1], over = 0.0, 1.0, True
        found[..., position] = shares @ state
    return found
