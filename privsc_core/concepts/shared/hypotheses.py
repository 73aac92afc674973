"""What learners output."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray


class Hypothesis(ABC):
    """A function from domain points to {0, 1}."""

    @abstractmethod
    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""

    @property
    @abstractmethod
    def description(self) -> str:
        """One line that says what the hypothesis is."""

    @property
    def weight(self) -> int | None:
        """How many points get label 1 (BBKN13, Definition 4.10), where that is known."""
        return None

    @property
    def parameters(self) -> Mapping[str, str]:
        """What somebody else needs to evaluate the hypothesis, as exact texts."""
        return {}

    def record(self) -> Mapping[str, object]:
        """Return what a record of a run says about the hypothesis: short, and plain values."""
        return self.parameters

    def answer(self, point: int) -> float | None:
        """Return what it says about a point: its label, or nothing."""
        return int(self.predict(point))


@dataclass(frozen=True, slots=True)
class Failure(Hypothesis):
    """The output ⊥: the learner declined to answer, which counts as wrong everywhere."""

    def predict(self, point: int) -> int:
        """Raise: ⊥ labels nothing."""
        msg = "the learner returned no hypothesis (⊥)"
        raise ValueError(msg)

    def answer(self, point: int) -> None:
        """Return nothing."""

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return "no hypothesis (⊥)"


FAILURE = Failure()


@dataclass(frozen=True, slots=True)
class LabelFunction(Hypothesis):
    """A hypothesis given by its rule, with the words to describe it."""

    rule: Callable[[int], int]
    words: str
    ones: int | None = None

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return self.rule(point)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return self.words

    @property
    def weight(self) -> int | None:
        """How many points get label 1, where that is known."""
        return self.ones


@dataclass(frozen=True, slots=True, eq=False)
class Concepts(Sequence[Hypothesis]):
    """Many hypotheses, all of them concepts of the class: kept as numbers, made when asked for.

    Attributes
    ----------
    numbers : ndarray of int64, shape (hypotheses,)
        The j of every c_j.
    concept : callable
        A number -> the concept.
    """

    numbers: NDArray[np.int64]
    concept: Callable[[int], Hypothesis]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> Hypothesis: ...
    @overload
    def __getitem__(self, place: slice) -> Concepts: ...
    def __getitem__(self, place: int | slice) -> Hypothesis | Concepts:
        """Return one of them, or some."""
        if isinstance(place, slice):
            return Concepts(self.numbers[place], self.concept)
        return self.concept(int(self.numbers[place]))


class Noisy(Hypothesis):
    """A function with every value flipped independently.

    The values are drawn when they are first asked for: the same random function, without
    2^d coins up front.
    """

    def __init__(self, rule: Callable[[int], int], flip: float, rng: np.random.Generator) -> None:
        self.flip = flip
        self._rule = rule
        self._rng = rng.spawn(1)[0]
        self._known: dict[int, int] = {}

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        if point not in self._known:
            self._known[point] = self._rule(point) ^ int(self._rng.random() < self.flip)
        return self._known[point]

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is, but not which concept lies beneath.

        For points privacy comes from the flips: to tell even whether it is the zero function
        would tell whether a positive example was kept.
        """
        return f"a hidden concept with every value flipped with probability {self.flip:g}"
