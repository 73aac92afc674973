"""Distributions for parities, each with the parity of all bits as its target."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Distribution, Knob, Source
from privsc_core.concepts.parity.hypotheses import Parity
from privsc_core.concepts.rows import BITS_MOST
from privsc_core.concepts.sample import Sample, uniform_below
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    import numpy as np

    from privsc_core.concepts.hypotheses import Hypothesis

__all__ = ["ParityDistribution", "Spikes", "Uniform"]

# Up to so many bits a hypothesis that is no parity is asked about every point.
_LISTED_MOST = 16
# The law takes a Fourier transform over the bits.
_BITS_MOST = 10_000
_SHOWN_BITS = 12


class ParityDistribution(Distribution):
    """A distribution whose target is the parity of all bits."""

    def target(self, d: int) -> int:
        """Return the number of the target, 2^d."""
        return 1 << d

    def name_of(self, point: int, d: int) -> str:
        """Return the bits of a point, the first one first, where they are few."""
        return f"{point - 1:0{d}b}"[::-1] if d <= _SHOWN_BITS else super().name_of(point, d)

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Tell whether the hypothesis has error at most alpha."""
        error = self.error(hypothesis, m=1, d=d, alpha=alpha)
        if error is None:
            raise InputError("d", f"must be at most {_LISTED_MOST} for a hypothesis of any kind", d)
        return error <= decimal(alpha)

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""
        del alpha
        points = self.points(m, d, rng)
        return Sample.of(d, points, [(x - 1).bit_count() & 1 for x in points])

    @abstractmethod
    def points(self, m: int, d: int, rng: np.random.Generator) -> list[int]:
        """Return m points drawn independently."""


@dataclass(frozen=True)
class Uniform(ParityDistribution):
    """All points alike: every wrong parity errs on exactly half of them."""

    name: ClassVar[str] = "uniform"
    title: ClassVar[str] = "Uniform: every wrong parity errs on half"
    source: ClassVar[Source] = Source("V17", "Section 8.2; KLNRS11 for parities")
    brief: ClassVar[str] = "all points alike: a wrong parity errs on half of them"
    meaning: ClassVar[str] = (
        "All 2^d points are equally likely. Two different parities differ on exactly half of them, "
        "so for α < 1/2 a learner succeeds only if it finds the target: α does not matter."
    )

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse an alpha at which every parity is accurate."""
        del d
        if alpha >= 0.5:
            raise InputError("alpha", f"must be less than 1/2 for {self.name}", alpha)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return the error: 0 or 1/2 of a parity."""
        del m, alpha
        if isinstance(hypothesis, Parity):
            return Fraction(0) if hypothesis.j == self.target(d) else Fraction(1, 2)
        if d > _LISTED_MOST:
            return None
        right = Parity(self.target(d), d)
        size = 1 << d
        wrong = sum(hypothesis.predict(x) != right.predict(x) for x in range(1, size + 1))
        return Fraction(wrong, size)

    def points(self, m: int, d: int, rng: np.random.Generator) -> list[int]:
        """Return m points drawn independently."""
        if d <= BITS_MOST:
            found: list[int] = (1 + rng.integers(1 << d, size=m)).tolist()
            return found
        return [1 + uniform_below(rng, 1 << d) for _ in range(m)]


@dataclass(frozen=True)
class Spikes(ParityDistribution):
    """Mass 1 - a on the point without ones, a/d on each point with a single one."""

    a: float = 0.5

    name: ClassVar[str] = "spikes"
    title: ClassVar[str] = "Spikes: one bit at a time"
    source: ClassVar[Source] = Source("ours", "a shattered set beside a point that tells nothing")
    brief: ClassVar[str] = "mass a on the d points with a single one, the rest on 0"
    meaning: ClassVar[str] = (
        "Mass 1 - a lies on the point without ones, on which all parities agree, and a/d on each of "
        "the d points with a single one, which tell one bit of the target each. The error of a parity is "
        "a/d for every wrong bit."
    )
    knobs: ClassVar[tuple[Knob, ...]] = (
        Knob("a", "a", "mass of the points that tell a bit", 0.01, 1.0, 0.5, integer=False),
    )

    @property
    def most_d(self) -> int:
        """The largest number of bits at which the law is computed."""
        return _BITS_MOST

    def allowed(self, d: int, alpha: float) -> int:
        """Return how many bits of an accurate parity may be wrong."""
        return math.floor(decimal(alpha) * d / decimal(self.a))

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse an alpha at which every parity is accurate, and a d that is too large."""
        if alpha >= self.a:
            requirement = f"must be less than a = {self.a:g} for {self.name}"
            raise InputError("alpha", requirement, alpha)
        if d > self.most_d:
            raise InputError("d", f"must be at most {self.most_d} for {self.name}", d)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return a/d for every wrong bit, and 1 - a for an error on the point without ones."""
        del m, alpha
        a = decimal(self.a)
        wrong = sum(hypothesis.predict(1 + (1 << bit)) != 1 for bit in range(d))
        return a * wrong / d + (1 - a) * hypothesis.predict(1)

    def points(self, m: int, d: int, rng: np.random.Generator) -> list[int]:
        """Return m points drawn independently."""
        told = rng.random(m) < self.a
        bits = rng.integers(d, size=m)
        return [
            1 + (1 << bit) if tells else 1
            for tells, bit in zip(told.tolist(), bits.tolist(), strict=True)
        ]
