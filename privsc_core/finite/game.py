"""The game behind the Littlestone dimension, with the best player on the other side.

Nature names a point, the learner predicts its label, nature says what it is: any label that some
concept agrees with on all points so far. The learner wants few mistakes. Against the standard
optimal algorithm nature gets LDim of them at most; along an optimal tree it gets LDim of anyone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core.errors import InputError
from privsc_core.finite.budget import OutOfStepsError
from privsc_core.finite.littlestone import MistakeTree, Round
from privsc_core.finite.matrix import bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.finite.littlestone import Node
    from privsc_core.finite.matrix import FiniteClass

SIDES = ("learner", "nature")
# Moves in a link: of a learner the labels predicted, 0 or 1; of nature a point, from 1, and y or n,
# whether its label is 1.
MOVES = r"[01]{0,64}|([0-9]{1,3}[yn]){0,40}"
_NATURE = re.compile(r"([0-9]{1,3})([yn])", re.ASCII)


@dataclass(frozen=True, slots=True)
class Game:
    """A game as it stands.

    Attributes
    ----------
    rounds : tuple of Round
        Those that were played.
    concepts : tuple of int
        Places of the concepts that agree with all labels.
    left : int
        Their Littlestone dimension: so many mistakes can still be forced, and no more.
    asked : int or None
        The point that the best nature asks next; None where it can force nothing any more.
    splits : tuple of (int, int)
        For each point how many of the concepts label it 0, and 1.
    predictions : tuple of int
        What the standard optimal algorithm predicts at each point.
    """

    rounds: tuple[Round, ...]
    concepts: tuple[int, ...]
    left: int
    asked: int | None
    splits: tuple[tuple[int, int], ...]
    predictions: tuple[int, ...]

    @property
    def mistakes(self) -> int:
        """How often the learner was wrong."""
        return sum(one.predicted != one.label for one in self.rounds)


def played(of: FiniteClass, side: str, moves: str) -> Game:
    """Return the game after the moves of one side; the other side plays as well as can be.

    A move that the rules forbid ends them: a point that is not there, a label of no concept, a
    prediction after the last question. Moves of the other side are none.

    Parameters
    ----------
    of : FiniteClass
    side : str
        Whose moves are given, of `SIDES`.
    moves : str
        As `MOVES` has them.

    Raises
    ------
    InputError
        When moves are of another form, or the class is too large for the algorithm.
    """
    if side not in SIDES or not re.fullmatch(MOVES, moves, re.ASCII):
        raise InputError("moves", "must be those of a learner or of nature", moves)
    tree = MistakeTree(of)
    try:
        rounds, space = (_learner if side == "learner" else _nature)(tree, moves)
        predictions = tuple(tree.predict(space, x) for x in range(of.points))
        left, asked = tree.dimension(space), tree.ask(space)
    except OutOfStepsError:
        raise InputError(
            "class", "must be smaller for the best player to be computed here",
            f"{len(of)} concepts on {of.points} points",
        ) from None  # fmt: skip
    splits = tuple(
        ((space & ~column).bit_count(), (space & column).bit_count()) for column in of.columns
    )
    return Game(tuple(rounds), tuple(bits(space)), left, asked, splits, predictions)


def move(x: int, label: int) -> str:
    """Return a move of nature for a link."""
    return f"{x + 1}{'ny'[label]}"


def _learner(tree: MistakeTree, moves: str) -> tuple[list[Round], int]:
    """Play the optimal nature: whatever is predicted is wrong."""
    rounds: list[Round] = []
    space = tree.of.everyone
    for predicted in map(int, moves if set(moves) <= {"0", "1"} else ""):
        x = tree.ask(space)
        if x is None:
            break
        rounds.append(Round(x, predicted, 1 - predicted, space))
        space = _after(tree, space, x, 1 - predicted)
    return rounds, space


def _nature(tree: MistakeTree, moves: str) -> tuple[list[Round], int]:
    """Play the standard optimal algorithm."""
    rounds: list[Round] = []
    space = tree.of.everyone
    for number, word in _NATURE.findall(moves):
        x, label = int(number) - 1, int(word == "y")
        if not 0 <= x < tree.of.points or not _after(tree, space, x, label):
            break
        rounds.append(Round(x, tree.predict(space, x), label, space))
        space = _after(tree, space, x, label)
    return rounds, space


def _after(tree: MistakeTree, space: int, x: int, label: int) -> int:
    column = tree.of.columns[x]
    return space & column if label else space & ~column


def leaf_mistakes(tree: Node | None, hypothesis: int) -> Sequence[int]:
    """Return how often a hypothesis is wrong on the path to each leaf of a tree, left to right.

    The pattern of mistakes along a path names its leaf: 2^l leaves, 2^l patterns. So for every
    hypothesis C(l, i) leaves see i mistakes.

    Parameters
    ----------
    tree : Node or None
        A complete mistake tree; None is a leaf.
    hypothesis : int
        Bit x is its label of point x.
    """
    if tree is None:
        return [0]
    said = hypothesis >> tree.x & 1
    return [
        mistakes + (said != label)
        for label, below in enumerate(tree.below)
        for mistakes in leaf_mistakes(below, hypothesis)
    ]
