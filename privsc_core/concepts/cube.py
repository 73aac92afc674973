"""Distributions over bit vectors, with one target for every number of bits."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Distribution, Knob, Source
from privsc_core.concepts.sample import Sample
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    import numpy as np

    from privsc_core.concepts.contracts import Setting
    from privsc_core.concepts.hypotheses import Hypothesis

__all__ = ["LISTED_MOST", "CubeDistribution", "SpikesDistribution"]

# Up to so many bits a hypothesis of any kind is asked about every point.
LISTED_MOST = 16
# The law takes a Fourier transform over the bits.
_BITS_MOST = 10_000
_SHOWN_BITS = 12


class CubeDistribution(Distribution):
    """A distribution over d bits with a target of its own."""

    @abstractmethod
    def truth(self, point: int, d: int) -> int:
        """Return the label of a point."""

    @abstractmethod
    def points(self, m: int, d: int, rng: np.random.Generator) -> list[int]:
        """Return m points drawn independently."""

    def name_of(self, point: int, d: int) -> str:
        """Return the bits of a point, the first one first, where they are few."""
        return f"{point - 1:0{d}b}"[::-1] if d <= _SHOWN_BITS else super().name_of(point, d)

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Tell whether the hypothesis has error at most alpha."""
        error = self.error(hypothesis, m=1, d=d, alpha=alpha)
        if error is None:
            raise InputError("d", f"must be at most {LISTED_MOST} for a hypothesis of any kind", d)
        return error <= decimal(alpha)

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""
        del alpha
        points = self.points(m, d, rng)
        return Sample.of(d, points, [self.truth(x, d) for x in points])


@dataclass(frozen=True)
class SpikesDistribution(CubeDistribution):
    """Mass 1 - a on a point where all concepts agree, a/d on each of d points that tell a bit each.

    The error of a concept is a/d for every bit of it that is wrong.
    """

    a: float = 0.5

    name: ClassVar[str] = "spikes"
    title: ClassVar[str] = "Spikes: one bit at a time"
    source: ClassVar[Source] = Source("ours", "a shattered set beside a point that tells nothing")
    knobs: ClassVar[tuple[Knob, ...]] = (
        Knob("a", "a", "mass of the points that tell a bit", 0.01, 1.0, 0.5, integer=False),
    )

    @property
    def most_d(self) -> int:
        """The largest number of bits at which the law is computed."""
        return _BITS_MOST

    @property
    def steps_to(self) -> float:
        """Of every d: how many bits may be wrong is whole."""
        return math.inf

    def allowed(self, d: int, alpha: float) -> int:
        """Return how many bits of an accurate concept may be wrong."""
        return _within(alpha, self.a, d)

    def easiest(self, hard: Setting, easy: Setting) -> Setting | None:
        """Return the easy one, at an alpha at which as many of its bits may be wrong as at any between.

        For one number of wrong bits success falls as d grows: give the examples that tell the last of d + 1
        bits to the others, each to one of them at random. Then these are seen as often as d bits are, and no
        less often than before: if a bit is not more often wrong that was seen more often, no more of d
        bits are wrong than of d + 1.
        """
        bits, wrong = easy.d.item(), self.allowed(hard.d.item(), easy.alpha)
        return None if wrong >= bits else replace(easy, alpha=self.a * (wrong + 0.5) / bits)

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse an alpha at which every concept is accurate, and a d that is too large."""
        if alpha >= self.a:
            requirement = f"must be less than a = {self.a:g} for {self.name}"
            raise InputError("alpha", requirement, alpha)
        if d > self.most_d:
            raise InputError("d", f"must be at most {self.most_d} for {self.name}", d)

    @abstractmethod
    def spike(self, bit: int | None, d: int) -> int:
        """Return the point that tells a bit, or the one that tells nothing."""

    def points(self, m: int, d: int, rng: np.random.Generator) -> list[int]:
        """Return m points drawn independently."""
        told = rng.random(m) < self.a
        bits = rng.integers(d, size=m)
        return [
            self.spike(bit if tells else None, d)
            for tells, bit in zip(told.tolist(), bits.tolist(), strict=True)
        ]


# Searches and pictures ask for the same few over and over, and fractions are slow.
@lru_cache(maxsize=1 << 13)
def _within(alpha: float, a: float, d: int) -> int:
    """Return how many of d bits may be wrong, each of which costs a/d, for an error of at most alpha."""
    return math.floor(decimal(alpha) * d / decimal(a))
