"""The threshold dimension: the longest chain of thresholds inside a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core.finite.budget import Between, Budget, OutOfStepsError
from privsc_core.finite.matrix import bits

if TYPE_CHECKING:
    from privsc_core.finite.matrix import FiniteClass

__all__ = ["Thresholds", "threshold"]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The dimension, and one chain that attains what was found.

    Attributes
    ----------
    between : Between
    concepts, points : tuple of int
        Places in the class: concept i labels point j with 1 exactly when i <= j.
    """

    between: Between
    concepts: tuple[int, ...]
    points: tuple[int, ...]


class _Search:
    """Depth first: the first pair of a chain leaves concepts with 0 there, and points with 1.

    A state is the concepts and the points that are left; what was found of it is kept as the
    least and the largest that its longest chain can be.
    """

    def __init__(self, of: FiniteClass, budget: Budget) -> None:
        self.rows, self.columns, self.budget = of.concepts, of.columns, budget
        self._known: dict[tuple[int, int], list[int]] = {}
        self._next: dict[tuple[int, int, int], tuple[int, int]] = {}

    def at_least(self, concepts: int, points: int, length: int) -> bool:
        self.budget.spend()
        if length <= 0:
            return True
        if min(concepts.bit_count(), points.bit_count()) < length:
            return False
        ends = self._known.setdefault(
            (concepts, points), [0, min(concepts.bit_count(), points.bit_count())]
        )
        if not ends[0] < length <= ends[1]:
            return length <= ends[0]
        for x, c, rest, later in self._pairs(concepts, points, length):
            if self.at_least(rest, later, length - 1):
                ends[0] = length
                self._next[concepts, points, length] = (c, x)
                return True
        ends[1] = length - 1
        return False

    def _pairs(self, concepts: int, points: int, length: int) -> list[tuple[int, int, int, int]]:
        """Return the first pairs that may begin a chain of this length, the roomiest first."""
        zeros, allowed = {}, 0
        for x in bits(points):
            rest = concepts & ~self.columns[x]
            if rest.bit_count() >= length - 1 and rest != concepts:
                zeros[x] = rest
                allowed |= 1 << x
        self.budget.spend(1 + concepts.bit_count() * points.bit_count() // 16)
        found, seen = [], set()
        for c in bits(concepts):
            ones = points & self.rows[c]
            if ones.bit_count() < length:
                continue
            for x in bits(ones & allowed):
                later = ones & ~(1 << x)
                if (zeros[x], later) not in seen:
                    seen.add((zeros[x], later))
                    room = min(zeros[x].bit_count(), later.bit_count())
                    found.append((room, x, c, zeros[x], later))
        found.sort(key=lambda pair: -pair[0])
        return [pair[1:] for pair in found]

    def chain(self, concepts: int, points: int, length: int) -> list[tuple[int, int]]:
        pairs = []
        for left in range(length, 0, -1):
            # A state that was found longer than asked has its pair under the greater length.
            best = max(k[2] for k in self._next if k[:2] == (concepts, points) and k[2] >= left)
            c, x = self._next[concepts, points, best]
            pairs.append((c, x))
            concepts, points = concepts & ~self.columns[x], points & self.rows[c] & ~(1 << x)
        return pairs


def threshold(of: FiniteClass, budget: Budget | None = None, *, cap: int = 0) -> Thresholds:
    """Return the threshold dimension: the largest k with concepts and points c_i(x_j) = [i <= j].

    Parameters
    ----------
    of : FiniteClass
    budget : Budget, optional
    cap : int
        What it is known not to exceed, such as 2^(LDim+1) - 1; 0 for nothing.
    """
    search = _Search(of, budget or Budget())
    concepts, points = of.everyone, (1 << of.points) - 1
    most = min(len(of), of.points, *((cap,) if cap else ()))
    found = 0
    try:
        while found < most and search.at_least(concepts, points, found + 1):
            found += 1
        most = found
    except OutOfStepsError:
        pass
    pairs = search.chain(concepts, points, found)
    return Thresholds(Between(found, most), tuple(c for c, _ in pairs), tuple(x for _, x in pairs))
