"""Distributions over bit vectors, with one target for every number of bits."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import (
    Cell,
    Distribution,
    Estimate,
    Knob,
    Setting,
    Source,
)
from privsc_core.concepts.shared.choosing import Choosing, Groups
from privsc_core.concepts.shared.sample import Sample
from privsc_core.concepts.shared.shattered_law import shattered_law
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.shared.hypotheses import Hypothesis


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
        """Return whether the hypothesis has error at most alpha."""
        error = self.error(hypothesis, m=1, d=d, alpha=alpha)
        if error is None:
            raise InputError("d", f"must be at most {LISTED_MOST} for a hypothesis of any kind", d)
        return error <= decimal(alpha)

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""
        points = self.points(m, d, rng)
        return Sample.of(d, points, [self.truth(x, d) for x in points])


@dataclass(frozen=True)
class ShatteredDistribution(CubeDistribution):
    """Mass 1 - a on a point where all concepts agree, a/d on each of d points that tell a bit each.

    The error of a concept is a/d for every bit of it that is wrong.
    """

    a: float = 0.5

    name = "spikes"
    title = "Spikes: one bit at a time"
    source = Source("ours", "a shattered set, and one point that reveals nothing")
    knobs: ClassVar[tuple[Knob, ...]] = (
        Knob("a", "a", "mass of the points that reveal a bit", 0.01, 1.0, 0.5, integer=False),
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
    """Return how many of d bits, at a/d each, may be wrong for an error of at most alpha."""
    return math.floor(decimal(alpha) * d / decimal(a))


# -------------------------------------------------------------------------------------------------
# The exponential mechanism over all 2^d concepts of a class whose concepts are sets of bits.


_EVEN = 1.01  # odds that are about even: any bit may be wrong
_RUN_MOST = 18  # bits: 2^18 concepts are gone through


@dataclass(frozen=True)
class OverAll(Choosing):
    """Pick a concept with probability proportional to exp(-eps * mistakes / 2).

    Attributes
    ----------
    what : str
        The concepts, in the plural.
    counting : str
        How concepts are named and their mistakes are counted, up to how many there are.
    """

    what: ClassVar[str]
    counting: ClassVar[str]
    privacy = "pure"
    proper = True
    efficient = False
    symmetric = True

    @abstractmethod
    def concept(self, number: int, d: int) -> Hypothesis:
        """Return a concept by its number, from 1."""

    @abstractmethod
    def count(self, sample: Sample) -> NDArray[np.int64]:
        """Return the number of mistakes of every concept, by its number less 1."""

    def mistakes(self, sample: Sample) -> NDArray[np.int64]:
        """Return `count` of a sample; refuse a d that is too large."""
        self._check(sample.d)
        return self.count(sample)

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return all concepts, each by itself."""
        mistakes = self.mistakes(sample)
        return Groups(
            mistakes=mistakes,
            zero=0,
            member=lambda row, _: self.concept(row + 1, sample.d),
            name=lambda row, recorder: recorder.name_of(row + 1),
            target=lambda number: number - 1,
            outputs=lambda row: [row + 1],
            every=range(1, mistakes.size + 1),
            words=f"The score is the number of mistakes on the sample; {self.counting} {mistakes.size:,}.",
            what=self.what,
        )

    def check_shown(self, at: Cell) -> None:
        """Refuse a d with too many concepts to list."""
        self._check(at.d)

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return where on spikes as many bits are wrong on average as may be; else as others do.

        How often a bit is seen, K, is about Poisson: E e^{-rate K} is e^{-(1 - e^-rate) E K}.
        """
        if not isinstance(distribution, ShatteredDistribution):
            return super().initial_guess(distribution, setting)
        wrong = np.floor(setting.alpha * setting.d / distribution.a) + 0.5
        odds = np.maximum((setting.d + 1.0) / wrong - 1.0, _EVEN)
        seen = np.log(odds) / -np.expm1(-self.score_rate(1.0) * setting.epsilon)
        return np.asarray(np.maximum(setting.d / distribution.a * seen, 1.0))

    def on_spikes(self, distribution: ShatteredDistribution, setting: Setting) -> Estimate:
        """Return the law on spikes, where the weights are a product over bits."""
        return shattered_law(
            distribution, setting, lambda m: m,
            lambda k, epsilon, _: 1.0 / (1.0 + np.exp(np.minimum(k * self.score_rate(epsilon), 700.0))),
        )  # fmt: skip

    def _check(self, d: int) -> None:
        if d > _RUN_MOST:
            wanted = f"must be at most {_RUN_MOST} to go through all 2^d {self.what}"
            raise InputError("d", wanted, d)
