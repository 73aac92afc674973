"""What an audience answered to one question: counts, median, how many were near the truth."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

PLACES = 200  # positions on an axis that are told apart


class Guesses(NamedTuple):
    """Numbers that an audience answered.

    Parameters
    ----------
    places : tuple of (float, int)
        Positions on the axis, in its unit and in order, and how many answers lie there.
    median : float or None
        Of the answers themselves; None where there are none.
    within : float or None
        The share of the answers within a factor of two of the truth, ends included; None where there is no
        answer or no truth above 0.
    """

    places: tuple[tuple[float, int], ...]
    median: float | None
    within: float | None


def of_numbers(
    answers: Sequence[float], low: float, high: float, truth: float | None, *, log: bool
) -> Guesses:
    """Return what numbers between the ends of an axis say together.

    Parameters
    ----------
    answers : sequence of float
        Each in [low, high].
    low, high : float
        The ends of the axis; above 0 where it is logarithmic.
    truth : float or None
        The right number, if there is one.
    log : bool
        Whether the axis is logarithmic.

    Examples
    --------
    >>> of_numbers([10, 100, 100], 1, 1000, 60, log=True)[1:]
    (100, 0.6666666666666666)
    """
    there, back = (math.log, math.exp) if log else (float, float)
    first, width = there(low), (there(high) - there(low)) / PLACES
    counts: dict[int, int] = {}
    for answer in answers:
        place = min(PLACES - 1, max(0, math.floor((there(answer) - first) / width)))
        counts[place] = counts.get(place, 0) + 1
    places = tuple(
        (back(first + (place + 0.5) * width), count) for place, count in sorted(counts.items())
    )
    if not answers:
        return Guesses(places, None, None)
    near = None
    if truth is not None and truth > 0:
        near = sum(truth / 2 <= answer <= 2 * truth for answer in answers) / len(answers)
    return Guesses(places, statistics.median(answers), near)


def of_choices(answers: Sequence[float], choices: int) -> tuple[int, ...]:
    """Return how many answers chose each of so many choices, by their indices from 0."""
    return tuple(sum(answer == choice for answer in answers) for choice in range(choices))
