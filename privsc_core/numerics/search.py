"""Searches for least integers, many at a time, with the rounding direction stated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.numerics.decimals import complement
from privsc_core.numerics.search_few import FAR, SLOW, leaps, least_few
from privsc_core.numerics.search_near import least_by_newton

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Score = Callable[[NDArray[np.intp], NDArray[np.int64]], NDArray[np.float64]]

__all__ = ["least_integer", "least_integers", "log_odds_over"]

_SPREAD = np.array([-1.0, 1.0])  # what one turn tries around a guess
# Of many searches every sixth goes first; the others start between their answers.
_STRIDE, _ORDERED, _NEAREST = 6, 24, 4
_DOUBT, _WARM = 0.006, 0.0002  # of a first guess, relative to it
_OFF = 0.2  # by how much a parabola may be off, of what it is from a chord


def least_integers(
    score: Score, *, guess: NDArray[np.float64], limit: int, near: bool = False
) -> NDArray[np.int64]:
    """Return for each of several searches the least integer n in [1, limit] with score(n) >= 0.

    The results round *up*: score(n) >= 0 and, unless n is 1, score(n - 1) < 0, both as
    computed. The brackets are narrowed in a few turns, each of them one call for all searches that
    are open: of a few by `least_few`, of many by secants, every third turn evenly where that hardly
    made them shorter.

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
    runs = _runs(np.log(guess))
    goes_first = np.zeros(count, dtype=np.bool_)
    for order, _ in runs:
        goes_first[order[::_STRIDE]] = goes_first[order[-1]] = True
    first, rest = np.flatnonzero(goes_first), np.flatnonzero(~goes_first)
    found, roots = np.zeros(count, dtype=np.int64), np.full(count, np.nan)
    found[first], roots[first] = _least(score, first, guess[first], limit, _DOUBT)
    roots[found == 0] = np.nan
    doubt = np.full(count, _DOUBT)
    for order, at in runs:
        known = ~np.isnan(roots[order])
        if known.any():
            others = order[~goes_first[order]]
            along = _along(at[~goes_first[order]], at[known], np.log(roots[order[known]]))
            guess[others], doubt[others] = np.clip(np.exp(along), 1.0, float(limit)), _WARM
    found[rest], _ = _least(score, rest, guess[rest], limit, doubt[rest])
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


def _least(
    score: Score,
    which: NDArray[np.intp],
    guess: NDArray[np.float64],
    limit: int,
    doubt: float | NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Narrow all brackets together, from a guess; 0 and limit + 1 are ends without a score.

    The second is where the score is 0 between the ends of the bracket, about.
    """
    ends = _Ends.unknown(which.size, limit)
    before = ends.width()
    open_, tried, turn = np.arange(which.size), _around(guess, doubt * guess), 0
    while open_.size:
        below, above = ends.low[open_, None], ends.high[open_, None]
        numbers = np.clip(np.rint(tried), below + 1, above - 1).astype(np.int64)
        ends.narrow(open_, numbers, score(which[open_], numbers))
        open_ = open_[ends.width()[open_] > 1]
        turn += 1
        slow = np.zeros(which.size, dtype=np.bool_)
        if turn % 3 == 2:
            slow, before = ends.width() > before / SLOW, ends.width()
        tried = ends.next(open_, limit, evenly=slow[open_])
    with np.errstate(invalid="ignore", divide="ignore"):
        past = ends.high_score / (ends.high_score - ends.low_score)
    root = ends.high - ends.width() * np.where(past <= 1.0, past, 0.0)
    return np.where(ends.high > limit, 0, ends.high), np.maximum(root, 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """Brackets: the largest number known to be too small, the least that is not, their scores.

    And about how much one more adds to the score, and a third number next to one of them, if known.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    low_score: NDArray[np.float64]
    high_score: NDArray[np.float64]
    slope: NDArray[np.float64]
    third: NDArray[np.float64]
    third_score: NDArray[np.float64]

    @classmethod
    def unknown(cls, count: int, limit: int) -> _Ends:
        return cls(
            np.zeros(count, dtype=np.int64), np.full(count, limit + 1, dtype=np.int64),
            np.full(count, -np.inf), np.full(count, np.inf), *np.full((3, count), np.nan),
        )  # fmt: skip

    def width(self) -> NDArray[np.int64]:
        """Return how many numbers are left, and 1."""
        return np.asarray(self.high - self.low)

    def narrow(
        self, open_: NDArray[np.intp], numbers: NDArray[np.int64], scores: NDArray[np.float64]
    ) -> None:
        """Take in the scores of increasing numbers, row by row."""
        rows, last = np.arange(open_.size), numbers.shape[1] + 1
        # With the ends, and one more at each end that leads nowhere.
        known = np.empty((2, open_.size, last + 3))
        known[0, :, [0, -1]], known[1, :, [0, -1]] = np.nan, np.inf
        known[0, :, 1], known[1, :, 1] = self.low[open_], self.low_score[open_]
        known[0, :, -2], known[1, :, -2] = self.high[open_], self.high_score[open_]
        known[0, :, 2:-2], known[1, :, 2:-2] = numbers, scores
        good = scores >= 0.0
        low = 1 + np.where(good.any(axis=1), good.argmax(axis=1), last - 1)
        beside = np.stack([low - 1, low + 2])
        third = beside[np.abs(known[1, rows, beside]).argmin(axis=0), rows]
        for number, score, at in (
            (self.low, self.low_score, low),
            (self.high, self.high_score, low + 1),
            (self.third, self.third_score, third),
        ):
            number[open_], score[open_] = known[0, rows, at], known[1, rows, at]
        with np.errstate(invalid="ignore", divide="ignore"):
            self.slope[open_] = (scores[:, -1] - scores[:, 0]) / (numbers[:, -1] - numbers[:, 0])

    def curved(self, open_: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return where a parabola through both ends and the third number is 0, NaN outside."""
        x = np.stack([end[open_] for end in (self.low, self.high, self.third)]).astype(np.float64)
        y = np.stack(
            [score[open_] for score in (self.low_score, self.high_score, self.third_score)]
        )
        # The number is a polynomial of the score.
        near = x[1:] - x[0]
        first, second, between = y[1] - y[0], y[2] - y[0], y[2] - y[1]
        root = x[0] + y[0] / between * (near[1] / second * y[1] - near[0] / first * y[2])
        return np.where((root > x[0]) & (root < x[1]), root, np.nan)

    def next(
        self,
        open_: NDArray[np.intp],
        limit: int,
        *,
        evenly: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """Return the numbers to try next: around where the scores lead to 0."""
        low, high = self.low[open_].astype(np.float64), self.high[open_].astype(np.float64)
        below, above, slope = self.low_score[open_], self.high_score[open_], self.slope[open_]
        climbs, width = np.isfinite(below), high - low
        both = climbs & np.isfinite(above)
        known, score = np.where(climbs, low, high), np.where(climbs, below, above)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            step = np.where(both, -width * below / (above - below), -score / slope)
            root = known + step
            # A chord is off by about the square of its length; a slope by a share of its leap.
            doubt = np.where(both, 0.1 * width * width / root, 0.05 * np.abs(step))
            curved = self.curved(open_)
            doubt = np.where(curved > 0.0, np.minimum(_OFF * np.abs(curved - root), doubt), doubt)
            root = np.where(curved > 0.0, curved, root)
        # A score that hardly changes, or by infinity, leads nowhere: rather leap.
        led = both | ((slope > 0.0) & (step != 0.0) & (root > known / FAR) & (root < known * FAR))
        led &= ~evenly | (low == 0.0) | (high > limit)
        tried = np.empty((open_.size, _SPREAD.size))
        tried[led] = _around(root[led], doubt[led])
        for row in np.flatnonzero(~led).tolist():
            tried[row] = leaps(low[row], high[row], limit, _SPREAD.size)
        # Where scores do not change at all there may be none: the largest number tells.
        tried[~led & (low > 0.0) & (high > limit) & ~(slope > 0.0), -1] = limit
        last = width <= _SPREAD.size + 1.0  # all that are left
        tried[last] = low[last, None] + np.arange(1.0, _SPREAD.size + 1.0)
        return tried


def _around(at: NDArray[np.float64], doubt: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers around others, the two whole ones beside each where there is no doubt."""
    return np.asarray(at[:, None] + np.maximum(doubt, 0.5)[:, None] * _SPREAD)


def _along(
    at: NDArray[Any], known: NDArray[Any], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return values between known ones, by polynomials through the nearest; at the ends fewer."""
    if known.size < _NEAREST:
        return np.asarray(np.interp(at, known, values))
    start = np.clip(np.searchsorted(known, at) - _NEAREST // 2, 0, known.size - _NEAREST)
    nodes = start[:, None] + np.arange(_NEAREST)
    x, y = known[nodes].astype(np.float64), values[nodes]
    total = np.zeros(at.size)
    for i in range(_NEAREST):
        others = [j for j in range(_NEAREST) if j != i]
        total += y[:, i] * np.prod([(at - x[:, j]) / (x[:, i] - x[:, j]) for j in others], axis=0)
    return total


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
