"""The board: two coordinates in one point of a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from privsc_core.concepts.sample import Sample

__all__ = ["Board"]


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
