"""Parities as hypotheses."""

from __future__ import annotations

from dataclasses import dataclass

from privsc_core.concepts.hypotheses import Hypothesis

__all__ = ["Parity"]

_NAMED = 6  # bits that are named one by one


@dataclass(frozen=True, slots=True)
class Parity(Hypothesis):
    """The concept c_r: the sum modulo 2 of the bits of a point that r picks.

    Attributes
    ----------
    j : int
        Its number, r + 1: the bits of r are those of j - 1, as with points.
    d : int
        How many bits r has; for words alone.
    """

    j: int
    d: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return ((self.j - 1) & (point - 1)).bit_count() & 1

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        picked = (self.j - 1).bit_count()
        if not picked:
            return "the parity of no bits: 0 everywhere"
        if picked == self.d:
            return f"the parity of all {self.d:,} bits"
        if picked > _NAMED:
            return f"the parity of {picked:,} of {self.d:,} bits"
        bits, rest = [], self.j - 1
        while rest:
            bits.append((rest & -rest).bit_length())
            rest &= rest - 1
        return f"the parity of the bits {', '.join(map(str, bits))} of {self.d:,}"

    @property
    def weight(self) -> int:
        """Half of the points get label 1, or none."""
        return 1 << (self.d - 1) if self.j > 1 else 0

    @property
    def parameters(self) -> dict[str, str]:
        """The bits of r, the first one first, as exact text."""
        return {"r": f"{self.j - 1:0{self.d}b}"[::-1]}
