"""What random linear equations with noisy labels tell: the target, another parity, or nothing at all.

Of k equations all labels are right with probability (1 - eta)^k, and then R(k, d) finds the target.
Else a wrong label contradicts the others unless the vector of all wrong labels is among the values that
some parity takes on the points: for uniform points with probability E[2^rank - 1] / (2^k - 1), whichever
labels are wrong, and then no solution is the target. E 2^rank = 2^d R.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.parity.rank import solved

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SPOILT", "boosted", "consistent", "silent"]

SPOILT = "of many equations some are wrong, and then no parity solves them"
"""Why success falls short at every large m, as a clause."""

# So many unknowns more than equations: these are independent to every digit.
_FREE = 60
_LOG2 = math.log(2.0)


def consistent(count: NDArray[Any], d: NDArray[Any]) -> NDArray[np.float64]:
    """Return how likely equations have a solution some of whose labels are wrong; 0 for none."""
    count, d = np.broadcast_arrays(count, d)
    share = np.where(count > 0, 1.0, 0.0)
    # With fewer equations R may be 0 in floats, and the quotient 0/0.
    here = (count > 0) & (count >= d - _FREE)
    size, bits = count[here].astype(np.float64), d[here].astype(np.float64)
    log_found = np.log(solved(size, bits)[0])
    above = bits * _LOG2 + log_found
    spare = (bits - size) * _LOG2 + log_found
    share[here] = np.exp(np.minimum(spare, 0.0)) * np.expm1(-above) / np.expm1(-size * _LOG2)
    return np.minimum(share, 1.0)


def silent(count: NDArray[Any], d: NDArray[Any], eta: float) -> NDArray[np.float64]:
    """Return how likely equations with noisy labels have no solution; it grows with their number."""
    wrong = -np.expm1(count * math.log1p(-eta))
    return np.asarray(wrong * (1.0 - consistent(count, d)))


def boosted(
    found: NDArray[np.float64],
    none: NDArray[np.float64],
    blocks: NDArray[Any] | int,
    d: NDArray[Any],
) -> NDArray[np.float64]:
    """Return the success of the first of some blocks that answers, and of a guess if none does.

    Parameters
    ----------
    found, none : ndarray
        How likely a block finds the target, and says nothing. Success grows with both.
    blocks : ndarray or int
    d : ndarray
        Bits: the guess is right with probability 2^-d.
    """
    tries = sum(none**before * (before < blocks) for before in range(int(np.max(blocks))))
    return np.asarray(found * tries + none**blocks * np.exp2(-np.asarray(d, dtype=np.float64)))
