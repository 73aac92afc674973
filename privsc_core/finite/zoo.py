"""A zoo: the smallest classes that part two dimensions, found by looking at all small classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core.finite.matrix import FiniteClass
from privsc_core.finite.ready import ready

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ZOO", "Exhibit"]


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A class that shows that two dimensions differ.

    Attributes
    ----------
    name, title, claim : str
        In a link; what differs; in which sense it is a witness.
    word : str
        The ready-made class it is, or empty.
    concepts : tuple of int
        Else its concepts, bit x the label of point x.
    points : int
    """

    name: str
    title: str
    claim: str
    word: str = ""
    concepts: tuple[int, ...] = ()
    points: int = 0

    @property
    def of(self) -> FiniteClass:
        """The class."""
        return ready(self.word) if self.word else FiniteClass(self.concepts, self.points)


def _shifts(*words: str) -> Sequence[int]:
    """Return all cyclic shifts of rows of labels."""
    return [int((w[i:] + w[:i])[::-1], 2) for w in words for i in range(len(w))]


ZOO: tuple[Exhibit, ...] = (
    Exhibit(
        "ldim-above-vc", "LDim > VC", "The smallest: VC 1, LDim 2.", concepts=(0, 1, 3, 4), points=3
    ),
    Exhibit(
        "ldim-above-td", "LDim > TD",
        "LDim 3, VC = TD = 2; one of two such classes on 4 points, up to permutation.",
        concepts=(3, 4, 6, 7, 8, 9, 11, 12), points=4,
    ),
    Exhibit(
        "warmuth", "TDmin > VC", "Warmuth's class: VC 2, and no concept is taught by two points.",
        concepts=tuple(_shifts("11000", "11010")), points=5,
    ),
    Exhibit(
        "pr-below-dr", "PRsize < DRsize",
        "A random set of three hypotheses does what no fixed set of three can.",
        concepts=(6, 7, 8, 9), points=4,
    ),
    Exhibit("discs", "LDim - VC = 3", "Discs on the 3 × 3 grid: VC 3, LDim 6.", word="balls-3"),
    Exhibit(
        "half-planes", "LDim - VC = 4", "Half-planes on the 4 × 4 grid: VC 3, LDim 7.",
        word="half-planes-4",
    ),
    Exhibit(
        "lines", "All dimensions are 2", "Lines modulo 5; pure privacy still pays log p.", word="lines-5"
    ),
    Exhibit(
        "singletons", "TD - LDim = n - 1", "Points and the empty concept: all n points must be shown.",
        word="singletons-8",
    ),
)  # fmt: skip
