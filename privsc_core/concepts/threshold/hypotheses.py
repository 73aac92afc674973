"""Thresholds on [0, 1] as hypotheses."""

from __future__ import annotations

import math
from dataclasses import dataclass

from privsc_core.concepts.hypotheses import Hypothesis
from privsc_core.concepts.threshold.line import middle
from privsc_core.numerics.text import chance

__all__ = ["Cut"]

_SHOWN_BITS = 40


@dataclass(frozen=True, slots=True)
class Cut(Hypothesis):
    """The concept h_s: 1 left of s, 0 from s on.

    Attributes
    ----------
    j : int
        The first point of the grid with label 0, from 1 to 2^bits + 1.
    bits : int
        Of a point of the grid.
    """

    j: int
    bits: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int(point < self.j)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        if self.bits <= _SHOWN_BITS:
            return f"1 left of s = {(self.j - 1) / (1 << self.bits):.12g}, 0 from there on"
        away = self.j - middle(self.bits)
        if not away:
            return "1 left of s, 0 from there on; s = 1/2"
        side = "left" if away < 0 else "right"
        far = chance(math.log(abs(away)) - self.bits * math.log(2.0))
        return f"1 left of s, 0 from there on; s lies {far} {side} of 1/2"

    @property
    def weight(self) -> int:
        """The points of the grid below j get label 1."""
        return self.j - 1

    @property
    def parameters(self) -> dict[str, str]:
        """The first point of label 0, as exact text."""
        return {"j": str(self.j)}
