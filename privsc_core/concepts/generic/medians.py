"""Private cuts of [1, size]: medians of medians, level by level (BNS15's sanitizer for the line; ours).

At every node of a tree, a range with the data in it, an integer o is drawn with probability
proportional to exp(-rate * score), score = max(#below, #above, n/2) - n/2; the data below and above
o make the two nodes of the next level. Replacing one point moves the score by at most 1 in one node
of a level or by at most 1/2 in each of two: with rate = epsilon / (2 levels) it is epsilon-private.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.errors import InputError
from privsc_core.numerics.logspace import draw, probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


# --- Private cuts of very many data sets at a time, where all data lie on a few points -----------
#
# The tree of `medians`, drawn level by level for all data sets together. What a concept does on those
# few points depends only on between which of them its sides lie: the slots of the cuts.


# Points are int64.
BITS_MOST = 62


def check_bits(d: int) -> None:
    """Refuse a domain whose points are no int64."""
    if d > BITS_MOST:
        raise InputError("d", f"must be at most {BITS_MOST} where private medians are drawn", d)


def in_scale(d: int) -> tuple[int, float]:
    """Return the bits of a domain that stands for one of d bits, and `log_scale`.

    Beyond 62 bits gaps are drawn to 2^-62 of the domain: the law is the same up to about that.
    """
    return min(d, BITS_MOST), max(d - BITS_MOST, 0) * math.log(2.0)


def cuts_of_many(
    places: NDArray[np.int64],
    counts: NDArray[np.int64],
    size: int,
    levels: int,
    rate: float,
    rng: np.random.Generator,
    log_scale: float = 0.0,
) -> NDArray[np.int64]:
    """Draw the cuts of every data set, in law those of `drawn_cuts`.

    Parameters
    ----------
    places : ndarray, shape (places,)
        Where data can be, increasing, in [1, size].
    counts : ndarray, shape (sets, places)
        How many data points of each set lie there.
    size : int
        Of the domain, at most 2^62.
    levels, rate
        As for `drawn_cuts`.
    rng : Generator
        The coins.
    log_scale : float
        The log of how many points of a larger domain an integer between two places stands for.

    Returns
    -------
    ndarray of int64, shape (sets, 2^levels - 1)
        The cuts, level by level; 0 where a node had no room for one.
    """
    number = len(counts)
    low, high = np.ones((number, 1), dtype=np.int64), np.full((number, 1), size, dtype=np.int64)
    found = []
    for _ in range(levels):
        at = _cut_nodes(places, counts, low, high, rate, rng, log_scale)
        found.append(at)
        there = at > 0
        # A node without room has none below it either.
        low, high = (
            np.stack(pair, axis=2).reshape(number, -1)
            for pair in (
                (low, np.where(there, at + 1, 1)),
                (np.where(there, at - 1, 0), np.where(there, high, 0)),
            )
        )
    return np.concatenate(found, axis=1)


def _cut_nodes(
    places: NDArray[np.int64], counts: NDArray[np.int64], low: NDArray[np.int64],
    high: NDArray[np.int64], rate: float, rng: np.random.Generator, log_scale: float,
) -> NDArray[np.int64]:  # fmt: skip
    """Return one cut of every node, 0 for an empty range; nodes are of shape (sets, nodes)."""
    shape = (*low.shape, 2 * places.size + 1)
    first, last = np.empty((2, *shape), dtype=np.int64)
    # Gaps and places in turn, each cut to the range of its node.
    first[..., ::2] = np.append(0, places) + 1
    last[..., ::2] = np.append(places, np.iinfo(np.int64).max) - 1
    first[..., 1::2] = last[..., 1::2] = places
    first = np.maximum(first, low[..., None])
    last = np.minimum(last, high[..., None])
    length = np.maximum(last - first + 1, 0)
    inside = np.where(length[..., 1::2] > 0, counts[:, None, :], 0)
    passed = np.cumsum(inside, axis=2)
    total = passed[..., -1:]
    below, above = np.zeros((2, *shape))
    below[..., 2::2], below[..., 1::2] = passed, passed - inside
    above[..., ::2] = total - below[..., ::2]
    above[..., 1::2] = total - passed
    half = 0.5 * total
    score = np.maximum(np.maximum(below, above), half) - half
    with np.errstate(divide="ignore"):
        weights = np.log(length) - rate * score
    weights[..., ::2] += log_scale
    pick = np.argmax(weights + rng.gumbel(size=shape), axis=2)[..., None]
    start, long = (np.take_along_axis(one, pick, axis=2)[..., 0] for one in (first, length))
    at = start + rng.integers(np.maximum(long, 1))
    return np.where(low <= high, at, 0)


def slots(cuts: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many cuts of every set lie up to each place, behind the one before, and behind all.

    Parameters
    ----------
    cuts : ndarray, shape (sets, cuts)
        0 for none.
    places : ndarray, shape (places,)
        Increasing.

    Returns
    -------
    ndarray of int64, shape (sets, places + 1)
        Entry k counts the cuts that have k of the places below them.
    """
    slot = np.where(cuts > 0, np.searchsorted(places, cuts), places.size + 1)
    return np.stack([(slot == k).sum(axis=1) for k in range(places.size + 1)], axis=1)
