"""Distributions for INTERVAL_d, and how far from the target a threshold may be.

The target is c_j in the middle, j = T/2, or at an alternating j. Thresholds and points are described by their offset
from it: offset o to the left is threshold j - o, which errs on the points at offsets 1..o to
the left (j-1, j-2, ...); offset o to the right is threshold j + o, which errs on the points at
offsets 1..o to the right (j, j+1, ...). So both sides look alike.
"""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from privsc_core.concepts.contracts import Distribution, Knob, Source
from privsc_core.concepts.shared.hypotheses import FAILURE, Hypothesis
from privsc_core.concepts.shared.sample import Sample, uniform_below
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal, share_of_domain
from privsc_core.parameters import TARGET

# --- The concepts of INTERVAL_d as hypotheses ----------------------------------------------------


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


LEAST_D = 3
# Beyond this, checking a hypothesis that is no threshold at every point takes too long.
_ENUMERABLE = 16
_WIDEST = 1 << 20


def target(d: int, goal: str = TARGET.default) -> int:
    """Return j of the target concept c_j: the middle, or ones at the even bits up to d - 2."""
    if goal == "middle":
        return 1 << (d - 1)
    return ((1 << (d - d % 2)) - 1) // 3


class IntervalDistribution(Distribution):
    """A distribution on [T] with the target c_j.

    Attributes
    ----------
    goal : str
        Where j is, a word of `parameters.TARGET`.
    """

    ordered = True
    knobs: ClassVar[tuple[Knob, ...]] = (Knob.of(TARGET),)
    goal: str

    def target(self, d: int) -> int:
        """Return j of the target concept c_j."""
        return target(d, self.goal)

    @property
    def least_d(self) -> int:
        """The smallest number of bits at which the distribution exists: 3 <= j."""
        return LEAST_D + (self.goal != TARGET.default)

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse a d or an alpha at which the distribution does not exist."""
        if d < self.least_d:
            raise InputError("d", f"must be at least {self.least_d} for {self.label}", d)

    @abstractmethod
    def allowed(self, *, d: int, alpha: float) -> tuple[int, int]:
        """Return the largest offset of an accurate threshold, to the left and to the right."""

    @abstractmethod
    def beside(self, *, d: int, alpha: float) -> tuple[float, float]:
        """Return the masses of the points j-1 and j, beside the step."""

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Return whether the hypothesis has error at most alpha."""
        if hypothesis is FAILURE:
            return False
        if isinstance(hypothesis, Threshold):
            left, right = self.allowed(d=d, alpha=alpha)
            return -left <= hypothesis.j - self.target(d) <= right
        return self._accurate(hypothesis, d=d, alpha=alpha)

    @abstractmethod
    def _accurate(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Return whether a hypothesis that is no threshold is accurate."""


@dataclass(frozen=True)
class Hard(IntervalDistribution):
    """Mass alpha on each of the two points beside the target's step, the rest on point 1."""

    goal: str = TARGET.default

    name = "hard"
    title = "Hard: two rare points at the step"
    source = Source("ours", "generalises BBKN13, proof of Lemma 3.9")
    few_points = True
    brief = "mass slightly above α on each of the two points at the step, the rest on point 1"
    meaning = (
        "Points j-1 and j have mass slightly above α each, and point 1 has the rest. A "
        "hypothesis that errs on either of the two fails, so among thresholds only the target "
        "succeeds."
    )

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse a d or an alpha at which the distribution does not exist."""
        super().check(d=d, alpha=alpha)
        if alpha > 0.5:
            raise InputError("alpha", "must be at most 1/2 for hard", alpha)

    def allowed(self, *, d: int, alpha: float) -> tuple[int, int]:
        """Return the largest offset of an accurate threshold, to the left and to the right."""
        return 0, 0

    def log_others(self, d: int) -> tuple[float, float]:
        """Return the logs of how many thresholds err on j-1 alone, and on j alone."""
        j = self.target(d)
        return math.log(j - 2), math.log((1 << d) + 1 - j)

    def beside(self, *, d: int, alpha: float) -> tuple[float, float]:
        """Return the masses of the points j-1 and j, beside the step."""
        return alpha, alpha

    def forgives_first(self, alpha: float) -> bool:
        """Return whether a hypothesis may err on point 1, which thresholds never do alone."""
        return 1 - 2 * decimal(alpha) <= decimal(alpha)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction:
        """Return the error: three points have mass."""
        a, j = decimal(alpha), self.target(d)
        masses = ((1, 1, 1 - 2 * a), (j - 1, 1, a), (j, 0, a))
        return sum((w for x, label, w in masses if hypothesis.predict(x) != label), Fraction(0))

    def _accurate(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        j = self.target(d)
        if hypothesis.predict(j - 1) != 1 or hypothesis.predict(j) != 0:
            return False
        return hypothesis.predict(1) == 1 or self.forgives_first(alpha)

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""
        j = self.target(d)
        u = rng.random(m)
        index = np.where(u < alpha, 1, np.where(u < 2.0 * alpha, 2, 0)).astype(np.intp)
        return Sample(d, (1, j - 1, j), index, (index < 2).astype(np.uint8))


class Scattered(IntervalDistribution):
    """A distribution whose points are told by how likely they lie at which offsets."""

    @abstractmethod
    def mass(self, side: int, low: int, high: int, d: int) -> float:
        """Return how likely a point lies at an offset above low and up to high, to the left (0) or right (1).

        Offsets beyond the domain are allowed.
        """

    def landmarks(self, d: int) -> tuple[int, ...] | None:
        """Return the offsets near which the density of the points changes; None for everywhere."""
        return None


class Spread(Scattered):
    """A band around the target's step and the whole domain, each drawn from uniformly."""

    @abstractmethod
    def band(self, d: int) -> tuple[int, Fraction]:
        """Return the number of points of the band and the probability of drawing from it."""

    def near(self, d: int) -> tuple[int, int]:
        """Return how many of the band's points lie left and right of the step."""
        width, _ = self.band(d)
        return (width + 1) // 2, width // 2

    def sides(self, d: int) -> tuple[int, int]:
        """Return how many points lie left and right of the step."""
        j = self.target(d)
        return j - 1, (1 << d) + 1 - j

    def mass(self, side: int, low: int, high: int, d: int) -> float:
        """Return how likely a point lies there."""
        (width, lam), far, near = self.band(d), self.sides(d)[side], self.near(d)[side]
        found = (1.0 - float(lam)) * ((min(high, far) - min(low, far)) / (1 << d))
        return found + (float(lam) * (min(high, near) - min(low, near)) / width if width else 0.0)

    def landmarks(self, d: int) -> tuple[int, ...]:
        """Return where the band ends."""
        return self.near(d)

    def allowed(self, *, d: int, alpha: float) -> tuple[int, int]:
        """Return the largest offset of an accurate threshold, to the left and to the right.

        The mass of the first o offsets is lam * min(o, near) / w + (1 - lam) * o / T, compared
        with alpha in whole numbers: it decides by one point.
        """
        width, lam = self.band(d)
        near, sides = self.near(d), self.sides(d)
        most = decimal(alpha)
        a, b, p, q = most.numerator, most.denominator, lam.numerator, lam.denominator
        inside = (a * q * width << d) // (b * ((p << d) + (q - p) * width)) if width else 0
        found = []
        for close, side in zip(near, sides, strict=True):
            offset = min(inside, close)
            if inside >= close:
                # All of the band's side is allowed; what remains is spent on the whole domain.
                left = a * q * width - b * p * close if width else a * q
                scale = b * (q - p) * (width or 1)
                offset = max(offset, (left << d) // scale) if scale else side
            found.append(min(offset, side))
        return found[0], found[1]

    def beside(self, *, d: int, alpha: float) -> tuple[float, float]:
        """Return the masses of the points j-1 and j, beside the step."""
        width, lam = self.band(d)
        far = (1 - lam) * share_of_domain(1, d)
        left, right = (far + (lam / width if near else 0) for near in self.near(d))
        return float(left), float(right)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return the error of a threshold; None for any other hypothesis."""
        if not isinstance(hypothesis, Threshold):
            return None
        offset, (width, lam) = abs(hypothesis.j - self.target(d)), self.band(d)
        near = self.near(d)[0 if hypothesis.j < self.target(d) else 1]
        error = (1 - lam) * share_of_domain(offset, d)
        return error + (lam * Fraction(min(offset, near), width) if width else 0)

    def _accurate(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        if d > _ENUMERABLE:
            raise InputError("d", f"must be at most {_ENUMERABLE} to check every point", d)
        j, (width, lam), (left, _) = self.target(d), self.band(d), self.near(d)
        wrong = [x for x in range(1, (1 << d) + 1) if hypothesis.predict(x) != int(x < j)]
        inside = sum(j - left <= x < j - left + width for x in wrong)
        error = (1 - lam) * Fraction(len(wrong), 1 << d)
        if width:
            error += lam * Fraction(inside, width)
        return error <= decimal(alpha)

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""
        j, (width, lam), (left, _) = self.target(d), self.band(d), self.near(d)
        inside = rng.random(m) < float(lam)
        if d <= 62:
            x = 1 + rng.integers(1 << d, size=m)
            if width:
                x[inside] = j - left + rng.integers(width, size=int(inside.sum()))
            points = x.tolist()
        else:
            points = [
                j - left + uniform_below(rng, width) if close else 1 + uniform_below(rng, 1 << d)
                for close in inside.tolist()
            ]
        return Sample.of(d, points, [int(x < j) for x in points])


@dataclass(frozen=True)
class Band(Spread):
    """With probability lam uniform on w points around the step, else uniform on the domain."""

    w: int = 16
    lam: float = 0.5
    goal: str = TARGET.default

    name = "band"
    title = "Band: data concentrated at the step"
    source = Source("ours", "between the hard and the uniform distribution")
    meaning = (
        "With probability λ a point is uniform on the w points around the step of the target (the band). Otherwise "
        "it is uniform on the domain. A narrower band is harder."
    )
    knobs = (
        Knob("w", "w", "width of the band, in points", 1, _WIDEST, 16),
        Knob("lam", "λ", "probability of drawing from the band", 0.0, 1.0, 0.5, integer=False),
        *IntervalDistribution.knobs,
    )

    @property
    def least_d(self) -> int:
        """The smallest number of bits at which the band fits into the domain."""
        first = max(super().least_d, 1 + ((self.w + 1) // 2).bit_length())
        # With j below the middle the left half needs one or two more.
        return next(d for d in itertools.count(first) if (self.w + 1) // 2 < self.target(d))

    def band(self, d: int) -> tuple[int, Fraction]:
        """Return the number of points of the band and the probability of drawing from it."""
        return self.w, decimal(self.lam)


@dataclass(frozen=True)
class Uniform(Spread):
    """The uniform distribution on the domain."""

    goal: str = TARGET.default

    name = "uniform"
    title = "Uniform: a benign case"
    source = Source("ours", "contrast to the worst case")
    meaning = (
        "All T points are equally likely. Every threshold near the step is accurate, so the size of the domain does "
        "not matter."
    )

    @property
    def steps_to(self) -> float:
        """Beyond it a step is one of more points than a float tells apart."""
        return 64

    def band(self, d: int) -> tuple[int, Fraction]:
        """Return an empty band."""
        return 0, Fraction(0)
