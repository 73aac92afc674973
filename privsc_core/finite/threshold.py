"""The threshold dimension: the longest chain of thresholds inside a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core.finite.budget import Between, Budget, OutOfStepsError
from privsc_core.finite.matrix import bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.finite.matrix import FiniteClass


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
        self._leaner: dict[tuple[int, int], tuple[int, int, int]] = {}
        self._next: dict[tuple[int, int, int], tuple[int, int]] = {}

    def at_least(self, concepts: int, points: int, length: int) -> bool:
        self.budget.spend()
        if length <= 0:
            return True
        if min(concepts.bit_count(), points.bit_count()) < length:
            return False
        concepts, points, most = self._lean(concepts, points, length)
        if most < length:
            return False
        state = concepts, points
        ends = self._known.setdefault(state, [0, most])
        if not ends[0] < length <= ends[1]:
            return length <= ends[0]
        for x, c, rest, later in self._pairs(concepts, points, length):
            if self.at_least(rest, later, length - 1):
                ends[0] = length
                self._next[concepts, points, length] = (c, x)
                return True
        ends[1] = length - 1
        return False

    def _lean(self, concepts: int, points: int, length: int) -> tuple[int, int, int]:
        """Return a state without what is alike on the rest of it, and how long a chain may be there.

        What has no 1 left, which nothing in a chain has, is left out as well; and nothing is looked
        at any longer once a chain of this length is excluded.
        """
        if found := self._leaner.get((concepts, points)):
            return found
        self.budget.spend(1 + points.bit_count() // 16)
        kept, ones = _different(points, self.columns, concepts)
        if (most := _longest(ones)) < length:
            return concepts, points, most
        self.budget.spend(1 + concepts.bit_count() // 16)
        some, ones = _different(concepts, self.rows, kept)
        found = some, kept, min(most, _longest(ones))
        self._leaner[concepts, points] = found
        return found

    def _pairs(self, concepts: int, points: int, length: int) -> list[tuple[int, int, int, int]]:
        """Return the first pairs that may begin a chain of this length, the roomiest first.

        The first concept has all points of the chain, and one that has more of them may stand in
        for it; no later concept has the first point, and one that fewer have may stand in for it.
        So concepts with most points and points with fewest concepts are enough.
        """
        rows = [(points & self.rows[c], c) for c in bits(concepts)]
        rows.sort(key=lambda row: -row[0].bit_count())
        firsts = _maximal(rows, length)
        size = concepts.bit_count()
        room = size - length + 1
        columns = []
        for x in bits(points):
            having = concepts & self.columns[x]
            if (count := having.bit_count()) <= room:
                columns.append((count, having, x))
        columns.sort()
        self.budget.spend(1 + len(rows) * len(firsts) // 32 + len(firsts) * len(columns) // 16)
        found = []
        for ones, c in firsts:
            least: list[int] = []
            after = ones.bit_count() - 1
            for count, having, x in columns:
                if not ones >> x & 1:
                    continue
                for other in least:
                    if having & other == other:
                        break
                else:
                    least.append(having)
                    left = min(size - count, after)
                    found.append((left, x, c, concepts ^ having, ones ^ 1 << x))
        found.sort(key=_most_room)
        return [pair[1:] for pair in found]

    def chain(self, concepts: int, points: int, length: int) -> list[tuple[int, int]]:
        pairs = []
        for left in range(length, 0, -1):
            concepts, points, _ = self._lean(concepts, points, left)
            # A state that was found longer than asked has its pair under the greater length.
            best = max(k[2] for k in self._next if k[:2] == (concepts, points) and k[2] >= left)
            c, x = self._next[concepts, points, best]
            pairs.append((c, x))
            concepts, points = concepts & ~self.columns[x], points & self.rows[c] & ~(1 << x)
        return pairs


def _maximal(rows: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Return the rows of so many ones that no other one holds; those with most ones come first."""
    kept: list[tuple[int, int]] = []
    for ones, c in rows:
        if ones.bit_count() < length:
            break
        for other, _ in kept:
            if ones & other == ones:
                break
        else:
            kept.append((ones, c))
    return kept


def _most_room(pair: tuple[int, ...]) -> int:
    return -pair[0]


def _different(places: int, lines: Sequence[int], across: int) -> tuple[int, list[int]]:
    """Return the places whose lines differ from each other and from 0 where `across` is.

    And how many ones the lines have there, the most first.
    """
    kept = {0: 0}
    while places:
        low = places & -places
        places ^= low
        kept[lines[low.bit_length() - 1] & across] = low
    del kept[0]
    return sum(kept.values()), sorted(map(int.bit_count, kept), reverse=True)


def _longest(ones: list[int]) -> int:
    """Return the largest k with k lines of at least k, k - 1, ..., 1 ones, as a chain of k has."""
    room = len(ones)
    for place, count in enumerate(ones):
        room = min(room, count + place)
        if room <= place:
            return place
    return room


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
