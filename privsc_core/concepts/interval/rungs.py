"""The tree of thresholds: which of them may come out of a sample, and how high each scores.

Thresholds t = 1..2T-1 are the nodes of a binary tree: with l the largest such that 2^l divides t,
t is the middle of its cell (A, B) = (t - 2^l, t + 2^l). With P(t) positives from t on and N(t)
negatives below t, D = P - N falls from D(0) = inf to D(2T) = -inf, and t makes E = max(P, N)
mistakes on a consistent sample. A threshold is a candidate if D(A) > 0 > D(B); as D is monotone,
at most one of each level is. Its score is min(D(A)/2, -D(B)/2, v - E), at least 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from privsc_core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.sample import Sample

__all__ = ["Rungs", "Scale", "log_lump"]


@dataclass(frozen=True, slots=True)
class Scale:
    """What depends on the setting alone: the weight of the lump, and where scores end.

    Attributes
    ----------
    rate : float
        e' = epsilon / 2, the factor of the scores in the exponent.
    log_lump : float
        log C.
    enough : int
        u, the least score with which one threshold leaves the lump a share of at most beta / 2.
    most : int
        v = 3 u - 1, the largest score.
    """

    rate: float
    log_lump: float
    enough: int
    most: int

    @classmethod
    def of(cls, *, d: int, epsilon: float, beta: float, delta: float) -> Self:
        """Return the scale of a setting.

        Raises
        ------
        InputError
            For a delta outside (0, 1/2): without a slack the lump would have to hold all thresholds.
        """
        rate = 0.5 * epsilon
        lump = log_lump(d + 1, rate, delta)
        enough = math.ceil(
            np.logaddexp(0.0, lump + math.log(2.0 / beta - 1.0)) / rate * (1 - 1e-14)
        )
        return cls(rate, lump, enough, 3 * enough - 1)

    def log_gain(self, score: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Return log(e^{rate score} - 1), the log weight of a score; -inf at 0."""
        exponent = self.rate * np.asarray(score, dtype=np.float64)
        with np.errstate(divide="ignore"):
            return np.asarray(exponent + np.log(-np.expm1(-exponent)))


def log_lump(candidates: int, rate: float, delta: float) -> float:
    """Return log C = log(k max(1, (e^rate - 1) / delta)), k the most candidates there can be.

    Raises
    ------
    InputError
        For a delta outside (0, 1/2).
    """
    if not 0.0 < delta < 0.5:
        raise InputError("delta", "must be in (0, 0.5) for tree", delta)
    # log(e^r - 1) = r + log(1 - e^-r)
    return math.log(candidates) + max(0.0, rate + math.log(-math.expm1(-rate)) - math.log(delta))


@dataclass(frozen=True, slots=True, eq=False)
class Rungs:
    """The candidates of a sample, leaves first, and what the score of each is the least of.

    Attributes
    ----------
    d : int
        Bits of a point.
    before : int
        The last point at which D is still positive, 0 for none.
    level : ndarray of int64, shape (candidates,)
        How often 2 divides each.
    left, right : ndarray of float64, shape (candidates,)
        D(A) / 2 and -D(B) / 2, infinite at the ends of the tree.
    room : ndarray of float64, shape (candidates,)
        v - E(t).
    """

    d: int
    before: int
    level: NDArray[np.int64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    room: NDArray[np.float64]

    @property
    def score(self) -> NDArray[np.float64]:
        """The least of the three, at least 0: multiples of 1/2."""
        return np.maximum(np.minimum(np.minimum(self.left, self.right), self.room), 0.0)

    def cell(self, place: int) -> tuple[int, int]:
        """Return (A, B) of a candidate."""
        level = int(self.level[place])
        low = self.before >> (level + 1) << (level + 1)
        return low, low + (2 << level)

    def node(self, place: int) -> int:
        """Return t of a candidate, in [1, 2T - 1]; above T + 1 it means T + 1."""
        low, high = self.cell(place)
        return (low + high) >> 1

    def output(self, place: int) -> int:
        """Return the threshold that a candidate means, in [1, T + 1]."""
        return min(self.node(place), (1 << self.d) + 1)

    @classmethod
    def of(cls, sample: Sample, most: int) -> Self:
        """Return all candidates of a sample, consistent or not.

        O(m log m + d) operations, some of them on d bits. D(t) = m₊ - #{points below t}, m₊ the
        number of positives: so D(A) > 0 for A up to the m₊-th smallest point p, and the cell of a
        level can only be the one of p. A point lies in it if its highest bit that differs from
        p's is not above the level, and in the half of p unless it is the level's own.

        Parameters
        ----------
        sample : Sample
        most : int
            v.
        """
        d, points = sample.d, sample.points
        ones, zeros = sample.tallies()
        positives = int(ones.sum())
        order = sorted(range(len(points)), key=points.__getitem__)
        place = int(np.searchsorted(np.cumsum((ones + zeros)[order]), positives))
        p = points[order[place]] if positives else 0
        apart = np.array([(x ^ p).bit_length() for x in points])
        below = np.array([x < p for x in points])
        above = np.array([x > p for x in points])

        def tally(counts: NDArray[np.int64], chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
            return np.bincount(apart[chosen], counts[chosen], d + 2).astype(np.int64)

        level = np.arange(d + 1)
        bit = _bits(p, d + 2)[level]
        under, beyond, within = (
            [],
            [],
            [],
        )  # below A, below B, below t: of positives and of negatives
        for counts in (ones, zeros):
            left, right = tally(counts, below), tally(counts, above)
            low = left.sum() - np.cumsum(left)[1:]
            high = counts[~above].sum() + np.cumsum(right)[1:]
            under.append(low)
            beyond.append(high)
            within.append(np.where(bit, low + left[1:], high - right[1:]))
        at_zero = level + 1 >= p.bit_length()
        at_top = (level == d) | ((level == d - 1) & (p == 1 << d))
        start, end = positives - under[0] - under[1], beyond[0] + beyond[1] - positives
        mistakes = np.maximum(positives - within[0], within[1])
        kept = at_top | (end > 0)
        return cls(
            d, p, level[kept],
            np.where(at_zero, np.inf, 0.5 * start)[kept], np.where(at_top, np.inf, 0.5 * end)[kept],
            (most - mistakes).astype(np.float64)[kept],
        )  # fmt: skip


def _bits(number: int, size: int) -> NDArray[np.bool_]:
    """Return the lowest bits of a number, lowest first."""
    raw = np.frombuffer(number.to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(raw, bitorder="little")[:size].astype(np.bool_)
