"""The candidates of `rungs` on samples that the target labels: they are its ancestors in the tree.

Bit l of j says on which side of j the ancestor t of level l lies: below for a one, above for a
zero. With j = A + r, r = j mod 2^{l+1}, the points from A on lie at offsets 1..r to the left of the
step and those below B at offsets 1..2^{l+1} - r to the right, and t is an end of the cell one level
down. So a few counts of points by offset decide all scores: nothing needs the sample itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from privsc_core.concepts.interval.distributions import Scattered
    from privsc_core.concepts.interval.rungs import Scale

__all__ = ["LARGEST", "Group", "Ladder", "groups"]

# Up to so many bits every level is kept.
_DENSE = 256
# Log weights relative to the lump above this one are cut there: e^694 times a million is a float,
# and 1 in e^694 is less than the least beta, 1e-300.
LARGEST = 694.0
# Points of a share 2^-72 of the domain do not occur among 10^7.
_FAR = 72
_MARGIN = 3


class Group(NamedTuple):
    """Ancestors of j that look alike where all points but one are next to the step.

    Attributes
    ----------
    number : int
        How many.
    below : bool
        Whether they lie below j, so that they err on positives.
    left, right : bool
        Whether their cell begins at 0, and whether it ends at 2T.
    """

    number: int
    below: bool
    left: bool
    right: bool


def groups(d: int, j: int) -> tuple[bool, list[Group]]:
    """Return whether j's own cell begins at 0, and the ancestors of j in groups; O(1) big numbers."""
    own = (j & -j).bit_length() - 1
    above = j >> (own + 1)
    ones = above.bit_count()
    top = own + above.bit_length()  # the highest one bit of j
    zeros = max(top - own - 1 - (ones - 1), 0) if ones else 0
    found = (
        [
            Group(ones - 1, below=True, left=False, right=False),
            Group(1, below=True, left=True, right=False),
            Group(zeros, below=False, left=False, right=False),
        ]
        if ones
        else []
    )
    found += [
        Group(d - 1 - top, below=False, left=True, right=False),
        Group(1, below=False, left=True, right=True),
    ]
    return not ones, [group for group in found if group.number]


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """The ancestors of the target, j among them, at one (distribution, d, alpha).

    Attributes
    ----------
    number : ndarray, shape (rungs,)
        How many ancestors each stands for.
    left, right : ndarray of intp, shape (rungs,)
        The cell's ends, as places among the shells; -1 where they are the tree's.
    mistakes : ndarray of intp, shape (rungs,)
        The place of what it errs on, in left shells or, behind those, in right ones.
    good : ndarray of bool, shape (rungs,)
        Whether its error is at most alpha.
    shells : (ndarray, ndarray)
        The chances of the shells of offsets on the left and on the right, outwards; they sum to 1.
    lucky : float
        The share of accurate ones among all T + 1 thresholds.
    """

    number: NDArray[np.float64]
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    mistakes: NDArray[np.intp]
    good: NDArray[np.bool_]
    shells: tuple[NDArray[np.float64], NDArray[np.float64]]
    lucky: float

    @classmethod
    def of(cls, distribution: Scattered, d: int, alpha: float) -> Ladder:
        """Build it; few levels stand for many where a domain is huge."""
        j, allowed = distribution.target(d), distribution.allowed(d=d, alpha=alpha)
        own = (j & -j).bit_length() - 1
        marks = distribution.landmarks(d)
        kept = _levels(own, d, None if marks is None else (*marks, *allowed))
        rungs = []
        for level, number in kept:
            rest, inner = j & ((2 << level) - 1), j & ((1 << level) - 1)
            below = bool(j >> level & 1)
            ends = rest, (2 << level) - rest
            off = 0 if level == own else inner if below else (1 << level) - inner
            rungs.append((number, ends, rest == j, level == d, below, off))
        cuts = [sorted({0, *(rung[1][side] for rung in rungs),
                        *(rung[5] for rung in rungs if rung[4] == (side == 0))})
                for side in (0, 1)]  # fmt: skip
        place = [{cut: i for i, cut in enumerate(side)} for side in cuts]
        masses = tuple(
            np.array([distribution.mass(side, low, high, d) for low, high in pairwise(cuts[side])])
            for side in (0, 1)
        )
        total = masses[0].sum() + masses[1].sum()
        size = len(cuts[0])
        return cls(
            number=np.array([float(rung[0]) for rung in rungs]),
            left=np.array([-1 if rung[2] else place[0][rung[1][0]] for rung in rungs]),
            right=np.array([-1 if rung[3] else place[1][rung[1][1]] for rung in rungs]),
            mistakes=np.array([
                place[0][rung[5]] if rung[4] else size + place[1][rung[5]] for rung in rungs
            ]),
            good=np.array([rung[5] <= allowed[0 if rung[4] else 1] for rung in rungs]),
            shells=(masses[0] / total, masses[1] / total),
            lucky=(allowed[0] + allowed[1] + 1) / ((1 << d) + 1),
        )  # fmt: skip

    def draw(self, m: int, trials: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return how many points lie within each cut, shape (trials, cuts left and right)."""
        left, right = self.shells
        counts = rng.multinomial(m, np.concatenate([left, right]), size=trials)
        within = np.zeros((trials, left.size + right.size + 2), dtype=np.int64)
        np.cumsum(counts[:, : left.size], axis=1, out=within[:, 1 : left.size + 1])
        np.cumsum(counts[:, left.size :], axis=1, out=within[:, left.size + 2 :])
        return within

    def chances(self, within: NDArray[np.int64], scale: Scale) -> NDArray[np.float64]:
        """Return the probability of an accurate output given counts as `draw` returns them."""
        first = self.shells[0].size + 1
        left = np.where(self.left < 0, np.inf, 0.5 * within[:, self.left])
        right = np.where(self.right < 0, np.inf, 0.5 * within[:, first + self.right])
        score = np.minimum(np.minimum(left, right), scale.most - within[:, self.mistakes])
        log_weight = scale.log_gain(np.maximum(score, 0.0)) - scale.log_lump
        weight = np.exp(np.minimum(log_weight, LARGEST)) * self.number
        return np.asarray((weight @ self.good + self.lucky) / (weight.sum(axis=1) + 1.0))


def _levels(own: int, d: int, offsets: Iterable[int] | None) -> list[tuple[int, int]]:
    """Return levels, each with the number of those that it stands for.

    Where nothing changes, between landmarks far from each other and from the whole domain, one
    level below j and one above stand for all of their kind: bits of j alternate there, if it has any.
    With landmarks everywhere (None) every level is kept.
    """
    if offsets is None or d <= _DENSE:
        return [(level, 1) for level in range(own, d + 1)]
    near = {own, *range(d - _FAR, d + 1)}
    for offset in offsets:
        middle = offset.bit_length()
        near.update(range(middle - _MARGIN, middle + _MARGIN + 1))
    kept = sorted(level for level in near if own <= level <= d)
    found = []
    for level, after in zip(kept, [*kept[1:], d + 1], strict=True):
        found.append((level, 1))
        gap = after - level - 1
        found += [(level + 1, (gap + 1) // 2), (level + 2, gap // 2)] if gap else []
    return [(level, number) for level, number in found if number]
