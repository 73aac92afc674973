"""The margin mechanism: a candidate is named by votes; a record votes once or not at all.

Records vote for one of N candidates, or abstain; adjacent databases differ by one record. With
p0 = log((N+1)/2)/eps and u1 = log(N + 1/2)/eps every candidate is taxed half of all votes beyond
p0: u_j = s_j - max(0, (p - p0)/2). With probability F(u_j) candidate j is named, F(u) = 0 for
u <= 0, (e^{eps u} - 1)/(2N) up to u1, 1 - (1/2 + 1/(4N)) e^{-eps (u - u1)} from there on; with the
rest, 1 - G, a uniformly random candidate. It is exactly eps-DP for every N >= 2.

Votes are counted in units of 1/eps here, x = eps u: then F depends on x and N alone. Candidates may
be more than any float, so they are given by log N. 1 - F has a formula of its own, and 1 - G is
never 1 less a sum of F.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.shared.laws import exact, from_smaller
from privsc_core.numerics.binomial import binomial_expectation, of_count

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from privsc_core.concepts.contracts import Estimate, Setting

_LOG2 = math.log(2.0)
# Further down products with weights would be subnormal, which is ten times slower.
_RAREST = -460.0


def untaxed(log_n: ArrayLike) -> NDArray[np.float64]:
    """Return eps p0 = log((N + 1)/2): votes up to there are free of tax."""
    return np.asarray(np.logaddexp(log_n, 0.0) - _LOG2)


def half_named(log_n: ArrayLike) -> NDArray[np.float64]:
    """Return eps u1 = log(N + 1/2), where F passes one half."""
    return np.asarray(np.logaddexp(log_n, -_LOG2))


def taxed(votes: NDArray[np.float64], total: ArrayLike, log_n: ArrayLike) -> NDArray[np.float64]:
    """Return what the tax leaves of votes, all in units of 1/eps; it may be negative."""
    tax = 0.5 * np.maximum(np.asarray(total, dtype=np.float64) - untaxed(log_n), 0.0)
    return np.asarray(votes - tax)


def named(x: ArrayLike, log_n: ArrayLike) -> NDArray[np.float64]:
    """Return F, the probability with which a candidate is named, right relative to itself."""
    below, low, tail = _pieces(x, log_n)
    return np.where(below, low, 1.0 - tail)


def unnamed(x: ArrayLike, log_n: ArrayLike) -> NDArray[np.float64]:
    """Return 1 - F, right relative to itself."""
    below, low, tail = _pieces(x, log_n)
    return np.where(below, 1.0 - low, tail)


def log_named(x: ArrayLike, log_n: ArrayLike) -> NDArray[np.float64]:
    """Return log F, also where F is below the least float; -inf for no vote."""
    below, _, tail = _pieces(x, log_n)
    log_n = np.asarray(log_n, dtype=np.float64)
    low = np.clip(x, 0.0, half_named(log_n))
    with np.errstate(divide="ignore"):
        log_low = np.log(-np.expm1(-low)) + low - _LOG2 - log_n
    return np.where(below, log_low, np.log1p(-tail))


def log_unnamed(x: ArrayLike, log_n: ArrayLike) -> NDArray[np.float64]:
    """Return log(1 - F), also where 1 - F is below the least float."""
    below, low, _ = _pieces(x, log_n)
    beyond = np.maximum(np.asarray(x, dtype=np.float64) - half_named(log_n), 0.0)
    above = np.log(0.5 + 0.25 * np.exp(-np.asarray(log_n, dtype=np.float64))) - beyond
    return np.where(below, np.log1p(-np.where(below, low, 0.0)), above)


def _pieces(
    x: ArrayLike, log_n: ArrayLike
) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]:
    """Return where x is at most u1, F as it is there, and 1 - F as it is above."""
    x, log_n = np.maximum(x, 0.0), np.asarray(log_n, dtype=np.float64)
    edge = half_named(log_n)
    low = np.minimum(x, edge)
    low = -np.expm1(-low) * np.exp(np.maximum(low - _LOG2 - log_n, _RAREST))
    tail = (0.5 + 0.25 * np.exp(-log_n)) * np.exp(np.minimum(edge - x, 0.0))
    return np.asarray(x <= edge), low, np.asarray(tail)


def slope(x: ArrayLike, log_n: ArrayLike) -> NDArray[np.float64]:
    """Return F' in units of eps: min(F + 1/(2N), 1 - F) above 0, and 0 below."""
    share = 0.5 * np.exp(-np.asarray(log_n, dtype=np.float64))
    return np.where(
        np.asarray(x) > 0.0, np.minimum(named(x, log_n) + share, unnamed(x, log_n)), 0.0
    )


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """The law of the named candidate on one database.

    Attributes
    ----------
    tax : float
        In votes, the same for everybody.
    left : ndarray of float64
        Votes after tax, of those that were asked about; negative ones count for nothing.
    chances : ndarray of float64
        F of each of them.
    guess : float
        1 - G, the probability of a uniformly random candidate; without cancellation.
    log_guess : float
        Its logarithm, also where it is below the least float.
    """

    tax: float
    left: NDArray[np.float64]
    chances: NDArray[np.float64]
    guess: float
    log_guess: float

    def at(self, coin: float) -> int | None:
        """Return the candidate that a number in [0, 1) names; None, the guess, has the lowest part."""
        possible = np.flatnonzero(self.chances)
        if coin < self.guess or not possible.size:
            return None
        # Up to rounding the stacked heights end at 1.
        place = int(np.searchsorted(np.cumsum(self.chances), coin - self.guess, side="right"))
        return min(place, int(possible[-1]))


def name_by_votes(votes: NDArray[np.int64], epsilon: float, log_n: float) -> Named:
    """Return the chances of candidates with votes; all others have none.

    Parameters
    ----------
    votes : ndarray, shape (candidates with votes)
        How many each has; their sum is p.
    epsilon : float
    log_n : float
        Log of the number N of candidates.
    """
    scaled = epsilon * votes.astype(np.float64)
    x = taxed(scaled, epsilon * float(votes.sum()), log_n)
    chances = named(x, log_n)
    if not votes.size:
        return Named(0.0, x, chances, 1.0, 0.0)
    top = int(np.argmax(x))
    others = float(np.delete(chances, top).sum())
    guess = float(unnamed(x[top], log_n)) - others
    # Others have a chance only where what the tax leaves of all is at most log((N+1)/2): nowhere
    # near a chance that a float does not hold.
    log_guess = math.log(guess) if others else float(log_unnamed(x[top], log_n))
    return Named(float(votes[top] - x[top] / epsilon), x / epsilon, chances, guess, log_guess)


# --- Laws ---------------------------------------------------------------------------------------


def wrong(
    count: NDArray[np.float64], log_n: NDArray[np.float64], epsilon: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return 1 - F for a target with all of the votes."""
    return unnamed(_alone(count, log_n, epsilon), log_n)


def _alone(
    count: NDArray[np.float64], log_n: NDArray[np.float64], epsilon: NDArray[np.float64]
) -> NDArray[np.float64]:
    x = epsilon * count
    return np.minimum(x, 0.5 * (x + untaxed(log_n)))


def _right(
    count: NDArray[np.float64], log_n: NDArray[np.float64], epsilon: NDArray[np.float64]
) -> NDArray[np.float64]:
    x = _alone(count, log_n, epsilon)
    lucky = np.exp(np.maximum(-log_n, _RAREST))
    return np.asarray(named(x, log_n) + unnamed(x, log_n) * lucky)


def _fails(
    count: NDArray[np.float64], log_n: NDArray[np.float64], epsilon: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.asarray(wrong(count, log_n, epsilon) * -np.expm1(-log_n))


def law_of_votes(mass: float, setting: Setting, log_n: NDArray[np.float64]) -> Estimate:
    """Return the law where only the target gets votes: E[p_K], K ~ Bin(m, mass).

    Parameters
    ----------
    mass : float
        Of the records that vote for the target.
    setting : Setting
    log_n : ndarray
        Log of the number of candidates, of the shape of `setting.d`.
    """
    if mass >= 1.0:
        at = setting.m.astype(np.float64), log_n, setting.epsilon
        return exact(_right(*at), setting, _fails(*at))

    def mean(kernel: Callable[..., NDArray[np.float64]]) -> NDArray[np.float64]:
        return binomial_expectation(
            setting.m, mass, (log_n, setting.epsilon), of_count(kernel),
            rate=1.0, log_tail=setting.log_tail,
        )  # fmt: skip

    return from_smaller(setting, lambda: mean(_right), lambda: mean(_fails))
