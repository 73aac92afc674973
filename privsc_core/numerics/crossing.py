"""Where a score changes its sign along a row of numbers, with few looks."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["Crossing", "last_crossing"]

# Every so many turns the bracket is split evenly, as a guard.
_GUARD = 4
# Turns of looking closer where every score is negative.
_CLOSER = 6
# So near 0 it may be the top of a hill that is missed: then until places meet.
_NEAR, _CLOSEST = -0.1, 16
# Scores are not told apart by less, relative to them.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Crossing:
    """What `last_crossing` finds.

    Attributes
    ----------
    place : int or None
        The place; None where every score that was looked at is negative, or there is none at all.
    last : int or None
        The last place that has a score; None where no look found one.
    first : bool
        Whether no place before `place` has a score.
    falls : bool
        Whether a score after `place` is negative again; without a place, whether the greatest one
        is not that of `last`, beyond rounding.
    """

    place: int | None
    last: int | None
    first: bool = False
    falls: bool = False


def last_crossing(
    score: Callable[[int], float | None],
    at: NDArray[np.float64],
    looks: Sequence[int],
    closer: int = _CLOSER,
) -> Crossing:
    """Find the place from which on no look has a negative score.

    The score is at least 0 at the place that is found and, unless it is the first one, negative at
    the one before it. Where the sign changes once, that is the crossing; where it changes more
    often, the last change upwards that the looks notice. A secant closes in.

    Parameters
    ----------
    score : callable
        Place -> score, None where there is none; those that have one are a stretch. Infinities are
        allowed. About linear in the coordinate is best.
    at : ndarray, shape (places,)
        Coordinates, increasing.
    looks : sequence of int
        Places along the row, increasing, the first and the last one among them. The last ones are
        looked at first, until one has a negative score after others had not.
    closer : int
        Turns of looking closer around the greatest score where all are negative: so many that the
        places meet find the top of a single hill. There are as many where that is nearly 0.
    """
    known = functools.cache(score)
    there = next((n for n in reversed(range(len(looks))) if known(looks[n]) is not None), None)
    if there is None:
        return Crossing(None, None)
    last = looks[there]
    if there + 1 < len(looks):
        last = _halved(lambda place: known(place) is None, last, looks[there + 1]) - 1
    walk = _walk(known, looks[: there + 1], last, closer)
    high, above, falls = -1, -math.inf, False
    for low, found in walk:
        if found >= 0.0:
            high, above = low, found
        elif high >= 0:
            return Crossing(_close_in(known, at, (low, found), (high, above)), last, falls=falls)
        else:
            falls = True
    if high >= 0:
        return Crossing(high, last, first=True, falls=falls)
    best = max(value for _, value in walk)
    return Crossing(None, last, falls=best > walk[0][1] + _ROUNDING * max(1.0, abs(best)))


def _walk(
    known: Callable[[int], float | None], looks: Sequence[int], last: int, closer: int
) -> Sequence[tuple[int, float]]:
    """Return the places that are looked at and their scores, from the last one on.

    It ends where a negative score follows on others, or at the first place that has a score. Where all are negative, there is a closer look around the greatest.
    """
    found: list[tuple[int, float]] = [(last, known(last) or 0.0)]
    for place in reversed(looks):
        if place >= last:
            continue
        value, here = known(place), place
        if value is None:
            here = _halved(lambda n: known(n) is not None, place, found[-1][0])
            value = known(here) or 0.0
        if here != found[-1][0]:
            found.append((here, value))
        if here != place or (value < 0.0 <= max(score for _, score in found)):
            break
    for turn in range(max(closer, _CLOSEST)):
        top = max(value for _, value in found)
        if top >= 0.0 or (turn >= closer and top < _NEAR):
            break
        best = max(range(len(found)), key=lambda n: found[n][1])
        around = [found[n][0] for n in (best - 1, best, best + 1) if 0 <= n < len(found)]
        between = {(a + b) // 2 for a, b in itertools.pairwise(around)} - set(around)
        found += [(place, known(place) or 0.0) for place in between]
        found.sort(reverse=True)
    return found


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
