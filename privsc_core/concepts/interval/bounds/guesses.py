"""How rarely a fixed distribution guesses an accurate hypothesis, by the entropy of messages (FX14)."""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts import BoundValue, Source
from privsc_core.concepts.generic.guessing import surely_enough
from privsc_core.concepts.interval.bounds.finite import Improper
from privsc_core.concepts.shared.inequalities import (
    SEARCH_LIMIT,
    least_allowed,
    log_tail,
    mean_over_count,
    over_allowed,
    roughly_allowed,
)
from privsc_core.numerics.binomial import LOG_TAIL
from privsc_core.numerics.decimals import complement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Setting


if TYPE_CHECKING:
    Promising = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.bool_]]

_LOG2 = math.log(2.0)
_TRIED = np.geomspace(1e-9, 1.0 - 1e-4, 240)
_COARSE = np.concatenate([np.geomspace(_TRIED[0], 1e-3, 6)[:-1], np.geomspace(1e-3, 1.0, 20)])
_SMOOTH = 30.0  # from e^{-30} on 1 - e^{-x} is x
_PAIRS = 128  # pairs of a table that stays in the cache


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


def least_possible_guess(
    dimension: NDArray[np.int64], accuracy: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what `best_guesses` are at least, from a few delta'; it grows with an accuracy below 1/2.

    Between two delta' gamma is at least what it is at the lower one, which says how many bits count at
    most, and -log delta' what it is at the upper one: 1 - delta'^{1/M} is least at both ends. M is less
    than 2^bits.

    Parameters
    ----------
    dimension, accuracy : ndarray
        They broadcast; the accuracy is in (0, 1/2).
    """
    most = ((0.5 - accuracy) / (1.0 - accuracy))[..., None]
    ends = most * _COARSE
    bits = _kept(accuracy[..., None], ends[..., :-1]) * dimension[..., None]
    share = np.log(-np.log(ends[..., 1:])) - bits * _LOG2
    least = np.asarray(share.min(axis=-1))
    found = np.log(-np.expm1(-np.exp(np.clip(least, -_SMOOTH, 4.0))))
    return np.where(least < -_SMOOTH, least, found)


def best_guesses(
    dimension: NDArray[np.int64],
    accuracy: NDArray[np.float64],
    promising: Promising | None = None,
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


# -------------------------------------------------------------------------------------------------
# What the mass s off the dummy excludes by a guess of chance q: the least m, and the s to try.
#
# All rests on E[min(1, q e^{eps K})] for K ~ Bin(m, s), see `LittlestoneEntropy`.


FEW = 300
"""Up to so many samples the s of many samples need not be the best: a grid of s is tried."""

_SHARES = 33
_REFINED = 9
# Shares around the best one, where there are not so many bits that it is best for any samples.
_RATIOS, _MANY_BITS = np.array([0.85, 0.93, 1.0, 1.08, 1.18]), 2000
_SPREAD = 24
_NOTHING = 1e-15  # what failure may be to count as none: far below a curve's rounding


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
    *,
    lost: bool = False,
) -> NDArray[np.float64]:
    """Return E[min(1, q e^{eps K})] for K ~ Bin(m, mass), log q = `log_share`.

    If `lost`, 1 less it, without cancellation.
    """
    return mean_over_count(_lacking if lost else _table, m, log_share, mass, epsilon, tail)


def _lacking(
    count: NDArray[np.float64],
    log_share: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    return np.asarray(-np.expm1(np.minimum(epsilon * count + log_share, 0.0)))


def least_m(
    guess: NDArray[np.float64],
    mass: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    beta: float,
) -> NDArray[np.int64]:
    """Return the least m that one (s, delta') does not exclude, each; 0 where that is too large.

    Parameters
    ----------
    guess, mass, epsilon : ndarray, shape (settings,)
        log q, s and epsilon.
    beta : float
    """
    found = np.ones(guess.size, dtype=np.int64)
    open_ = np.flatnonzero(guess < math.log(complement(beta)))
    if not open_.size:
        return found
    columns = [column[open_, None] for column in (guess, mass, epsilon)]
    tail = log_tail(beta)

    def limit(which: NDArray[np.intp], m: NDArray[np.int64], *, lost: bool) -> NDArray[np.float64]:
        share, weight, loss = (column[which] for column in columns)
        return littlestone_limit(m, share, weight, loss, tail, lost=lost)

    start = roughly_allowed(beta, -guess[open_], mass[open_], epsilon[open_], cut=True)
    found[open_] = least_allowed(
        beta, partial(limit, lost=False), partial(limit, lost=True), guess=start
    )
    return found


@lru_cache(maxsize=512)
def best_shares(
    d: tuple[int, ...], alpha: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each d the s that excludes most for many samples, it maximises -log q / s, and log q.

    Parameters
    ----------
    d : tuple of int
    alpha : float
        Below 1/2.
    """
    bits, rows, best, least = np.array(d), np.arange(len(d)), np.ones(len(d)), np.zeros(len(d))
    shares = _first_shares(alpha)
    tried = np.broadcast_to(shares, (bits.size, _SHARES))
    for _ in range(2):

        def promising(rough: NDArray[np.float64], least: NDArray[np.float64]) -> NDArray[np.bool_]:
            score, most = (-x.reshape(tried.shape) / tried for x in (rough, least))  # noqa: B023 - called at once
            return np.asarray(most >= score.max(axis=1, keepdims=True)).ravel()

        guesses = best_guesses(np.repeat(bits, tried.shape[1]), alpha / tried.ravel(), promising)
        guesses = guesses.reshape(tried.shape)
        at = (-guesses / tried).argmax(axis=1)
        best, least = tried[rows, at], guesses[rows, at]
        low, high = (
            tried[rows, np.maximum(at - 1, 0)],
            tried[rows, np.minimum(at + 1, len(tried[0]) - 1)],
        )
        tried = np.geomspace(low, high, _REFINED, axis=1)
    return best, least


def _first_shares(alpha: float) -> NDArray[np.float64]:
    """Return s over all that say something: at 2 alpha the accuracy is 1/2."""
    return np.geomspace(min(2.0 * alpha * (1.0 + 1e-9), 1.0), 1.0, _SHARES)


def surely_one(
    m: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64], alpha: float
) -> NDArray[np.bool_]:
    """Return where `littlestone_limit` by one of `best_shares` is 1, whichever it is, to rounding.

    Elsewhere it may be so. In an interval of s the chance of a guess is least at the upper end, where the
    accuracy alpha / s is best, and the mass at the lower one.

    Parameters
    ----------
    m, d, epsilon : ndarray, shape (cells,), or one for all
    alpha : float
        Below 1/2.
    """
    shares = _first_shares(alpha)
    guess = least_possible_guess(d[:, None], alpha / shares[1:])
    enough = surely_enough(m[:, None], -guess, shares[:-1], epsilon[:, None], _NOTHING)
    return np.asarray(enough.all(axis=1))


def _near(bits: NDArray[np.int64], alpha: float) -> NDArray[np.float64]:
    """Return the s around the best one for many samples, shape (d, s)."""
    ratios = np.where(bits[:, None] < _MANY_BITS, _RATIOS, 1.0)
    return np.minimum(best_shares(tuple(bits.tolist()), alpha)[0][:, None] * ratios, 1.0)


@lru_cache(maxsize=512)
def near_guesses(d: int, alpha: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return log q and s around the best one for many samples, both of shape (shares,).

    Parameters
    ----------
    d : int
    alpha : float
        Below 1/2.
    """
    return _guesses(d, alpha, np.unique(_near(np.array([d]), alpha)))


@lru_cache(maxsize=512)
def wide_guesses(d: int, alpha: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return log q and s that may exclude few samples, both of shape (shares,).

    Parameters
    ----------
    d : int
    alpha : float
        Below 1/2.
    """
    return _guesses(d, alpha, _wide(alpha))


def _guesses(
    d: int, alpha: float, shares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    accuracy = alpha / shares
    guesses = best_guesses(np.repeat(d, shares.size), accuracy)
    return np.where(accuracy < 0.5, guesses, 0.0), shares


def _many_guesses(
    bits: NDArray[np.int64], alpha: float, shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return log q for each d and each of its s, shape (d, s)."""
    accuracy = alpha / shares
    found = best_guesses(np.repeat(bits, shares.shape[1]), accuracy.ravel())
    return np.where(accuracy < 0.5, found.reshape(shares.shape), 0.0)


def _wide(alpha: float) -> NDArray[np.float64]:
    """Return s up to the papers' 4 alpha, and beyond."""
    spread = np.geomspace(min(2.001 * alpha, 1.0), 1.0, _SPREAD)
    return np.append(spread, min(4.0 * alpha, 1.0))


def over_shares(at: Cell, m: int, by: tuple[NDArray[np.float64], NDArray[np.float64]]) -> float:
    """Return the least log odds of the limits by some s at m, less those of 1 - beta.

    Parameters
    ----------
    at : Cell
    m : int
    by : (ndarray, ndarray), both of shape (shares,)
        log q and s.
    """
    guess, share = by
    says = guess < math.log(complement(at.beta))
    if not says.any():
        return math.inf
    columns = np.array([m]), guess[says], share[says], np.array(at.epsilon), log_tail(at.beta)
    found = over_allowed(
        at.beta, lambda: littlestone_limit(*columns), lambda: littlestone_limit(*columns, lost=True)
    )
    return float(found.min())


def strongest(
    d: NDArray[np.int64], epsilon: NDArray[np.float64], alpha: float, beta: float
) -> NDArray[np.int64]:
    """Return the largest least m over s, or 0: around the s that is best for many samples.

    Few samples may be told to be too few by quite another s, up to the papers' 4 alpha.

    Parameters
    ----------
    d, epsilon : ndarray, shape (settings,)
    alpha, beta : float
    """
    bits, place = np.unique(d, return_inverse=True)
    near = _near(bits, alpha)
    guesses = _many_guesses(bits, alpha, near)
    top = _largest_least(guesses[place], near[place], epsilon, beta)
    few = np.flatnonzero((top > 0) & (top <= FEW))
    if few.size:
        _exceed(top, few, d, epsilon, alpha, beta)
    return top


def _exceed(
    top: NDArray[np.int64],
    few: NDArray[np.intp],
    d: NDArray[np.int64],
    epsilon: NDArray[np.float64],
    alpha: float,
    beta: float,
) -> None:
    """Raise least m, of few settings, to what one of many s excludes.

    Mostly none excludes as many: that is told from what its guess is at least, before it is looked for.
    """
    bits, place = np.unique(d[few], return_inverse=True)
    wide, tail = _wide(alpha), log_tail(beta)
    possible = least_possible_guess(bits[:, None], alpha / wide)
    enough = surely_enough(top[few, None], -possible[place], wide, epsilon[few, None], beta)

    def exceeding(
        row: NDArray[np.intp], column: NDArray[np.intp], guess: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        at = few[row]
        lost = littlestone_limit(
            top[at], guess[place[row], column], wide[column], epsilon[at], tail, lost=True
        )
        return row[lost > beta], column[lost > beta]

    row, column = np.nonzero(~enough)
    if row.size:
        row, column = exceeding(row, column, possible)
    if not row.size:
        return
    asked = np.zeros(possible.shape, dtype=np.bool_)
    asked[place[row], column] = True
    of, which = np.nonzero(asked)
    guess = np.zeros(possible.shape)
    guess[of, which] = best_guesses(bits[of], alpha / wide[which])
    row, column = exceeding(row, column, guess)
    at = few[row]
    found = least_m(guess[place[row], column], wide[column], epsilon[at], beta)
    for cell, m in zip(at.tolist(), found.tolist(), strict=True):
        if 0 < top[cell] <= FEW:
            top[cell] = max(m, top[cell]) if m else 0


def _largest_least(
    guess: NDArray[np.float64],
    share: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    beta: float,
) -> NDArray[np.int64]:
    """Return the largest least m over s, shape (settings,), 0 for none.

    The most promising one mostly has it: the others are searched for where they exclude that m.
    """
    rows = np.arange(len(guess))
    best = (-guess / share).argmax(axis=1)
    top = least_m(guess[rows, best], share[rows, best], epsilon, beta)
    rest = littlestone_limit(
        np.maximum(top, 1)[:, None], guess, share, epsilon[:, None], log_tail(beta), lost=True
    )
    rest[rows, best] = 0.0
    row, column = np.nonzero((rest > beta) & (top > 0)[:, None])
    if row.size:
        more = least_m(guess[row, column], share[row, column], epsilon[row], beta)
        np.maximum.at(top, row, more)
        top[row[more == 0]] = 0
    return top


# --- The lower bounds for every pure private learner that count bits by entropy (FX14) -----------


class LittlestoneEntropy(Improper):
    """E[min(1, q e^{eps K})] >= 1 - beta for K ~ Bin(m, s), for every s and delta'."""

    name = "littlestone-entropy"
    validity = "for α < 1/2"
    title = "Littlestone bound, by entropy"
    legend = "Impossible for every ε-DP learner, proper or not, by the entropy of messages"
    thin = True
    source = Source("ours", "sharpens FX14, Theorems 2.5 and 3.1, Corollary 4.3")
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,s)}\bigl[\min(1,\,q\,e^{\varepsilon K})\bigr] \ge 1-\beta"
        r"\quad\text{for all } s, \delta',\qquad q = 1-\delta'^{\,1/M},\;"
        r"M = \bigl\lceil 2^{(1-H_2(\gamma))\,d}\bigr\rceil - 1,\;"
        r"\gamma = \tfrac{\alpha}{s}+\delta'-\tfrac{\alpha}{s}\delta' < \tfrac12"
    )
    derivation = (
        "**A database of dummies.** Mix any distribution, with weight $s$, with point 1, which $c_2, \\dots, "
        "c_{T+1}$ all label 1. Let $K$ be the number of other examples. Then the sample differs in $K$ entries from "
        "the database $D_0$, which has only dummies. So for a target's set $G$ of hypotheses of error at most "
        "$\\alpha$ (error at most $\\alpha/s$ on the mixed-in distribution) and $q = \\Pr[A(D_0) \\in G]$, privacy "
        "gives $\\Pr[A(S) \\in G \\mid K] \\le \\min(1, q\\,e^{\\varepsilon K})$; average over $K$. The usual proof "
        "cuts at some $k_0$; this is at least as strong as the best $k_0$, and no cut is needed.\n\n"
        "**Few candidates for all targets.** $N$ runs on $D_0$ contain a member of $G$ except with probability "
        "$(1-q)^N$. If that is at most $\\delta'$, they are an $(\\alpha/s, \\delta')$-probabilistic representation "
        "of size $N$.\n\n"
        "**But candidates must carry $d$ bits.** By FX14, Theorem 3.1, such a representation gives a one-way "
        "protocol with error $\\gamma$ and $\\log_2 N$ bits, and by Corollary 4.3 that takes $\\log_2 N \\ge "
        "(1-H_2(\\gamma))\\,\\mathrm{LDim}$, where $\\mathrm{LDim} = d$. The corollary is stated for private random "
        "bits, and the protocol has public ones. With these bits fixed, $N$ messages carry at most $\\log_2 N$ bits "
        "about $d$ uniform ones. By Fano's inequality at least $(1-H_2(\\gamma_r))\\,d$ bits are needed if the error "
        "for the fixed random bits is $\\gamma_r$, and for some of them $\\gamma_r \\le \\gamma$. So the largest $M$ "
        "below that has $(1-q)^M > \\delta'$. $\\square$\n\n"
        "A learner need not fail on the hard distribution of the figures; it fails on some distribution.\n\n"
        "The number is the least $m$ that no pair $(s, \\delta')$ of a fine grid excludes; every pair gives a valid "
        "bound."
    )

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        return self.leasts([at])[0]

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Return the least m at settings that differ in d and epsilon alone."""
        if cells[0].alpha >= 0.5:
            return [BoundValue(1, note="says nothing: needs alpha < 1/2") for _ in cells]
        d, epsilon = np.array([at.d for at in cells]), np.array([at.epsilon for at in cells])
        found = strongest(d, epsilon, cells[0].alpha, cells[0].beta)
        beyond = f"more than {SEARCH_LIMIT:.0e}: not searched further"
        return [BoundValue(m) if m else BoundValue(None, beyond) for m in found.tolist()]

    def over(self, at: Cell, m: int) -> float | None:
        """Return the least log odds over s: that is below 0 where one of them excludes m.

        The number itself is looked for where m is so small that any s may exclude it.
        """
        if at.alpha >= 0.5:
            return super().over(at, m)
        found = over_shares(at, m, near_guesses(at.d, at.alpha))
        if found < 0.0 or (m > FEW and over_shares(at, FEW, near_guesses(at.d, at.alpha)) < 0.0):
            return found
        wide = over_shares(at, min(m, FEW), wide_guesses(at.d, at.alpha))
        if m <= FEW:
            return min(found, wide)
        return found if wide >= 0.0 else super().over(at, m)

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of a pure private learner, by one s per d."""
        if setting.alpha >= 0.5:
            return np.ones(setting.shape)
        # Over d most values are 1, and each d has an s of its own.
        if setting.m.size == setting.epsilon.size == 1 and setting.d.size > 1:
            d, found = setting.d.ravel(), np.ones(setting.d.size)
            m, epsilon = setting.m.reshape(1), setting.epsilon.reshape(1)
            open_ = np.flatnonzero(~surely_one(m, d, epsilon, setting.alpha))
            if open_.size:
                found[open_] = _by_best_share(m, d[open_], epsilon, setting)
            return np.broadcast_to(found.reshape(setting.d.shape), setting.shape)
        found = _by_best_share(setting.m, setting.d, setting.epsilon, setting)
        return np.broadcast_to(found, setting.shape)


def _by_best_share(
    m: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64], setting: Setting
) -> NDArray[np.float64]:
    """Return the limit by the s that is best for many samples; m, d and epsilon broadcast."""
    bits, inverse = np.unique(d, return_inverse=True)
    shares, guesses = best_shares(tuple(bits.tolist()), setting.alpha)
    mass: Any = float(shares[0])
    if bits.size > 1:
        mass = shares[inverse].reshape(d.shape)
    guess = guesses[inverse].reshape(d.shape)
    return littlestone_limit(m, guess, mass, epsilon, setting.log_tail)


class LittlestoneQuarter(Improper):
    """The same with the papers' accuracy and confidence of 1/4 in place of the best ones."""

    name = "corollary-4.3"
    validity = "for α ≤ 1/4, and d large enough for one bit to be left over"
    dash = "dot"
    title = "Littlestone bound at ¼, ¼"
    source = Source("FX14", "Theorems 2.5 and 3.1 at (1/4, 1/4), Corollary 4.3")
    completed = "the expectation over K, and the step to public random bits"
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,4\alpha)}\bigl[\min(1,\,q\,e^{\varepsilon K})\bigr] \ge 1-\beta,"
        r"\qquad q = 1-4^{-1/M},\; M = \bigl\lceil 2^{(1-H_2(7/16))\,d}\bigr\rceil - 1"
    )
    derivation = (
        "The proof of the bound by entropy, for the parameters with which the paper defines its dimensions: a "
        "$(\\frac14, \\frac14)$-probabilistic representation, so $s = 4\\alpha$, $\\delta' = \\frac14$, $\\gamma = "
        "\\frac7{16}$. Each bit then counts only $1 - H_2(\\frac7{16}) = 0.0113$. The paper itself hides the "
        "constant of the first step in $\\Omega(\\cdot)$; **ours** is the exact expectation. The paper states "
        "Corollary 4.3 for private random bits. Theorem 3.1 needs it for public ones; our proof for them stands "
        "under the bound by entropy. Valid for $\\alpha \\le \\frac14$."
    )

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        return self.leasts([at])[0]

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Return the least m at settings that differ in d and epsilon alone."""
        alpha, beta = cells[0].alpha, cells[0].beta
        if alpha > 0.25:
            return [BoundValue(None, "needs alpha <= 1/4") for _ in cells]
        guess = log_guess(np.array([at.d for at in cells]), np.array(0.25), np.array(0.25))
        epsilon = np.array([at.epsilon for at in cells])
        found = least_m(guess, np.full(guess.size, 4.0 * alpha), epsilon, beta)
        silent = (guess >= math.log(complement(beta))).tolist()
        return [
            BoundValue(m or None, "" if m else f"more than {SEARCH_LIMIT:.0e}: not searched further",
                       "says nothing at this d" if none else "")
            for m, none in zip(found.tolist(), silent, strict=True)
        ]  # fmt: skip

    def over(self, at: Cell, m: int) -> float | None:
        """Return the log odds of the limit less those of 1 - beta: below 0 where m is excluded."""
        if at.alpha > 0.25:
            return super().over(at, m)
        guess = log_guess(np.array([at.d]), np.array(0.25), np.array(0.25))
        return over_shares(at, m, (guess, np.array([4.0 * at.alpha])))


class LittlestoneRate(Improper):
    """Omega(d / (alpha eps)), without a constant."""

    name = "littlestone-rate"
    dash = "dashdot"
    title = "Littlestone bound, as in the paper"
    source = Source("FX14", "Theorem 2.5, Theorem 3.1, Corollary 4.3")
    constants = "rate"
    statement = (
        r"m = \Omega\Bigl(\frac{\mathrm{LDim}}{\alpha\,\varepsilon}\Bigr) = "
        r"\Omega\Bigl(\frac{d}{\alpha\,\varepsilon}\Bigr)"
    )
    derivation = (
        "The closed form of the paper is linear in $d$, with an unknown constant. So it gives no number; our "
        "Littlestone bound above does."
    )

    def least(self, _at: Cell) -> BoundValue:
        """Refuse a number: the paper gives only a rate."""
        return BoundValue(None, "a rate without a constant: d / (alpha epsilon)")
