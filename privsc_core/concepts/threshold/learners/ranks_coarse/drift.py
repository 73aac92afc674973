"""How success can change with m while the candidates of `RanksCoarse` stay the same.

Let L points lie left of all that is within mass alpha of z, J left of z, and R left of the end of what is
within reach. Candidate k has weight q^|k - J| and is accurate iff L <= k < R. So as long as the candidates
are the same, the chance of failure given the sample is a function f(L, J, R), whatever m is.

At size m the counts (L, J - L, R - J, m - R) are multinomial, and the last has the chance s = 1/2 - alpha per
point. The ratio of the probabilities of (L, J, R) at n and at m depends on T = m - R alone,

    psi_n(T) = n! / m! * T! / (T + n - m)! * s^(n - m),

so that F(n) = F(m) E[psi_n(T)] for the failure F, the expectation being that of T at m, weighed by f. As
functions of V = psi_{m+1} = s (m + 1) / (T + 1) all psi_n are convex: those of n < m are falling factorials of
T, which is convex in V; and those of n = m + k are products of V / (1 + (i - 1) V / c), i = 1, ..., k and c = s (m
+ 1), where psi'' / psi = (A^2 - sum of a_i (2 - a_i)) / V^2 for a_i = 1 / (1 + (i - 1) V / c) and A their sum, at
least 0 as a_1 = 1. For m < n < l, psi_l is a convex function of psi_n in the same way. Jensen's inequality then
bounds F by what it would be if T were no chance:

    F(n) >= F(m) psi_n(T) for all n, where psi_{m+1}(T) = F(m + 1) / F(m);
    F(n) <= F(m) psi_n(T) for m <= n <= l, where psi_l(T) = F(l) / F(m).
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

__all__ = ["at_least", "at_most", "stretches"]

# Steps of Newton's method; the log of a ratio that no bound needs.
_STEPS, _MOST = 8, 600.0
# By how much a log may be off that was to be reached.
_OFF = 1e-9


def stretches(
    first: NDArray[np.int64], last: NDArray[np.int64], alpha: Fraction, *, ends: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut intervals where g = floor(alpha m / 4) + 1 changes; with `ends` also where floor(m / g) does."""
    starts: list[int] = []
    stops: list[int] = []
    # Whole numbers of any size: alpha may have many digits.
    over, under = alpha.numerator, 4 * alpha.denominator
    for a, b in zip(first.tolist(), last.tolist(), strict=True):
        cuts = [-(-under * g // over) for g in range(over * a // under + 1, over * b // under + 1)]
        if ends:
            more: list[int] = []
            for begin, end in itertools.pairwise([a, *cuts, b + 1]):
                g = over * begin // under + 1
                more += range(begin - begin % g + g, end, g)
            cuts = sorted({*cuts, *more})
        starts += [a, *cuts]
        stops += [*(cut - 1 for cut in cuts), b]
    return np.array(starts, dtype=np.int64), np.array(stops, dtype=np.int64)


def at_least(
    failures: tuple[NDArray[np.float64], NDArray[np.float64]],
    m: NDArray[np.int64],
    ends: tuple[NDArray[np.int64], NDArray[np.int64]],
    alpha: float,
    off: NDArray[np.float64] | float,
) -> NDArray[np.float64]:
    """Return a lower bound of the failures between two ends, whose candidates are those of m.

    Parameters
    ----------
    failures : tuple of ndarray
        At m and at m + 1.
    m : ndarray of int64
    ends : tuple of ndarray of int64
    alpha : float
        Below 1/2.
    off : float or ndarray
        By how much the failures may be off, relative to themselves.
    """
    share, bounds = 0.5 - alpha, []
    # psi_n is log-concave in n: least at one of the ends.
    for end in ends:
        ratio = failures[1] / failures[0] * (1.0 - 2.0 * off * np.sign(end - m))
        left = share * (m + 1.0) / ratio - 1.0
        bounds.append(failures[0] * np.exp(_log_ratio(left, m, end, share)))
    return np.minimum(*bounds)


def at_most(
    failures: tuple[NDArray[np.float64], NDArray[np.float64]],
    ends: tuple[NDArray[np.int64], NDArray[np.int64]],
    alpha: float,
) -> NDArray[np.float64]:
    """Return an upper bound of the failures between two ends from those there; the candidates are the same."""
    share, (m, last) = 0.5 - alpha, ends
    steps = (last - m).astype(np.float64)
    aim = np.log(failures[1] / failures[0])
    far = steps > 0.0
    left = share * m.astype(np.float64)
    for _ in range(_STEPS):
        off = _log_ratio(left, m, last, share) - aim
        slope = np.log1p(steps / (left + 0.5))
        left = np.maximum(left + np.where(far, off / np.where(far, slope, 1.0), 0.0), 0.5 * left)
    # psi_n rises as long as s n is above T + n - m.
    top = np.clip(np.floor((share * m - left) / (1.0 - share)), 0.0, steps).astype(np.int64)
    found = failures[0] * np.exp(_log_ratio(left, m, m + top, share))
    # With fewer left the bound is larger; too many would be wrong.
    reached = _log_ratio(left, m, last, share) >= aim - _OFF
    return np.where(reached, np.maximum(found, np.maximum(*failures)), np.inf)


def _log_ratio(
    left: NDArray[np.float64], m: NDArray[np.int64], n: NDArray[np.int64], share: float
) -> NDArray[np.float64]:
    """Return log psi_n(T), -inf where there are not so many points left."""
    steps = (n - m).astype(np.float64)
    enough = left + np.minimum(steps, 0.0) > 0.0
    left = np.where(enough, left, 1.0 + np.abs(steps))
    found = _grown(m.astype(np.float64), steps) - _grown(left, steps)
    found += steps * np.log(share * m / left)
    return np.where(enough, np.minimum(found, _MOST), -np.inf)


def _grown(n: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log (n + steps)! / n! - steps log n, by Stirling's series."""
    more = n + steps
    found = (more + 0.5) * np.log1p(steps / n) - steps
    return np.asarray(found + _stirling(more) - _stirling(n))


def _stirling(n: NDArray[np.float64]) -> NDArray[np.float64]:
    inverse = 1.0 / n
    return np.asarray(inverse * (1.0 / 12.0 - inverse * inverse / 360.0))
