"""Lines, single points and the empty set as hypotheses on the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core.concepts.hypotheses import Hypothesis

if TYPE_CHECKING:
    from privsc_core.concepts.line.plane import Plane

__all__ = ["KEYS", "Empty", "Line", "Spot"]

# What a record of a run has: a and b of a line, or the place of a point.
KEYS = ("a", "b", "x", "y")


@dataclass(frozen=True, slots=True)
class Line(Hypothesis):
    """The concept c_{a,b}: 1 where y = ax + b."""

    plane: Plane
    a: int
    b: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        place = self.plane.place(point)
        return int(place is not None and self.plane.height(self.a, self.b, place[0]) == place[1])

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return f"the line y = {self.a} x + {self.b} modulo {self.plane.p}"

    @property
    def weight(self) -> int:
        """A line has p points."""
        return self.plane.p

    @property
    def parameters(self) -> dict[str, str]:
        """Slope and intercept, as exact texts."""
        return {"a": str(self.a), "b": str(self.b)}


@dataclass(frozen=True, slots=True)
class Spot(Hypothesis):
    """1 at one point of a sample."""

    plane: Plane
    point: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int(point == self.point)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return f"1 at the point {self.plane.name(self.point)} alone"

    @property
    def weight(self) -> int:
        """One point gets label 1."""
        return 1

    @property
    def parameters(self) -> dict[str, str]:
        """The place of the point, as exact texts."""
        x, y = divmod(self.point - 1, self.plane.p)
        return {"x": str(x), "y": str(y)}


@dataclass(frozen=True, slots=True)
class Empty(Hypothesis):
    """0 everywhere."""

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        del point
        return 0

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return "0 everywhere"

    @property
    def weight(self) -> int:
        """Nothing gets label 1."""
        return 0
