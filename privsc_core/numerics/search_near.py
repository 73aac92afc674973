"""Searches for least integers from good guesses, by Newton's steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["least_by_newton"]

_TURNS = 8
_LESS = 0.7


def least_by_newton(
    score: Callable[[NDArray[np.intp], NDArray[np.int64]], NDArray[np.float64]],
    guess: NDArray[np.float64],
    limit: int,
) -> NDArray[np.int64]:
    """Return for several searches the least integer n in [1, limit] with score(n) >= 0, or 0.

    Every turn asks for n and n - 1 of all searches that are open: where the first score is at least 0
    and the other is not, n is the answer, whatever led to it; else both tell the slope. 0 where few
    turns do not lead there. The parameters are those of `search.least_integers`.
    """
    found = np.zeros(guess.size, dtype=np.int64)
    open_, n = np.arange(guess.size), np.ceil(guess).astype(np.int64)
    for _ in range(_TURNS):
        before, here = score(open_, np.maximum(n[:, None] - (1, 0), 1)).T
        done = (here >= 0.0) & ((before < 0.0) | (n == 1))
        found[open_[done]] = n[done]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            at = np.where(n > 1, np.ceil(n - here / (here - before)), 2.0)
        # Scores that are infinite tell no slope, only the side.
        at = np.where(np.isposinf(here), np.ceil(_LESS * n), at)
        # Others without a slope lead nowhere, or out of the range.
        on = ~done & np.isfinite(at) & (at <= limit) & (at != n)
        if not on.any():
            break
        open_, n = open_[on], np.maximum(at[on], 1.0).astype(np.int64)
    return found
