"""How many patterns a class has on few points: its VC dimension and its growth function."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.finite.budget import Between, Budget, OutOfStepsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.finite.matrix import FiniteClass

__all__ = ["dual_vc", "growth", "sauer", "vc"]


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
