"""What learners output."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FAILURE", "Failure", "Hypothesis", "LabelFunction"]


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


@dataclass(frozen=True, slots=True)
class Failure(Hypothesis):
    """The output ⊥: the learner declined to answer, which counts as wrong everywhere."""

    def predict(self, point: int) -> int:  # noqa: ARG002 - the same for every point
        """Raise: ⊥ labels nothing."""
        msg = "the learner returned no hypothesis (⊥)"
        raise ValueError(msg)

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
