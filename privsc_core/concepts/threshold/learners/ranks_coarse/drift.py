"""How fast success can change with m while the candidates of `RanksCoarse` stay the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binom

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

__all__ = ["drift", "stretches"]

# By how much binomial tails may be off, relative to them.
_ROUNDED = 1e-9


def stretches(
    first: NDArray[np.int64], last: NDArray[np.int64], alpha: Fraction
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut intervals where the candidates change: in g = floor(alpha m / 4) + 1, or in floor(m / g)."""
    starts, ends = [], []
    for a, b in zip(first.tolist(), last.tolist(), strict=True):
        m = range(a, b + 1)
        # Whole numbers of any size: alpha may have many digits.
        step = np.array([alpha.numerator * n // (4 * alpha.denominator) + 1 for n in m])
        count = np.arange(a, b + 1) // step
        cuts = a + 1 + np.flatnonzero((np.diff(step) != 0) | (np.diff(count) != 0))
        starts.append(np.concatenate([[a], cuts]))
        ends.append(np.concatenate([cuts - 1, [b]]))
    if not starts:
        return first, last
    return np.concatenate(starts), np.concatenate(ends)


def drift(
    failure: NDArray[np.float64],
    m: NDArray[np.int64],
    n: NDArray[np.int64],
    alpha: float,
    *,
    upper: bool,
) -> NDArray[np.float64]:
    """Return a bound of the failure at every size from m to n, where it is `failure` at m.

    Let L points lie left of all that is within mass alpha of z, J left of z, and R left of the end of
    what is within reach. Candidate k has weight q^|k - J| and is accurate iff L <= k < R. So as long
    as the candidates are the same, the chance of failure given the sample is a function f(L, J, R),
    whatever m is, with values in [0, 1].

    At size m the counts (L, J - L, R - J, m - R) are multinomial, and the last has the chance
    s = 1/2 - alpha per point. For n > m the ratio of the probabilities of (L, J, R) at n and at m is
    n! (m - R)! s^(n - m) / (m! (n - R)!), which rises with R alone, and the other way round for n < m.
    By the lemma of Neyman and Pearson, of all f of a given mean at m, that with the largest mean at
    n > m is 1 where R is above some r, 0 below and a constant at r; with the least, 1 where R is
    below. R is binomial, with chance 1/2 + alpha, and grows with the size: so the bound is wider the
    farther n is from m, and serves what lies between.

    Parameters
    ----------
    failure : ndarray
        At m, in [0, 1].
    m, n : ndarray of int64
        Sizes with the same candidates.
    alpha : float
        Below 1/2.
    upper : bool
        Whether the failure is not above the bound; else it is not below.
    """
    chance = 0.5 + alpha
    high = (n >= m) == upper
    # Above r it is 1, for `high`, or below r.
    r = np.where(high, binom.isf(failure, m, chance), binom.ppf(failure, m, chance))

    def sure(size: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.where(high, binom.sf(r, size, chance), binom.cdf(r - 1.0, size, chance))

    with np.errstate(invalid="ignore", divide="ignore"):
        share = (failure - sure(m)) / binom.pmf(r, m, chance)
    bound = sure(n) + np.clip(share, 0.0, 1.0) * binom.pmf(r, n, chance)
    # A quantile that is rounded to a neighbour may leave a share beyond: safe on one side alone.
    if upper:
        return np.where(share <= 1.0, np.minimum(bound * (1.0 + _ROUNDED), 1.0), 1.0)
    return np.where(share >= 0.0, bound * (1.0 - _ROUNDED), 0.0)
