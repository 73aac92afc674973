"""Distributions for conjunctions, each with the conjunction of the first bits as its target."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Knob
from privsc_core.concepts.cube import CubeDistribution, SpikesDistribution
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from privsc_core.concepts.hypotheses import Hypothesis

__all__ = ["ConjunctionDistribution", "Spikes"]


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
class Spikes(SpikesDistribution, ConjunctionDistribution):
    """Mass 1 - a on the point of ones, a/d on each point with a single zero."""

    share: float = 0.5

    brief: ClassVar[str] = "mass a on the d points with a single zero, the rest on 1…1"
    meaning: ClassVar[str] = (
        "Mass 1 - a lies on the point of ones, which every conjunction labels 1, and a/d on each of the d "
        "points with a single zero, which tell of one literal each whether the target has it. The target "
        "is the conjunction of the first half of the bits, or of another share. The error of a conjunction is a/d "
        "for every literal too many or too few."
    )
    knobs: ClassVar[tuple[Knob, ...]] = (
        *SpikesDistribution.knobs,
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
        del m, alpha
        a = decimal(self.a)
        points = [self.spike(bit, d) for bit in range(d)]
        wrong = sum(hypothesis.predict(x) != self.truth(x, d) for x in points)
        return a * wrong / d + (1 - a) * (1 - hypothesis.predict(1 << d))


@lru_cache(maxsize=1 << 13)
def _share_of(share: float, d: int) -> int:
    """Return a share of d bits, rounded."""
    return math.floor(decimal(share) * d + Fraction(1, 2))
