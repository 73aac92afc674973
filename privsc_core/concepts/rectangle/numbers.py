"""How rectangles are listed on tiny boards: each by one whole number."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from privsc_core.concepts.rectangle.board import Board
from privsc_core.concepts.rectangle.hypotheses import EMPTY

if TYPE_CHECKING:
    from privsc_core.concepts.rectangle.hypotheses import Box

__all__ = ["box_of", "boxes", "number_of", "numbers"]

_DIGITS = 10  # every side is below 10 bits on a board that is listed


def number_of(box: Box) -> int:
    """Return the number of a rectangle, the same on every board."""
    number = 0
    for side in box:
        number = (number << _DIGITS) + side
    return number


def box_of(number: int) -> Box:
    """Return the rectangle of a number."""
    left, right, bottom, top = ((number >> shift * _DIGITS) & 1023 for shift in (3, 2, 1, 0))
    return left, right, bottom, top


def boxes(bits: int) -> list[Box]:
    """Return all rectangles of the board with points of so many bits, the empty one first."""
    wide, high = Board.of(bits).size
    across = list(itertools.combinations_with_replacement(range(1, wide + 1), 2))
    up = list(itertools.combinations_with_replacement(range(1, high + 1), 2))
    return [EMPTY, *((*x, *y) for x in across for y in up)]


def numbers(bits: int) -> list[int]:
    """Return the numbers of all rectangles of a tiny board."""
    return [number_of(box) for box in boxes(bits)]
