"""The lower bounds for every pure private learner that count bits by entropy (FX14)."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts import BoundValue, Source
from privsc_core.concepts.extremes import log_tail
from privsc_core.concepts.inequalities import SEARCH_LIMIT, least_allowed, over_allowed
from privsc_core.concepts.interval.bounds.littlestone import Improper
from privsc_core.numerics.binomial import LOG_TAIL, binomial_expectation, of_count
from privsc_core.numerics.decimals import complement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Setting

__all__ = ["LittlestoneEntropy", "LittlestoneQuarter", "LittlestoneRate"]

_LOG2 = math.log(2.0)
_SHARES = 33
_TRIED = np.geomspace(1e-9, 1.0 - 1e-4, 240)
_REFINED = 9
_SMOOTH = 30.0  # from e^{-30} on 1 - e^{-x} is x
_PAIRS = 128  # pairs of a table that stays in the cache
# Shares around the best one, where there are not so many bits that it is best for any samples.
_RATIOS, _MANY_BITS = np.array([0.85, 0.93, 1.0, 1.08, 1.18]), 2000
# Up to so many samples the s of many samples need not be the best: a grid of s is tried.
_FEW = 300
_SPREAD = 24


def entropy(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the binary entropy in bits."""
    p = np.clip(probability, 1e-300, 1.0 - 1e-16)
    return np.asarray(-(p * np.log(p) + (1.0 - p) * np.log1p(-p)) / _LOG2)


def log_guess(
    dimension: NDArray[np.int64], accuracy: NDArray[np.float64], confidence: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return an upper bound on the log probability of guessing an accurate hypothesis.

    Let every target's good hypotheses have probability q or more in one fixed distribution.
    N independent draws from it contain a good one except with probability delta' = (1-q)^N, so
    they are an (accuracy, delta')-probabilistic representation, which costs
    log2 N >= (1 - H2(gamma)) LDim, gamma = accuracy + delta' - accuracy * delta' < 1/2 (FX14,
    Theorem 3.1 and Corollary 4.3). With M the largest N that violates this, (1-q)^M > delta'.

    Parameters
    ----------
    dimension : ndarray
        Littlestone dimensions of classes.
    accuracy : ndarray
        In (0, 1/2).
    confidence : ndarray
        Values of delta' to try, in (0, 1).

    Returns
    -------
    ndarray of float64
        log q at most this, for each delta'; 0 where nothing is said. All broadcast.
    """
    bits = _kept(accuracy, confidence) * dimension
    return _log_guess(bits, np.log(-np.log(confidence)))


def _kept(accuracy: NDArray[np.float64], confidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 - H2(gamma), the share of each bit that counts; 0 from gamma = 1/2 on."""
    gamma = accuracy + confidence - accuracy * confidence
    return np.where(gamma < 0.5, 1.0 - entropy(np.minimum(gamma, 0.5)), 0.0)


def _log_guess(bits: NDArray[np.float64], log_log: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `log_guess` from log2 N and log(-log delta')."""
    log_most = bits * _LOG2
    # M = ceil(2^bits) - 1 where that can be told from 2^bits.
    small = np.nonzero(bits < 50.0)
    whole = np.ceil(np.exp2(bits[small]) * (1.0 - 1e-12)) - 1.0
    with np.errstate(divide="ignore"):
        log_most[small] = np.log(np.maximum(whole, 0.0))
    # q < 1 - delta'^{1/M}, which is the exponent itself where that is tiny.
    share = log_log - log_most
    near = np.nonzero(share >= -_SMOOTH)
    few = np.minimum(share[near], 4.0)  # 1 - e^{-e^4} is 1
    share[near] = np.log(-np.expm1(-np.exp(few)))
    share[tuple(axis[whole < 1.0] for axis in small)] = 0.0
    return np.minimum(share, 0.0)


def best_guesses(
    dimension: NDArray[np.int64],
    accuracy: NDArray[np.float64],
    promising: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.bool_]]
    | None = None,
) -> NDArray[np.float64]:
    """Return the least `log_guess` over delta', pair by pair; 0 where the accuracy is too poor.

    Both have shape (pairs,). Where `promising` says of a pair's value on a grid of delta', and of what
    it is at least between grid points, that it is not, the first value stays.
    """
    found = np.zeros(dimension.size)
    # Half of the work depends on the accuracy alone, and dimensions share few.
    accuracies, inverse = np.unique(accuracy, return_inverse=True)
    most = np.maximum((0.5 - accuracies) / (1.0 - accuracies), 0.0)
    said = most[inverse] > 0.0
    with np.errstate(divide="ignore"):
        tried = most[:, None] * _TRIED
        kept, log_log = _kept(accuracies[:, None], tried), np.log(-np.log(tried))
    places = np.zeros(found.size, dtype=np.intp)
    for start in range(0, found.size, _PAIRS):
        pairs = np.flatnonzero(said[start : start + _PAIRS]) + start
        which = inverse[pairs]
        places[pairs], found[pairs] = _least_guess(kept[which], dimension[pairs], log_log[which])
    below, above = np.maximum(places - 1, 0), np.minimum(places + 1, _TRIED.size - 1)
    if promising is not None:
        # As many bits as at one end, and the delta' of the other.
        bits, log = kept[inverse, below] * dimension, log_log[inverse, above]
        said &= promising(found, _log_guess(bits, log))
    rest = np.flatnonzero(said)
    for start in range(0, rest.size, _PAIRS):
        pairs = rest[start : start + _PAIRS]
        of = inverse[pairs]
        between = np.linspace(tried[of, below[pairs]], tried[of, above[pairs]], 65, axis=1)
        fine = _kept(accuracy[pairs, None], between), dimension[pairs], np.log(-np.log(between))
        found[pairs] = np.minimum(found[pairs], _least_guess(*fine)[1])
    return found


def _least_guess(
    kept: NDArray[np.float64], dimension: NDArray[np.int64], log_log: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return where in each row `_log_guess` is least, and how much it is there.

    It is at least what it would be if M were 2^bits, which mostly leaves few to look at.
    """
    smooth = kept * dimension[:, None]
    smooth *= -_LOG2
    smooth += log_log
    rows, at = np.arange(len(smooth)), smooth.argmin(axis=1)
    found = _log_guess(kept[rows, at] * dimension, log_log[rows, at])
    with np.errstate(divide="ignore"):
        most = np.log(-np.log1p(-np.exp(np.minimum(found, -1e-300))))
    near, columns = np.nonzero(smooth <= np.where(found > -_SMOOTH, most, found)[:, None] + 1e-9)
    values = _log_guess(kept[near, columns] * dimension[near], log_log[near, columns])
    table = np.zeros(smooth.shape)
    table[near, columns] = values
    at = table.argmin(axis=1)
    return at, table[rows, at]


def _table(
    count: NDArray[np.float64],
    log_share: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    return np.asarray(np.exp(np.minimum(epsilon * count + log_share, 0.0)))


def littlestone_limit(
    m: NDArray[np.int64],
    log_share: NDArray[np.float64],
    mass: float | NDArray[np.float64],
    epsilon: NDArray[np.float64],
    tail: float = LOG_TAIL,
) -> NDArray[np.float64]:
    """Return E[min(1, q e^{eps K})] for K ~ Bin(m, mass), log q = `log_share`."""
    return _mean(_table, m, log_share, mass, epsilon, tail)


def littlestone_failure(
    m: NDArray[np.int64],
    log_share: NDArray[np.float64],
    mass: float | NDArray[np.float64],
    epsilon: NDArray[np.float64],
    tail: float = LOG_TAIL,
) -> NDArray[np.float64]:
    """Return 1 - `littlestone_limit` without cancellation."""
    return _mean(_lacking, m, log_share, mass, epsilon, tail)


def _mean(
    table: Callable[..., NDArray[np.float64]],
    m: NDArray[np.int64],
    log_share: NDArray[np.float64],
    mass: float | NDArray[np.float64],
    epsilon: NDArray[np.float64],
    tail: float,
) -> NDArray[np.float64]:
    """Return E[table(K)] for K ~ Bin(m, mass), which is m at a mass of 1."""
    sure = np.asarray(mass) >= 1.0
    if sure.all():
        return table(m, log_share, epsilon)
    if sure.any():
        mass = np.where(sure, 0.5, mass)
    found = binomial_expectation(
        m, mass, (log_share, epsilon), of_count(table), rate=1.0, log_tail=tail
    )
    return np.where(sure, table(m, log_share, epsilon), found) if sure.any() else found


def _lacking(
    count: NDArray[np.float64],
    log_share: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    return np.asarray(-np.expm1(np.minimum(epsilon * count + log_share, 0.0)))


def _least_m(
    guess: NDArray[np.float64],
    mass: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    beta: float,
) -> NDArray[np.int64]:
    """Return the least m that one (s, delta') does not exclude, log q = `guess`, each; or 0."""
    found = np.ones(guess.size, dtype=np.int64)
    open_ = np.flatnonzero(guess < math.log(complement(beta)))
    if not open_.size:
        return found
    columns = [column[open_, None] for column in (guess, mass, epsilon)]
    tail = log_tail(beta)

    def success(which: NDArray[np.intp], m: NDArray[np.int64]) -> NDArray[np.float64]:
        share, weight, loss = (column[which] for column in columns)
        return littlestone_limit(m, share, weight, loss, tail)

    def failure(which: NDArray[np.intp], m: NDArray[np.int64]) -> NDArray[np.float64]:
        share, weight, loss = (column[which] for column in columns)
        return littlestone_failure(m, share, weight, loss, tail)

    start = -guess[open_] / (epsilon[open_] * mass[open_])
    found[open_] = least_allowed(beta, success, failure, guess=start)
    return found


class LittlestoneEntropy(Improper):
    """E[min(1, q e^{eps K})] >= 1 - beta for K ~ Bin(m, s), for every s and delta'."""

    name = "littlestone-entropy"
    validity = "for α < 1/2"
    title = "Littlestone bound, by entropy"
    legend = "Impossible for every ε-DP learner, proper or not, by the entropy of messages"
    behind = True
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
        return self.leasts([at])[0]

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Return them at settings that differ in d and epsilon alone."""
        if cells[0].alpha >= 0.5:
            return [BoundValue(1, note="says nothing: needs alpha < 1/2") for _ in cells]
        d, epsilon = np.array([at.d for at in cells]), np.array([at.epsilon for at in cells])
        found = _strongest(d, epsilon, cells[0].alpha, cells[0].beta)
        beyond = f"more than {SEARCH_LIMIT:.0e} samples: not searched further"
        return [BoundValue(m) if m else BoundValue(None, beyond) for m in found.tolist()]

    def over(self, at: Cell, m: int) -> float | None:
        """Return the least log odds over s: that is below 0 where one of them excludes m.

        The number itself is looked for where m is so small that any s may exclude it.
        """
        if at.alpha >= 0.5:
            return super().over(at, m)
        found = _over(at, m, _near_guesses(at.d, at.alpha))
        if found < 0.0 or (m > _FEW and _over(at, _FEW, _near_guesses(at.d, at.alpha)) < 0.0):
            return found
        wide = _over(at, min(m, _FEW), _wide_guesses(at.d, at.alpha))
        if m <= _FEW:
            return min(found, wide)
        return found if wide >= 0.0 else super().over(at, m)

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of a pure private learner, by one s per d."""
        if setting.alpha >= 0.5:
            return np.ones(setting.shape)
        bits, inverse = np.unique(setting.d, return_inverse=True)
        shares = _best_shares(tuple(bits.tolist()), setting.alpha)
        guesses = best_guesses(bits, setting.alpha / shares)
        mass: Any = float(shares[0])
        if bits.size > 1:
            mass = shares[inverse].reshape(setting.d.shape)
        guess = guesses[inverse].reshape(setting.d.shape)
        found = littlestone_limit(setting.m, guess, mass, setting.epsilon, setting.log_tail)
        return np.broadcast_to(found, setting.shape)


@lru_cache(maxsize=512)
def _best_shares(d: tuple[int, ...], alpha: float) -> NDArray[np.float64]:
    """Return for each d the s that excludes most for many samples: it maximises -log q / s."""
    bits, rows, best = np.array(d), np.arange(len(d)), np.ones(len(d))
    shares = np.geomspace(min(2.0 * alpha * (1.0 + 1e-9), 1.0), 1.0, _SHARES)
    tried = np.broadcast_to(shares, (bits.size, _SHARES))
    for _ in range(2):

        def promising(rough: NDArray[np.float64], least: NDArray[np.float64]) -> NDArray[np.bool_]:
            score, most = (-x.reshape(tried.shape) / tried for x in (rough, least))  # noqa: B023 - called at once
            return np.asarray(most >= score.max(axis=1, keepdims=True)).ravel()

        guesses = best_guesses(np.repeat(bits, tried.shape[1]), alpha / tried.ravel(), promising)
        at = (-guesses.reshape(tried.shape) / tried).argmax(axis=1)
        best = tried[rows, at]
        low, high = (
            tried[rows, np.maximum(at - 1, 0)],
            tried[rows, np.minimum(at + 1, len(tried[0]) - 1)],
        )
        tried = np.geomspace(low, high, _REFINED, axis=1)
    return best


def _near(bits: NDArray[np.int64], alpha: float) -> NDArray[np.float64]:
    """Return the s around the best one for many samples, shape (d, s)."""
    ratios = np.where(bits[:, None] < _MANY_BITS, _RATIOS, 1.0)
    return np.minimum(_best_shares(tuple(bits.tolist()), alpha)[:, None] * ratios, 1.0)


@lru_cache(maxsize=512)
def _near_guesses(d: int, alpha: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return log q and s around the best one for many samples."""
    return _guesses(d, alpha, np.unique(_near(np.array([d]), alpha)))


@lru_cache(maxsize=512)
def _wide_guesses(d: int, alpha: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return log q and s that may exclude few samples."""
    return _guesses(d, alpha, _wide(alpha))


def _guesses(
    d: int, alpha: float, shares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    accuracy = alpha / shares
    guesses = best_guesses(np.repeat(d, shares.size), accuracy)
    return np.where(accuracy < 0.5, guesses, 0.0), shares


def _wide(alpha: float) -> NDArray[np.float64]:
    """Return s up to the papers' 4 alpha, and beyond."""
    spread = np.geomspace(min(2.001 * alpha, 1.0), 1.0, _SPREAD)
    return np.append(spread, min(4.0 * alpha, 1.0))


def _over(at: Cell, m: int, by: tuple[NDArray[np.float64], NDArray[np.float64]]) -> float:
    """Return the least log odds of the limits by some s at m, less those of 1 - beta."""
    guess, share = by
    says = guess < math.log(complement(at.beta))
    if not says.any():
        return math.inf
    columns = np.array([m]), guess[says], share[says], np.array(at.epsilon), log_tail(at.beta)
    found = over_allowed(
        at.beta, lambda: littlestone_limit(*columns), lambda: littlestone_failure(*columns)
    )
    return float(found.min())


def _strongest(
    d: NDArray[np.int64], epsilon: NDArray[np.float64], alpha: float, beta: float
) -> NDArray[np.int64]:
    """Return the largest least m over s, or 0: around the s that is best for many samples.

    Few samples may be told to be too few by quite another s, up to the papers' 4 alpha.
    """
    bits, place = np.unique(d, return_inverse=True)
    near = _near(bits, alpha)
    wide = _wide(alpha)

    def tried(shares: NDArray[np.float64], rows: NDArray[np.intp]) -> NDArray[np.int64]:
        accuracy = alpha / shares
        guesses = best_guesses(np.repeat(bits, shares.shape[1]), accuracy.ravel())
        of = place[rows]
        guess, share = guesses.reshape(shares.shape)[of], shares[of]
        said = np.where(accuracy[of] < 0.5, guess, 0.0)
        return _over_shares(said, share, epsilon[rows], beta, top[rows])

    top = np.ones(d.size, dtype=np.int64)
    found = tried(near, np.arange(d.size))
    top = np.where((found == 0).any(axis=1), 0, found.max(axis=1))
    few = np.flatnonzero((top > 0) & (top <= _FEW))
    if few.size:
        found = tried(np.broadcast_to(wide, (bits.size, wide.size)), few)
        for row, least in zip(few.tolist(), found.tolist(), strict=True):
            for m in least:
                if not 0 < top[row] <= _FEW:
                    break
                top[row] = max(m, top[row]) if m else 0
    return top


def _over_shares(
    guess: NDArray[np.float64],
    share: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    beta: float,
    known: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the least m by each s, shape (settings, shares), 0 for none; at least what is known."""
    found = np.repeat(known[:, None], share.shape[1], axis=1)
    rest = littlestone_failure(found, guess, share, epsilon[:, None], log_tail(beta))
    row, column = np.nonzero(rest > beta)
    found[row, column] = _least_m(guess[row, column], share[row, column], epsilon[row], beta)
    return found


class LittlestoneQuarter(Improper):
    """The same with the papers' accuracy and confidence of 1/4 in place of the best ones."""

    name = "corollary-4.3"
    validity = "for α ≤ 1/4, and d large enough for one bit to be left over"
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
        return self.leasts([at])[0]

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Return them at settings that differ in d and epsilon alone."""
        alpha, beta = cells[0].alpha, cells[0].beta
        if alpha > 0.25:
            return [BoundValue(None, "needs alpha <= 1/4") for _ in cells]
        guess = log_guess(np.array([at.d for at in cells]), np.array(0.25), np.array(0.25))
        epsilon = np.array([at.epsilon for at in cells])
        found = _least_m(guess, np.full(guess.size, 4.0 * alpha), epsilon, beta)
        silent = (guess >= math.log(complement(beta))).tolist()
        return [
            BoundValue(m or None, "" if m else f"more than {SEARCH_LIMIT:.0e} samples",
                       "says nothing at this d" if none else "")
            for m, none in zip(found.tolist(), silent, strict=True)
        ]  # fmt: skip

    def over(self, at: Cell, m: int) -> float | None:
        """Return the log odds of the limit less those of 1 - beta: below 0 where m is excluded."""
        if at.alpha > 0.25:
            return super().over(at, m)
        guess = log_guess(np.array([at.d]), np.array(0.25), np.array(0.25))
        return _over(at, m, (guess, np.array([4.0 * at.alpha])))


class LittlestoneRate(Improper):
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
