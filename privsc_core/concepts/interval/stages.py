"""Deeper trees of thresholds: the levels of one tree are the positions of the next.

Stage 0 is the tree of thresholds: positions 0..2T, a function g = -D/2 that rises, and the number of
mistakes E. From a stage with 2^n positions the next one is made. M(l) is the least number of mistakes at
the multiples of 2^l, infinite at l = n, and rises with l. On an axis of twice the length

    f(2l) = M(l) - theta,  f(0) = -inf,  f = inf from 2n on,  f(2l-1) = the median of its neighbours and 0,

with a public theta, is again a function that rises, with |f| for the mistakes: n levels have become
2^(1 + ceil(log2 n)) positions. On the last stage the centre of every dyadic cell (a, b) with f(a) < 0 < f(b)
is where a path begins, at most one a level. A position p leads to the cell (x, x + 2^l), l = ceil(p/2), of
the stage before with g(x) < 0 < g(x + 2^l), and there to its ends, where p is odd also to its centre; from
the centre of a cell of level 0 to the centre alone. So paths end in few thresholds. The score of one is

    max(0, min over its cells of (-g(left), g(right)), v - E(t)).

Rules are Bun, Nissim, Stemmer and Vadhan's (2015), who double the axis; one choice for all stages is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.int64]

LEFT, CENTRE, RIGHT = -1, 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Of many samples, the multiples A < B = A + 2^l of 2^l beside the place where D changes its sign.

    Attributes
    ----------
    size : int
        n = d + 1, the number of levels of the tree.
    level : ndarray of int64, shape (levels,)
        0, the levels l at which anything changes, and n; a level between two of them is like the lower one.
    left, right : ndarray of float64, shape (samples, levels)
        D(A) and -D(B), infinite at the ends of the tree.
    under, over : ndarray of float64, shape (samples, levels)
        E(A) and E(B), infinite at the ends of the tree.
    upper : ndarray of bool, shape (n + 1,)
        At each level, whether the centre of a cell one level up is A; else it is B.
    """

    size: int
    level: Places
    left: Numbers
    right: Numbers
    under: Numbers
    over: Numbers
    upper: NDArray[np.bool_]

    def place(self, level: Places) -> Places:
        """Return where a level stands among the levels."""
        return np.searchsorted(self.level, level, side="right") - 1


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Where paths end, and what their scores are the least of; shapes are (samples, paths).

    Attributes
    ----------
    level : ndarray of int64
        l of the last cell (A, A + 2^l).
    way : ndarray of int64, shape (paths,)
        Which threshold of that cell: its left end, its centre or its right end.
    margin, left, right, room : ndarray of float64
        The least margin of the stages above, D(A) / 2, -D(B) / 2, and v - E(t).
    """

    level: Places
    way: Places
    margin: Numbers
    left: Numbers
    right: Numbers
    room: Numbers

    @property
    def score(self) -> Numbers:
        """The least of the four, at least 0: multiples of 1/2."""
        cell = np.minimum(np.minimum(self.left, self.right), self.margin)
        return np.maximum(np.minimum(cell, self.room), 0.0)


class Stage:
    """A stage above the thresholds: f on the doubled axis, and the cells around its change of sign."""

    def __init__(self, level: Places, least: Numbers, size: int, centre: int) -> None:
        self.level, self.least, self.centre = level, least, centre
        first = level[(least < centre).sum(axis=1)]
        before = 2 * (np.maximum(first, 1) - 1)[:, None]  # the last position with f < 0
        self.length = 1 + (size - 1).bit_length()
        power = np.arange(self.length + 1)
        self.low = before >> power << power
        self.high = self.low + (1 << power)
        self.at_low, self.at_high = self._value(self.low), self._value(self.high)

    def mistakes(self) -> Numbers:
        """Return M of this stage at each of its levels."""
        return np.minimum(np.abs(self.at_low), np.abs(self.at_high))

    def margin(self) -> Numbers:
        """Return the lesser margin of the cell around the change of sign, at each level."""
        return np.minimum(-self.at_low, self.at_high)

    def _value(self, position: Places) -> Numbers:
        below, above = self._even(position >> 1), self._even(position + 1 >> 1)
        return np.where(position & 1, np.maximum(below, np.minimum(above, 0.0)), above)

    def _even(self, half: Places) -> Numbers:
        place = np.searchsorted(self.level, half, side="right") - 1
        found = np.take_along_axis(self.least, place, axis=1) - self.centre
        return np.where(half == 0, -np.inf, found)


class _Positions(NamedTuple):
    """Positions of one stage, shape (samples, positions), and what is known of them.

    All are even, all lead to the centre alone, or neither is known.
    """

    at: Places
    margin: Numbers
    even: bool = False
    alone: bool = False


def paths(ends: Ends, centres: Sequence[int], most: int) -> Paths:
    """Return all paths of each sample.

    Parameters
    ----------
    ends : Ends
    centres : sequence of int
        theta_1, theta_2, ... of `Scale.centres`: as many stages above the thresholds.
    most : int
        v.
    """
    stages: list[Stage] = []
    level, least, size = ends.level, np.minimum(ends.under, ends.over), ends.size
    for centre in centres:
        stages.append(Stage(level, least, size, centre))
        least, size = stages[-1].mistakes(), stages[-1].length
        level = np.arange(size + 1)
    samples = ends.left.shape[0]
    if not stages:
        # One path for each cell of the thresholds.
        cells = np.broadcast_to(np.arange(1, ends.size + 1), (samples, ends.size))
        return _ended(ends, [(cells, np.full(cells.shape, np.inf), (CENTRE,))], most)
    top = stages.pop()
    middle = (top.low + top.high) // 2
    margin = top.margin()
    front = [
        _Positions(middle[:, 1:2], margin[:, 1:2], alone=True),
        _Positions(middle[:, 2:], margin[:, 2:], even=True),
    ]
    while stages:
        front = _down(stages.pop(), front)
    found: list[tuple[Places, Numbers, tuple[int, ...]]] = []
    for part in front:
        cells = part.at + 1 >> 1
        margin = np.where((cells > 0) & (cells <= ends.size), part.margin, 0.0)
        cells = np.minimum(cells, ends.size)
        if not part.alone:
            found.append((cells, margin, (LEFT, RIGHT)))
        if not part.even:
            there = margin if part.alone else np.where(part.at & 1, margin, 0.0)
            found.append((cells, there, (CENTRE,)))
    return _ended(ends, found, most)


def _down(stage: Stage, front: list[_Positions]) -> list[_Positions]:
    """Return the positions of a stage to which positions of the next one lead."""
    found, margins = [], stage.margin()
    for part in front:
        cells = part.at + 1 >> 1
        there = (cells > 0) & (cells <= stage.length)
        cells = np.minimum(cells, stage.length)
        low, high = (np.take_along_axis(ends, cells, axis=1) for ends in (stage.low, stage.high))
        margin = np.minimum(part.margin, np.take_along_axis(margins, cells, axis=1))
        margin = np.where(there, margin, 0.0)
        if not part.alone:
            ends = np.concatenate([low, high], axis=1)
            found.append(_Positions(ends, np.tile(margin, 2), even=True))
        if not part.even:
            margin = margin if part.alone else np.where(part.at & 1, margin, 0.0)
            found.append(_Positions(low + high >> 1, margin))
    return found


def _ended(ends: Ends, found: list[tuple[Places, Numbers, tuple[int, ...]]], most: int) -> Paths:
    """Return the paths whose last cells have these levels, with the least margins above them."""
    columns = []
    for level, margin, ways in found:
        place = ends.place(level)
        left, right, under, over = (
            np.take_along_axis(values, place, axis=1)
            for values in (ends.left, ends.right, ends.under, ends.over)
        )
        for end in ways:
            if end == CENTRE:
                inner = np.maximum(level - 1, 0)
                at = ends.place(inner)
                lower, upper = (
                    np.take_along_axis(values, at, axis=1) for values in (ends.under, ends.over)
                )
                errs = np.where(ends.upper[inner], lower, upper)
            else:
                errs = under if end == LEFT else over
            ones = np.full(level.shape[1], end)
            columns.append((level, margin, 0.5 * left, 0.5 * right, most - errs, ones))
    level, margin, left, right, room, way = (
        np.concatenate(parts, axis=-1) for parts in zip(*columns, strict=True)
    )
    return Paths(level, way, margin, left, right, room)
