"""How likely random linear equations tell r: R(m, d) = E 2^-(d - rank) of an m x d matrix of coins.

The dimension D of the space of solutions falls by one with probability 1 - 2^-D at every further
equation: a chain of positive terms, so both R and 1 - R are right relative to themselves. From
D = 80 on what is not 1 is below rounding, so that tables of 80 columns serve every d.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["kernel_law", "one_of", "solved"]

_DEEP = 80
# Beyond so many more equations than unknowns 1 - R is below every float.
_MORE = 1100


@lru_cache(maxsize=_DEEP + 1)
def _chain(depth: int) -> NDArray[np.float64]:
    """Return the law of D after 0, 1, 2, ... equations in `depth` unknowns, one a row."""
    stay = np.exp2(-np.arange(depth + 1.0))
    move = (1.0 - stay)[1:]
    laws = np.zeros((depth + _MORE, depth + 1))
    laws[0, depth] = 1.0
    for count in range(1, len(laws)):
        before = laws[count - 1]
        np.multiply(before, stay, out=laws[count])
        laws[count, :-1] += before[1:] * move
    return laws


@lru_cache(maxsize=1)
def _tables() -> NDArray[np.float64]:
    """Return R and 1 - R after so many equations in so many unknowns, shape (2, equations, unknowns).

    Of D unknowns one more equation leaves D with probability 2^-D, else D - 1: so all D go together.
    """
    stay = np.exp2(-np.arange(_DEEP + 1.0))
    move = 1.0 - stay
    found = np.empty((_DEEP + _MORE, 2, _DEEP + 1))
    found[0] = stay, move
    for count in range(1, len(found)):
        before = found[count - 1]
        np.multiply(before, stay, out=found[count])
        found[count, :, 1:] += move[1:] * before[:, :-1]
    return np.ascontiguousarray(found.transpose(1, 0, 2))


def kernel_law(count: NDArray[Any], d: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the law of D and its values, shapes (..., values) and (values,).

    All mass is on 80 where more than that is left; more equations than can matter count as many.
    """
    depth = min(d, _DEEP)
    laws = _chain(depth)
    place = np.clip(count - (d - depth), 0, len(laws) - 1).astype(np.int64)
    return laws[place], np.arange(depth + 1)


def solved(count: NDArray[Any], d: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return R(count, d) and 1 - R(count, d).

    Parameters
    ----------
    count, d : ndarray of whole numbers
        Equations and unknowns; they broadcast.
    """
    return one_of(0, count, d), one_of(1, count, d)


def one_of(side: int, count: NDArray[Any], d: NDArray[Any]) -> NDArray[np.float64]:
    """Return one of the two: R of side 0, 1 - R of side 1."""
    depth = np.minimum(d, _DEEP).astype(np.int64)
    later = (count - (d - depth)).astype(np.int64)
    place = np.clip(later, 0, _DEEP + _MORE - 1)
    place *= _DEEP + 1
    place += depth
    found = np.asarray(_tables()[side].take(place))
    if later.size and later.min() < 0:
        if side:
            found = np.where(later < 0, 1.0, found)
        else:  # before the table starts every equation halves what is left
            found = found * np.exp2(np.minimum(later, 0).astype(np.float64))
    return np.asarray(found)
