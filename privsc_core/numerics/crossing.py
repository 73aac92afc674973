"""The first of a row of numbers whose score is not negative, with few looks."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["Crossing", "crossing", "first_good"]

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
