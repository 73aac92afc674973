"""Distributions for rectangles, around the target with sides at T/4 and 3T/4."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts import Distribution, Source
from privsc_core.concepts.shared.hypotheses import FAILURE, Hypothesis
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


# --- The board: two coordinates in one point of a sample -----------------------------------------


@dataclass(frozen=True, slots=True)
class Board:
    """[2^wide] x [2^high]; its point (x, y) is the point 1 + (x - 1) 2^high + (y - 1) of a sample.

    Attributes
    ----------
    wide, high : int
        Bits of x and of y.
    """

    wide: int
    high: int

    @classmethod
    def of(cls, bits: int) -> Board:
        """Return the board whose points have so many bits; of an odd number x has one more."""
        return cls(bits - bits // 2, bits // 2)

    @property
    def size(self) -> tuple[int, int]:
        """How many values x and y have."""
        return 1 << self.wide, 1 << self.high

    def code(self, x: int, y: int) -> int:
        """Return the point of a sample for (x, y)."""
        return 1 + ((x - 1) << self.high) + (y - 1)

    def place(self, point: int) -> tuple[int, int]:
        """Return (x, y) of a point of a sample."""
        x, y = divmod(point - 1, 1 << self.high)
        return x + 1, y + 1

    def places(self, sample: Sample) -> list[tuple[int, int]]:
        """Return (x, y) of every distinct point of a sample."""
        return [self.place(point) for point in sample.points]

    def name(self, point: int) -> str:
        """Return the place of a point in a few characters."""
        x, y = self.place(point)
        return f"({whole(x, self.wide + 1)}, {whole(y, self.high + 1)})"


# --- Rectangles and the empty set as hypotheses on the board -------------------------------------


# What a record of a run has.
KEYS = ("left", "right", "bottom", "top")
# Left, right, bottom, top, all of them included.
Box = tuple[int, int, int, int]
# The sides of the empty rectangle.
EMPTY: Box = (1, 0, 1, 0)


def differing(one: Sequence[Any], other: Sequence[Any]) -> Any:
    """Return on how many points two boxes differ; of arrays of sides, an array."""
    (left, right, low, high), (west, east, south, north) = one, other

    def length(first: Any, last: Any) -> Any:
        return np.maximum(last - first + 1, 0)

    common = length(np.maximum(left, west), np.minimum(right, east)) * length(
        np.maximum(low, south), np.minimum(high, north)
    )
    return (
        length(left, right) * length(low, high)
        + length(west, east) * length(south, north)
        - 2 * common
    )


@dataclass(frozen=True, slots=True)
class Rectangle(Hypothesis):
    """The concept that is 1 iff left <= x <= right and bottom <= y <= top.

    Attributes
    ----------
    board : Board
        Where it lies.
    box : tuple of int
        Left, right, bottom and top; `EMPTY` where no point gets label 1.
    """

    board: Board
    box: Box

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int(self.holds(*self.board.place(point)))

    def holds(self, x: int, y: int) -> bool:
        """Return whether (x, y) is inside."""
        left, right, bottom, top = self.box
        return left <= x <= right and bottom <= y <= top

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        if self.box == EMPTY:
            return "the empty rectangle: 0 everywhere"
        bits = (self.board.wide, self.board.wide, self.board.high, self.board.high)
        left, right, bottom, top = (whole(v, b + 1) for v, b in zip(self.box, bits, strict=True))
        return f"the rectangle with x from {left} to {right} and y from {bottom} to {top}"

    @property
    def weight(self) -> int:
        """The points inside get label 1."""
        left, right, bottom, top = self.box
        return (right - left + 1) * (top - bottom + 1)

    @property
    def parameters(self) -> dict[str, str]:
        """The sides, as exact texts; of the empty rectangle right is less than left."""
        return {key: str(value) for key, value in zip(KEYS, self.box, strict=True)}


def rectangle_of(box: Sequence[int], bits: int) -> Rectangle | None:
    """Return the rectangle with these sides, None where they are no whole numbers of the board."""
    board, numbers = Board.of(bits), [int(side) for side in box]
    most = (board.size[0], board.size[0], board.size[1], board.size[1])
    if numbers != list(box):
        return None
    left, right, bottom, top = numbers
    if left > right or bottom > top:
        return Rectangle(board, EMPTY)
    inside = all(1 <= side <= last for side, last in zip(numbers, most, strict=True))
    return Rectangle(board, (left, right, bottom, top)) if inside else None


SIDES = 4
_UNIFORM_BITS = 31
# The mass of one edge point may be at most this.
_MOST = 0.125


def hard(distribution: Distribution) -> Hard8:
    """Return the distribution as the hard one, whose laws a learner has, or refuse it."""
    if not isinstance(distribution, Hard8):
        raise InputError("distribution", "must be hard8", distribution.label)
    return distribution


def target_box(d: int) -> Box:
    """Return the sides of the target: a quarter and three quarters of the board's."""
    low, high = 1 << (d - 2), 3 << (d - 2)
    return low, high, low, high


@dataclass(frozen=True)
class Uniform(Distribution):
    """All points of the board alike: the error is an area."""

    name = "uniform"
    title = "Uniform: the error is an area"
    source = Source("ours", "the target of the hard distribution, easy to learn")
    brief = "all points of the board are equally likely: the error is an area"
    meaning = (
        "All points of the board are equally likely. The target has its sides at T/4 and 3T/4. The error of a "
        "rectangle is the share of the board on which it differs from the target."
    )

    @property
    def least_d(self) -> int:
        """Return the least d, that of `hard8`."""
        return 3

    @property
    def most_d(self) -> int:
        """Samples of points of more bits take too long to draw."""
        return _UNIFORM_BITS

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse a board that is too small or too large."""
        if not self.least_d <= d <= self.most_d:
            requirement = f"must be from {self.least_d} to {self.most_d} for {self.name}"
            raise InputError("d", requirement, d)

    def name_of(self, point: int, d: int) -> str:
        """Return the place of a point."""
        return Board.of(d).name(point)

    @staticmethod
    def places(
        m: int, d: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Draw m places, shape (m, 2), and whether they are in the target."""
        low, high, *_ = target_box(d)
        found = rng.integers(1, (1 << d) + 1, size=(m, 2))
        return found, np.asarray(((found >= low) & (found <= high)).all(axis=1))

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""
        board = Board(d, d)
        places, inside = self.places(m, d, rng)
        points = [board.code(x, y) for x, y in places.tolist()]
        return Sample.of(2 * d, points, inside.astype(int).tolist())

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Return whether the hypothesis has error at most alpha."""
        if hypothesis is FAILURE:
            return False
        return self._error(hypothesis, m=1, d=d, alpha=alpha) <= decimal(alpha)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction:
        """Return the share of the board on which the hypothesis errs."""
        size = 1 << d
        if isinstance(hypothesis, Rectangle):
            return Fraction(int(differing(hypothesis.box, target_box(d))), size * size)
        board, target = Board(d, d), Rectangle(Board(d, d), target_box(d))
        points = (board.code(x, y) for x in range(1, size + 1) for y in range(1, size + 1))
        wrong = sum(hypothesis.predict(point) != target.predict(point) for point in points)
        return Fraction(wrong, size * size)


@dataclass(frozen=True)
class Hard8(Distribution):
    """Mass alpha on the middle of every edge inside the target and on its neighbour outside."""

    name = "hard8"
    title = "Hard: four edges to find"
    source = Source("ours", "the hard distribution of intervals, on four sides")
    few_points = True
    brief = (
        "mass slightly above α on the middle of every edge and on its neighbour outside, the "
        "rest in the centre"
    )
    meaning = (
        "The target has its sides at T/4 and 3T/4. The middle of each edge and its neighbour outside have mass "
        "slightly above α each. A hypothesis that errs on one of these eight points fails. The centre (T/2, T/2) has "
        "the rest. Every side must be found exactly. The distribution needs α ≤ 1/8."
    )

    @property
    def least_d(self) -> int:
        """Below 3 bits a side there is nothing outside the target."""
        return 3

    @property
    def most_d(self) -> int:
        """Sums of products of four sides are kept as floats."""
        return 200

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse a board without an outside, and an alpha for which there is no room."""
        if not self.least_d <= d <= self.most_d:
            requirement = f"must be from {self.least_d} to {self.most_d} for {self.name}"
            raise InputError("d", requirement, d)
        if alpha > _MOST:
            raise InputError("alpha", f"must be at most 1/8 for {self.name}", alpha)

    def atoms(self, d: int) -> list[tuple[int, int]]:
        """Return the centre, then the inner and the outer point of every side.

        Left, right, bottom, top: four inner ones, then four outer ones.
        """
        low, middle, high = 1 << (d - 2), 1 << (d - 1), 3 << (d - 2)
        inner = [(low, middle), (high, middle), (middle, low), (middle, high)]
        outer = [(low - 1, middle), (high + 1, middle), (middle, low - 1), (middle, high + 1)]
        return [(middle, middle), *inner, *outer]

    def masses(self, alpha: float) -> list[Fraction]:
        """Return the mass of every atom, "just above alpha" as alpha."""
        a = decimal(alpha)
        return [1 - 2 * SIDES * a, *[a] * (2 * SIDES)]

    def name_of(self, point: int, d: int) -> str:
        """Return the place of a point."""
        return Board.of(d).name(point)

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept."""
        atoms, board = self.atoms(d), Board(d, d)
        chances = np.array([float(mass) for mass in self.masses(alpha)])
        kinds = rng.choice(len(atoms), size=m, p=chances / chances.sum()).tolist()
        points = [board.code(*atom) for atom in atoms]
        return Sample.of(2 * d, [points[k] for k in kinds], [int(k <= SIDES) for k in kinds])

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Return whether the hypothesis errs on none of the eight points, nor too much on the centre."""
        if hypothesis is FAILURE:
            return False
        wrong = self._wrong(hypothesis, d)
        return not any(wrong[1:]) and (not wrong[0] or self.masses(alpha)[0] <= decimal(alpha))

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction:
        """Return the mass on which the hypothesis errs."""
        wrong = self._wrong(hypothesis, d)
        return sum(
            (mass for mass, errs in zip(self.masses(alpha), wrong, strict=True) if errs),
            Fraction(0),
        )

    def _wrong(self, hypothesis: Hypothesis, d: int) -> list[bool]:
        """Return on which atoms the hypothesis errs."""
        board = Board(d, d)
        return [
            hypothesis.predict(board.code(*atom)) != (place <= SIDES)
            for place, atom in enumerate(self.atoms(d))
        ]
