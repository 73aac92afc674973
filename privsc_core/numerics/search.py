"""Searches for least integers, many at a time, with the rounding direction stated."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.numerics.decimals import complement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Score = Callable[[NDArray[np.intp], NDArray[np.int64]], NDArray[np.float64]]


# -------------------------------------------------------------------------------------------------
# Searches for a few least integers, each by polynomials through all its scores that are known.


# What the first turn tries, as multiples of the guess, which may be far too large, since much is
# easy, and how many numbers the others try. For up to three searches a call costs more than some
# more numbers; not for several, and not where scores are costly.
_LONE = 3
_ALONE = (1 / 64, 1 / 4, 0.9, 0.99, 1.01, 1.15), 6
_TOGETHER = (1 / 8, 0.8, 1.05, 1.6), 2
_COSTLY = (0.95, 1.05), 2
_SIDE = 3  # scores on each side of 0 that a polynomial goes through
_TOLD = 30.0  # log odds beyond are the rounding of a probability next to 1
_UNSURE = 10.0  # how far around a root is looked, in estimates of its error
_LEAP = 5.0  # ratio of numbers where scores lead nowhere
_SLOW = 16.0  # in two turns a bracket is to be so much shorter, or it is split evenly

FAR = 12.0
"""How many times as far as what is known a line may lead."""


def least_few(
    score: Score,
    *,
    guess: Sequence[float],
    limit: int,
    costly: bool = False,
    within: float = 1.0,
) -> list[int]:
    """Return for each of a few searches the least integer n in [1, limit] with score(n) >= 0.

    Parameters
    ----------
    score, guess, limit
        As for `search.least_integers`.
    costly : bool
        Whether a score costs more than a call, so that few are asked for at once.
    within : float
        How many times the one the other end of a bracket may be to be near enough: then the
        result is about where a line through both scores is 0.

    Returns
    -------
    list of int
        0 where score(limit) < 0.
    """
    return [one.found for one in _searched(score, guess, limit, costly=costly, within=within)]


def _searched(
    score: Score, guess: Sequence[float], limit: int, *, costly: bool = False, within: float = 1.0
) -> list[_Search]:
    """Return the searches of `least_few`, all of them at their ends."""
    first, count = _COSTLY if costly else _ALONE if len(guess) <= _LONE else _TOGETHER
    searches = [
        _Search(
            limit,
            1 if costly else _SIDE,
            within,
            [min(max(1.0, at), limit) * x for x in first],
        )
        for at in guess
    ]
    while open_ := [k for k, one in enumerate(searches) if one.tried]:
        asked = [searches[k].asks() for k in open_]
        most = max(map(len, asked))
        # Of those that have less to ask the last is asked for again.
        numbers = np.array([row + row[-1:] * (most - len(row)) for row in asked], dtype=np.int64)
        found = score(np.array(open_), numbers).tolist()
        for k, row, scores in zip(open_, asked, found, strict=True):
            searches[k].add(row, scores[: len(row)], count)
    return searches


@dataclass(slots=True)
class _Search:
    """What is known in one search, and the bracket: the last number too small, the next one.

    0 and limit + 1 are ends without a score.
    """

    limit: int
    side: int
    within: float
    tried: Sequence[float]
    """About what is asked for next; nothing at the end."""
    found: int = 0
    root: float = math.nan
    """About where the score is 0, next to what was found."""
    numbers: list[int] = field(init=False)
    scores: list[float] = field(init=False, default_factory=lambda: [-math.inf, math.inf])
    at: int = field(init=False, default=0)
    turn: int = field(init=False, default=0)
    before: int = field(init=False)
    """How long the bracket was two turns ago."""

    def __post_init__(self) -> None:
        self.numbers, self.before = [0, self.limit + 1], self.limit + 1

    def ends(self) -> tuple[int, int]:
        """Return the bracket."""
        return self.numbers[self.at], self.numbers[self.at + 1]

    def asks(self) -> list[int]:
        """Return what is asked for now, increasing."""
        low, high = self.ends()
        return sorted({min(max(round(at), low + 1), high - 1) for at in self.tried})

    def add(self, numbers: list[int], scores: list[float], count: int) -> None:
        """Take in scores, and find out what to ask for next, so many numbers."""
        self.numbers[self.at + 1 : self.at + 1] = numbers
        self.scores[self.at + 1 : self.at + 1] = scores
        self.at += next((i for i, s in enumerate(scores) if s >= 0.0), len(scores))
        self.turn += 1
        low, high = self.ends()
        if high - low <= 1:
            if high <= self.limit:
                self.found, self.root = high, max(self.chord(), 0.5)
            self.tried = ()
        elif self.within > 1.0 and high <= min(self.within * low, self.limit):
            self.found, self.tried = round(self.chord()), ()
        else:
            evenly = False
            if self.turn % 2 == 0:
                evenly, self.before = high - low > self.before / _SLOW, high - low
            self.tried = self.next(count, evenly=evenly)

    def chord(self) -> float:
        """Return where the line through both ends is 0; the upper one where one has no score."""
        low, high = self.ends()
        below, above = self.scores[self.at], self.scores[self.at + 1]
        share = above / (above - below) if math.isfinite(below) and above > below else 0.0
        return high - ((high - low) * share if math.isfinite(share) else 0.0)

    def next(self, count: int, *, evenly: bool) -> Sequence[float]:
        """Return the numbers to try next: all that are left, or around where the scores lead."""
        low, high = self.ends()
        if high - low <= count + 1:
            return range(low + 1, high)
        root, doubt = self._root()
        open_ = low == 0 or high > self.limit
        if math.isnan(root) or (evenly and not open_):
            return _leaps(low, high, self.limit, count)
        # From the whole numbers beside it to where it surely is not.
        half = count // 2
        steps = [max(doubt, 0.5)]
        if half > 1:
            reach = max(_UNSURE * doubt, half - 0.5)
            steps = [0.5 * (2.0 * reach) ** (k / (half - 1)) for k in range(half)]
        return [*[root - step for step in steps], *[root + step for step in steps]]

    def _root(self) -> tuple[float, float]:
        """Return about where the score is 0, and how far off that may be; NaN if nothing is known."""
        below, above = self._told(self.at, -1), self._told(self.at + 1, 1)
        if not below or not above:
            return self._beyond(below or above)
        nodes = [pair[k] for k in range(self.side) for pair in (below, above) if k < len(pair)]
        low, high = self.ends()
        roots = [self.chord(), *[at for at in _roots(nodes)[1:] if low < at < high]]
        if len(roots) == 1:
            return roots[0], 0.1 * (high - low) ** 2 / roots[0]
        return roots[-1], abs(roots[-1] - roots[-2])

    def _told(self, at: int, step: int) -> list[tuple[float, float]]:
        """Return numbers and scores from an end of the bracket outwards, as far as they tell."""
        found: list[tuple[float, float]] = []
        while len(found) < max(self.side, 2) and 0 < at < len(self.numbers) - 1:
            score = self.scores[at]
            if abs(score) > _TOLD or (found and step * (score - found[-1][1]) <= 0.0):
                break
            found.append((float(self.numbers[at]), score))
            at += step
        return found

    def _beyond(self, told: list[tuple[float, float]]) -> tuple[float, float]:
        """Return where a line leads out of what is known, unless that is far."""
        if len(told) < 2:
            return math.nan, math.nan
        (at, score), (other, second) = told[:2]
        root = at - score * (other - at) / (second - score)
        low, high = self.ends()
        led = low < root < high and at / FAR < root < at * FAR
        return (root, 0.05 * abs(root - at)) if led else (math.nan, math.nan)


def _leaps(low: float, high: float, limit: int, count: int) -> list[float]:
    """Return the places to look at, `count` of them, where scores lead nowhere.

    Up from the low end, not further with many, since large ones cost more; down from the high one; or
    spread between them.
    """
    if high > limit:
        top = max(count / 2.0, min(count, 2.0))
        return [max(low, 1.0) * _LEAP ** (top * k / count) for k in range(1, count + 1)]
    if low == 0.0:
        return [high / _LEAP**k for k in range(count, 0, -1)]
    shares = [k / (count + 1.0) for k in range(1, count + 1)]
    if high > 4.0 * low:
        return [low * (high / low) ** share for share in shares]
    return [low + (high - low) * share for share in shares]


def _roots(nodes: Sequence[tuple[float, float]]) -> list[float]:
    """Return where the number, as polynomials of the score of more and more nodes, is at score 0."""
    found, ends = [], []
    for last, (at, score) in enumerate(nodes):
        ends.append(at)
        for k in range(last - 1, -1, -1):
            ends[k] = (score * ends[k] - nodes[k][1] * ends[k + 1]) / (score - nodes[k][1])
        found.append(ends[0])
    return found[1:]


# --- Searches for least integers from good guesses, by Newton's steps ----------------------------


_TURNS = 8
_LESS = 0.7


def least_by_newton(
    score: Score, guess: NDArray[np.float64], limit: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return for several searches the least integer n in [1, limit] with score(n) >= 0, from guesses.

    Every turn asks for n and n - 1 of all searches that are open: where the first score is at least 0
    and the other is not, n is the answer, whatever led to it; else both tell the slope. The parameters
    are those of `least_integers`.

    Returns
    -------
    found : ndarray of int64, shape (searches,)
        0 where score(limit) < 0, and -1 where few turns do not tell.
    roots : ndarray of float64, shape (searches,)
        About where the score is 0, NaN where `found` is not positive.
    """
    found, roots = np.full(guess.size, -1), np.full(guess.size, np.nan)
    open_, n = np.arange(guess.size), np.ceil(guess).astype(np.int64)
    for _ in range(_TURNS):
        before, here = score(open_, np.maximum(n[:, None] - (1, 0), 1)).T
        done = (here >= 0.0) & ((before < 0.0) | (n == 1))
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            root = n - here / (here - before)
            at = np.where(n > 1, np.ceil(root), 2.0)
        found[open_[done]], roots[open_[done]] = n[done], np.fmin(root, n)[done]
        found[open_[(n == limit) & (here < 0.0)]] = 0
        # Scores that are infinite tell no slope, only the side.
        at = np.where(np.isposinf(here), np.ceil(_LESS * n), at)
        # Others without a slope lead nowhere, or out of the range.
        on = ~done & np.isfinite(at) & (at <= limit) & (at != n)
        if not on.any():
            break
        open_, n = open_[on], np.maximum(at[on], 1.0).astype(np.int64)
    return found, roots


# Of many searches every eighth goes first; the others start between their answers.
_STRIDE, _ORDERED, _NEAREST = 8, 24, 6
_WILD = 0.01  # polynomials that are farther from those of one less are none


def least_integers(
    score: Score, *, guess: NDArray[np.float64], limit: int, near: bool = False
) -> NDArray[np.int64]:
    """Return for each of several searches the least integer n in [1, limit] with score(n) >= 0.

    The results round *up*: score(n) >= 0 and, unless n is 1, score(n - 1) < 0, both as
    computed. Each turn is one call for all searches that are open. A few are searched by `least_few`.
    Of many every eighth is, and tells the others about where to look.

    Parameters
    ----------
    score : callable
        (searches, numbers) -> scores. `searches`, shape (n,), says which; `numbers` and the
        scores have shape (n, k). Non-decreasing in the number; infinities are allowed. See
        `log_odds_over`.
    guess : ndarray, shape (searches,)
        Where to start; any positive numbers are correct. Neighbours should be about alike.
    limit : int
        Largest number tried.
    near : bool
        Whether the guess is good and scores are smooth: then Newton's steps go first.

    Returns
    -------
    ndarray of int64, shape (searches,)
        0 where score(limit) < 0.
    """
    guess = np.clip(guess, 1.0, float(limit))
    found, roots = np.full(guess.size, -1), np.full(guess.size, np.nan)

    def closely(which: NDArray[np.intp]) -> None:
        found[which], roots[which] = least_by_newton(
            lambda at, n: score(which[at], n), guess[which], limit
        )

    def anywhere(which: NDArray[np.intp], *, led: bool) -> None:
        searches = _searched(
            lambda at, n: score(which[at], n), guess[which].tolist(), limit, costly=led
        )
        found[which] = [one.found for one in searches]
        roots[which] = [one.root for one in searches]

    if near and guess.size:
        closely(np.arange(guess.size))
    elif guess.size > _ORDERED:
        runs = _runs(np.log(guess))
        first = np.unique([at for order, _ in runs for at in (*order[::_STRIDE], order[-1])])
        anywhere(first, led=False)
        for order, at in runs:
            leads = found[order] >= 0
            others, known = order[~leads], roots[order[leads]]
            there = ~np.isnan(known)
            if there.any():
                along = _along(at[~leads], at[leads][there], np.log(known[there]))
                guess[others] = np.exp(np.clip(along, 0.0, np.log(limit)))
            # Between two that have no number there is mostly none.
            before = np.cumsum(leads)[~leads]
            guess[others[~there[before - 1] & ~there[before]]] = limit
        closely(np.flatnonzero(found < 0))
    if (found < 0).any():
        anywhere(np.flatnonzero(found < 0), led=guess.size > _ORDERED)
    return found


def least_integer(
    score: Callable[[NDArray[np.int64]], NDArray[np.float64]], *, guess: float = 1.0, limit: int
) -> int | None:
    """Return the least integer n in [1, limit] with score(n) >= 0, None if there is none.

    As `least_integers` for one search; `score` takes an increasing array of numbers.
    """
    (found,) = least_few(lambda _, n: score(n[0])[None, :], guess=[guess], limit=limit)
    return found or None


def _runs(at: NDArray[np.float64]) -> list[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Cut searches into rows of alike ones: their order in each, and where they stand along it.

    Settings that differ in two numbers come row by row: where guesses turn for a single step,
    another row begins. Answers are about proportional to distinct guesses; else neighbours are in
    order.
    """
    way = np.sign(np.diff(at))
    turns = 2 + np.flatnonzero((way[1:-1] != way[:-2]) & (way[2:] == way[:-2]))
    rows = np.split(np.arange(at.size), turns)
    if at.size < _ORDERED * len(rows):
        rows = [np.arange(at.size)]
    found = []
    for row in rows:
        order = row[np.argsort(at[row], kind="stable")]
        distinct = bool((np.diff(at[order]) > 0.0).all())
        order = order if distinct else row
        found.append((order, at[order] if distinct else order.astype(np.float64)))
    return found


def _along(
    at: NDArray[Any], known: NDArray[Any], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return values between known ones, by polynomials through the nearest."""
    count = min(_NEAREST, known.size)
    if count < 4:
        return np.asarray(np.interp(at, known, values))
    start = np.clip(np.searchsorted(known, at) - count // 2, 0, known.size - count)
    nodes = start[:, None] + np.arange(count)
    x, y = at[:, None] - known[nodes], values[nodes]
    inner = y  # by nodes that are one less
    for k in range(1, count):
        inner, y = y, (x[:, k:] * y[:, :-1] - x[:, :-k] * y[:, 1:]) / (x[:, k:] - x[:, :-k])
    wild = np.abs(y - inner).max(axis=1) >= _WILD
    return np.asarray(np.where(wild, np.interp(at, known, values), y[:, 0]))


def log_odds_over(
    beta: float,
    success: ArrayLike,
    failure: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the log odds of success less those of 1 - beta: at least 0 iff success suffices.

    Parameters
    ----------
    beta : float
        The probability with which failure is allowed, as it was typed.
    success, failure : array_like
        Probabilities that sum to 1. Both are needed where beta or 1 - beta is so small that the
        other one, rounded, does not tell it from 0.
    """
    goal, reached = complement(beta), np.asarray(success, dtype=np.float64)
    lost, allowed = 1.0 - reached, 1.0 - goal
    if failure is not None:
        lost, allowed = np.asarray(failure, dtype=np.float64), beta
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.log(np.maximum(reached, 0.0)) - np.log(np.maximum(lost, 0.0))
    return np.asarray(odds - (math.log(goal) - math.log(allowed)))
