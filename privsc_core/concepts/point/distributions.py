"""Distributions for POINT_d: a target point of some mass among bystanders.

All four are one family: mass `a` on the target point T (the last one), the rest spread
evenly over the points 1..s. Only a, s and what a missed target costs differ.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from privsc_core.concepts.contracts import Distribution, Knob, Source
from privsc_core.concepts.shared.hypotheses import FAILURE, Hypothesis
from privsc_core.concepts.shared.sample import Sample, uniform_point
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal, floor, share_of_domain

# --- The concepts of POINT_d as hypotheses -------------------------------------------------------


_SHOWN_BITS = 64


@dataclass(frozen=True, slots=True)
class Point(Hypothesis):
    """The concept c_j: 1 at point j and 0 elsewhere (BBKN13, Definition 3.3)."""

    j: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int(point == self.j)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        if self.j.bit_length() <= _SHOWN_BITS:
            return f"c_{self.j}: 1 at point {self.j}, 0 elsewhere"
        return f"c_j with j of {self.j.bit_length()} bits: 1 at point j, 0 elsewhere"

    @property
    def weight(self) -> int:
        """One point gets label 1."""
        return 1

    @property
    def parameters(self) -> dict[str, str]:
        """The point, as exact text."""
        return {"point": str(self.j)}


# Counting distinct bystanders exactly needs a matrix of this size, squared.
BYSTANDERS_MOST = 256
# Beyond this, checking every point of the domain is no longer a matter of seconds.
_ENUMERABLE = 20
# And this many bits are asked for the error of one run.
_ASKED_MOST = 12
# Where some concept still fails on the uniform distribution, counts of all T points are drawn.
_SIMULATED_MOST = 12


@dataclass(frozen=True, slots=True)
class Profile:
    """What a distribution of the family amounts to at one (d, alpha).

    Attributes
    ----------
    mass : float
        Probability of the target point.
    others : int
        Number of bystanders, which share the rest evenly.
    slack : int
        How many bystanders a hypothesis may label wrongly when it has the target right.
    slack_missed : int
        The same when it misses the target; -1 when that alone already fails.
    """

    mass: float
    others: int
    slack: int
    slack_missed: int

    @property
    def every_concept_succeeds(self) -> bool:
        """Whether even a wrong concept (target missed, one bystander wrong) is accurate."""
        return self.slack_missed >= 1


# Every run of a learner asks for it, and fractions are slow.
@lru_cache(maxsize=1 << 10)
def _rare_target(alpha: float, others: int) -> Profile:
    exact = decimal(alpha)
    slack = min(floor(exact * others / (1 - exact)), others)
    return Profile(alpha, others, slack, -1)


@dataclass(frozen=True)
class PointDistribution(Distribution):
    """A member of the family; see `Profile`."""

    def target(self, d: int) -> int:
        """Return the point that the target concept labels 1."""
        return 1 << d

    def name_of(self, point: int, d: int) -> str:
        """Return what a reader sees for a point; the target's says so."""
        name = super().name_of(point, d)
        return f"{name} (target)" if point == self.target(d) else name

    @abstractmethod
    def profile(self, *, d: int, alpha: float) -> Profile:
        """Return the profile at one (d, alpha)."""

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse a d at which the distribution does not exist."""

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""
        profile = self.profile(d=d, alpha=alpha)
        target = self.target(d)
        positives = rng.random(m) < profile.mass
        count = int(positives.sum())
        if profile.others <= BYSTANDERS_MOST:
            points = (*range(1, profile.others + 1), target)
            index = np.full(m, len(points) - 1, dtype=np.intp)
            if profile.others:
                index[~positives] = rng.integers(profile.others, size=m - count)
            return Sample(d, points, index, positives.astype(np.uint8))
        blocked = frozenset({target})
        x = [target if hit else uniform_point(rng, d, blocked) for hit in positives.tolist()]
        return Sample.of(d, x, positives.astype(int).tolist())

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Return whether the hypothesis has error at most alpha."""
        if hypothesis is FAILURE:
            return False
        profile = self.profile(d=d, alpha=alpha)
        hit = hypothesis.predict(self.target(d)) == 1
        allowed = profile.slack if hit else profile.slack_missed
        if profile.others == (1 << d) - 1 and hypothesis.weight is not None:
            return hypothesis.weight - hit <= allowed
        if profile.others.bit_length() > _ENUMERABLE:
            raise InputError("d", f"must be at most {_ENUMERABLE} to check every point", d)
        wrong = 0
        for point in range(1, profile.others + 1):
            if wrong > allowed:
                break
            wrong += hypothesis.predict(point)
        return wrong <= allowed

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return the error: one minus the mass of the points that it gets right."""
        profile = self.profile(d=d, alpha=alpha)
        hit = hypothesis.predict(self.target(d)) == 1
        if profile.others == (1 << d) - 1 and hypothesis.weight is not None:
            wrong = hypothesis.weight - hit
        elif profile.others.bit_length() > _ASKED_MOST:
            return None
        else:
            wrong = sum(hypothesis.predict(x) for x in range(1, profile.others + 1))
        return self._mass(profile, wrong, hit=hit)

    def _mass(self, profile: Profile, wrong: int, *, hit: bool) -> Fraction:
        """Return the mass of `wrong` bystanders, and of the target too unless it is hit."""
        rare = decimal(profile.mass)
        crowd = (1 - rare) * Fraction(wrong, profile.others) if profile.others else Fraction(0)
        return crowd + (0 if hit else rare)


@dataclass(frozen=True)
class Hard(PointDistribution):
    """Mass 1-alpha on point 1 and alpha (plus nothing) on the target."""

    name = "hard"
    title = "Hard: a rare target"
    source = Source("BBKN13", "proof of Lemma 3.9")
    few_points = True
    brief = "mass 1-α on one point, slightly more than α on the target: missing it fails"
    meaning = (
        "Point 1 has mass 1-α. The target point has mass slightly above α: a hypothesis that misses it fails. "
        "Positive examples are rare. Lower bounds for proper private learners are proved on this distribution."
    )

    def profile(self, *, d: int, alpha: float) -> Profile:
        """Return the profile at one (d, alpha)."""
        return _rare_target(alpha, 1)


@dataclass(frozen=True)
class Single(PointDistribution):
    """All mass on the target."""

    name = "single"
    title = "Single: only the target"
    source = Source("BBKN13", "proof of Proposition 3.7")
    few_points = True
    meaning = "Every example is the target point with label 1."
    idle = {"alpha": "the target point has all the mass: an answer that misses it always errs"}

    def profile(self, *, d: int, alpha: float) -> Profile:
        """Return the profile at one (d, alpha)."""
        return Profile(1.0, 0, 0, -1)


@dataclass(frozen=True)
class Bystanders(PointDistribution):
    """Mass alpha on the target, the rest spread evenly on `s` other points."""

    s: int = 8

    name = "bystanders"
    title = "Bystanders: a rare target among many points"
    source = Source("ours", "generalises the hard distribution")
    few_points = True
    meaning = (
        "The target point has mass slightly above α: a hypothesis that misses it fails. The rest "
        "is spread evenly over s other points, the bystanders; s = 1 is the hard distribution."
    )
    knobs = (Knob("s", "s", "number of bystanders", 1, BYSTANDERS_MOST, 8),)

    def profile(self, *, d: int, alpha: float) -> Profile:
        """Return the profile at one (d, alpha)."""
        return _rare_target(alpha, self.s)

    @property
    def least_d(self) -> int:
        """The smallest number of bits at which the distribution exists."""
        return self.s.bit_length()

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse a domain that is too small for the bystanders and the target."""
        if d < self.least_d:
            requirement = f"must be at least {self.least_d} for {self.s} bystanders and a target"
            raise InputError("d", requirement, d)


@dataclass(frozen=True)
class Uniform(PointDistribution):
    """The uniform distribution on the domain."""

    name = "uniform"
    title = "Uniform: a benign case"
    source = Source("ours", "contrast to the worst case")
    depends_on_d = True
    meaning = (
        "All T points are equally likely. If 2/T ≤ α, every concept has error at most α, so there is nothing to "
        "learn."
    )

    @property
    def steps_to(self) -> float:
        """Beyond it a step is one of more points than a float tells apart."""
        return 64

    def _mass(self, profile: Profile, wrong: int, *, hit: bool) -> Fraction:
        """Return the mass of `wrong` bystanders, and of the target too unless it is hit."""
        return share_of_domain(wrong + (not hit), profile.others.bit_length())

    def profile(self, *, d: int, alpha: float) -> Profile:
        """Return the profile at one (d, alpha)."""
        self.check(d=d, alpha=alpha)
        exact, others = decimal(alpha), (1 << d) - 1
        allowed = min((exact.numerator << d) // exact.denominator, others)
        return Profile(math.ldexp(1.0, -d), others, allowed, allowed - 1)

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse a domain too large to simulate and yet too small for the benign law."""
        exact = decimal(alpha)
        benign = ((2 * exact.denominator - 1) // exact.numerator).bit_length()
        if _SIMULATED_MOST < d < benign:
            requirement = f"must be at most {_SIMULATED_MOST} or at least {benign} for uniform"
            raise InputError("d", f"{requirement} at alpha = {alpha:g}", d)
