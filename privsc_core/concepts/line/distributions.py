"""Distributions on the plane around the target y = 0.

All four are one family: some mass even on the target's points, some on single ones of them, some on
(0, 1), which is none of them, and some even on all points beside the target.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Distribution, Knob, Source
from privsc_core.concepts.line.plane import LARGEST, MOST, Empty, Line, Modulus, Plane, Spot
from privsc_core.concepts.shared.hypotheses import FAILURE
from privsc_core.concepts.shared.sample import Sample, uniform_below
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privsc_core.concepts.shared.hypotheses import Hypothesis

Mass = tuple[Fraction, int]  # value, and the slope of something infinitesimal: "just above"
_NONE: Mass = (Fraction(0), 0)
# Hypotheses of no known shape are asked about so many points, at most.
_ASKED_MOST = 1 << 13


@dataclass(frozen=True, slots=True)
class Profile:
    """What a distribution of the family amounts to at one (p, alpha).

    Attributes
    ----------
    even : Mass
        Of the p points of the target together.
    atoms : mapping of int to Mass
        Of its points (x, 0), besides.
    dummy : Mass
        Of (0, 1).
    off : Mass
        Of the p^2 - p points beside the target together.
    """

    even: Mass = _NONE
    atoms: Mapping[int, Mass] = field(default_factory=dict)
    dummy: Mass = _NONE
    off: Mass = _NONE

    @property
    def mass(self) -> float:
        """The mass of the target's points."""
        return float(self.even[0] + sum(value for value, _ in self.atoms.values()))


@dataclass(frozen=True)
class LineDistribution(Distribution):
    """A member of the family; see `Profile`."""

    modulus: Modulus = LARGEST

    def _plane(self, d: int) -> Plane:
        return Plane(self.modulus.prime(min(d, MOST)))

    @abstractmethod
    def profile(self, p: int, alpha: float) -> Profile:
        """Return what it is at (p, alpha)."""

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse an alpha at which missing the target's points need not matter."""
        if alpha >= 0.5:
            raise InputError("alpha", f"must be less than 1/2 for {self.name}", alpha)

    def target(self, d: int) -> int:
        """Return the number of the line y = 0."""
        return 1

    def name_of(self, point: int, d: int) -> str:
        """Return what a reader sees for a point: its place, and whether the target has it."""
        plane = self._plane(d // 2)
        place = plane.place(point)
        return plane.name(point) + (" (target)" if place and not place[1] else "")

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Return whether the hypothesis has error at most alpha."""
        if hypothesis is FAILURE:
            return False
        found = self._wrong(hypothesis, d=d, alpha=alpha)
        if found is None:
            raise InputError("d", "must be smaller to check every point of a line", d)
        return found <= (decimal(alpha), 0)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return the error, None where too many points would have to be asked."""
        found = self._wrong(hypothesis, d=d, alpha=alpha)
        return None if found is None else found[0]

    def _wrong(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> Mass | None:
        """Return the mass on which the hypothesis errs."""
        plane = self._plane(d)
        profile = self.profile(plane.p, alpha)
        found = _labelled(hypothesis, plane, every=bool(profile.even[0]))
        if found is None:
            return None
        lost = Fraction(plane.p - len(found), plane.p) if profile.even[0] else Fraction(0)
        if found == _ALL:
            lost = Fraction(0)
        value, slope = lost * profile.even[0], profile.even[1] * bool(lost)
        parts = [mass for x, mass in profile.atoms.items() if found != _ALL and x not in found]
        if hypothesis.predict(plane.code(0, 1)):
            parts.append(profile.dummy)
        if profile.off[0]:
            ones = _beside(hypothesis, plane, plane.p if found == _ALL else len(found))
            if ones is None:
                return None
            parts.append((profile.off[0] * Fraction(ones, plane.p * (plane.p - 1)), 0))
        return value + sum(mass[0] for mass in parts), slope + sum(mass[1] for mass in parts)

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept.

        Of a p of more than 64 bits points of a smaller plane stand for those of the large one.
        """
        plane = self._plane(d)
        p, profile = plane.p, self.profile(plane.p, alpha)
        xs = list(profile.atoms)
        parts = [profile.even, profile.dummy, profile.off, *profile.atoms.values()]
        chances = np.array([float(value) for value, _ in parts])
        kinds = rng.choice(len(parts), size=m, p=chances / chances.sum()).tolist()
        points = []
        for kind in kinds:
            if kind == 0:
                points.append(plane.code(uniform_below(rng, p), 0))
            elif kind == 1:
                points.append(plane.code(0, 1))
            elif kind == 2:
                points.append(plane.code(uniform_below(rng, p), 1 + uniform_below(rng, p - 1)))
            else:
                points.append(plane.code(xs[kind - 3], 0))
        return Sample.of(
            2 * self.modulus.bits(d), points, [int((point - 1) % p == 0) for point in points]
        )


_ALL = (-1,)


def _labelled(hypothesis: Hypothesis, plane: Plane, *, every: bool) -> tuple[int, ...] | None:
    """Return the x of the target's points that a hypothesis labels 1, or `_ALL`.

    Of one of unknown shape those of the first two points where not `every` one matters; None where
    there are too many.
    """
    match hypothesis:
        case Line(a=0, b=b):
            return () if b else _ALL
        case Line(a=a, b=b):
            return (-b * pow(a, -1, plane.p) % plane.p,)
        case Spot(point=point):
            place = plane.place(point)
            return (place[0],) if place and not place[1] else ()
        case Empty():
            return ()
    if every and plane.p > _ASKED_MOST:
        return None
    xs = range(plane.p if every else 2)
    found = tuple(x for x in xs if hypothesis.predict(plane.code(x, 0)))
    return _ALL if every and len(found) == plane.p else found


def _beside(hypothesis: Hypothesis, plane: Plane, on_target: int) -> int | None:
    """Return how many points beside the target a hypothesis labels 1."""
    if isinstance(hypothesis, Spot) and plane.place(hypothesis.point) is None:
        return 0
    if hypothesis.weight is not None:
        return hypothesis.weight - on_target
    if plane.p * plane.p > _ASKED_MOST:
        return None
    return sum(
        hypothesis.predict(plane.code(x, y)) for x in range(plane.p) for y in range(1, plane.p)
    )


@dataclass(frozen=True)
class Spread(LineDistribution):
    """Mass alpha p / (p - 1) even on the target, the rest on (0, 1)."""

    name = "spread"
    title = "Spread: thin on the target"
    source = Source("ours", "the hard distribution of points, on a line")
    brief = "mass just over α even on the target's p points, the rest on (0, 1)"
    meaning = (
        "The p points of the target share a mass slightly above αp/(p-1) evenly, so an answer with only one of these "
        "points fails. The rest is on the point (0, 1), which is not on the target."
    )

    def profile(self, p: int, alpha: float) -> Profile:
        """Return what it is at (p, alpha)."""
        mass = decimal(alpha) * p / (p - 1)
        return Profile(even=(mass, 1), dummy=(1 - mass, -1))


@dataclass(frozen=True)
class Anchor(LineDistribution):
    """Mass 1 - alpha on one point of the target and alpha on another."""

    name = "anchor"
    title = "Anchor: one heavy point, one rare"
    source = Source("ours", "the hard distribution of points, with a second one")
    few_points = True
    brief = "mass 1-α on one point of the target, slightly above α on another"
    meaning = (
        "One point of the target has mass 1-α, and another one slightly more than α. A hypothesis that errs on the "
        "second point fails. The first point is soon known, and the slope must be learned."
    )

    def profile(self, p: int, alpha: float) -> Profile:
        """Return what it is at (p, alpha)."""
        rare = decimal(alpha)
        return Profile(atoms={0: (1 - rare, -1), 1: (rare, 1)})


@dataclass(frozen=True)
class Pair(LineDistribution):
    """Mass alpha on each of two points of the target, the rest on (0, 1)."""

    name = "pair"
    title = "Pair: two rare points"
    source = Source("ours", "hardest of the four without privacy")
    few_points = True
    brief = "mass slightly above α on each of two points of the target, the rest on (0, 1)"
    meaning = (
        "Two points of the target have mass slightly above α each, so a hypothesis that errs on one of them fails. "
        "The rest is on the point (0, 1), which is not on the target."
    )

    def profile(self, p: int, alpha: float) -> Profile:
        """Return what it is at (p, alpha)."""
        rare = decimal(alpha)
        return Profile(atoms={0: (rare, 1), 1: (rare, 1)}, dummy=(1 - 2 * rare, -2))


@dataclass(frozen=True)
class Mixture(LineDistribution):
    """Mass kappa even on the target, the rest even beside it."""

    k: float = 0.5

    name = "mixture"
    title = "Mixture: on the line and off it"
    source = Source("FX14", "proof of Theorem 5.3, κ = ½")
    meaning = (
        "Mass κ is spread evenly over the target's points, and the rest evenly over all other "
        "points. The lower bounds for improper learners use it; in the paper κ = ½."
    )
    knobs = (Knob("k", "κ", "mass of the target's points", 0.01, 0.99, 0.5, integer=False),)

    def profile(self, p: int, alpha: float) -> Profile:
        """Return what it is at (p, alpha)."""
        mass = decimal(self.k)
        return Profile(even=(mass, 0), off=(1 - mass, 0))
