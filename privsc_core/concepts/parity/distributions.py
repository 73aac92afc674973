"""Distributions for parities, each with the parity of all bits as its target."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privsc_core.concepts.contracts import Knob, Source
from privsc_core.concepts.shared.cube import LISTED_MOST, CubeDistribution, ShatteredDistribution
from privsc_core.concepts.shared.hypotheses import Hypothesis
from privsc_core.concepts.shared.sample import BITS_MOST, Sample, uniform_below
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

# --- Parities as hypotheses ----------------------------------------------------------------------


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


class ParityDistribution(CubeDistribution):
    """A distribution whose target is the parity of all bits."""

    def target(self, d: int) -> int:
        """Return the number of the target, 2^d."""
        return 1 << d

    def truth(self, point: int, d: int) -> int:
        """Return the label of a point."""
        return (point - 1).bit_count() & 1


@dataclass(frozen=True)
class Uniform(ParityDistribution):
    """All points alike: every wrong parity errs on exactly half of them."""

    name = "uniform"
    title = "Uniform: every wrong parity errs on half"
    source = Source("V17", "Section 8.2; KLNRS11 for parities")
    brief = "all points are equally likely: a wrong parity errs on half of them"
    meaning = (
        "All 2^d points are equally likely. Two different parities differ on exactly half of the points. So for α < "
        "1/2 a learner succeeds only if it finds the target, and α does not matter."
    )
    idle = {"alpha": "every wrong parity errs on half of the points"}

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse an alpha at which every parity is accurate."""
        if alpha >= 0.5:
            raise InputError("alpha", f"must be less than 1/2 for {self.name}", alpha)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return the error: 0 or 1/2 of a parity."""
        if isinstance(hypothesis, Parity):
            return Fraction(0) if hypothesis.j == self.target(d) else Fraction(1, 2)
        if d > LISTED_MOST:
            return None
        size = 1 << d
        wrong = sum(hypothesis.predict(x) != self.truth(x, d) for x in range(1, size + 1))
        return Fraction(wrong, size)

    def points(self, m: int, d: int, rng: np.random.Generator) -> list[int]:
        """Return m points drawn independently."""
        if d <= BITS_MOST:
            found: list[int] = (1 + rng.integers(1 << d, size=m)).tolist()
            return found
        return [1 + uniform_below(rng, 1 << d) for _ in range(m)]


@dataclass(frozen=True)
class Noisy(Uniform):
    """The same, and every label is wrong with probability eta."""

    eta: float = 0.02

    name = "noisy"
    title = "Uniform, with wrong labels"
    source = Source("ours", "random classification noise, as of KLNRS11")
    brief = "all points are equally likely, and every label is wrong with probability η"
    meaning = (
        "All 2^d points are equally likely, and each label is wrong with probability η, independently. A learner "
        "succeeds if it finds the target. No concept fits a large sample with wrong labels, so solving equations "
        "fails. The upper bounds are proved for right labels and do not apply."
    )
    knobs = (
        Knob("eta", "η", "probability that a label is wrong", 0.001, 0.2, 0.02, integer=False),
    )
    realizable = False

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples, each with the wrong label with probability eta."""
        right = super().draw(m=m, d=d, alpha=alpha, rng=rng)
        wrong = (rng.random(m) < self.eta).astype(np.uint8)
        return Sample(right.d, right.points, right.index, right.labels ^ wrong)


@dataclass(frozen=True)
class Spikes(ShatteredDistribution, ParityDistribution):
    """Mass 1 - a on the point without ones, a/d on each point with a single one."""

    brief = "mass a on the d points with a single one, the rest on 0"
    meaning = (
        "Mass 1 - a lies on the point whose bits are all 0, on which all parities agree. Mass a/d lies on each of "
        "the d points with a single 1. Each of these d points reveals one bit of the target. The error of a parity "
        "is a/d for every wrong bit."
    )

    def spike(self, bit: int | None, d: int) -> int:
        """Return the point with that bit alone, or the one without ones."""
        return 1 if bit is None else 1 + (1 << bit)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return a/d for every wrong bit, and 1 - a for an error on the point without ones."""
        a = decimal(self.a)
        wrong = sum(hypothesis.predict(1 + (1 << bit)) != 1 for bit in range(d))
        return a * wrong / d + (1 - a) * hypothesis.predict(1)
