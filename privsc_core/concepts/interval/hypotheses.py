"""The concepts of INTERVAL_d as hypotheses."""

from __future__ import annotations

from dataclasses import dataclass

from privsc_core.concepts.hypotheses import Hypothesis

__all__ = ["Threshold"]

_SHOWN_BITS = 64


@dataclass(frozen=True, slots=True)
class Threshold(Hypothesis):
    """The concept c_j: 1 at the points below j, 0 from j on (BBKN13, Definition 5.1)."""

    j: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int(point < self.j)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        if self.j.bit_length() <= _SHOWN_BITS:
            return f"c_{self.j}: 1 below point {self.j}, 0 from there on"
        return f"c_j with j of {self.j.bit_length()} bits: 1 below point j, 0 from there on"

    @property
    def weight(self) -> int:
        """The points below j get label 1."""
        return self.j - 1

    @property
    def parameters(self) -> dict[str, str]:
        """The first point of label 0, as exact text."""
        return {"j": str(self.j)}
