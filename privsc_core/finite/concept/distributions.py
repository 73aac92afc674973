"""Distributions of a class that is given as a matrix: weights on its points, and a target by its number."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Distribution, Knob, Source
from privsc_core.concepts.shared.hypotheses import FAILURE, Hypothesis
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.finite.matrix import FiniteClass, bits
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.text import exact

if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST = FiniteClass([labels for labels in range(1 << 6) if labels.bit_count() <= 2], 6)
"""The member of the family without a code: all subsets of at most two of six points."""

_WEIGHT_MOST = 10.0**9
_SHOWN = 32  # labels of a concept that are written out


# --- The concepts of a matrix as hypotheses ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Concept(Hypothesis):
    """A row of the matrix.

    Attributes
    ----------
    number : int
        Which row, from 1.
    labels : int
        Bit x - 1 is the label of point x.
    points : int
        How many points there are; one beyond them, up to 2^d, has label 0.
    """

    number: int
    labels: int
    points: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return self.labels >> (point - 1) & 1

    @property
    def row(self) -> str:
        """The labels of all points, as in the matrix."""
        return f"{self.labels:0{self.points}b}"[::-1]

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        row = self.row
        shown = row if len(row) <= _SHOWN else f"{row[:_SHOWN]}…"
        return f"concept {self.number}: labels {shown}"

    @property
    def weight(self) -> int:
        """How many points get label 1."""
        return self.labels.bit_count()

    @property
    def parameters(self) -> dict[str, str]:
        """The row, as exact text."""
        return {"labels": self.row}


def concept(of: FiniteClass, number: int) -> Concept:
    """Return a concept by its number, from 1."""
    return Concept(number, of.concepts[number - 1], of.points)


def named(of: FiniteClass, number: float) -> Concept | None:
    """Return a concept by a number from anywhere, None where it names none."""
    known = number == int(number) and 1 <= number <= len(of)
    return concept(of, int(number)) if known else None


def size_of(of: FiniteClass) -> int:
    """Return the bits of a point: the least d with 2^d points at least, and at least 1."""
    return max(1, (of.points - 1).bit_length())


# --- Distributions -------------------------------------------------------------------------------


@dataclass(frozen=True)
class OnPoints(Distribution):
    """A probability for each point, and a target concept.

    Attributes
    ----------
    of : FiniteClass
    number : int
        Which concept is the target, from 1.
    """

    of: FiniteClass = field(default=FIRST, repr=False)
    number: int = 1

    idle: ClassVar[Mapping[str, str]] = {"d": "the matrix has all the points that there are"}
    few_points = True

    @abstractmethod
    def masses(self) -> tuple[Fraction, ...]:
        """Return the probability of each point."""

    @cached_property
    def goal(self) -> int:
        """The labels of the target."""
        return self.of.concepts[self.number - 1]

    @cached_property
    def whole(self) -> tuple[int, tuple[int, ...]]:
        """A whole number, and the probability of each point as so many parts of it."""
        masses = self.masses()
        total = int(np.lcm.reduce([mass.denominator for mass in masses], dtype=object))
        return total, tuple(int(mass * total) for mass in masses)

    def wrong(self, mistakes: int) -> Fraction:
        """Return the probability of the points whose bits are set."""
        total, parts = self.whole
        return Fraction(sum(parts[x] for x in bits(mistakes)), total)

    def target(self, d: int) -> int:
        """Return the number of the target."""
        return self.number

    def name_of(self, point: int, d: int) -> str:
        """Return what a reader sees for a point."""
        return f"point {point}"

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""
        chances = np.array([float(mass) for mass in self.masses()])
        place = rng.choice(self.of.points, size=m, p=chances / chances.sum())
        labels = np.array([self.goal >> x & 1 for x in range(self.of.points)], dtype=np.uint8)
        sample = Sample(
            size_of(self.of), tuple(range(1, self.of.points + 1)), place.astype(np.intp), labels[place]
        )  # fmt: skip
        return sample.subset(slice(None))

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Return whether the hypothesis has error at most alpha."""
        error = self.error(hypothesis, m=1, d=d, alpha=alpha)
        return hypothesis is not FAILURE and error is not None and error <= decimal(alpha)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction:
        """Return the probability of the points with another label than the target's."""
        if isinstance(hypothesis, Concept):
            return self.wrong(hypothesis.labels ^ self.goal)
        total, parts = self.whole
        wrong = (
            part
            for x, part in enumerate(parts)
            if part and hypothesis.predict(x + 1) != self.goal >> x & 1
        )
        return Fraction(sum(wrong), total)

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse nothing: the points do not depend on d."""

    @property
    def _target_knob(self) -> Knob:
        return Knob("number", "target", "number of the target concept", 1, len(self.of), 1)


@dataclass(frozen=True)
class Uniform(OnPoints):
    """All points alike."""

    name = "uniform"
    title = "Uniform on the points"
    source = Source("ours", "the points of the matrix")
    brief = "all points are equally likely"
    meaning = "All points of the matrix are equally likely. The target is a concept by its number."

    def masses(self) -> tuple[Fraction, ...]:
        """Return the probability of each point."""
        return (Fraction(1, self.of.points),) * self.of.points

    @property
    def knobs(self) -> tuple[Knob, ...]:  # type: ignore[override] # they depend on the matrix
        """The number of the target."""
        return (self._target_knob,)


@dataclass(frozen=True)
class Weights(OnPoints):
    """A weight for each point: its probability is its share of the sum.

    Attributes
    ----------
    weights : tuple of float
        One a point; without any all are 1.
    """

    weights: tuple[float, ...] = ()

    name = "weights"
    title = "Weights on the points"
    source = Source("ours", "weights that the reader chooses")
    brief = "the probability of a point is its share of all weights"
    meaning = (
        "Each point has a weight, and its probability is its share of the sum of all weights. The target is a concept "
        "by its number."
    )

    def __post_init__(self) -> None:
        """Take weights of 1 where there are none; refuse what is no weight, and weights without a sum."""
        if not self.weights:
            object.__setattr__(self, "weights", (1.0,) * self.of.points)
        within = all(0.0 <= weight <= _WEIGHT_MOST for weight in self.weights)
        if len(self.weights) != self.of.points or not within or not any(self.weights):
            most = f"each from 0 to {_WEIGHT_MOST:.10g}"
            needs = f"must have {self.of.points} weights of the points, {most}, not all of them 0"
            raise InputError("distribution", needs, ",".join(map(exact, self.weights)))

    def masses(self) -> tuple[Fraction, ...]:
        """Return the probability of each point."""
        parts = [decimal(weight) for weight in self.weights]
        total = sum(parts)
        return tuple(part / total for part in parts)

    @property
    def knobs(self) -> tuple[Knob, ...]:  # type: ignore[override] # they depend on the matrix
        """The weights of the points, and the number of the target."""
        weights = Knob(
            "weights", "w", "weights of the points", 0.0, _WEIGHT_MOST, (1.0,) * self.of.points,
            integer=False,
        )  # fmt: skip
        return (weights, self._target_knob)
