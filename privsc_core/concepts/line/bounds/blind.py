"""The lower bound for every pure private learner of lines, proper or not: a blind guess."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Source, Whom
from privsc_core.concepts.generic.guessing import surely_enough
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.line.plane import LARGEST, Modulus
from privsc_core.concepts.shared.inequalities import (
    least_allowed,
    log_tail,
    over_allowed,
    roughly_allowed,
    tiny_beta,
)
from privsc_core.kept import Kept
from privsc_core.numerics.binomial import LOG_TAIL, binomial_expectation, of_count
from privsc_core.numerics.expectations import capped_growth

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Setting

# kappa - alpha, as shares of 1 - 2 alpha.
_ABOVE = np.geomspace(1e-5, 0.5, 60)
# Up to so many bits a dummy point is tried as well.
_DUMMY_MOST = 30
_WEIGHTS = 40
_SEARCHED, _LONG = 12, 5_000
_ROWS = 16
# Beyond, closed forms may be off by what one sample changes.
_SIZE_MOST, _RATE_MOST = 10**9, 50.0


class _Candidates(NamedTuple):
    """Mixtures, most promising first: log guesses, masses, crowds, crowds per example."""

    logs: NDArray[np.float64]
    masses: NDArray[np.float64]
    crowds: NDArray[np.float64]
    shares: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Guess:
    """Which mixture the bound speaks of.

    Attributes
    ----------
    log_guess : float
        Log of the best chance to be accurate before any example is seen.
    mass : float
        Of the examples in which samples of two targets may differ.
    crowd : float
        The share of examples that may fall on another target, times p.
    m : int
        The least one that it allows, but for those; 0 where it excludes all that are tried.
    """

    log_guess: float
    mass: float
    crowd: float
    m: int


def log_guess(
    kappa: NDArray[np.float64],
    alpha: float | NDArray[np.float64],
    log_p: float | NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return log of x / (1 + x), x = A^2 / (4 (kappa - alpha) (1 - kappa - alpha) p).

    No hypothesis is accurate for a larger share of the lines, on mixture(kappa), alpha < kappa <
    1 - alpha; A = kappa + (1 - kappa) / (p - 1).
    """
    less = np.exp(-np.minimum(log_p, 700.0))
    slope = kappa + (1.0 - kappa) * less / (1.0 - less)
    log_x = 2.0 * np.log(slope) - np.log(4.0 * (kappa - alpha) * (1.0 - kappa - alpha)) - log_p
    return np.asarray(-np.logaddexp(0.0, -log_x))


def _mixtures(
    modulus: Modulus, bits: Sequence[int], alpha: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return log guesses of the mixtures of some d, a row each; their masses, and their crowds.

    Either all of these d are small enough for a dummy point or none is.
    """
    log_p = np.array([modulus.log(d) for d in bits])[:, None]
    kappa = alpha + (1.0 - 2.0 * alpha) * _ABOVE
    logs, masses, crowds = log_guess(kappa, alpha, log_p), kappa, 1.0 - kappa
    if _with_dummy(modulus, bits[0]):
        weights = np.linspace(2.0 * alpha, 1.0, _WEIGHTS + 1)[1:, None]
        inner = alpha / weights
        share = inner + (1.0 - 2.0 * inner) * _ABOVE[::2]
        alone = np.log1p(-1.0 / np.array([modulus.size(d) for d in bits]))[:, None, None]
        guess = log_guess(share, inner, log_p[:, None]) - alone
        logs = np.concatenate([logs, guess.reshape(len(bits), -1)], axis=1)
        masses = np.concatenate([masses, np.broadcast_to(weights, share.shape).ravel()])
        crowds = np.concatenate([crowds, np.zeros(share.size)])
    return logs, masses, crowds


def _with_dummy(modulus: Modulus, d: int) -> bool:
    return modulus.bits(d) <= _DUMMY_MOST


@lru_cache(maxsize=4096)
def _candidates(
    modulus: Modulus, d: int, alpha: float, epsilon: float, beta: float
) -> _Candidates | None:
    """Return the mixtures that may exclude most; every one is a valid bound."""
    return _candidates_of(modulus, [(d, epsilon)], alpha, beta)[0]


def _candidates_of(
    modulus: Modulus, pairs: Sequence[tuple[int, float]], alpha: float, beta: float
) -> list[_Candidates | None]:
    """Return `_candidates` at every d and epsilon, judged together."""
    found: list[_Candidates | None] = [None] * len(pairs)
    if alpha >= 0.5:
        return found
    for small in (True, False):
        rows = [k for k, (d, _) in enumerate(pairs) if _with_dummy(modulus, d) == small]
        # Larger tables cost more in page faults.
        for start in range(0, len(rows), _ROWS):
            some = rows[start : start + _ROWS]
            for k, few in zip(
                some, _judged(modulus, [pairs[k] for k in some], alpha, beta), strict=True
            ):
                found[k] = few
    return found


def _judged(
    modulus: Modulus, pairs: Sequence[tuple[int, float]], alpha: float, beta: float
) -> list[_Candidates | None]:
    """Return the candidates of pairs that all have a dummy point, or all have none.

    Judged by where the count, less what it may fall short, makes up for the guess; the best few are
    searched, of long counts only one. And by where examples on the wrong line leave nothing to say.
    """
    place = {d: row for row, d in enumerate(dict.fromkeys(d for d, _ in pairs))}
    logs, masses, crowds = _mixtures(modulus, list(place), alpha)
    # All at one d share a row.
    logs = logs[[place[d] for d, _ in pairs]] if len(place) > 1 else logs
    sizes = np.array([modulus.size(d) for d, _ in pairs])[:, None]
    epsilon = np.array([loss for _, loss in pairs])[:, None]
    needed = np.maximum(-(logs + math.log1p(-beta)) / epsilon, 0.0)
    short = max(float(-special.ndtri(beta)), 0.0) * np.sqrt(np.maximum(1.0 - masses, 0.0))
    score = (0.5 * (short + np.sqrt(short * short + 4.0 * needed))) ** 2 / masses
    tries = np.minimum(score, (1.0 - beta) * sizes / np.maximum(crowds, 1e-12))
    rank = np.where(needed > 0.0, -tries, math.inf)
    if tiny_beta(
        beta
    ):  # of tails so far out a count is not judged well like that: all are searched
        order = np.argsort(rank, axis=1)
    else:
        order = np.argpartition(rank, _SEARCHED, axis=1)[:, :_SEARCHED]
        inside = np.argsort(np.take_along_axis(rank, order, axis=1), axis=1)
        order = np.take_along_axis(order, inside, axis=1)
    first = np.take_along_axis(needed, order[:, :1], axis=1)[:, 0]
    many = np.where((first < _LONG) | tiny_beta(beta), order.shape[1], 1)
    many = np.minimum(many, (needed > 0.0).sum(axis=1))
    columns = zip(
        np.take_along_axis(np.broadcast_to(logs, needed.shape), order, axis=1), masses[order],
        crowds[order], crowds[order] / sizes, strict=True,
    )  # fmt: skip
    return [
        _Candidates(*(column[:some] for column in row)) if some else None
        for row, some in zip(columns, many.tolist(), strict=True)
    ]


_known: Kept[Hashable, _Guess | None] = Kept(4096)
_lock = threading.Lock()


def _best(modulus: Modulus, d: int, alpha: float, epsilon: float, beta: float) -> _Guess | None:
    """Return the mixture that excludes most."""
    return _bests(modulus, [(d, epsilon)], alpha, beta)[0]


def _bests(
    modulus: Modulus, pairs: Sequence[tuple[int, float]], alpha: float, beta: float
) -> list[_Guess | None]:
    """Return the mixture that excludes most at every d and epsilon; they are remembered."""
    keys = [(modulus, *pair, alpha, beta) for pair in pairs]
    with _lock:
        found: dict[Hashable, _Guess | None] = {
            key: _known.seen(key) for key in keys if key in _known
        }
    if new := [pair for pair, key in zip(pairs, keys, strict=True) if key not in found]:
        fresh = _searched(modulus, new, alpha, beta)
        found |= {(modulus, *pair, alpha, beta): one for pair, one in zip(new, fresh, strict=True)}
        with _lock:
            _known.keep(found)
    return [found[key] for key in keys]


def _searched(
    modulus: Modulus, pairs: Sequence[tuple[int, float]], alpha: float, beta: float
) -> list[_Guess | None]:
    """Search for the mixtures at all of them together."""
    every = _candidates_of(modulus, pairs, alpha, beta)
    some = [few for few in every if few is not None]
    if not some:
        return [None] * len(pairs)
    sizes = [0 if few is None else few.logs.size for few in every]
    logs, masses, shares = (
        np.concatenate([getattr(few, name) for few in some])
        for name in ("logs", "masses", "shares")
    )
    epsilon = np.repeat([loss for _, loss in pairs], sizes)

    # About the m of the count alone and of the crowd alone, and somewhat less than either.
    begin = np.maximum(roughly_allowed(beta, -logs, masses, epsilon, cut=True), 1.0)
    begin = (begin**-1.5 + (shares / (1.0 - beta)) ** 1.5) ** (-1.0 / 1.5)

    def limit(which: NDArray[np.intp], m: NDArray[np.int64], *, lost: bool) -> NDArray[np.float64]:
        place = which[:, None]
        if not lost and not tiny_beta(beta):
            return _near(m, logs[place], masses[place], shares[place], epsilon[place])
        return _limit(
            m, logs[place], masses[place], shares[place], epsilon[place], log_tail(beta), lost=lost
        )

    def least(which: NDArray[np.intp]) -> NDArray[np.int64]:
        return least_allowed(
            beta,
            lambda some, m: limit(which[some], m, lost=False),
            lambda some, m: limit(which[some], m, lost=True),
            guess=begin[which],
            near=True,
        )

    # The most promising ones, and of the others only those that exclude as many samples.
    lengths = np.array([few.logs.size for few in some])
    first = np.cumsum(lengths) - lengths
    found = np.ones(logs.size, dtype=np.int64)
    found[first] = least(first)
    known = np.repeat(found[first], lengths)
    enough = surely_enough(known, -logs, masses, epsilon, beta)
    enough[first] = True
    open_ = np.flatnonzero((known > 0) & ~enough)
    if open_.size:
        m = known[open_, None]
        over = over_allowed(
            beta, lambda: limit(open_, m, lost=False), lambda: limit(open_, m, lost=True)
        )
        open_ = open_[over[:, 0] < 0.0]
        found[open_] = least(open_)
    guesses: list[_Guess | None] = []
    for few, of in zip(every, np.split(found, np.cumsum(sizes)[:-1]), strict=True):
        if few is None:
            guesses.append(None)
            continue
        top = int(np.argmax(of) if of.all() else np.argmin(of))
        guess = float(few.logs[top]), float(few.masses[top]), float(few.crowds[top])
        guesses.append(_Guess(*guess, int(of[top])))
    return guesses


@dataclass(frozen=True)
class BlindGuess(SearchBound):
    """E[min(1, rho e^{eps K})] + m (1 - kappa) / p >= 1 - beta, K ~ Bin(m, kappa)."""

    near = True
    modulus: Modulus = LARGEST

    name = "blind-guess"
    title = "Blind guess"
    legend = "Impossible for every ε-DP learner, proper or not"
    shaded = True
    source = Source("ours", "in place of the entropy in FX14, Theorem 5.3")
    kind = "lower"
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\kappa)}\bigl[\min(1,\varrho_\kappa e^{\varepsilon K})\bigr] + "
        r"\frac{m(1-\kappa)}{p} \ge 1-\beta,\qquad \varrho_\kappa = \frac{x}{1+x},\; "
        r"x = \frac{(\kappa+\frac{1-\kappa}{p-1})^2}{4(\kappa-\alpha)(1-\kappa-\alpha)\,p}"
    )
    derivation = (
        "Take `mixture`(κ), with every line for its target. Let a hypothesis label $\\theta p^2$ points 1, and let "
        "$\\tau$ be the share of a random line's points that it labels 1. As two lines meet in at most one point, "
        "$\\tau$ is $\\theta$ on average, with variance at most $\\theta(1-\\theta)/p$. It is accurate only if "
        "$\\tau \\ge \\theta+g$, $g = (\\kappa-\\alpha+\\theta(1-2\\kappa))/A$, $A = "
        "\\kappa+\\frac{1-\\kappa}{p-1}$. By Cantelli's inequality that holds for at most the share $V/(V+g^2)$ of "
        "the lines, $V = \\theta(1-\\theta)/p$; the worst $\\theta$ gives $\\varrho_\\kappa$. So a guess before any "
        "example is seen (a blind guess) is accurate with probability at most $\\varrho_\\kappa$, on average over "
        "the lines.\n\n"
        "Draw which examples come from the line. The others are not on the line. Replace them by uniform points of "
        "the whole plane: with probability at most $m(1-\\kappa)/p$ one of these lies on the line. Otherwise the "
        "sample differs in $K$ examples from one that does not depend on the target. By privacy success then has "
        "probability at most $\\varrho_\\kappa e^{\\varepsilon K}$. $\\square$\n\n"
        "For small $p$ all of it gets weight $s$ and $(0,1)$ the rest, with $\\alpha/s$ for $\\alpha$, "
        "$\\varrho\\,p/(p-1)$ for $\\varrho$, $K \\sim \\mathrm{Bin}(m,s)$ and no last term. The number is for the "
        "best mixture of a grid; each mixture gives a valid bound. It grows like $\\ln p/(\\varepsilon\\alpha)$."
    )
    applies_to = "every purely private learner, proper or not"
    whom = Whom(privacy=("pure",))
    validity = "for α < 1/2, where a blind guess succeeds with probability below 1 - β"
    shown_on = ("spread",)

    def guess(self, at: Cell) -> float:
        """Return where the mean count makes up for the guess, as it was searched for."""
        found = _best(self.modulus, at.d, at.alpha, at.epsilon, at.beta)
        return float(max(found.m, 1)) if found else 1.0

    def guesses(self, cells: Sequence[Cell]) -> list[float]:
        """Return the guesses of several cells, searched for together."""
        pairs = [(at.d, at.epsilon) for at in cells]
        found = _bests(self.modulus, pairs, cells[0].alpha, cells[0].beta)
        return [float(max(one.m, 1)) if one else 1.0 for one in found]

    def note(self, at: Cell) -> str:
        """Return that nothing is said where guessing is good enough."""
        found = _best(self.modulus, at.d, at.alpha, at.epsilon, at.beta)
        return (
            ""
            if found
            else "says nothing: a blind guess is accurate often enough, or p is too small"
        )

    def over(self, at: Cell, m: int) -> float | None:
        """Return the least over the mixtures: that is below 0 where one of them excludes m."""
        few = (
            None
            if self.silent(at)
            else _candidates(self.modulus, at.d, at.alpha, at.epsilon, at.beta)
        )
        if few is None:
            return super().over(at, m)

        def limit(*, lost: bool) -> NDArray[np.float64]:
            return _limit(
                np.array([m]), few.logs, few.masses, few.shares, np.array(at.epsilon),
                log_tail(at.beta), lost=lost,
            )  # fmt: skip

        return float(
            over_allowed(at.beta, lambda: limit(lost=False), lambda: limit(lost=True)).min()
        )

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner, averaged over targets."""
        return self._mean(setting, lost=False)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        return self._mean(setting, lost=True)

    def _mean(self, setting: Setting, *, lost: bool) -> NDArray[np.float64]:
        m = np.broadcast_to(setting.m, setting.shape).ravel()
        d = np.broadcast_to(setting.d, setting.shape).ravel()
        epsilon = np.broadcast_to(setting.epsilon, setting.shape).ravel()
        cells = list(zip(d.tolist(), epsilon.tolist(), strict=True))
        place = {pair: which for which, pair in enumerate(dict.fromkeys(cells))}
        guesses = _bests(self.modulus, list(place), setting.alpha, setting.beta)
        told = np.array([guess is not None for guess in guesses])
        guessed, mass, crowd = np.array([
            (0.0, 1.0, 0.0) if guess is None
            else (guess.log_guess, guess.mass, guess.crowd / self.modulus.size(bits))
            for guess, (bits, _) in zip(guesses, place, strict=True)
        ]).T  # fmt: skip
        at = np.array([place[cell] for cell in cells], dtype=np.intp)
        found = np.full(at.size, float(not lost))
        here = np.flatnonzero(told[at])
        if here.size:
            # All of one mixture are fastest with its numbers alone.
            of = at[here] if len(place) > 1 else 0
            found[here] = _limit(
                m[here], guessed[of], mass[of], crowd[of],
                epsilon[here if len(place) > 1 else 0], setting.log_tail, lost=lost,
            )  # fmt: skip
        return found.reshape(setting.shape)


def _limit(
    m: NDArray[np.int64],
    log_guessed: NDArray[np.float64],
    mass: NDArray[np.float64],
    crowd: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    tail: float,
    *,
    lost: bool,
) -> NDArray[np.float64]:
    """Return the limit on success, or 1 minus it; `crowd` is a share per example."""
    of, at = _lost if lost else _kept, (log_guessed, epsilon)
    # With all of the mass every example counts.

    value = binomial_expectation(m, np.where(mass < 1.0, mass, 0.5), at, of_count(of), rate=math.inf,
                                 log_tail=tail)  # fmt: skip
    value = np.where(mass < 1.0, value, of(m.astype(np.float64), *at))
    return np.asarray(np.clip(value + (-m if lost else m) * crowd, 0.0, 1.0))


def _near(
    m: NDArray[np.int64],
    log_guessed: NDArray[np.float64],
    mass: NDArray[np.float64],
    crowd: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return `_limit` in closed form where that is as good: to tell which mixture excludes most."""
    part = mass < 1.0
    value = capped_growth(
        m, np.where(part, mass, 0.5), log_guessed, np.minimum(epsilon, _RATE_MOST)
    )
    value = np.minimum(value + m * crowd, 1.0)
    if (left := ~part | (m > _SIZE_MOST) | (epsilon > _RATE_MOST)).any():
        sizes = np.broadcast_to(m, value.shape)[left]
        logs, masses, crowds, losses = (
            np.broadcast_to(x, value.shape)[left] for x in (log_guessed, mass, crowd, epsilon)
        )
        value[left] = _limit(sizes, logs, masses, crowds, losses, LOG_TAIL, lost=False)
    return np.asarray(value)


def _kept(
    count: NDArray[np.float64], log_guessed: NDArray[np.float64], epsilon: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.asarray(np.exp(np.minimum(log_guessed + epsilon * count, 0.0)))


def _lost(
    count: NDArray[np.float64], log_guessed: NDArray[np.float64], epsilon: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.asarray(-np.expm1(np.minimum(log_guessed + epsilon * count, 0.0)))
