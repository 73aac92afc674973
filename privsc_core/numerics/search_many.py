"""Searches for many least integers together, each turn one call for all that are open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privsc_core.numerics.search_few import FAR

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Score = Callable[[NDArray[np.intp], NDArray[np.int64]], NDArray[np.float64]]

__all__ = ["Together"]

_OFF = 0.2  # by how much a parabola may be off, of what it is from a chord
_CLOSE = 0.25  # of a bracket: a root so near an end is where the slope there leads
_EVEN = 0.25  # of a bracket: who doubts more splits it evenly
_THIRDS = np.array([[1.0], [2.0]]) / 3.0
# How far is looked around a root at least; how much farther once it was not there; and where scores
# lead nowhere, which is never less than a share of the number unless neighbours told of it.
_LEAST, _WIDER, _LEAP, _COLD = 0.03, 4.0, np.array([[2.0], [16.0]]), 0.2
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
        leap = np.maximum(reach, np.where(alike, cold, _COLD) * end) * _LEAP
        tried = np.asarray(np.where(rises, end + leap, end * (end / (end + leap))[::-1]))
        # Where scores hardly change there may be none: the largest number tells.
        twice = (leap[0] > _APART * end) & (reach > _TWICE)
        tried[1, rises & np.where(alike, twice, ahead > _FLAT * end)] = self.limit
        return tried


def _around(at: NDArray[np.float64], doubt: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers around others, the two whole ones beside each where there is no doubt."""
    doubt = np.maximum(doubt, 0.5)
    return np.array([at - doubt, at + doubt])
