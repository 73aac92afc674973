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

__all__ = ["kernel_law", "solved"]

_DEEP = 80
# Beyond so many more equations than unknowns 1 - R is below every float.
_MORE = 1100


@lru_cache(maxsize=_DEEP + 1)
def _chain(depth: int) -> NDArray[np.float64]:
    """Return the law of D after 0, 1, 2, ... equations in `depth` unknowns, one a row."""
    stay = np.exp2(-np.arange(depth + 1.0))
    laws = np.zeros((depth + _MORE, depth + 1))
    laws[0, depth] = 1.0
    for count in range(1, len(laws)):
        before = laws[count - 1]
        laws[count] = before * stay
        laws[count, :-1] += (before * (1.0 - stay))[1:]
    return laws


@lru_cache(maxsize=_DEEP + 1)
def _table(depth: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return R and 1 - R after 0, 1, 2, ... equations in `depth` unknowns."""
    laws, stay = _chain(depth), np.exp2(-np.arange(depth + 1.0))
    return laws @ stay, laws @ (1.0 - stay)


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
    count, d = np.broadcast_arrays(count, d)
    found, missed = np.empty(count.shape), np.empty(count.shape)
    for depth in np.unique(np.minimum(d, _DEEP)).tolist():
        here = np.minimum(d, _DEEP) == depth
        table, rest = _table(int(depth))
        later = (count[here] - (d[here] - depth)).astype(np.int64)
        place = np.clip(later, 0, table.size - 1)
        # Before the table starts every equation halves what is left.
        lead = np.exp2(np.minimum(later, 0).astype(np.float64))
        found[here], missed[here] = table[place] * lead, np.where(later < 0, 1.0, rest[place])
    return found, missed
