"""What the exponential mechanism's law on the uniform distribution lies between.

Given the sample points, an m x d matrix X of coins, r is drawn with probability 1 / W,
W = sum_v e^{-e |Xv|}. Any two of the rows Xv with v != 0 are independent, so the mean mu and the
variance of W are known, and with W >= 1

    1/W = 1/mu - (W - mu)/mu^2 + (W - mu)^2 / (mu^2 W)

gives 1/mu <= E[1/W] <= 1/mu + Var/mu^2. Also W >= 2^(d - rank), so that E[1/W] <= R(m, d).

Where e is large W varies with the rank more than with anything else. Given the rank d - D, W is 2^D
times the same sum over a uniformly random space of 2^(d-D) vectors: all nonzero vectors are alike, and
any two of them are negatively correlated, so that the same inequality holds with
mu_D = 1 + n a and Var_D <= n (b - a^2), n = 2^(d-D) - 1, a and b the means of e^{-e|c|} and of its
square over the nonzero c. Averaged over D it is never wider.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

from privsc_core import progress
from privsc_core.concepts.parity.linear import kernel_law, solved
from privsc_core.numerics.binomial import binomial_window
from privsc_core.numerics.logspace import log_domain

if TYPE_CHECKING:
    from numpy.typing import NDArray


_LARGEST = 300.0  # its square is still a float


class Between(NamedTuple):
    """The two ends, and 1 minus each of them without cancellation, of one shape."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    most_missed: NDArray[np.float64]
    least_missed: NDArray[np.float64]


def between(m: NDArray[np.int64], d: NDArray[np.int64], rate: NDArray[np.float64]) -> Between:
    """Return the ends of the certificate for weights e^{-rate * mistakes}; they broadcast."""
    m, d, rate = np.broadcast_arrays(m, d, rate)
    once = np.log1p(np.exp(-rate)) - np.log(2.0)
    twice = np.log1p(np.exp(-2.0 * rate)) - np.log(2.0)
    log_rivals = log_domain(d, 1)
    log_excess = log_rivals + m * once  # log(mu - 1)
    excess = np.exp(np.minimum(log_excess, _LARGEST))
    mu = 1.0 + excess
    # 2 once - twice, which are close where rate is small.
    apart = m * np.log1p(-0.5 * np.expm1(-rate) ** 2 / (1.0 + np.exp(-2.0 * rate)))
    log_mu = np.logaddexp(0.0, log_excess)
    with np.errstate(divide="ignore"):
        spread = np.exp(log_rivals + m * twice + np.log(-np.expm1(apart)) - 2.0 * log_mu)
    low = np.exp(-log_mu)
    found, missed = solved(m, d)
    lost = excess / mu
    return Between(
        low,
        np.maximum(np.minimum(low + spread, found), low),
        lost,
        np.minimum(np.maximum(lost - spread, missed), lost),
    )


def by_rank(
    m: NDArray[np.int64], d: int, rate: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return low and high of E[1/W] by the rank, and 1 - low; m and rate broadcast."""
    m, rate = np.broadcast_arrays(m, rate)
    law, free = kernel_law(m, d)
    size, e = m[..., None].astype(np.float64), rate[..., None]
    whole = _log_power(size, np.array(np.log(2.0)))
    log_a = _log_power(size, np.log1p(np.exp(-e))) - whole
    log_b = _log_power(size, np.log1p(np.exp(-2.0 * e))) - whole
    log_rivals = log_domain(d - free, 1)
    excess = np.exp(np.minimum(log_rivals + log_a, _LARGEST))
    variance = np.exp(np.minimum(log_rivals + log_b, _LARGEST)) - excess * np.exp(log_a)
    mu = 1.0 + excess
    share = np.exp2(-free.astype(np.float64))
    low = (law * share / mu).sum(axis=-1)
    high = (law * share * np.minimum(1.0 / mu + np.maximum(variance, 0.0) / mu**2, 1.0)).sum(
        axis=-1
    )
    missed = (law * ((1.0 - share) + share * excess / mu)).sum(axis=-1)
    return low, np.maximum(high, low), missed


def _log_power(size: NDArray[np.float64], log_base: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log((base)^size - 1)."""
    exponent = size * log_base
    with np.errstate(divide="ignore"):
        return np.asarray(exponent + np.log(-np.expm1(-exponent)))


# -------------------------------------------------------------------------------------------------
# What the exponential mechanism's law lies between where each label is wrong with probability eta.
#
# Let k of the m labels be wrong, z the vector of them, and the sample points have rank d - D. Every
# parity stands for a vector c of mistakes of the target's, 0 for the target itself, and r is drawn with
# probability 2^-D / (1 + S), S the sum over the n = 2^(d-D) - 1 nonzero c of e^{-e (|c + z| - k)}. As
# without noise (`certificate`) c is uniform, and of any function of it two c are negatively correlated.
# Let S_t be the sum of those c alone for which B = |c + z| is more than t, with mean n a_t and the mean
# b_t of the squares. For every t
#
#     1/(1 + n a_t) - n P(B <= t)  <=  E[1/(1 + S)]  <=  1/(1 + n a_t) + n (b_t - a_t^2)/(1 + n a_t)^2,
#
# on the left as S = S_t unless some B <= t, on the right as S >= S_t. At t = -1 all c count, and this is
# narrow while no rival is luckier than the target; else t just below k is, where n P(B <= t) tells how
# rarely one is. One more wrong label multiplies the weights of other c by 1 or e^{2e}, so that 1/(1 + S)
# falls as k grows: what holds at k holds from below at fewer, and from above at more.


_LOG2 = math.log(2.0)
# Of higher rates the law differs by less than m e^{-100}, relative to itself.
_STEEPEST = 100.0
# Where all c give so narrow an answer no t is tried.
_NARROW = 1e-5
# The t that are tried, as distances from k.
_NEAR = np.array([0, 1, 2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 50])
_TRIED = np.concatenate([-1 - _NEAR, _NEAR])
# Numbers of wrong labels are put together into so many groups where there are more.
_GROUPS = 2048
# Below it the logarithm of a tail is taken from its first term.
_DEEP = 1e-280
# What is added to the left-hand side beyond it makes no difference.
_MUCH = 5.0


def with_noise(
    m: NDArray[np.int64], d: int, rate: NDArray[np.float64], eta: float, log_tail: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return low and high of the success probability, and 1 - low.

    Parameters
    ----------
    m, rate : ndarray, shape (cells,)
        Sizes of the sample; r is drawn with weight e^{-rate * mistakes}.
    d : int
    eta : float
        How likely a label is wrong.
    log_tail : float
        Numbers of wrong labels with less than e^{-log_tail} are left out.
    """
    low, high, missed = np.empty((3, m.size))
    for size in progress.steps(np.unique(m).tolist()):
        first, weights = binomial_window(size, eta, log_tail)
        edges = np.unique(np.linspace(0, weights.size, _GROUPS + 1).astype(np.int64))
        weights = np.add.reduceat(weights, edges[:-1])
        fewest, most = first + edges[:-1], first + edges[1:] - 1
        for at in np.flatnonzero(m == size).tolist():
            e = min(float(rate[at]), _STEEPEST)
            low[at], high[at], missed[at] = (
                found @ weights for found in _given(size, d, e, fewest, most)
            )
    return low, np.maximum(high, low), missed


def _given(
    m: int, d: int, e: float, fewest: NDArray[np.int64], most: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return low, high and 1 - low given from `fewest` to `most` wrong labels, of each group."""
    law, free = kernel_law(np.array(m), d)
    some = law > 0.0
    law, free = law[some], free[some]
    log_rivals, share = log_domain(d - free, 1), np.exp2(-free.astype(np.float64))

    def ends(
        steps: NDArray[np.int64] | None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        low, lost = _least(m, e, most, steps, log_rivals)
        high = _most(m, e, fewest, steps, log_rivals)
        missed = (law * ((1.0 - share) + share * np.minimum(lost, 1.0))).sum(axis=-1)
        return (
            (law * share * np.maximum(low, 0.0)).sum(axis=-1),
            (law * share * high).sum(axis=-1),
            missed,
        )

    low, high, missed = ends(None)
    if (high - low).max() > _NARROW:
        low, high, missed = ends(_TRIED)
    # As it falls with the number of wrong labels.
    low = np.maximum.accumulate(low[::-1])[::-1]
    missed = np.minimum.accumulate(missed[::-1])[::-1]
    return low, np.minimum.accumulate(high), missed


def _cuts(m: int, k: NDArray[np.int64], steps: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """Return the t to try, shape (k, t): -1 first, and those near k."""
    every = np.full((k.size, 1), -1.0)
    if steps is None:
        return every
    return np.asarray(np.clip(np.concatenate([every, k[:, None] + steps], axis=1), -1.0, m))


def _least(
    m: int,
    e: float,
    k: NDArray[np.int64],
    steps: NDArray[np.int64] | None,
    log_rivals: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the left-hand side and 1 minus it, shape (k, ranks), at the best t of each."""
    t = _cuts(m, k, steps)
    log_a = _log_mean(m, e, k, t)[1][..., None] + log_rivals
    # B <= t: with the others m - B >= m - t, which has the same law.
    lucky = np.where(t < 0.0, -np.inf, _log_tail(m, m - t, 0.0)[1])
    lucky = _without_target(m, lucky, k[:, None] <= t)[..., None] + log_rivals
    passed = np.exp(np.minimum(lucky, _MUCH))
    log_mu = np.logaddexp(0.0, log_a)
    low = (np.exp(-log_mu) - passed).max(axis=1)
    return low, (np.exp(log_a - log_mu) + passed).min(axis=1)


def _most(
    m: int,
    e: float,
    k: NDArray[np.int64],
    steps: NDArray[np.int64] | None,
    log_rivals: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the right-hand side, shape (k, ranks), at the best t of each, and at most 1."""
    t = _cuts(m, k, steps)
    log_a, log_b = _log_mean(m, e, k, t)[0], _log_mean(m, 2.0 * e, k, t)[1]
    # Rivals of no weight at all do not vary.
    none = np.isneginf(log_b)
    apart = np.where(none, 0.0, np.minimum(2.0 * log_a - np.where(none, 0.0, log_b), 0.0))
    with np.errstate(divide="ignore"):
        log_variance = np.where(none, -np.inf, log_b + np.log(-np.expm1(apart)))
    log_mu = np.logaddexp(0.0, log_a[..., None] + log_rivals)
    spread = np.exp(np.minimum(log_variance[..., None] + log_rivals - 2.0 * log_mu, 0.0))
    return np.asarray(np.minimum((np.exp(-log_mu) + spread).min(axis=1), 1.0))


def _log_mean(
    m: int, e: float, k: NDArray[np.int64], t: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return log E[e^{-e (B - k)}; B > t] over the nonzero c, from below and from above.

    Over all c, B ~ Bin(m, 1/2): then it is e^{ek} ((1 + e^{-e})/2)^m P(Bin(m, 1/(1 + e^e)) > t).
    """
    whole = m * math.log1p(0.5 * math.expm1(-e)) + e * k[:, None].astype(np.float64)
    low, high = (
        _without_target(m, whole + tail, k[:, None] > t) for tail in _log_tail(m, t + 1.0, e)
    )
    return low, high


def _without_target(
    m: int, log_mean: NDArray[np.float64], counts: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return a log mean over the nonzero c from one over all c, where c = 0 may count 1."""
    size = m * _LOG2
    total = np.maximum(log_mean + size, 1e-300)
    with np.errstate(divide="ignore"):
        rest = np.where(counts, np.log(-np.expm1(-total)), 0.0)
    return np.asarray(log_mean + rest - math.log(-math.expm1(-size)))


def _log_tail(
    m: int, least: NDArray[np.float64], e: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return log P(Bin(m, q) >= least) for q = 1/(1 + e^e), from below and from above.

    Far out in the tail it is the first term, and that over 1 - r, r the ratio of the next one to it.
    """
    inside = np.clip(least, 1.0, m)
    log_q, log_p = -e - math.log1p(math.exp(-e)), -math.log1p(math.exp(-e))
    rest = m - inside
    tail = special.betainc(inside, rest + 1.0, math.exp(log_q))
    first = special.gammaln(m + 1.0) - special.gammaln(inside + 1.0) - special.gammaln(rest + 1.0)
    first = first + inside * log_q + rest * log_p
    ratio = np.minimum(rest / (inside + 1.0) * math.exp(-e), 1.0 - 1e-9)
    near = tail > _DEEP
    log_near = np.log(np.where(near, tail, 1.0))
    low = np.where(near, log_near, first)
    high = np.where(near, log_near, first - np.log1p(-ratio))
    outside = np.where(least > m, -np.inf, 0.0)
    sure = (least < 1.0) | (least > m)
    return np.where(sure, outside, low), np.where(sure, outside, high)
