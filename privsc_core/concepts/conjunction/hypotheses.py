"""Conjunctions as hypotheses."""

from __future__ import annotations

from dataclasses import dataclass

from privsc_core.concepts.hypotheses import Hypothesis

__all__ = ["Conjunction"]

_NAMED = 6  # literals that are named one by one


@dataclass(frozen=True, slots=True)
class Conjunction(Hypothesis):
    """The concept c_S: 1 where all bits of a point that S picks are 1.

    Attributes
    ----------
    j : int
        Its number, S + 1: the bits of S are those of j - 1, as with points.
    d : int
        How many bits there are.
    """

    j: int
    d: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int(not (self.j - 1) & ~(point - 1))

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        picked = (self.j - 1).bit_count()
        if not picked:
            return "the conjunction of no bits: 1 everywhere"
        if picked == self.d:
            return f"the conjunction of all {self.d:,} bits"
        if picked > _NAMED:
            return f"the conjunction of {picked:,} of {self.d:,} bits"
        bits, rest = [], self.j - 1
        while rest:
            bits.append((rest & -rest).bit_length())
            rest &= rest - 1
        return f"the conjunction of the bits {', '.join(map(str, bits))} of {self.d:,}"

    @property
    def weight(self) -> int:
        """Every literal halves the points with label 1."""
        return 1 << (self.d - (self.j - 1).bit_count())

    @property
    def parameters(self) -> dict[str, str]:
        """The bits of S, the first one first, as exact text."""
        return {"S": f"{self.j - 1:0{self.d}b}"[::-1]}
