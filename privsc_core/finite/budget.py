"""How much work a search may do, counted in steps: the same answer on every machine.

A search that is cut short still knows something: the best that it found, and a cap that it could
not lower to it. Both are shown, and never a guess between them.
"""

from __future__ import annotations

from dataclasses import dataclass

# A step takes some ten microseconds: half a second to a second on a laptop.
USUAL = 200_000


class OutOfStepsError(Exception):
    """The budget of steps is spent; the search catches it and returns what is known."""


class Budget:
    """So many steps, and no more.

    Parameters
    ----------
    steps : int
        How many.
    """

    def __init__(self, steps: int = USUAL) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Spend steps.

        Raises
        ------
        OutOfStepsError
            When more are spent than there were.
        """
        self.left -= steps
        if self.left < 0:
            raise OutOfStepsError


@dataclass(frozen=True, slots=True)
class Between:
    """A whole number that is at least `found` and at most `cap`.

    Attributes
    ----------
    found, cap : int
        Equal where the number is known.
    """

    found: int
    cap: int

    @property
    def exact(self) -> bool:
        """Whether the number is known."""
        return self.found == self.cap

    def __str__(self) -> str:
        """Return the number, or both ends."""
        return str(self.found) if self.exact else f"{self.found} to {self.cap}"
