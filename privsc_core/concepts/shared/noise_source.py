"""What a release may draw: one private mechanism and coins that see no data.

Learners ask for a mechanism by its law (`Learner.release`); who draws it is decided elsewhere, so
that no class knows the library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from typing import TypeVar

    Key = TypeVar("Key", bound=Hashable)

# Who lists a whole domain for a release does so up to 2^16 points.
LISTED_BITS = 16


class Uniform(Protocol):
    """Coins that are the same whatever the data are; `numpy.random.Generator` is one."""

    def integers(self, low: int, /) -> int:
        """Return a uniformly random whole number from 0 to low - 1."""

    def bytes(self, length: int, /) -> bytes:
        """Return uniformly random bytes."""


class NoiseSource(Uniform, Protocol):
    """The noise of one release. It pays its whole epsilon for the first mechanism, and has no second.

    A sensitivity is how far a score or count, or the sum of all changes of counts, may move between
    adjacent samples.
    """

    def exponential(
        self, scores: Sequence[int], members: Sequence[int] | None = None, *, sensitivity: int = 1
    ) -> int:
        """Return a row with probability proportional to members * exp(-eps * score / (2 sensitivity)).

        Members is how many candidates a row stands for, however many, 1 by default. All rows
        together must have equally many on adjacent samples, and each candidate a score that moves
        by at most the sensitivity.
        """

    def permute_and_flip(self, scores: Sequence[int]) -> int:
        """Return a row by permute-and-flip, with chances exp(-eps (score - least) / 2) to accept."""

    def geometric(self, counts: Sequence[int], *, sensitivity: int) -> list[int]:
        """Return counts, each plus k with probability proportional to exp(-eps |k| / sensitivity)."""

    def laplace(self, counts: Sequence[int], *, sensitivity: int) -> list[float]:
        """Return counts with noise Lap(sensitivity / eps), rounded to floats after it was added."""

    def stable(self, counts: Mapping[Key, int], *, delta: float) -> dict[Key, int]:
        """Return noisy counts above a threshold, of a histogram in which one entry is replaced.

        Counts are positive, with geometric noise of ratio exp(-eps / 2); the threshold makes it
        (eps, delta)-private where two keys may come or go.
        """
