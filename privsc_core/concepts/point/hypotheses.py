"""The concepts of POINT_d as hypotheses."""

from __future__ import annotations

from dataclasses import dataclass

from privsc_core.concepts.hypotheses import Hypothesis

__all__ = ["Point"]

_SHOWN_BITS = 64


@dataclass(frozen=True, slots=True)
class Point(Hypothesis):
    """The concept c_j: 1 at point j and 0 elsewhere (BBKN13, Definition 3.3)."""

    j: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int(point == self.j)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        if self.j.bit_length() <= _SHOWN_BITS:
            return f"c_{self.j}: 1 at point {self.j}, 0 elsewhere"
        return f"c_j with j of {self.j.bit_length()} bits: 1 at point j, 0 elsewhere"

    @property
    def weight(self) -> int:
        """One point gets label 1."""
        return 1

    @property
    def parameters(self) -> dict[str, str]:
        """The point, as exact text."""
        return {"point": str(self.j)}
