"""The teaching dimension: how many labelled points tell a concept from all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core.finite.budget import Between, Budget, OutOfStepsError
from privsc_core.finite.matrix import bits, turned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.finite.matrix import FiniteClass

__all__ = ["Teaching", "teaching"]


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
    """Tell whether so many points meet all sets."""
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
