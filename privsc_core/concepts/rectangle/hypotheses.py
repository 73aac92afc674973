"""Rectangles and the empty set as hypotheses on the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.hypotheses import Hypothesis
from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.concepts.rectangle.board import Board

__all__ = ["EMPTY", "KEYS", "Box", "Rectangle", "differing"]

# What a record of a run has.
KEYS = ("left", "right", "bottom", "top")
# Left, right, bottom, top, all of them included.
Box = tuple[int, int, int, int]
# The sides of the empty rectangle.
EMPTY: Box = (1, 0, 1, 0)


def differing(one: Sequence[Any], other: Sequence[Any]) -> Any:
    """Return on how many points two boxes differ; of arrays of sides, an array."""
    (left, right, low, high), (west, east, south, north) = one, other

    def length(first: Any, last: Any) -> Any:
        return np.maximum(last - first + 1, 0)

    common = length(np.maximum(left, west), np.minimum(right, east)) * length(
        np.maximum(low, south), np.minimum(high, north)
    )
    return (
        length(left, right) * length(low, high)
        + length(west, east) * length(south, north)
        - 2 * common
    )


@dataclass(frozen=True, slots=True)
class Rectangle(Hypothesis):
    """The concept that is 1 iff left <= x <= right and bottom <= y <= top.

    Attributes
    ----------
    board : Board
        Where it lies.
    box : tuple of int
        Left, right, bottom and top; `EMPTY` where no point gets label 1.
    """

    board: Board
    box: Box

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int(self.holds(*self.board.place(point)))

    def holds(self, x: int, y: int) -> bool:
        """Tell whether (x, y) is inside."""
        left, right, bottom, top = self.box
        return left <= x <= right and bottom <= y <= top

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        if self.box == EMPTY:
            return "the empty rectangle: 0 everywhere"
        bits = (self.board.wide, self.board.wide, self.board.high, self.board.high)
        left, right, bottom, top = (whole(v, b + 1) for v, b in zip(self.box, bits, strict=True))
        return f"the rectangle with x from {left} to {right} and y from {bottom} to {top}"

    @property
    def weight(self) -> int:
        """The points inside get label 1."""
        left, right, bottom, top = self.box
        return (right - left + 1) * (top - bottom + 1)

    @property
    def parameters(self) -> dict[str, str]:
        """The sides, as exact texts; of the empty rectangle right is less than left."""
        return {key: str(value) for key, value in zip(KEYS, self.box, strict=True)}
