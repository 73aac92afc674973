"""Searches for a few least integers, each by polynomials through all its scores that are known."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["FAR", "least_few"]

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
