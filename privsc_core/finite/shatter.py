"""How many patterns a class has on few points: its VC dimension and its growth function."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core.finite.budget import Between, Budget, OutOfStepsError
from privsc_core.finite.matrix import bits, turned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.finite.matrix import FiniteClass


def vc(of: FiniteClass, budget: Budget | None = None) -> Between:
    """Return the VC dimension: the most points on which all patterns occur.

    Depth first over sets of points, keeping the 2^k cells of the concepts with one pattern each;
    a set with an empty cell is left, and so is one whose cells are too small to pass the best.
    """
    reduced = of.reduced()
    return _vc(reduced.columns, len(of), reduced.points, budget or Budget())


def dual_vc(of: FiniteClass, budget: Budget | None = None) -> Between:
    """Return the VC dimension of the dual class: the most concepts that points tell apart freely."""
    columns = tuple(dict.fromkeys(of.columns))
    # Row i of the dual's matrix by columns: which (distinct) points concept i labels 1.
    duals = [
        sum((column >> i & 1) << x for x, column in enumerate(columns)) for i in range(len(of))
    ]
    return _vc(duals, len(columns), len(of), budget or Budget())


def _vc(columns: Sequence[int], size: int, points: int, budget: Budget) -> Between:
    cap = min(size.bit_length() - 1, points)
    best = 0

    def search(cells: list[int], depth: int, rest: Sequence[int]) -> None:
        nonlocal best
        best = max(best, depth)
        split: list[tuple[int, list[int]]] = []
        for x in rest:
            budget.spend(1 + len(cells) // 16)
            column = columns[x]
            parts = [part for cell in cells for part in (cell & column, cell & ~column)]
            if all(parts):
                split.append((x, parts))
        for i, (_, parts) in enumerate(split):
            # What remains is enough points, in cells that are large enough, to pass the best?
            smallest = min(part.bit_count() for part in parts)
            room = min(len(split) - i - 1, smallest.bit_length() - 1)
            if best >= cap or depth + 1 + max(room, 0) <= best:
                continue
            search(parts, depth + 1, [x for x, _ in split[i + 1 :]])

    try:
        search([(1 << size) - 1], 0, range(points))
    except OutOfStepsError:
        return Between(best, cap)
    return Between(best, best)


def growth(of: FiniteClass, s: int, budget: Budget | None = None, *, beyond: int = 1) -> Between:
    """Return the growth function: the most patterns on s points.

    All sets of s points, cells in common with their prefixes; the cap where time is up is the
    least of 2^s, the number of concepts and the sum of Sauer's lemma without a VC dimension. Whoever
    asks only for more than `beyond` patterns gets `beyond` where there are no more, which is faster.
    """
    budget = budget or Budget()
    reduced = of.reduced()
    s = min(s, reduced.points)
    cap = min(2**s, len(of))
    if cap <= beyond:
        return Between(beyond, beyond)
    columns, best = reduced.columns, beyond

    def search(cells: list[int], chosen: int, start: int) -> None:
        nonlocal best
        best = max(best, len(cells))
        if chosen == s or best == cap:
            return
        for x in range(start, reduced.points - (s - chosen) + 1):
            budget.spend(1 + len(cells) // 16)
            column = columns[x]
            parts = [p for cell in cells for p in (cell & column, cell & ~column) if p]
            if len(parts) * 2 ** (s - chosen - 1) > best:
                search(parts, chosen + 1, x + 1)

    try:
        search([of.everyone], 0, 0)
    except OutOfStepsError:
        return Between(best, cap)
    return Between(best, best)


def sauer(points: int, dimension: int) -> int:
    """Return the most patterns on so many points of a class of this VC dimension (Sauer's lemma)."""
    return sum(math.comb(points, i) for i in range(dimension + 1))


# --- The teaching dimension: how many labelled points tell a concept from all others -------------


@dataclass(frozen=True, slots=True)
class Teaching:
    """The teaching dimension, and the same of the concept that is easiest to teach.

    Attributes
    ----------
    largest, least : Between
        The greatest and the smallest size of a best teaching set over the concepts; where time is
        up, so many points are needed at least, and so many are enough.
    """

    largest: Between
    least: Between


def teaching(of: FiniteClass, budget: Budget | None = None) -> Teaching:
    """Return both; a teaching set meets {x : c(x) != c'(x)} for every other concept c'."""
    budget = budget or Budget()
    concepts = of.reduced().concepts
    points = of.reduced().points
    sizes: list[Between] = []
    hardest, easiest = 0, points + 1
    for i in range(len(concepts)):
        size = _teaching_set(concepts, i, budget, easiest, hardest)
        size = Between(size.found, min(size.cap, points))
        sizes.append(size)
        hardest, easiest = max(hardest, size.found), min(easiest, size.cap)
    return Teaching(
        Between(max(s.found for s in sizes), max(s.cap for s in sizes)),
        Between(min(s.found for s in sizes), min(s.cap for s in sizes)),
    )


def _teaching_set(
    concepts: Sequence[int], i: int, budget: Budget, easiest: int, hardest: int
) -> Between:
    """Return the size of a best teaching set: least hitting set of the symmetric differences.

    Its ends alone once they lie between those of the easiest and the hardest concept so far: then
    the size is neither the least nor the largest, whatever it is.
    """
    others = [concepts[i] ^ other for j, other in enumerate(concepts) if j != i]
    low, cap = min(1, len(others)), len(others)
    try:
        sets = _minimal(others, budget)
        low, cap = max(low, _disjoint(sets)), _greedy(sets, budget)
        while low < cap and not easiest <= low < cap <= hardest:
            if _hit(sets, low, budget):
                return Between(low, low)
            low += 1
    except OutOfStepsError:
        pass
    return Between(low, cap)  # `low` points are needed, `cap` are enough


def _minimal(sets: Sequence[int], budget: Budget) -> list[int]:
    """Return the sets that hold no other, small ones first."""
    kept: list[int] = []
    for one in sorted(set(sets), key=int.bit_count):
        budget.spend(1 + len(kept) // 64)
        for other in kept:
            if other & one == other:
                break
        else:
            kept.append(one)
    return kept


def _greedy(sets: Sequence[int], budget: Budget) -> int:
    """Return how many points meet all sets when the one that meets most is taken each time."""
    # Who meets which sets, so that a count is one operation.
    meets = turned(sets, max(map(int.bit_length, sets), default=0))
    rest, count = (1 << len(sets)) - 1, 0
    while rest:
        budget.spend(1 + rest.bit_count() // 2)
        rest &= ~max(meets, key=lambda met: (met & rest).bit_count())
        count += 1
    return count


def _disjoint(sets: Sequence[int]) -> int:
    """Return how many disjoint sets are found: each needs a point of its own."""
    used = count = 0
    for one in sets:
        if not one & used:
            used |= one
            count += 1
    return count


def _hit(sets: Sequence[int], size: int, budget: Budget) -> bool:
    """Return whether so many points meet all sets."""
    budget.spend(1 + len(sets) // 4)
    if not sets:
        return True
    if size == 0 or _disjoint(sets) > size:
        return False
    smallest, barred = min(sets, key=int.bit_count), 0
    for x in bits(smallest):
        # Later points of this set are tried without the earlier ones.
        rest = [one & ~barred for one in sets if not one >> x & 1]
        if all(rest) and _hit(rest, size - 1, budget):
            return True
        barred |= 1 << x
    return False
