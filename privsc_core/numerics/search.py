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
    score: Callable[[NDArray[np.intp], NDArray[np.int64]], NDArray[np.float64]],
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
    return [one.found for one in searches]


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
    numbers: list[int] = field(init=False)
    scores: list[float] = field(init=False, default_factory=lambda: [-math.inf, math.inf])
    at: int = field(init=False, default=0)
    turn: int = field(init=False, default=0)
    before: int = field(init=False)
    """How long the bracket was two turns ago."""

    def __post_init__(self) -> None:
        self.numbers, self.before = [0, self.limit + 1], self.limit + 1

    @property
    def low(self) -> int:
        return self.numbers[self.at]

    @property
    def high(self) -> int:
        return self.numbers[self.at + 1]

    @property
    def width(self) -> int:
        return self.high - self.low

    def asks(self) -> list[int]:
        """Return what is asked for now, increasing."""
        return sorted({min(max(round(at), self.low + 1), self.high - 1) for at in self.tried})

    def add(self, numbers: list[int], scores: list[float], count: int) -> None:
        """Take in scores, and find out what to ask for next, so many numbers."""
        self.numbers[self.at + 1 : self.at + 1] = numbers
        self.scores[self.at + 1 : self.at + 1] = scores
        self.at += next((i for i, s in enumerate(scores) if s >= 0.0), len(scores))
        self.turn += 1
        if self.width <= 1:
            self.found, self.tried = self.high if self.high <= self.limit else 0, ()
        elif self.within > 1.0 and self.high <= min(self.within * self.low, self.limit):
            self.found, self.tried = round(self.chord()), ()
        else:
            evenly = False
            if self.turn % 2 == 0:
                evenly, self.before = self.width > self.before / _SLOW, self.width
            self.tried = self.next(count, evenly=evenly)

    def chord(self) -> float:
        """Return where the line through both ends is 0; the upper one where one has no score."""
        below, above = self.scores[self.at], self.scores[self.at + 1]
        share = above / (above - below) if math.isfinite(below) and above > below else 0.0
        return self.high - (self.width * share if math.isfinite(share) else 0.0)

    def next(self, count: int, *, evenly: bool) -> Sequence[float]:
        """Return the numbers to try next: all that are left, or around where the scores lead."""
        if self.width <= count + 1:
            return range(self.low + 1, self.high)
        root, doubt = self._root()
        open_ = self.low == 0 or self.high > self.limit
        if math.isnan(root) or (evenly and not open_):
            return _leaps(self.low, self.high, self.limit, count)
        # From the whole numbers beside it to where it surely is not.
        half = count // 2
        steps = [max(doubt, 0.5)]
        if half > 1:
            reach = max(_UNSURE * doubt, half - 0.5)
            steps = [0.5 * (2.0 * reach) ** (k / (half - 1)) for k in range(half)]
        return [*(root - step for step in steps), *(root + step for step in steps)]

    def _root(self) -> tuple[float, float]:
        """Return about where the score is 0, and how far off that may be; NaN if nothing is known."""
        below, above = self._told(self.at, -1), self._told(self.at + 1, 1)
        if not below or not above:
            return self._beyond(below or above)
        nodes = [pair[k] for k in range(self.side) for pair in (below, above) if k < len(pair)]
        roots = [self.chord(), *(at for at in _roots(nodes)[1:] if self.low < at < self.high)]
        if len(roots) == 1:
            return roots[0], 0.1 * self.width**2 / roots[0]
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
        led = self.low < root < self.high and at / FAR < root < at * FAR
        return (root, 0.05 * abs(root - at)) if led else (math.nan, math.nan)


def _leaps(low: float, high: float, limit: int, count: int) -> list[float]:
    """Return so many numbers where scores lead nowhere.

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


# --- Searches for many least integers together, each turn one call for all that are open ---------


if TYPE_CHECKING:
    Score = Callable[[NDArray[np.intp], NDArray[np.int64]], NDArray[np.float64]]

_OFF = 0.2  # by how much a parabola may be off, of what it is from a chord
_CLOSE = 0.25  # of a bracket: a root so near an end is where the slope there leads
_EVEN = 0.25  # of a bracket: who doubts more splits it evenly
_THIRDS = np.array([[1.0], [2.0]]) / 3.0
# How far is looked around a root at least; how much farther once it was not there; and where scores
# lead nowhere, which is never less than a share of the number unless neighbours told of it.
_LEAST, _WIDER, _LEAP_MANY, _COLD = 0.03, 4.0, np.array([[2.0], [16.0]]), 0.2
# Where scores are alike twice so far apart, or lead so many times as far, the largest number tells.
_APART, _TWICE, _FLAT = 0.1, 4.0, 1e3
# Of low, first, second, high the third number, where none or both are too small: if both are one, or not.
_THIRD = np.array([[3, 2], [0, 3], [0, 1]])


class Together:
    """Many searches: what they found, and where the score is 0 next to that, about.

    Of each that is open the largest number known to be too small, the least that is not, their scores,
    and a third number, mostly next to one of them. 0 and limit + 1 are ends without a score.
    """

    def __init__(self, score: Score, limit: int, count: int) -> None:
        self.score, self.limit = score, limit
        self.found = np.zeros(count, dtype=np.int64)
        self.roots = np.full(count, np.nan)

    def search(
        self, which: NDArray[np.intp], guess: NDArray[np.float64], doubt: NDArray[np.float64],
        *, told: bool,
    ) -> None:  # fmt: skip
        """Search from guesses, about so far off: infinitely where maybe no number suffices.

        Parameters
        ----------
        which, guess, doubt : ndarray, shape (searches,)
            Which searches, from where.
        told : bool
            Whether neighbours told where to look, so that it is near.
        """
        self.which = which
        start = [0.0, self.limit + 1.0, -np.inf, np.inf, np.nan, np.nan, _LEAST]
        self._keep(np.repeat([start], which.size, axis=0).T)
        tried = _around(guess, np.minimum(doubt, guess))
        tried[1, np.isinf(doubt)] = self.limit
        while self.which.size:
            self._look(tried)
            if self.which.size:
                tried = self._next(0.0 if told else _COLD)

    def _keep(self, ends: NDArray[np.float64]) -> None:
        self.low, self.high, self.below, self.above, self.third, self.beside, self.reach = ends

    def _look(self, tried: NDArray[np.float64]) -> None:
        """Ask for two numbers of each, narrow the brackets, and close those that are done."""
        first, second = np.minimum(np.maximum(np.rint(tried), self.low + 1.0), self.high - 1.0)
        two = second > first
        asked = np.array([first, second] if two.any() else [first], dtype=np.int64)
        found = self.score(self.which, asked.T)
        one, other = found[:, 0], found[:, -1]
        # How many of both are too small.
        short = np.where(one >= 0.0, 0, np.where(other >= 0.0, 1, 2))
        rows, between = np.arange(short.size), short == 1
        numbers = np.array([self.low, first, second, self.high])
        scores = np.array([self.below, one, other, self.above])
        low, below = numbers[short, rows], scores[short, rows]
        high, above = numbers[short + 1, rows], scores[short + 1, rows]
        done = high - low <= 1.0
        if done.any():
            self._close(self.which[done], high[done], below[done], above[done])
        self.which = self.which[~done]
        if not self.which.size:
            return
        # The third is the other one of both, or the nearer old end.
        far = between & ~(np.abs(self.below) < np.abs(self.above))
        third = _THIRD[short, np.where(between, far, two).astype(np.intp)]
        # Where both are alike scores are a staircase.
        wider = np.where(two & (one == other), _WIDER * _WIDER, _WIDER)
        reach = np.where(between, _LEAST, wider * self.reach)
        ends = [low, high, below, above, numbers[third, rows], scores[third, rows], reach]
        self._keep(np.array(ends)[:, ~done])

    def _close(
        self, which: NDArray[np.intp], found: NDArray[np.float64], below: NDArray[np.float64],
        above: NDArray[np.float64],
    ) -> None:  # fmt: skip
        with np.errstate(invalid="ignore"):
            past = above / (above - below)
        roots = np.maximum(found - np.where(past <= 1.0, past, 0.0), 0.5)
        there = found <= self.limit
        self.found[which] = np.where(there, found, 0.0)
        self.roots[which] = np.where(there, roots, np.nan)

    def _next(self, cold: float) -> NDArray[np.float64]:
        """Return two numbers to try next: around where the scores lead to 0, or elsewhere."""
        low, high = self.low, self.high
        width, closed = high - low, (low > 0.0) & (high <= self.limit)
        root, doubt, ahead = self._root()
        led = ~np.isnan(root)
        tried = _around(root, doubt)
        if (even := closed & ~(led & (doubt <= _EVEN * width))).any():
            tried[:, even] = low[even] + width[even] * _THIRDS
            wide = even & (high > 4.0 * low)
            tried[:, wide] = low[wide] * (high[wide] / low[wide]) ** _THIRDS
        if (lost := ~(led | closed)).any():
            tried[:, lost] = self._leaps(lost, ahead[lost], cold)
        if (last := width <= 3.0).any():
            tried[:, last] = low[last] + np.array([[1.0], [2.0]])
        return tried

    def _root(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return about where scores are 0, NaN if they lead nowhere; how far off that may be; and the step."""
        low, high, beside = self.low, self.high, self.beside
        width, up = high - low, np.abs(self.below) < np.abs(self.above)
        near, far = np.where(up, low, high), np.where(up, high, low)
        score, other = np.where(up, self.below, self.above), np.where(up, self.above, self.below)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            # The number as polynomials of the score: by slope, chord, and parabola.
            gap = self.third - near
            step = score * gap / (score - beside)
            ahead, slope = np.abs(step), near + step
            chord = near + score * (far - near) / (score - other)
            bent = slope + (slope - chord) * beside / (other - beside)
            # The slope tells most where the other end is far off.
            reached = ahead + np.abs(gap)
            sloped = (reached < _CLOSE * (width - ahead)) & ((ahead > 0.0) | (score == 0.0))
            sloped &= (slope > near / FAR) & (slope < near * FAR)
            inside = (bent > low) & (bent < high)
            root = np.where(sloped, slope, np.where(inside, bent, chord))
            # A slope and a chord are off by curvature, and a parabola by a share of what it adds.
            curvature = np.where(sloped, 0.5 * ahead * reached, 0.1 * width * width) / root
            added = np.where(inside, _OFF * np.abs(bent - chord), np.inf)
            doubt = np.minimum(curvature, np.where(sloped, 0.05 * ahead, added))
            led = (root > low) & (root <= high) & (sloped | np.isfinite(other))
        return np.where(led, root, np.nan), np.maximum(doubt, self.reach), ahead

    def _leaps(
        self, lost: NDArray[np.bool_], ahead: NDArray[np.float64], cold: float
    ) -> NDArray[np.float64]:
        """Return what to try where one end is open and scores lead nowhere."""
        rises = self.high[lost] > self.limit
        end = np.where(rises, self.low[lost], self.high[lost])
        alike = np.where(rises, self.below[lost], self.above[lost]) == self.beside[lost]
        reach = self.reach[lost]
        leap = np.maximum(reach, np.where(alike, cold, _COLD) * end) * _LEAP_MANY
        tried = np.asarray(np.where(rises, end + leap, end * (end / (end + leap))[::-1]))
        # Where scores hardly change there may be none: the largest number tells.
        twice = (leap[0] > _APART * end) & (reach > _TWICE)
        tried[1, rises & np.where(alike, twice, ahead > _FLAT * end)] = self.limit
        return tried


def _around(at: NDArray[np.float64], doubt: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers around others, the two whole ones beside each where there is no doubt."""
    doubt = np.maximum(doubt, 0.5)
    return np.array([at - doubt, at + doubt])


# --- Searches for least integers from good guesses, by Newton's steps ----------------------------


_TURNS = 8
_LESS = 0.7


def least_by_newton(
    score: Callable[[NDArray[np.intp], NDArray[np.int64]], NDArray[np.float64]],
    guess: NDArray[np.float64],
    limit: int,
) -> NDArray[np.int64]:
    """Return for several searches the least integer n in [1, limit] with score(n) >= 0, or 0.

    Every turn asks for n and n - 1 of all searches that are open: where the first score is at least 0
    and the other is not, n is the answer, whatever led to it; else both tell the slope. 0 where few
    turns do not lead there. The parameters are those of `search.least_integers`.
    """
    found = np.zeros(guess.size, dtype=np.int64)
    open_, n = np.arange(guess.size), np.ceil(guess).astype(np.int64)
    for _ in range(_TURNS):
        before, here = score(open_, np.maximum(n[:, None] - (1, 0), 1)).T
        done = (here >= 0.0) & ((before < 0.0) | (n == 1))
        found[open_[done]] = n[done]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            at = np.where(n > 1, np.ceil(n - here / (here - before)), 2.0)
        # Scores that are infinite tell no slope, only the side.
        at = np.where(np.isposinf(here), np.ceil(_LESS * n), at)
        # Others without a slope lead nowhere, or out of the range.
        on = ~done & np.isfinite(at) & (at <= limit) & (at != n)
        if not on.any():
            break
        open_, n = open_[on], np.maximum(at[on], 1.0).astype(np.int64)
    return found


# Of many searches every eighth goes first; the others start between their answers.
_STRIDE, _ORDERED, _NEAREST = 8, 24, 6
_DOUBT = 0.003  # of a guess, relative to it
_SURE = 0.25  # by how much polynomials are off, of what those of one less are from them
_WILD = 0.01  # polynomials that are so far off are none


def least_integers(
    score: Score, *, guess: NDArray[np.float64], limit: int, near: bool = False
) -> NDArray[np.int64]:
    """Return for each of several searches the least integer n in [1, limit] with score(n) >= 0.

    The results round *up*: score(n) >= 0 and, unless n is 1, score(n - 1) < 0, both as
    computed. The brackets are narrowed in a few turns, each of them one call for all searches that
    are open: of a few by `least_few`, of many by `Together`, where some tell the others about where
    to look.

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
    count = guess.size
    if near and count:
        found = least_by_newton(score, guess, limit)
        left = np.flatnonzero(found == 0)
        if left.size:
            found[left] = least_integers(
                lambda which, n: score(left[which], n), guess=guess[left], limit=limit
            )
        return found
    if count <= _ORDERED:
        return np.array(least_few(score, guess=guess.tolist(), limit=limit), dtype=np.int64)
    goes_first = np.zeros(count, dtype=np.bool_)
    runs = _runs(np.log(guess))
    for order, _ in runs:
        goes_first[order[::_STRIDE]] = goes_first[order[-1]] = True
    first, rest = np.flatnonzero(goes_first), np.flatnonzero(~goes_first)
    searches = Together(score, limit, count)
    doubt = _DOUBT * guess
    searches.search(first, guess[first], doubt[first], told=False)
    for order, at in runs:
        leads = goes_first[order]
        others, roots = order[~leads], searches.roots[order[leads]]
        there = ~np.isnan(roots)
        if there.any():
            along, off = _along(at[~leads], at[leads][there], np.log(roots[there]))
            guess[others] = np.exp(np.clip(along, 0.0, np.log(limit)))
            doubt[others] = guess[others] * off
        # Between two that have no number there is mostly none.
        before = np.cumsum(leads)[~leads]
        doubt[others[~there[before - 1] & ~there[before]]] = np.inf
    searches.search(rest, guess[rest], doubt[rest], told=True)
    return searches.found


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
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return values between known ones, by polynomials through the nearest, and how far off they may be."""
    count = min(_NEAREST, known.size)
    if count < 4:
        return np.interp(at, known, values), np.full(at.size, _DOUBT)
    start = np.clip(np.searchsorted(known, at) - count // 2, 0, known.size - count)
    nodes = start[:, None] + np.arange(count)
    x, y = at[:, None] - known[nodes], values[nodes]
    inner = y  # by nodes that are one less
    for k in range(1, count):
        inner, y = y, (x[:, k:] * y[:, :-1] - x[:, :-k] * y[:, 1:]) / (x[:, k:] - x[:, :-k])
    off = _SURE * np.abs(y - inner).max(axis=1)
    return np.where(off < _WILD, y[:, 0], np.interp(at, known, values)), np.minimum(off, _DOUBT)


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
