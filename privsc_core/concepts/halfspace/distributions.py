"""Distributions for half-spaces; the target is the half-space x_1 >= 0."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Distribution, Knob, Source
from privsc_core.concepts.halfspace.hypotheses import (
    CIRCLE_BITS,
    HalfPlane,
    HalfSpace,
    encoded,
    inside,
    point_bits,
    turn,
)
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from privsc_core.concepts.shared.hypotheses import Hypothesis

MOST = 1000


class Directions(Distribution):
    """A distribution on a sphere."""

    def dimension(self, d: int) -> int:
        """Return n."""
        return d

    @property
    def most_d(self) -> int:
        """The largest dimension for which there are numbers."""
        return MOST

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse too many dimensions, and an alpha at which a learner need not learn."""
        if d > self.most_d:
            raise InputError("d", f"must be at most {self.most_d} for {self.name}", d)
        if alpha >= 0.5:
            raise InputError("alpha", f"must be less than 1/2 for {self.name}", alpha)

    def name_of(self, point: int, d: int) -> str:
        """Return which of the points it is: they have too many digits to be read."""
        return f"point {point >> max(d - 24, 0):x}"

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Return whether the hypothesis has error at most alpha."""
        error = self.error(hypothesis, m=1, d=d, alpha=alpha)
        if error is None:
            wanted = "must return a half-space here: the error of no other function is computed"
            raise InputError("learner", wanted, hypothesis.description)
        return error <= decimal(alpha)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return the error of a half-space; None for any other hypothesis."""
        if isinstance(hypothesis, HalfPlane):
            phi, whole = hypothesis.phi, turn(hypothesis.bits)
            return self.weighed(Fraction(2 * min(phi, whole - phi), whole))
        if isinstance(hypothesis, HalfSpace):
            first, *rest = hypothesis.w
            return Fraction(math.atan2(math.hypot(*rest), first) / math.pi)
        return None

    def weighed(self, away: Fraction) -> Fraction:
        """Return the error of a half-plane whose normal is so far away, in half turns."""
        return away


@dataclass(frozen=True)
class _Even(Directions):
    """The uniform distribution."""

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""
        n = self.dimension(d)
        if n == 2:
            points = (1 + rng.integers(1 << CIRCLE_BITS, size=m)).tolist()
            return Sample.of(CIRCLE_BITS, points, [int(inside(0, x, CIRCLE_BITS)) for x in points])
        drawn = rng.standard_normal((m, n))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        labels = (drawn[:, 0] >= 0.0).astype(int)
        return Sample.of(point_bits(n), encoded(drawn), labels.tolist())


@dataclass(frozen=True)
class Uniform(_Even):
    """The uniform distribution on the sphere of n dimensions."""

    name = "uniform"
    title = "Uniform on the sphere"
    source = Source("CH11", "Section 3.2, with its reference as the distribution")
    brief = "uniform on the sphere of n dimensions"
    meaning = (
        "All directions are equally likely. The error of a half-space is the angle between its normal and that of "
        "the target, divided by 180°. Only learners that can be run in every dimension have a success law here. The "
        "density learner and the net have one on the circle and on the ordinary sphere."
    )

    @property
    def least_d(self) -> int:
        """The circle."""
        return 2

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse a line as well."""
        super().check(d=d, alpha=alpha)
        if d < self.least_d:
            raise InputError("d", f"must be at least {self.least_d} for {self.name}", d)


@dataclass(frozen=True)
class Circle(_Even):
    """The uniform distribution on the circle, whatever n is."""

    name = "circle"
    title = "Uniform on the circle"
    idle = {"d": "the data lie on a circle, whatever the dimension"}
    source = Source("CH11", "Section 3.2, in two dimensions")
    meaning = (
        "The data lie in two dimensions, whatever n is: all directions of the plane are equally likely. A sample of "
        "m points cuts the circle of normals into 2m arcs."
    )

    def dimension(self, d: int) -> int:
        """Return 2."""
        return 2


@dataclass(frozen=True)
class Sphere(_Even):
    """The uniform distribution on the sphere of three dimensions, whatever n is."""

    name = "sphere"
    title = "Uniform on the ordinary sphere"
    idle = {"d": "the data lie on the ordinary sphere, whatever the dimension"}
    source = Source("CH11", "Section 3.2, in three dimensions")
    meaning = (
        "The data lie in three dimensions, whatever n is: all directions of space are equally likely. A net of 2,000 "
        "normals takes the place of all half-spaces."
    )

    def dimension(self, d: int) -> int:
        """Return 3."""
        return 3


@dataclass(frozen=True)
class OnCircle(Directions):
    """Uniform on a part of the circle around the target's boundary."""

    idle = {"d": "the data lie on a circle, whatever the dimension"}

    @property
    @abstractmethod
    def part(self) -> float:
        """The share of the circle that has points."""

    def dimension(self, d: int) -> int:
        """Return 2."""
        return 2

    def weighed(self, away: Fraction) -> Fraction:
        """Return the mass between the target's boundary and one that is so far away."""
        part = Fraction(self.part)
        if 2 * away <= part:
            return away / part
        return Fraction(1, 2) if 2 * (1 - away) >= part else 1 - (1 - away) / part

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""
        bits = CIRCLE_BITS
        reach = self.part * 2.0 ** (bits - 2)
        offset = np.floor(rng.uniform(-reach, reach, size=m)).astype(np.int64)
        quarter = (1 << (bits - 2)) * (1 + 2 * rng.integers(2, size=m))
        points = (1 + (quarter + offset) % (1 << bits)).tolist()
        return Sample.of(bits, points, [int(inside(0, x, bits)) for x in points])


@dataclass(frozen=True)
class BandIn(OnCircle):
    """Uniform on the band around the target's boundary."""

    gamma: float = 0.1

    knobs = (
        Knob("gamma", "γ", "half the thickness of the band", 0.001, 0.999, 0.1, integer=False),
    )
    name = "band-in"
    title = "Band: data only near the boundary"
    source = Source("CH11", "Example 2, on the circle")
    meaning = (
        "The data lie in two dimensions, whatever n is. They are uniform on the directions x with |u·x| ≤ γ, where u "
        "is the normal of the target. The boundary lies in the middle of the data. Their density is κ = 1/P times "
        "the uniform one, where P is the share of the circle that the band covers."
    )

    @property
    def part(self) -> float:
        """The share of the circle that has points."""
        return 2.0 * math.asin(self.gamma) / math.pi


@dataclass(frozen=True)
class BandOut(OnCircle):
    """Uniform outside a band; the target's boundary lies in the middle of the data."""

    margin: float = 0.1

    knobs = (
        Knob("margin", "γ", "half the thickness of the margin", 0.001, 0.999, 0.1, integer=False),
    )
    name = "band-out"
    title = "Margin: a band without data"
    source = Source("CH11", "Example 3, on the circle")
    meaning = (
        "The data lie in two dimensions, whatever n is. They are uniform on the directions x with |u·x| > γ. Here u "
        "is at a right angle to the normal of the target, so the boundary of the target lies in the middle of the "
        "data."
    )

    @property
    def part(self) -> float:
        """The share of the circle that has points."""
        return 2.0 * math.acos(self.margin) / math.pi
