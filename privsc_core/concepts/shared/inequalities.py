"""The inequalities behind the bounds of every concept class."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from privsc_core.numerics.binomial import LOG_TAIL, binomial_expectation, of_count
from privsc_core.numerics.decimals import complement
from privsc_core.numerics.search import least_integers, log_odds_over

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


# --- From which beta on success and failure must both be known relative to themselves ------------


# Laws err by about 1e-13: a millionth of a percent of this, so that the least m is right.
_RARE = 1e-4
# e^{-37} is below half an ulp of 1.
_UNSEEN = 37.0


@lru_cache(maxsize=256)
def tiny_beta(beta: float) -> bool:
    """Return whether beta or 1 - beta is so small that an absolute error of 1e-13 would matter."""
    return min(beta, complement(beta)) < _RARE


@lru_cache(maxsize=256)
def log_tail(beta: float) -> float:
    """Return -log of the mass that an expectation may leave out.

    It is as usual for everyday values of beta; else so little that neither beta nor 1 - beta
    could tell.
    """
    if not tiny_beta(beta):
        return LOG_TAIL
    return _UNSEEN - math.log(min(beta, complement(beta)))


# Beyond this many samples no answer is sought: it is 10^12, the domain of m.
SEARCH_LIMIT = 10**12
# e^{700} is still a float.
_LARGEST = 700.0
# What sums may be off by: no number of examples is excluded for less.
_ROUNDING = 1e-15


def log_odds(probability: float) -> float:
    """Return log(p / (1 - p)) for the decimal p that was typed."""
    return math.log(probability) - math.log(complement(probability))


def least_allowed(
    beta: float,
    success: Callable[[NDArray[np.intp], NDArray[np.int64]], NDArray[np.float64]],
    failure: Callable[[NDArray[np.intp], NDArray[np.int64]], NDArray[np.float64]],
    *,
    guess: NDArray[np.float64],
    near: bool = False,
) -> NDArray[np.int64]:
    """Return the least m at which limits on success reach 1 - beta, 0 where none does.

    Parameters
    ----------
    beta : float
        The probability of failure that is allowed.
    success, failure : callable
        (which limits, m) -> the largest probabilities of success, and the least ones of failure,
        as the score of `least_integers`; masses below e^{-log_tail(beta)} may be neglected.
        Failure is asked for where beta is tiny, else success.
    guess : ndarray, shape (limits,)
        Where to start.
    near : bool
        Whether the guess is good and limits are smooth in m: see `least_integers`.
    """

    def score(which: NDArray[np.intp], m: NDArray[np.int64]) -> NDArray[np.float64]:
        return over_allowed(beta, lambda: success(which, m), lambda: failure(which, m))

    return least_integers(score, guess=guess, limit=SEARCH_LIMIT, near=near)


def over_allowed(
    beta: float,
    success: Callable[[], NDArray[np.float64]],
    failure: Callable[[], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return the log odds of limits on success less those of 1 - beta: negative, too little.

    Of the two only what is needed is asked for, see `least_allowed`.
    """
    if tiny_beta(beta) and beta < 0.5:
        lost = failure() * (1.0 - _ROUNDING)
        return log_odds_over(beta, 1.0 - lost, lost)
    reached = np.minimum(success() * (1.0 + _ROUNDING), 1.0)
    return log_odds_over(beta, reached, 1.0 - reached if tiny_beta(beta) else None)


def roughly_allowed(
    beta: float,
    log_rivals: NDArray[np.float64] | float,
    mass: NDArray[np.float64] | float,
    rate: NDArray[np.float64] | float,
    *,
    cut: NDArray[np.bool_] | bool = False,
) -> NDArray[np.float64]:
    """Return about the m at which E[1 / (1 + R e^{-rK})] is 1 - beta, K ~ Bin(m, mass).

    It is the probability that K and a logistic variable over r exceed log R / r. Their sum is taken
    as normal.

    Parameters
    ----------
    beta : float
    log_rivals, mass, rate : ndarray or float
        log R, the mass, and r; they broadcast.
    cut : ndarray or bool
        Where it is told of E[min(1, e^{rK} / R)] instead: then the variable is exponential.
    """
    needed = np.maximum((log_rivals - np.where(cut, 1.0, 0.0)) / rate, 0.0)
    varies = np.square(np.where(cut, 1.0, math.pi / math.sqrt(3.0)) / rate)
    # The count has a variance of (1 - mass) times its mean.
    rest, spread = 1.0 - np.asarray(mass), -float(special.ndtri(beta))
    half = 0.5 * spread * rest
    return np.asarray(
        (needed + spread * (half + np.sqrt(half * half + needed * rest + varies))) / mass
    )


def packing_limit(
    m: NDArray[np.int64],
    log_rivals: NDArray[np.float64],
    mass: float | NDArray[np.float64],
    epsilon: NDArray[np.float64],
    tail: float = LOG_TAIL,
    *,
    lost: bool = False,
) -> NDArray[np.float64]:
    """Return E[1 / (1 + rivals * e^{-eps K})] for K ~ Bin(m, mass).

    The packing converse: no eps-DP learner succeeds more often, on average over rivals + 1
    targets whose sets of good hypotheses are disjoint and whose samples differ in K places.
    `tail` is as in `binomial_expectation`. If `lost`, 1 less it, without cancellation.
    """
    return mean_over_count(_rivals if lost else _packing, m, log_rivals, mass, epsilon, tail)


def mean_over_count(
    table: Callable[..., NDArray[np.float64]],
    m: NDArray[np.int64],
    log_number: NDArray[np.float64],
    mass: float | NDArray[np.float64],
    epsilon: NDArray[np.float64],
    tail: float,
) -> NDArray[np.float64]:
    """Return E[table(K, log_number, epsilon)] for K ~ Bin(m, mass), which is m at a mass of 1."""
    sure = np.asarray(mass) >= 1.0
    if sure.all():
        return table(m.astype(np.float64), log_number, epsilon)
    if sure.any():
        mass = np.where(sure, 0.5, mass)
    found = binomial_expectation(
        m, mass, (log_number, epsilon), of_count(table), rate=math.inf, log_tail=tail
    )
    return np.where(sure, table(m, log_number, epsilon), found) if sure.any() else found


def _rivals(
    count: NDArray[np.float64],
    log_rivals: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    return np.asarray(1.0 / (1.0 + np.exp(np.minimum(count * epsilon - log_rivals, 709.0))))


def _packing(
    count: NDArray[np.float64],
    log_rivals: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    out = np.asarray(log_rivals - count * epsilon)
    np.minimum(out, 709.0, out=out)
    np.exp(out, out=out)
    out += 1.0
    return np.asarray(np.reciprocal(out, out=out))


def halfway_limit(
    m: NDArray[np.int64],
    log_rivals: NDArray[np.float64],
    mass: float | NDArray[np.float64],
    epsilon: NDArray[np.float64],
    tail: float = LOG_TAIL,
    *,
    lost: bool = False,
) -> NDArray[np.float64]:
    """Return E[1 - max_t 1 / (e^{eps t} + e^{eps (K-t)} / rivals)] for K ~ Bin(m, mass).

    The packing converse with a database halfway between two samples: it is t examples from one
    and K - t from the other, for every whole t from 0 to K; t = 0 is `packing_limit`. The
    parameters are as there.
    """
    table = _halfway_lost if lost else _halfway
    return mean_over_count(table, m, log_rivals, mass, epsilon, tail)


def halfway_steps(
    count: NDArray[np.float64], log_rivals: NDArray[np.float64], epsilon: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the best whole t for K = count, and -log of the failure that it forces.

    It is one of the two whole numbers around (K - log(rivals) / eps) / 2, or an end of [0, K].
    """
    middle = 0.5 * (count - log_rivals / epsilon)
    low = np.clip(np.floor(middle), 0.0, count)
    high = np.minimum(low + 1.0, count)

    def spent(t: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(epsilon * t + np.logaddexp(0.0, epsilon * (count - 2.0 * t) - log_rivals))

    at_low, at_high = spent(low), spent(high)
    return np.where(at_high < at_low, high, low), np.minimum(at_low, at_high)


def _halfway(
    count: NDArray[np.float64], log_rivals: NDArray[np.float64], epsilon: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.asarray(1.0 - _halfway_lost(count, log_rivals, epsilon))


def _halfway_lost(
    count: NDArray[np.float64], log_rivals: NDArray[np.float64], epsilon: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the failure that the best step of `halfway_steps` forces, without logarithms.

    At t and t + 1 its inverse is e^{eps t} times 1 + e^u and e^eps + e^{u - eps}, where
    u = eps (K - 2t) - log(rivals) is at most 2 eps; without a second step the first is smaller.
    """
    t = np.maximum(np.floor(0.5 * (count - log_rivals / epsilon)), 0.0)
    u = np.exp(np.minimum(epsilon * (count - 2.0 * t) - log_rivals, _LARGEST))
    grow = np.exp(np.minimum(epsilon, _LARGEST))
    least = np.minimum(1.0 + u, grow + u / grow)
    return np.asarray(np.exp(-epsilon * t) / least)


def walked(
    count: NDArray[np.float64],
    log_targets: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    delta: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return pi_k and 1 - pi_k for k = count: how likely an output can have become in k steps.

    pi_0 = 1/targets; with a step of (epsilon, delta)-privacy pi grows to at most
    min(e^eps pi + delta, 1 - e^-eps (1 - pi - delta), 1). With c = delta / (e^eps - 1) the first
    multiplies pi + c by e^eps, the second 1 - pi + c by e^-eps: the first is less up to
    pi = (1 - delta) / (e^eps + 1), and as pi never falls there is one change. c may be tiny or far
    above 1, so what it contributes is kept apart.
    """
    start = np.exp(-log_targets)
    with np.errstate(divide="ignore"):
        log_c = np.log(delta) - epsilon - np.log(-np.expm1(-epsilon))
    c = np.exp(log_c)
    log_start = np.logaddexp(-log_targets, log_c)
    log_turn = np.log1p(-delta) - np.logaddexp(epsilon, 0.0)
    turn = np.floor((np.logaddexp(log_turn, log_c) - log_start) / epsilon) + 1.0
    rising = np.minimum(count, np.maximum(turn, 0.0))
    gone = epsilon * rising
    gained = c * np.expm1(np.minimum(gone, 1.0))
    gained = np.where(gone > 1.0, np.exp(np.minimum(gone + log_c, _LARGEST)) - c, gained)
    reached = np.minimum(np.exp(np.minimum(gone - log_targets, 0.0)) + gained, 1.0)
    reached = np.where(rising > 0.0, reached, start)
    rest = epsilon * (rising - count)
    left = np.exp(rest) * (1.0 - reached) + c * np.expm1(rest)
    lost = np.clip(left, 0.0, 1.0)
    return np.where(count > rising, 1.0 - lost, reached), np.where(
        count > rising, lost, 1.0 - reached
    )


def walked_limit(
    m: NDArray[np.int64],
    log_targets: NDArray[np.float64],
    mass: float,
    epsilon: NDArray[np.float64],
    delta: float,
    tail: float = LOG_TAIL,
    *,
    lost: bool = False,
) -> NDArray[np.float64]:
    """Return E[pi_K] for K ~ Bin(m, mass), `walked` from 1/targets; the rest as for `packing_limit`."""

    def table(
        count: NDArray[np.float64], log_targets: NDArray[np.float64], epsilon: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return walked(count, log_targets, epsilon, np.array(delta))[lost]

    return mean_over_count(table, m, log_targets, mass, epsilon, tail)


def mechanism_rate(
    epsilon: NDArray[np.float64], alpha: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return -log r for r = 1 - alpha (1 - e^{-eps/2}).

    E[e^{-eps * mistakes / 2}] <= r^m for a hypothesis of error above alpha.
    """
    return np.asarray(-np.log1p(alpha * np.expm1(-0.5 * epsilon)))


def shifted_rate(epsilon: NDArray[np.float64], alpha: float, good: float) -> NDArray[np.float64]:
    """Return -log r for r = 1 - alpha (1 - e^{-e/2}) + good (e^{e/2} - 1), best e <= epsilon.

    The same against a hypothesis of error `good` in place of zero; positive when good is
    below alpha e^{-e/2}. The best e is min(epsilon, log(alpha / good)).
    """
    best = np.minimum(epsilon, math.log(alpha / good))
    return np.asarray(-np.log1p(alpha * np.expm1(-0.5 * best) + good * np.expm1(0.5 * best)))


def least_at_rate(log_factor: float, rate: float) -> int:
    """Return the least m >= 1 with e^{log_factor} e^{-rate m} <= 1, rounded up."""
    if log_factor <= 0.0:
        return 1
    return max(1, math.ceil(log_factor / rate * (1.0 - 1e-14)))
