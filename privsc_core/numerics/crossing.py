"""Where a score changes its sign along a row of numbers, with few looks."""

from __future__ import annotations

import functools
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


@dataclass(frozen=True, slots=True)
class Crossing:
    """What `last_crossing` finds.

    Attributes
    ----------
    place : int or None
        The place; None where the score is negative even at `last`, or there is none at all.
    last : int or None
        The last place that has a score; None where no look found one.
    first : bool
        Whether no place before it has a score.
    """

    place: int | None
    last: int | None
    first: bool = False


def last_crossing(
    score: Callable[[int], float | None], at: NDArray[np.float64], looks: Sequence[int]
) -> Crossing:
    """Find the place from which on no look has a negative score.

    The score is at least 0 at the place that is found and, unless it is the first one, negative at
    the one before it. Where the sign changes once, that is the crossing; where it changes more
    often, the last change that the looks notice. A secant closes in.

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
    there = next((n for n in reversed(range(len(looks))) if known(looks[n]) is not None), None)
    if there is None:
        return Crossing(None, None)
    last = looks[there]
    if there + 1 < len(looks):
        last = _halved(lambda place: known(place) is None, last, looks[there + 1]) - 1
    high, above = last, known(last) or 0.0
    if above < 0.0:
        return Crossing(None, last)
    for place in reversed(looks[: there + 1]):
        found, low = known(place), place
        if found is None:
            low = _halved(lambda n: known(n) is not None, place, high)
            found = known(low) or 0.0
        if found < 0.0:
            return Crossing(_close_in(known, at, (low, found), (high, above)), last)
        high, above = low, found
        if low != place:
            break
    return Crossing(high, last, first=True)


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
