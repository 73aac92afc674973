"""The search for one least integer: a call costs more than some more numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["least_alone"]

# What the first turn tries, as multiples of the guess: it may be far too large, since much is easy.
_WIDE = (1 / 64, 1 / 6, 0.7, 0.95, 1.05, 1.4)
_NARROW = (0.95, 1.05)  # where every number costs
_SIDE = 3  # scores on each side of 0 that a polynomial goes through
_TOLD = 30.0  # log odds beyond are the rounding of a probability next to 1
_UNSURE = 10.0  # how far around a root is looked, in estimates of its error
_SLOW = 16.0  # in two turns a bracket is to be so much shorter
_LEAP, _FAR = 5.0, 12.0  # ratios: of numbers where scores lead nowhere; how far they may lead


def least_alone(
    score: Callable[[NDArray[np.int64]], NDArray[np.float64]],
    *,
    guess: float,
    limit: int,
    costly: bool = False,
    within: float = 1.0,
) -> int:
    """Return the least integer n in [1, limit] with score(n) >= 0, 0 where score(limit) < 0.

    Parameters
    ----------
    score : callable
        Numbers, increasing -> their scores, non-decreasing; infinities are allowed.
    guess : float
        Where to start; any positive number is correct.
    limit : int
        Largest number tried.
    costly : bool
        Whether a score costs more than a call, so that few are asked for at once.
    within : float
        How many times the one the other end of a bracket may be to be near enough: then the
        result is about where a line through both scores is 0.
    """
    first = _NARROW if costly else _WIDE
    known = _Known(limit, 1 if costly else _SIDE)
    tried: Sequence[float] = [min(max(guess, 1.0), float(limit)) * times for times in first]
    turn, before = 0, known.width
    while True:
        asked = sorted({min(max(round(at), known.low + 1), known.high - 1) for at in tried})
        known.add(asked, score(np.array(asked, dtype=np.int64)).tolist())
        if known.width <= 1:
            return known.high if known.high <= limit else 0
        if within > 1.0 and known.high <= min(within * known.low, limit):
            return round(max(known.chord(), 0.5))
        turn += 1
        evenly = False
        if turn % 2 == 0:
            evenly, before = known.width > before / _SLOW, known.width
        tried = known.next(len(first), evenly=evenly)


@dataclass(slots=True)
class _Known:
    """The scores that are known, and the bracket: the last number too small, the next one.

    0 and limit + 1 are ends without a score.
    """

    limit: int
    side: int
    numbers: list[int] = field(init=False)
    scores: list[float] = field(init=False, default_factory=lambda: [-math.inf, math.inf])
    at: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.numbers = [0, self.limit + 1]

    @property
    def low(self) -> int:
        return self.numbers[self.at]

    @property
    def high(self) -> int:
        return self.numbers[self.at + 1]

    @property
    def width(self) -> int:
        return self.high - self.low

    def add(self, numbers: list[int], scores: list[float]) -> None:
        """Take in numbers of the bracket."""
        self.numbers[self.at + 1 : self.at + 1] = numbers
        self.scores[self.at + 1 : self.at + 1] = scores
        self.at += next((i for i, s in enumerate(scores) if s >= 0.0), len(scores))

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
            return self._leaps(count)
        # From the whole numbers beside it to where it surely is not.
        half = count // 2
        reach = max(_UNSURE * doubt, half - 0.5) if half > 1 else max(doubt, 0.5)
        steps = [0.5 * (2.0 * reach) ** (k / max(half - 1, 1)) for k in range(half)]
        if half == 1:
            steps = [reach]
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
        led = self.low < root < self.high and at / _FAR < root < at * _FAR
        return (root, 0.05 * abs(root - at)) if led else (math.nan, math.nan)

    def _leaps(self, count: int) -> Sequence[float]:
        """Return numbers up from the low end, down from the high one, or spread between them."""
        low, high = float(self.low), float(self.high)
        if self.high > self.limit:
            return [max(low, 1.0) * _LEAP**k for k in range(1, 1 + (count + 1) // 2)]
        if self.low == 0:
            ratio = min(_LEAP, high ** (1.0 / count)) if count > 2 else _LEAP
            return [high / ratio**k for k in range(count, 0, -1)]
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
