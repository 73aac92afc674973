"""Distributions and hypotheses of conjunctions; the first bits are the target."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privsc_core.concepts.contracts import Knob
from privsc_core.concepts.shared.cube import CubeDistribution, ShatteredDistribution
from privsc_core.concepts.shared.hypotheses import Hypothesis
from privsc_core.numerics.decimals import decimal

# --- Conjunctions as hypotheses ------------------------------------------------------------------


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


class ConjunctionDistribution(CubeDistribution):
    """A distribution whose target is the conjunction of the first so many bits."""

    @abstractmethod
    def relevant(self, d: int) -> int:
        """Return how many literals the target has."""

    def target(self, d: int) -> int:
        """Return the number of the target."""
        return 1 << self.relevant(d)

    def truth(self, point: int, d: int) -> int:
        """Return the label of a point."""
        return int(not (self.target(d) - 1) & ~(point - 1))


@dataclass(frozen=True)
class Spikes(ShatteredDistribution, ConjunctionDistribution):
    """Mass 1 - a on the point of ones, a/d on each point with a single zero."""

    share: float = 0.5

    brief = "mass a on the d points with a single zero, the rest on 1…1"
    meaning = (
        "Mass 1 - a lies on the point whose bits are all 1, which every conjunction labels 1. Mass a/d lies on each "
        "of the d points with a single 0. Each of these d points reveals whether one literal belongs to the target. "
        "The target is the conjunction of the first half (or another share) of the bits. Every literal that a "
        "conjunction has too many or too few adds a/d to its error."
    )
    knobs = (
        *ShatteredDistribution.knobs,
        Knob("share", "share", "share of the bits in the target", 0.0, 1.0, 0.5, integer=False),
    )

    def relevant(self, d: int) -> int:
        """Return how many literals the target has."""
        return _share_of(self.share, d)

    def spike(self, bit: int | None, d: int) -> int:
        """Return the point with a zero at that bit alone, or the one of ones."""
        return (1 << d) - (0 if bit is None else 1 << bit)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return a/d for every spike with the wrong label, and 1 - a for 0 at the point of ones."""
        a = decimal(self.a)
        points = [self.spike(bit, d) for bit in range(d)]
        wrong = sum(hypothesis.predict(x) != self.truth(x, d) for x in points)
        return a * wrong / d + (1 - a) * (1 - hypothesis.predict(1 << d))


@lru_cache(maxsize=1 << 13)
def _share_of(share: float, d: int) -> int:
    """Return a share of d bits, rounded."""
    return math.floor(decimal(share) * d + Fraction(1, 2))
