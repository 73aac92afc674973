"""Searches along the whole numbers where the answer may come and go.

They look at intervals first: a judge says of an interval that all of it is good, that none of
it is, or that it cannot tell. Only what stays open is split, and in the end tried one by one.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Judge = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]
    Trial = Callable[[NDArray[np.int64]], NDArray[np.bool_]]

__all__ = ["SCANNED_MOST", "Unsettled", "ladder", "nearest"]

SCANNED_MOST = 4_000_000
"""How many numbers one search tries one by one before it gives up."""

_GRAIN = 64
_GRAIN_MOST = 1 << 16
_PARTS = 4
# Intervals this long compared to where they begin are split by ratio, not by length.
_WIDE = 4


class Unsettled(Exception):  # noqa: N818 - it is an answer, not a fault
    """Too many numbers would have to be tried; `at` is the next of them."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


def ladder(first: int, last: int, ratio: int) -> list[tuple[int, int]]:
    """Cut [first, last], whole and positive, into intervals that grow by a ratio."""
    found = []
    while first <= last:
        end = min(first * ratio, last)
        found.append((first, end))
        first = end + 1
    return found


def nearest(
    intervals: Iterable[tuple[int, int]],
    judge: Judge,
    trial: Trial,
    *,
    wanted: bool = True,
    from_above: bool = False,
) -> int | None:
    """Return the least number, or the largest, that is good; or that is not.

    Parameters
    ----------
    intervals : iterable of (int, int)
        Where to look: disjoint, in increasing order, both ends included.
    judge : callable
        (first, last) -> 1 where every number of the interval is good, -1 where none is, 0 where
        it cannot tell. It must never be wrong; it may be as shy as it likes.
    trial : callable
        numbers -> whether each is good.
    wanted : bool
        Whether to look for a number that is good, or for one that is not.
    from_above : bool
        Whether to look for the largest instead of the least.

    Returns
    -------
    int or None
        None when there is no such number.

    Raises
    ------
    Unsettled
        When more than `SCANNED_MOST` numbers would have to be tried.
    """
    sign = 1 if wanted else -1
    # The next to look at stands last.
    open_ = _judged(list(intervals), judge, sign, from_above=from_above)
    grain, scanned = _GRAIN, 0
    while open_:
        first, last, verdict = open_.pop()
        if verdict == sign:
            return last if from_above else first
        if last - first < grain:
            numbers = np.arange(first, last + 1)
            hits = np.flatnonzero(trial(numbers) == wanted)
            if hits.size:
                return int(numbers[hits[-1 if from_above else 0]])
            scanned += numbers.size
            if scanned > SCANNED_MOST:
                raise Unsettled(first if from_above else last)
            # Where the judge cannot tell for long, larger blocks cost less.
            grain = min(max(grain, 2 * numbers.size), _GRAIN_MOST)
            continue
        open_ += _judged(_split(first, last, grain), judge, sign, from_above=from_above)
    return None


def _judged(
    intervals: list[tuple[int, int]], judge: Judge, sign: int, *, from_above: bool
) -> list[tuple[int, int, int]]:
    """Return the intervals that may hold what is wanted, the next to look at last."""
    if not intervals:
        return []
    ends = np.array(intervals, dtype=np.int64)
    verdicts = judge(ends[:, 0], ends[:, 1]).tolist()
    left = [(*ends_, v) for ends_, v in zip(intervals, verdicts, strict=True) if v != -sign]
    return left if from_above else left[::-1]


def _split(first: int, last: int, grain: int) -> list[tuple[int, int]]:
    if last > _WIDE * first:
        cuts = np.geomspace(first, last, _PARTS + 1)[1:-1]
    else:
        parts = min(_PARTS, -(-(last - first + 1) // grain))
        cuts = np.linspace(first, last, parts + 1)[1:-1]
    starts = np.unique(np.concatenate([[first], np.floor(cuts).astype(np.int64) + 1]))
    edges = [*starts[starts <= last].tolist(), last + 1]
    return [(a, b - 1) for a, b in itertools.pairwise(edges)]
