"""Linear equations over the field of two elements: <r, x> = y, one for every example.

A vector is a whole number, its bits those of x - 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.shared.sample import uniform_below

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.shared.sample import Sample


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


# -------------------------------------------------------------------------------------------------
# How likely random linear equations tell r: R(m, d) = E 2^-(d - rank) of an m x d matrix of coins.
#
# The dimension D of the space of solutions falls by one with probability 1 - 2^-D at every further
# equation: a chain of positive terms, so both R and 1 - R are right relative to themselves. From
# D = 80 on what is not 1 is below rounding, so that tables of 80 columns serve every d.


_DEEP = 80
# Beyond so many more equations than unknowns 1 - R is below every float.
_MORE = 1100


@lru_cache(maxsize=_DEEP + 1)
def _chain(depth: int) -> NDArray[np.float64]:
    """Return the law of D after 0, 1, 2, ... equations in `depth` unknowns, one a row."""
    stay = np.exp2(-np.arange(depth + 1.0))
    move = (1.0 - stay)[1:]
    laws = np.zeros((depth + _MORE, depth + 1))
    laws[0, depth] = 1.0
    for count in range(1, len(laws)):
        before = laws[count - 1]
        np.multiply(before, stay, out=laws[count])
        laws[count, :-1] += before[1:] * move
    return laws


@lru_cache(maxsize=1)
def _tables() -> NDArray[np.float64]:
    """Return R and 1 - R after so many equations in so many unknowns, shape (2, equations, unknowns).

    Of D unknowns one more equation leaves D with probability 2^-D, else D - 1: so all D go together.
    """
    stay = np.exp2(-np.arange(_DEEP + 1.0))
    move = 1.0 - stay
    found = np.empty((_DEEP + _MORE, 2, _DEEP + 1))
    found[0] = stay, move
    for count in range(1, len(found)):
        before = found[count - 1]
        np.multiply(before, stay, out=found[count])
        found[count, :, 1:] += move[1:] * before[:, :-1]
    return np.ascontiguousarray(found.transpose(1, 0, 2))


def kernel_law(count: NDArray[Any], d: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the law of D and its values, shapes (..., values) and (values,).

    All mass is on 80 where more than that is left; more equations than can matter count as many.
    """
    depth = min(d, _DEEP)
    laws = _chain(depth)
    place = np.clip(count - (d - depth), 0, len(laws) - 1).astype(np.int64)
    return laws[place], np.arange(depth + 1)


def solved(count: NDArray[Any], d: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return R(count, d) and 1 - R(count, d).

    Parameters
    ----------
    count, d : ndarray of whole numbers
        Equations and unknowns; they broadcast.
    """
    return one_of(0, count, d), one_of(1, count, d)


def one_of(side: int, count: NDArray[Any], d: NDArray[Any]) -> NDArray[np.float64]:
    """Return one of the two: R of side 0, 1 - R of side 1."""
    depth = np.minimum(d, _DEEP).astype(np.int64)
    later = (count - (d - depth)).astype(np.int64)
    place = np.clip(later, 0, _DEEP + _MORE - 1)
    place *= _DEEP + 1
    place += depth
    found = np.asarray(_tables()[side].take(place))
    if later.size and later.min() < 0:
        if side:
            found = np.where(later < 0, 1.0, found)
        else:  # before the table starts every equation halves what is left
            found = found * np.exp2(np.minimum(later, 0).astype(np.float64))
    return np.asarray(found)
