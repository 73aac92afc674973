"""Private cuts of [1, size]: medians of medians, level by level (BNS15's sanitizer for the line; ours).

At every node of a tree, a range with the data in it, an integer o is drawn with probability
proportional to exp(-rate * score), score = max(#below, #above, n/2) - n/2; the data below and above
o make the two nodes of the next level. Replacing one point moves the score by at most 1 in one node
of a level or by at most 1/2 in each of two: with rate = epsilon / (2 levels) it is epsilon-private.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.sample import uniform_below

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Cut", "Node", "drawn_cuts", "law_of_cuts"]


@dataclass(frozen=True, slots=True)
class Cut:
    """One node of a run.

    Attributes
    ----------
    level : int
        From 0.
    low, high : int
        Its range, both ends included.
    count : int
        How many data points it has.
    at : int
        The integer drawn.
    """

    level: int
    low: int
    high: int
    count: int
    at: int


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A range with its data.

    Attributes
    ----------
    low, high : int
        The ends of the range, both included.
    values : ndarray of int64
        The distinct data values in it, increasing.
    counts : ndarray of int64
        How many data points each has.
    """

    low: int
    high: int
    values: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, data: NDArray[np.int64], size: int) -> Node:
        """Return the root for data points in [1, size], in any order."""
        values, counts = np.unique(np.asarray(data, dtype=np.int64), return_counts=True)
        return cls(1, size, values, counts.astype(np.int64))

    @property
    def size(self) -> int:
        """How many data points there are."""
        return int(self.counts.sum())

    def segments(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return first integer, length and score of every segment on which the score is constant.

        They are the data values and the gaps between them.
        """
        values, counts = self.values, self.counts
        first, length = np.empty((2, 2 * values.size + 1), dtype=np.int64)
        first[0], first[1::2], first[2::2] = self.low, values, values + 1
        length[1::2] = 1
        length[::2] = np.diff(np.concatenate(([self.low - 1], values, [self.high + 1]))) - 1
        below, above = np.zeros((2, first.size))
        passed = np.cumsum(counts)
        below[2::2], below[3::2] = passed, passed[:-1]
        above[:-1:2] = passed[-1:] - np.concatenate(([0], passed[:-1])) if values.size else 0
        above[1::2] = passed[-1:] - passed if values.size else 0
        half = 0.5 * self.size
        there = length > 0
        score = np.maximum(np.maximum(below, above), half) - half
        return first[there], length[there], score[there]

    def log_weights(
        self, rate: float
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return first integer, length and log weight of every segment."""
        first, length, score = self.segments()
        return first, length, np.log(length.astype(np.float64)) - rate * score

    def parts(self, cut: int) -> tuple[Node, Node]:
        """Return what lies below and above a cut; data at the cut is dropped."""
        low, high = np.searchsorted(self.values, cut), np.searchsorted(self.values, cut, "right")
        return (
            Node(self.low, cut - 1, self.values[:low], self.counts[:low]),
            Node(cut + 1, self.high, self.values[high:], self.counts[high:]),
        )


def drawn_cuts(node: Node, levels: int, rate: float, rng: np.random.Generator) -> list[Cut]:
    """Return the cuts of one run, level by level and from left to right.

    Parameters
    ----------
    node : Node
        The root.
    levels : int
        Depth of the tree: at most 2^levels - 1 cuts.
    rate : float
        The factor of the score; epsilon / (2 levels) is what privacy allows.
    rng : Generator
        The coins.
    """
    found: list[Cut] = []
    nodes = [node]
    for level in range(levels):
        following: list[Node] = []
        for part in nodes:
            if part.low > part.high:
                continue
            first, length, weights = part.log_weights(rate)
            pick, _ = draw(weights, rng)
            at = int(first[pick]) + uniform_below(rng, int(length[pick]))
            found.append(Cut(level, part.low, part.high, part.size, at))
            following += part.parts(at)
        nodes = following
    return found


def law_of_cuts(node: Node, levels: int, rate: float) -> dict[tuple[int, ...], float]:
    """Return the probability of every set of cuts, each in increasing order; for tiny domains."""
    if not levels or node.low > node.high:
        return {(): 1.0}
    law: dict[tuple[int, ...], float] = {}
    first, length, weights = node.log_weights(rate)
    for start, long, share in zip(
        first.tolist(), length.tolist(), probabilities(weights).tolist(), strict=True
    ):
        for at in range(start, start + long):
            left, right = (law_of_cuts(part, levels - 1, rate) for part in node.parts(at))
            for below, chance in left.items():
                for above, other in right.items():
                    cuts = (*below, at, *above)
                    law[cuts] = law.get(cuts, 0.0) + share / long * chance * other
    return law
