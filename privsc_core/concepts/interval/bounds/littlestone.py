"""The lower bound for every pure private learner, improper ones included (FX14)."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.extremes import log_tail
from privsc_core.concepts.inequalities import SEARCH_LIMIT, least_allowed
from privsc_core.numerics.binomial import LOG_TAIL, binomial_expectation, of_count
from privsc_core.numerics.decimals import complement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["Littlestone", "LittlestoneQuarter", "LittlestoneRate"]

_LOG2 = math.log(2.0)
_SHARES = 33
_CONFIDENCES = 240
_REFINED = 9
# Up to so many samples the s of many samples need not be the best: a grid of s is tried.
_FEW = 300
_SPREAD = 24


def entropy(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the binary entropy in bits."""
    p = np.clip(probability, 1e-300, 1.0 - 1e-16)
    return np.asarray(-(p * np.log(p) + (1.0 - p) * np.log1p(-p)) / _LOG2)


def log_guess(
    dimension: int, accuracy: float, confidence: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return an upper bound on the log probability of guessing an accurate hypothesis.

    Let every target's good hypotheses have probability q or more in one fixed distribution.
    N independent draws from it contain a good one except with probability delta' = (1-q)^N, so
    they are an (accuracy, delta')-probabilistic representation, which costs
    log2 N >= (1 - H2(gamma)) LDim, gamma = accuracy + delta' - accuracy * delta' < 1/2 (FX14,
    Theorem 3.1 and Corollary 4.3). With M the largest N that violates this, (1-q)^M > delta'.

    Parameters
    ----------
    dimension : int
        Littlestone dimension of the class.
    accuracy : float
        In (0, 1/2).
    confidence : ndarray
        Values of delta' to try, in (0, 1).

    Returns
    -------
    ndarray of float64
        log q at most this, for each delta'; 0 where nothing is said.
    """
    gamma = accuracy + confidence - accuracy * confidence
    bits = np.where(gamma < 0.5, (1.0 - entropy(np.minimum(gamma, 0.5))) * dimension, 0.0)
    log_most = bits * _LOG2
    # M = ceil(2^bits) - 1 where that can be told from 2^bits.
    small = bits < 50.0
    whole = np.ceil(np.exp2(np.minimum(bits, 50.0)) * (1.0 - 1e-12)) - 1.0
    with np.errstate(divide="ignore"):
        log_most = np.where(small, np.log(np.maximum(whole, 0.0)), log_most)
    # q < 1 - delta'^{1/M}
    share = np.log(-np.log(confidence)) - log_most
    few = np.clip(share, -30.0, 4.0)  # 1 - e^{-e^4} is 1
    value = np.where(share < -30.0, share, np.log(-np.expm1(-np.exp(few))))
    return np.asarray(np.where(whole < 1.0, 0.0, np.minimum(value, 0.0)))


@lru_cache(maxsize=4096)
def best_guess(dimension: int, accuracy: float) -> float:
    """Return the least `log_guess` over delta'."""
    if accuracy >= 0.5:
        return 0.0
    most = (0.5 - accuracy) / (1.0 - accuracy)
    tried = most * np.geomspace(1e-9, 1.0 - 1e-4, _CONFIDENCES)
    values = log_guess(dimension, accuracy, tried)
    at = int(values.argmin())
    low, high = tried[max(at - 1, 0)], tried[min(at + 1, tried.size - 1)]
    return float(min(values[at], log_guess(dimension, accuracy, np.linspace(low, high, 65)).min()))


def _table(
    count: NDArray[np.float64],
    log_share: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    return np.asarray(np.exp(np.minimum(epsilon * count + log_share, 0.0)))


def littlestone_limit(
    m: NDArray[np.int64],
    log_share: NDArray[np.float64],
    mass: float,
    epsilon: NDArray[np.float64],
    tail: float = LOG_TAIL,
) -> NDArray[np.float64]:
    """Return E[min(1, q e^{eps K})] for K ~ Bin(m, mass), log q = `log_share`."""
    if mass >= 1.0:
        return np.asarray(np.exp(np.minimum(epsilon * m + log_share, 0.0)))
    return binomial_expectation(
        m, mass, (log_share, epsilon), of_count(_table), rate=1.0, log_tail=tail
    )


def littlestone_failure(
    m: NDArray[np.int64],
    log_share: NDArray[np.float64],
    mass: float,
    epsilon: NDArray[np.float64],
    tail: float = LOG_TAIL,
) -> NDArray[np.float64]:
    """Return 1 - `littlestone_limit` without cancellation."""
    if mass >= 1.0:
        return np.asarray(-np.expm1(np.minimum(epsilon * m + log_share, 0.0)))
    return binomial_expectation(
        m, mass, (log_share, epsilon), of_count(_lacking), rate=1.0, log_tail=tail
    )


def _lacking(
    count: NDArray[np.float64],
    log_share: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    return np.asarray(-np.expm1(np.minimum(epsilon * count + log_share, 0.0)))


def _least_m(guess: float, mass: float, epsilon: float, beta: float) -> int | None:
    """Return the least m that one (s, delta') does not exclude, log q = `guess`."""
    if guess >= math.log(complement(beta)):
        return 1
    share, loss, tail = np.array(guess), np.array(epsilon), log_tail(beta)
    found = least_allowed(
        beta,
        lambda _, m: littlestone_limit(m, share, mass, loss, tail),
        lambda _, m: littlestone_failure(m, share, mass, loss, tail),
        guess=np.array([-guess / (epsilon * mass)]),
    )
    return int(found[0]) or None


class _Improper(Bound):
    """What the three share.

    They are proved on mixtures over the paths of a binary search. On `hard` only three labels must
    be right, and a random function may have them.
    """

    kind = "lower"
    applies_to = "every purely private learner, proper or not"
    shown_on = ("hard",)

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.privacy == "pure"


class Littlestone(_Improper):
    """E[min(1, q e^{eps K})] >= 1 - beta for K ~ Bin(m, s), for every s and delta'."""

    name = "littlestone"
    title = "Littlestone bound"
    legend = "Impossible for every ε-DP learner, proper or not: some distribution fails it"
    headline = True
    source = Source("ours", "sharpens FX14, Theorems 2.5 and 3.1, Corollary 4.3")
    constants = "sharp"
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,s)}\bigl[\min(1,\,q\,e^{\varepsilon K})\bigr] \ge 1-\beta"
        r"\quad\text{for all } s, \delta',\qquad q = 1-\delta'^{\,1/M},\;"
        r"M = \bigl\lceil 2^{(1-H_2(\gamma))\,d}\bigr\rceil - 1,\;"
        r"\gamma = \tfrac{\alpha}{s}+\delta'-\tfrac{\alpha}{s}\delta' < \tfrac12"
    )
    derivation = (
        "**A dummy database knows the answer.** Mix any distribution, with weight $s$, into the "
        "mass on point 1, which $c_2, \\dots, c_{T+1}$ all label 1. With $K$ the number of "
        "other examples, the sample differs from the all-dummy database $D_0$ in $K$ entries. So "
        "for a target's set $G$ of hypotheses of error at most $\\alpha$ (error at most "
        "$\\alpha/s$ on the mixed-in distribution) and $q = \\Pr[A(D_0) \\in G]$, privacy gives "
        "$\\Pr[A(S) \\in G \\mid K] \\le \\min(1, q\\,e^{\\varepsilon K})$; average over $K$. This is "
        "the exact optimum over the cut $k_0$ of the usual proof, which we do not need.\n\n"
        "**Few candidates for all targets.** $N$ runs on $D_0$ contain a member of $G$ except with "
        "probability $(1-q)^N$. If that is at most $\\delta'$, they are an "
        "$(\\alpha/s, \\delta')$-probabilistic representation of size $N$.\n\n"
        "**But candidates must carry $d$ bits.** By FX14, Theorem 3.1, such a representation "
        "gives a one-way protocol with error $\\gamma$ and $\\log_2 N$ bits, and by Corollary 4.3 "
        "that takes $\\log_2 N \\ge (1-H_2(\\gamma))\\,\\mathrm{LDim}$, where "
        "$\\mathrm{LDim} = d$. The corollary is stated for private coins and the protocol has "
        "public ones: with the coins fixed, $N$ messages carry at most $\\log_2 N$ bits about $d$ "
        "uniform ones, of which Fano's inequality asks $(1-H_2(\\gamma_r))\\,d$ at coins of error "
        "$\\gamma_r$, and some coins have $\\gamma_r \\le \\gamma$. So the largest $M$ below that has $(1-q)^M > \\delta'$. "
        "$\\square$\n\n"
        "The distribution that a learner fails on need not be the hard one of the pictures.\n\n"
        "Reported: the least $m$ that no $(s, \\delta')$ excludes, on a fine grid; every pair "
        "is a valid bound."
    )

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        if at.alpha >= 0.5:
            return BoundValue(1, note="says nothing: needs alpha < 1/2")
        m, _ = _strongest(at.d, at.epsilon, at.alpha, at.beta)
        if m is None:
            return BoundValue(None, f"more than {SEARCH_LIMIT:.0e} samples: not searched further")
        return BoundValue(m)

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of a pure private learner, by one s per d."""
        out = np.ones(setting.shape)
        if setting.alpha >= 0.5:
            return out
        d = np.broadcast_to(setting.d, setting.shape)
        m = np.broadcast_to(setting.m, setting.shape)
        epsilon = np.broadcast_to(setting.epsilon, setting.shape)
        for bits in np.unique(d).tolist():
            here = d == bits
            share = _best_share(bits, setting.alpha)
            guess = np.array(best_guess(bits, setting.alpha / share))
            out[here] = littlestone_limit(m[here], guess, share, epsilon[here], setting.log_tail)
        return out


@lru_cache(maxsize=8192)
def _best_share(d: int, alpha: float) -> float:
    """Return the s that excludes most for many samples: it maximises -log q / s."""
    tried = np.geomspace(min(2.0 * alpha * (1.0 + 1e-9), 1.0), 1.0, _SHARES)
    for _ in range(2):
        score = [-best_guess(d, alpha / s) / s for s in tried.tolist()]
        at = int(np.argmax(score))
        best = float(tried[at])
        tried = np.geomspace(tried[max(at - 1, 0)], tried[min(at + 1, tried.size - 1)], _REFINED)
    return best


def _least(d: int, epsilon: float, alpha: float, beta: float, share: float) -> int | None:
    return _least_m(best_guess(d, alpha / share), share, epsilon, beta)


@lru_cache(maxsize=8192)
def _strongest(d: int, epsilon: float, alpha: float, beta: float) -> tuple[int | None, float]:
    """Return the largest least m over s, and the s: around the s that is best for many samples.

    Few samples may be told to be too few by quite another s, up to the papers' 4 alpha.
    """
    best = _best_share(d, alpha)
    top: tuple[int | None, float] = (1, best)
    ratios = (0.85, 0.93, 1.0, 1.08, 1.18) if d < 2000 else (1.0,)
    tried = [min(best * ratio, 1.0) for ratio in ratios]
    tried += [*np.geomspace(min(2.001 * alpha, 1.0), 1.0, _SPREAD).tolist(), min(4.0 * alpha, 1.0)]
    for number, share in enumerate(tried):
        if alpha / share >= 0.5:
            continue
        if number >= len(ratios):
            if top[0] is None or top[0] > _FEW:
                break
            at = (np.array(top[0]), np.array(best_guess(d, alpha / share)), share)
            rest = littlestone_failure(*at, np.array(epsilon), log_tail(beta))
            if rest <= beta:
                continue
        m = _least(d, epsilon, alpha, beta, share)
        if m is None:
            return None, share
        if top[0] is not None and m > top[0]:
            top = (m, share)
    return top


class LittlestoneQuarter(_Improper):
    """The same with the papers' accuracy and confidence of 1/4 in place of the best ones."""

    name = "corollary-4.3"
    dash = "dot"
    title = "Littlestone bound at ¼, ¼"
    source = Source("FX14", "Theorems 2.5 and 3.1 at (1/4, 1/4), Corollary 4.3")
    constants = "paper"
    completed = "the expectation over K, and the step to public coins"
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,4\alpha)}\bigl[\min(1,\,q\,e^{\varepsilon K})\bigr] \ge 1-\beta,"
        r"\qquad q = 1-4^{-1/M},\; M = \bigl\lceil 2^{(1-H_2(7/16))\,d}\bigr\rceil - 1"
    )
    derivation = (
        "The route of the Littlestone bound at the point where the paper defines its dimensions: "
        "a $(\\frac14, \\frac14)$-probabilistic representation, so $s = 4\\alpha$, "
        "$\\delta' = \\frac14$, $\\gamma = \\frac7{16}$. Only $1 - H_2(\\frac7{16}) = 0.0113$ of each "
        "bit is then counted. The paper itself hides the constant of the first step in "
        "$\\Omega(\\cdot)$; **ours** is the exact expectation. The paper states Corollary 4.3 for "
        "private coins; Theorem 3.1 needs it for public ones, for which the proof is under the "
        "Littlestone bound and ours too. Valid for $\\alpha \\le \\frac14$."
    )

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        if at.alpha > 0.25:
            return BoundValue(None, "needs alpha <= 1/4")
        guess = float(log_guess(at.d, 0.25, np.array([0.25]))[0])
        if guess >= math.log(complement(at.beta)):
            return BoundValue(1, note="says nothing at this d")
        least = _least_m(guess, 4.0 * at.alpha, at.epsilon, at.beta)
        return BoundValue(least, "" if least else f"more than {SEARCH_LIMIT:.0e} samples")


class LittlestoneRate(_Improper):
    """Omega(d / (alpha eps)), without a constant."""

    name = "littlestone-rate"
    dash = "dashdot"
    title = "Littlestone bound, as stated"
    source = Source("FX14", "Theorem 2.5, Theorem 3.1, Corollary 4.3")
    constants = "rate"
    statement = (
        r"m = \Omega\Bigl(\frac{\mathrm{LDim}}{\alpha\,\varepsilon}\Bigr) = "
        r"\Omega\Bigl(\frac{d}{\alpha\,\varepsilon}\Bigr)"
    )
    derivation = (
        "The closed form of the paper: a straight line in $d$, of unknown height. It has no "
        "number; the Littlestone bound above is ours with one."
    )

    def least(self, _at: Cell) -> BoundValue:
        """Refuse a number: the paper gives only a rate."""
        return BoundValue(None, "a rate without a constant: d / (alpha epsilon)")
