"""Linear equations over the field of two elements: <r, x> = y, one for every example.

A vector is a whole number, its bits those of x - 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core.concepts.sample import uniform_below

if TYPE_CHECKING:
    import numpy as np

    from privsc_core.concepts.sample import Sample

__all__ = ["System"]


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """Equations with a solution, reduced: no two of them have the same highest bit.

    Attributes
    ----------
    d : int
        Unknowns.
    rows : dict of int to (int, int)
        Highest bit, from 1 -> the vector with that highest bit, and the right-hand side.
    """

    d: int
    rows: dict[int, tuple[int, int]]

    @classmethod
    def of(cls, sample: Sample) -> System | None:
        """Reduce the equations of a sample; None where no r solves them all."""
        rows: dict[int, tuple[int, int]] = {}
        known: int | None = None  # r, as soon as it is the only one
        seen = dict.fromkeys(zip(sample.index.tolist(), sample.labels.tolist(), strict=True))
        for place, y in seen:
            vector, label = sample.points[place] - 1, y
            if known is not None:
                if (known & vector).bit_count() & 1 != label:
                    return None
                continue
            while vector and vector.bit_length() in rows:
                other, value = rows[vector.bit_length()]
                vector ^= other
                label ^= value
            if vector:
                rows[vector.bit_length()] = vector, label
                if len(rows) == sample.d:
                    known = cls(sample.d, rows).completed(0)
            elif label:
                return None
        return cls(sample.d, rows)

    @property
    def free(self) -> int:
        """The dimension of the space of solutions, d minus the rank."""
        return self.d - len(self.rows)

    def completed(self, guess: int) -> int:
        """Return the solution that agrees with `guess` in the bits that are free."""
        r = guess
        for top in sorted(self.rows):
            vector, value = self.rows[top]
            bit = 1 << (top - 1)
            r = (r | bit) if ((r & vector & ~bit).bit_count() & 1) != value else (r & ~bit)
        return r

    def draw(self, rng: np.random.Generator) -> int:
        """Return a solution, each with the same probability."""
        return self.completed(uniform_below(rng, 1 << self.d))

    def solutions(self) -> set[int]:
        """Return all of them, for a small d."""
        return {self.completed(guess) for guess in range(1 << self.d)}

    def shown(self, most: int = 6) -> str:
        """Return the equations as far as they fit, every highest bit in one of them alone."""
        lines: list[str] = []
        for top in sorted(self.rows)[:most]:
            vector, label = self.rows[top]
            for lower in sorted(self.rows, reverse=True):
                if lower < top and vector >> (lower - 1) & 1:
                    other, value = self.rows[lower]
                    vector ^= other
                    label ^= value
            count = vector.bit_count()
            names: list[str] = []
            while vector and len(names) < most:
                names.append(f"r{vector.bit_length()}")
                vector ^= 1 << (vector.bit_length() - 1)
            left = " + ".join(names) if count <= most else f"{names[0]} + … ({count:,} bits)"
            lines.append(f"{left} = {label}")
        if len(self.rows) > most:
            lines.append(f"and {len(self.rows) - most:,} more")
        return "; ".join(lines) if lines else "no equation"
