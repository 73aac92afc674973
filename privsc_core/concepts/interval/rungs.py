"""The tree of thresholds: which of them may come out of a sample, and how high each scores.

Thresholds t = 1..2T-1 are the nodes of a binary tree: with l the largest such that 2^l divides t,
t is the middle of its cell (A, B) = (t - 2^l, t + 2^l). With P(t) positives from t on and N(t)
negatives below t, D = P - N falls from D(0) = inf to D(2T) = -inf, and t makes E = max(P, N)
mistakes on a consistent sample. A threshold is a candidate if D(A) > 0 > D(B); as D is monotone,
at most one of each level is. Its score is min(D(A)/2, -D(B)/2, v - E), at least 0.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Self

import numpy as np

from privsc_core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.sample import Sample

__all__ = ["Rung", "Scale", "candidates", "log_lump"]


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
        enough = math.ceil(np.logaddexp(0.0, lump + math.log(2.0 / beta - 1.0)) / rate * (1 - 1e-14))
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


@dataclass(frozen=True, slots=True)
class Rung:
    """A candidate and what its score is the least of.

    Attributes
    ----------
    level : int
        l, how often 2 divides t.
    t : int
        The threshold, in [1, 2T - 1]; those above T + 1 mean T + 1.
    left, right : float
        D(A) / 2 and -D(B) / 2, infinite at the ends of the tree.
    room : int
        v - E(t).
    score : float
        A multiple of 1/2, at least 0.
    """

    level: int
    t: int
    left: float
    right: float
    room: int

    @property
    def score(self) -> float:
        """The least of the three, at least 0."""
        return max(0.0, min(self.left, self.right, float(self.room)))


def candidates(sample: Sample, most: int) -> list[Rung]:
    """Return all candidates of a sample, consistent or not, leaves first.

    O((m + d) log m). D(t) = m₊ - #{points below t}, m₊ the number of positives: so D(A) > 0 up to
    the m₊-th smallest point p, and D(B) < 0 beyond the next one.

    Parameters
    ----------
    sample : Sample
    most : int
        v.
    """
    order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
    points = [sample.points[i] for i in order]
    positive, negative = (column[order].tolist() for column in sample.tallies())
    ones = [0, *accumulate(positive)]
    zeros = [0, *accumulate(negative)]
    every = [a + b for a, b in zip(ones, zeros, strict=True)]
    positives, top = ones[-1], 2 << sample.d

    def below(t: int) -> int:
        return bisect_left(points, t)

    p = points[bisect_left(every, positives) - 1] if positives else 0
    q = points[bisect_left(every, positives + 1) - 1] + 1 if zeros[-1] else top
    found = []
    for level in range(sample.d + 1):
        low = p >> (level + 1) << (level + 1)
        high = low + (2 << level)
        if high < q:
            continue
        t = low + (1 << level)
        place = below(t)
        mistakes = max(positives - ones[place], zeros[place])
        left = math.inf if low == 0 else 0.5 * (positives - every[below(low)])
        right = math.inf if high == top else 0.5 * (every[below(high)] - positives)
        found.append(Rung(level, t, left, right, most - mistakes))
    return found
