"""The Littlestone dimension: mistakes of online learning, mistake trees, the optimal algorithm."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from privsc_core.errors import InputError
from privsc_core.finite.budget import Between, Budget, OutOfStepsError

if TYPE_CHECKING:
    from privsc_core.finite.matrix import FiniteClass


@dataclass(frozen=True, slots=True)
class Node:
    """A point of a mistake tree, and the trees below for label 0 and label 1.

    Attributes
    ----------
    x : int
        The point that is asked, from 0.
    below : tuple of (Node or None)
        None where the path ends; all paths are equally long.
    """

    x: int
    below: tuple[Node | None, Node | None]


@dataclass
class MistakeTree:
    """Littlestone dimensions of all version spaces of a class that were asked for.

    A version space is a whole number: bit i says whether concept i is still possible.

    Parameters
    ----------
    of : FiniteClass
    budget : Budget
        What all questions together may spend.
    """

    of: FiniteClass
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        seen: dict[int, int] = {}
        for x, column in enumerate(self.of.columns):
            normal = min(column, self.of.everyone ^ column)
            if normal:
                seen.setdefault(normal, x)
        self._columns = [(x, self.of.columns[x]) for x in seen.values()]
        self._known: dict[int, list[int]] = {}

    def at_least(self, space: int, depth: int) -> bool:
        """Return whether a version space has a complete mistake tree of this depth.

        Raises
        ------
        OutOfStepsError
        """
        return depth <= 0 or self._splitter(space, depth) is not None

    def _splitter(self, space: int, depth: int) -> int | None:
        """Return a point both of whose sides have trees of depth - 1, or None; depth >= 1.

        Both sides need 2^(depth-1) concepts; the most even split is tried first. What was found
        is kept, as the ends between which the dimension lies.
        """
        size = space.bit_count()
        if size < 1 << depth:
            return None
        low_high = self._known.setdefault(space, [0, size.bit_length() - 1])
        if depth > low_high[1]:
            return None
        self.budget.spend(1 + len(self._columns) // 8)
        half = 1 << (depth - 1)
        splits = []
        for x, column in self._columns:
            ones = (space & column).bit_count()
            if half <= ones <= size - half:
                splits.append((abs(size - 2 * ones), x, column))
        splits.sort()
        for _, x, column in splits:
            one = space & column
            if self.at_least(one, depth - 1) and self.at_least(space ^ one, depth - 1):
                low_high[0] = max(low_high[0], depth)
                return x
        low_high[1] = min(low_high[1], depth - 1)
        return None

    def between(self, space: int) -> Between:
        """Return the dimension of a version space, -1 of the empty one; its ends where time is up."""
        if not space:
            return Between(-1, -1)
        found = 0
        try:
            while self.at_least(space, found + 1):
                found += 1
        except OutOfStepsError:
            cap = self._known.get(space, [0, space.bit_count().bit_length() - 1])[1]
            return Between(found, cap)
        return Between(found, found)

    def dimension(self, space: int) -> int:
        """Return the dimension of a version space, -1 of the empty one.

        Raises
        ------
        OutOfStepsError
        """
        found = -1
        while space and self.at_least(space, found + 1):
            found += 1
        return found

    def tree(self, space: int, depth: int) -> Node | None:
        """Return a complete mistake tree of a depth that the space has; None at depth 0.

        Raises
        ------
        OutOfStepsError
        InputError
            When the space has none so deep.
        """
        if depth == 0:
            return None
        x = self._splitter(space, depth)
        if x is None:
            raise InputError("depth", "must be at most the Littlestone dimension", depth)
        column = self.of.columns[x]
        return Node(
            x, (self.tree(space & ~column, depth - 1), self.tree(space & column, depth - 1))
        )

    # --- The standard optimal algorithm ---------------------------------------------------------

    def predict(self, space: int, x: int) -> int:
        """Return what the standard optimal algorithm predicts at a point; 1 at a tie.

        The label whose concepts have the larger Littlestone dimension: if it is wrong, the
        dimension of what remains is smaller.
        """
        column = self.of.columns[x]
        return int(self.dimension(space & column) >= self.dimension(space & ~column))

    def ask(self, space: int) -> int | None:
        """Return a point at which an optimal adversary can call either label wrong, or None."""
        depth = self.dimension(space)
        return self._splitter(space, depth) if depth >= 1 else None


@dataclass(frozen=True, slots=True)
class Round:
    """One round of online learning.

    Attributes
    ----------
    x : int
        The point.
    predicted, label : int
        What was said, and what nature said then.
    space : int
        The version space before it.
    """

    x: int
    predicted: int
    label: int
    space: int


def littlestone(of: FiniteClass, budget: Budget | None = None) -> Between:
    """Return the Littlestone dimension: the most mistakes that a best online learner makes."""
    return MistakeTree(of, budget or Budget()).between(of.everyone)
