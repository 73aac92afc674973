"""Searches along the whole numbers where a score has one crossing, or comes and goes."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from numpy.typing import NDArray


# Every so many turns the bracket is split evenly, as a guard.
_GUARD = 4
# Turns of looking closer where every score is negative: by then places meet.
_CLOSER = 16
# Intervals that are looked at before a search that would be complete gives up, and up to how many
# places are then looked at together.
_INTERVALS_MOST, _LEAF = 3_000, 8
# An interval is left out where no score exceeds this: it is computed along another way than they are.
_ROUNDING = 1e-9
# Places that are looked at together, and by how much more each time.
_TOGETHER, _MORE = 32, 4


@dataclass(frozen=True, slots=True)
class Crossing:
    """The first place whose score is not negative.

    Attributes
    ----------
    place : int or None
        The place; None where none was found.
    last : int or None
        The last place that has a score; None where no look found one.
    first : bool
        Whether no place before `place` has a score.
    falls : bool
        Whether the score of a later place that was looked at is negative.
    complete : bool
        Whether no place before it has a score of at least 0, or none at all: else none that was
        looked at.
    """

    place: int | None
    last: int | None
    first: bool = False
    falls: bool = False
    complete: bool = True


def crossing(
    score: Callable[[int], float | None], at: NDArray[np.float64], looks: Sequence[int]
) -> Crossing:
    """Find the first place with a score of at least 0, where all after such a place have one.

    A secant closes in.

    Parameters
    ----------
    score : callable
        Place -> score, None where there is none; those that have one are a stretch. Infinities are
        allowed. About linear in the coordinate is best.
    at : ndarray, shape (places,)
        Coordinates, increasing.
    looks : sequence of int
        Places along the row, increasing, the first and the last one among them. The last ones are
        looked at first, until one has a negative score.
    """
    known = functools.cache(score)
    last = _last(known, looks)
    if last is None:
        return Crossing(None, None)
    high, above = last, known(last) or 0.0
    if above < 0.0:
        return Crossing(None, last)
    for look in reversed([place for place in looks if place < last]):
        value, low = known(look), look
        if value is None:
            low = _halved(lambda n: known(n) is not None, look, high)
            value = known(low) or 0.0
        if value < 0.0:
            return Crossing(_close_in(known, at, (low, value), (high, above)), last)
        high, above = low, value
        if low != look:
            break
    return Crossing(high, last, first=True)


def first_good(
    score: Callable[[int], float | None],
    scores: Callable[[Sequence[int]], NDArray[np.float64]],
    at: NDArray[np.float64],
    looks: Sequence[int],
    most: Callable[[int, int], float] | None = None,
) -> Crossing:
    """Find the first place with a score of at least 0, where scores come and go.

    Parameters
    ----------
    score, at, looks
        As for `crossing`.
    scores : callable
        Places that have a score -> all of them.
    most : callable, optional
        (place, later place) -> what no score from the one to the other exceeds. With it the search is
        complete: what may be good is halved until nothing is left. Without it, or where that takes too long, the places of `looks`
        alone are looked at, and those around the greatest score if none is good.
    """
    last = _last(score, looks)
    if last is None:
        return Crossing(None, None)
    begin = next(n for n, place in enumerate(looks) if score(place) is not None)
    start = looks[begin]
    if begin:
        start = _halved(lambda n: score(n) is not None, looks[begin - 1], start)
    row = sorted({start, last, *(place for place in looks if start < place < last)})
    place, complete = None, False
    if most is not None:
        place, complete = _bounded(scores, most, at, (start, last))
    if not complete:
        place = _looked(score, scores, at, row)
        complete = len(row) == last - start + 1
    if place is None:
        return Crossing(None, last, complete=complete)
    later = [n for n in looks if place < n <= last]
    some = [*later[: -_TOGETHER : -(-len(looks) // _TOGETHER)], *later[-_TOGETHER:]]
    falls = bool(some) and bool((scores(some) < 0.0).any())
    return Crossing(place, last, place == start, falls, complete)


def _bounded(
    scores: Callable[[Sequence[int]], NDArray[np.float64]],
    most: Callable[[int, int], float],
    at: NDArray[np.float64],
    everything: tuple[int, int],
) -> tuple[int | None, bool]:
    """Return the first good place, and whether it is; an interval where none can be is left out."""
    open_ = [everything]
    for _ in range(_INTERVALS_MOST):
        if not open_:
            return None, True
        low, high = open_.pop()
        if low < high and most(low, high) < -_ROUNDING:
            continue
        if high - low < _LEAF:
            good = np.flatnonzero(scores(range(low, high + 1)) >= 0.0)
            if good.size:
                return low + int(good[0]), True
            continue
        middle = int(np.searchsorted(at, 0.5 * (at[low] + at[high])))
        middle = min(max(middle, low), high - 1)
        open_ += [(middle + 1, high), (low, middle)]
    return None, not open_


def _looked(
    score: Callable[[int], float | None],
    scores: Callable[[Sequence[int]], NDArray[np.float64]],
    at: NDArray[np.float64],
    row: Sequence[int],
) -> int | None:
    """Return the first place that is good among those of a row, or just before it."""
    found: list[tuple[int, float]] = []
    for part in _parts(row):
        values = scores(part).tolist()
        good = next((n for n, value in enumerate(values) if value >= 0.0), None)
        if good is not None:
            found += zip(part[:good], values[:good], strict=True)
            hit = part[good], values[good]
            return _close_in(score, at, found[-1], hit) if found else hit[0]
        found += zip(part, values, strict=True)
    for _ in range(_CLOSER):
        best = max(range(len(found)), key=lambda n: found[n][1])
        around = [found[n][0] for n in (best - 1, best, best + 1) if 0 <= n < len(found)]
        between = sorted({(a + b) // 2 for a, b in itertools.pairwise(around)} - set(around))
        if not between:
            return None
        values = scores(between).tolist()
        found = sorted([*found, *zip(between, values, strict=True)])
        good = next((n for n, (_, value) in enumerate(found) if value >= 0.0), None)
        if good is not None:
            return _close_in(score, at, found[good - 1], found[good]) if good else found[0][0]
    return None


def _parts(row: Sequence[int]) -> Iterable[Sequence[int]]:
    """Cut a row into parts, longer and longer ones."""
    begin, size = 0, _TOGETHER
    while begin < len(row):
        yield row[begin : begin + size]
        begin, size = begin + size, size * _MORE


def _last(score: Callable[[int], float | None], looks: Sequence[int]) -> int | None:
    """Return the last place that has a score, None where no look finds one."""
    there = next((n for n in reversed(range(len(looks))) if score(looks[n]) is not None), None)
    if there is None:
        return None
    if there + 1 == len(looks):
        return looks[there]
    return _halved(lambda place: score(place) is None, looks[there], looks[there + 1]) - 1


def _close_in(
    score: Callable[[int], float | None],
    at: NDArray[np.float64],
    first: tuple[int, float],
    last: tuple[int, float],
) -> int:
    """Return the place with a score of at least 0 after one with a negative one, between two."""
    (low, below), (high, above) = first, last
    turn = stayed = 0
    while high - low > 1:
        turn += 1
        place = (low + high) // 2
        led = math.isfinite(below) and math.isfinite(above) and above > below
        if led and turn % _GUARD:
            root = at[low] + (at[high] - at[low]) * (below / (below - above))
            place = min(max(int(np.searchsorted(at, root)), low + 1), high - 1)
        found = score(place) or 0.0
        # An end that stays twice counts half (Illinois): else the other creeps up to the root.
        if found < 0.0:
            low, below, stayed = place, found, min(stayed, 0) - 1
            above *= 0.5 if stayed < -1 else 1.0
        else:
            high, above, stayed = place, found, max(stayed, 0) + 1
            below *= 0.5 if stayed > 1 else 1.0
    return high


def _halved(good: Callable[[int], bool], low: int, high: int) -> int:
    """Return a place that is good, while the one before it is not: low is bad, high is good."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if good(middle) else (middle, high)
    return high


# --- Searches along the whole numbers where the answer may come and go ---------------------------
#
# They look at intervals first: a judge says of an interval that all of it is good, that none of
# it is, or that it cannot tell. Only what stays open is split, and in the end tried one by one.
#
# A search is a generator that yields what it asks, the ends of intervals or (numbers, None), and is sent
# verdicts or whether each is good: `answers` asks for many searches at once.


if TYPE_CHECKING:
    # Searches, first and last numbers of intervals -> 1 where every number of the interval is good, -1
    # where none is, 0 where it cannot tell: never wrong, and 0 as often as it likes.
    Judge = Callable[[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]
    # Searches, numbers -> whether each is good.
    Trial = Callable[[NDArray[np.intp], NDArray[np.int64]], NDArray[np.bool_]]
    Asked = tuple[NDArray[np.int64], NDArray[np.int64] | None]

T = TypeVar("T")
Search: TypeAlias = "Generator[Asked, NDArray[Any], T]"

SCANNED_MOST = 4_000_000
"""How many numbers one search tries one by one before it gives up."""

_GRAIN = 16
_GRAIN_MOST = 1 << 16
_PARTS = 4
_SPLIT = 32  # intervals at most that are split together
# Intervals this long compared to where they begin are split by ratio, not by length.
_WIDE = 4
# Numbers that are asked for together.
_NUMBERS_TOGETHER = 1 << 16


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
                if (last is None) == whole and (not some or size + first.size <= _NUMBERS_TOGETHER):
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
