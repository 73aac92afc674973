"""Searches along the whole numbers where the answer may come and go.

They look at intervals first: a judge says of an interval that all of it is good, that none of
it is, or that it cannot tell. Only what stays open is split, and in the end tried one by one.

A search is a generator that yields what it asks, the ends of intervals or (numbers, None), and is sent
verdicts or whether each is good: `answers` asks for many searches at once.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    # Searches, first and last numbers of intervals -> 1 where every number of the interval is good, -1
    # where none is, 0 where it cannot tell: never wrong, and as shy as it likes.
    Judge = Callable[[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]
    # Searches, numbers -> whether each is good.
    Trial = Callable[[NDArray[np.intp], NDArray[np.int64]], NDArray[np.bool_]]
    Asked = tuple[NDArray[np.int64], NDArray[np.int64] | None]

T = TypeVar("T")
Search: TypeAlias = "Generator[Asked, NDArray[Any], T]"

__all__ = ["SCANNED_MOST", "Search", "Unsettled", "answers", "ladder", "nearest"]

SCANNED_MOST = 4_000_000
"""How many numbers one search tries one by one before it gives up."""

_GRAIN = 16
_GRAIN_MOST = 1 << 16
_PARTS = 4
_SPLIT = 32  # intervals at most that are split together
# Intervals this long compared to where they begin are split by ratio, not by length.
_WIDE = 4
# Numbers that are asked for together.
_TOGETHER = 1 << 16


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


def answers(searches: Sequence[Search[T]], judge: Judge, trial: Trial) -> Iterator[T]:
    """Yield what searches find, in their order; what they ask goes together."""
    asked: dict[int, Asked] = {}
    found: dict[int, T] = {}

    def follow(search: int, step: Callable[[], Asked]) -> None:
        try:
            asked[search] = step()
        except StopIteration as done:
            asked.pop(search, None)
            found[search] = done.value

    for search in range(len(searches)):
        follow(search, searches[search].__next__)
    for search in range(len(searches)):
        while search in asked:
            whole = asked[search][1] is None
            some: list[int] = []
            size = 0
            for other, (first, last) in asked.items():
                if (last is None) == whole and (not some or size + first.size <= _TOGETHER):
                    some.append(other)
                    size += first.size
            sizes = [asked[other][0].size for other in some]
            which = np.repeat(some, sizes)
            ends = [np.concatenate(part) for part in zip(*(asked[other] for other in some), strict=True)
                    if part[0] is not None]  # fmt: skip
            told = trial(which, *ends) if whole else judge(which, *ends)
            for other, answer in zip(some, np.split(told, np.cumsum(sizes)[:-1]), strict=True):
                follow(other, partial(searches[other].send, answer))
        yield found.pop(search)


def nearest(
    intervals: Iterable[tuple[int, int]],
    *,
    wanted: bool = True,
    from_above: bool = False,
) -> Search[int | None]:
    """Search for the least number, or the largest, that is good; or that is not.

    Parameters
    ----------
    intervals : iterable of (int, int)
        Where to look: disjoint, in increasing order, both ends included.
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
    open_ = yield from _judged(list(intervals), sign, from_above=from_above)
    grain, scanned, together = _GRAIN, 0, 1
    while open_:
        first, last, verdict = open_[-1]
        if verdict == sign:
            return last if from_above else first
        # The longer there is nothing, the more is asked about at once.
        short = last - first < grain
        spans = _taken(
            open_, sign, grain, short=short, most=scanned // grain if short else together
        )
        if not short:
            parts = [part for span in spans for part in _split(*span, grain)]
            open_ += yield from _judged(parts, sign, from_above=from_above)
            together = min(2 * together, _SPLIT)
            continue
        numbers = np.concatenate([np.arange(a, b + 1) for a, b in spans])
        good = yield numbers, None
        hits = np.flatnonzero(good == wanted)
        if hits.size:
            return int(numbers[hits[-1 if from_above else 0]])
        scanned += numbers.size
        if scanned > SCANNED_MOST:
            raise Unsettled(int(numbers[0 if from_above else -1]))
        # Where the judge cannot tell for long, larger blocks cost less.
        grain = min(max(grain, 2 * numbers.size), _GRAIN_MOST)
    return None


def _taken(
    open_: list[tuple[int, int, int]], sign: int, grain: int, *, short: bool, most: int
) -> list[tuple[int, int]]:
    """Take the next interval and others like it behind it, short or not; in increasing order."""
    count = 1
    while count < min(most, len(open_)):
        first, last, verdict = open_[-1 - count]
        if verdict == sign or (last - first < grain) != short:
            break
        count += 1
    taken = sorted(span[:2] for span in open_[-count:])
    del open_[-count:]
    return taken


def _judged(
    intervals: list[tuple[int, int]], sign: int, *, from_above: bool
) -> Search[list[tuple[int, int, int]]]:
    """Return the intervals that may hold what is wanted, the next to look at last."""
    if not intervals:
        return []
    ends = np.array(intervals, dtype=np.int64)
    verdicts = yield ends[:, 0], ends[:, 1]
    left = [
        (*ends_, v) for ends_, v in zip(intervals, verdicts.tolist(), strict=True) if v != -sign
    ]
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
