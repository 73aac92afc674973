"""Classes of any size: their dimensions by formula, and what pure privacy costs along the size.

The classes of Feldman and Xiao 2014, Sections 2.5 and 4 and Appendix B, over grids of N = 2^b places
an axis. Where the paper's number is wrong or only a bound, ours stands here (see slips.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import progress
from privsc_core.concepts.generic.littlestone import sharp_littlestones
from privsc_core.concepts.inequalities import least_at_rate, mechanism_rate
from privsc_core.errors import InputError
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["BITS", "FAMILIES", "MOST_AXES", "Family", "Priced", "priced"]

BITS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)  # bits of an axis that are computed
MOST_AXES = 100
_LOG2 = math.log(2.0)


@dataclass(frozen=True, slots=True)
class Family:
    """A class for every number of bits b of an axis, and of axes k.

    Attributes
    ----------
    name, title, words : str
        Fixed name, as in the paper, what a person calls it, and its concepts.
    vc : callable
        (b, k) -> its VC dimension.
    depth : callable
        (b, k) -> a depth of mistake trees whose concepts agree on one point, the dummy.
    log_size : callable
        (b, k) -> log |C|, or a bound from above.
    paper, ours : str
        The Littlestone dimension in the paper, and what is known of it here.
    """

    name: str
    title: str
    words: str
    vc: Callable[[int, int], int]
    depth: Callable[[int, int], int]
    log_size: Callable[[int, int], float]
    paper: str
    ours: str


def _sauer(points: float, dimension: int) -> float:
    """Return log of sum_{i <= VC} C(n, i), n = e^points, where n is large: Sauer's lemma."""
    # C(n, i) = n (n - 1) ... / i!, at most n^i / i!; and the sum at most 2^n.
    terms = [i * points - math.lgamma(i + 1) for i in range(dimension + 1)]
    log_sum = float(np.logaddexp.reduce(terms))
    return min(log_sum, math.exp(points) * _LOG2) if points < math.log(1e6) else log_sum


def _runs(b: int) -> float:
    """Return log of N (N + 1) / 2, the runs of places of an axis."""
    return b * _LOG2 + math.log(2.0**b + 1.0) - _LOG2


def _boxes(b: int, k: int) -> float:
    """Return log of the number of boxes, the empty one too."""
    return float(np.logaddexp(0.0, k * _runs(b)))


def _half_spaces(b: int, k: int) -> int:
    return (k * (k - 1) // 2 + 1) * b


def _boxes_vc(b: int, k: int) -> int:
    return k if b == 1 and k >= 2 else 2 * k


FAMILIES: tuple[Family, ...] = (
    Family(
        "Thr", "Thresholds", "an axis, labelled 1 from a place on",
        lambda _b, _k: 1, lambda b, _k: b, lambda b, _k: math.log(2.0**b + 1.0),
        "b", "b, computed for b ≤ 5",
    ),
    Family(
        "BOX", "Boxes", "axis-parallel boxes in k dimensions",
        _boxes_vc, lambda b, k: 2 * k * (b - 1), _boxes,
        "≥ kb", "≥ 2k(b - 1) beside the centre: each of 2k sides is a free binary search",
    ),
    Family(
        "HS", "Half-spaces", "half-spaces in k dimensions",
        lambda _b, k: k + 1, _half_spaces, lambda b, k: _sauer(k * b * _LOG2, k + 1),
        "(k(k - 1)/2 + 1)b, which is only ≥", "≥ (k(k - 1)/2 + 1)b + 1; one level less beside a dummy",
    ),
    Family(
        "BALL", "Balls", "balls in k dimensions",
        lambda _b, k: k + 1, _half_spaces, lambda b, k: _sauer(k * b * _LOG2, k + 1),
        "Ω(bk²)", "at least that of half-spaces, which are large balls",
    ),
    Family(
        "Line", "Lines modulo p", "y = ax + b over a prime p of b bits",
        lambda _b, _k: 2, lambda b, _k: min(b, 2), lambda b, _k: 2.0 * b * _LOG2,
        "2", "2, as every dimension: two points fix a line",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """What pure privacy costs a family along b.

    Attributes
    ----------
    family : Family
    b : ndarray of int64
    vc, depth : ndarray of int64
    lower, upper : ndarray of float64
        Every ε-DP learner needs m >= lower (sharp Littlestone bound); upper are enough (finite
        class).
    """

    family: Family
    b: NDArray[np.int64]
    vc: NDArray[np.int64]
    depth: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def priced(axes: int, *, epsilon: float, alpha: float, beta: float) -> tuple[Priced, ...]:
    """Return what pure privacy costs each family, for b of `BITS`.

    Parameters
    ----------
    axes : int
        k, from 1 to 100.
    epsilon, alpha, beta : float
    """
    if not 1 <= axes <= MOST_AXES:
        raise InputError("k", f"must be from 1 to {MOST_AXES}", axes)
    epsilon, alpha, beta = (
        scalar(name, value)
        for name, value in (("epsilon", epsilon), ("alpha", alpha), ("beta", beta))
    )
    rate = float(mechanism_rate(np.array(epsilon), alpha))
    found = []
    for family in progress.steps(FAMILIES):
        cells = [(b, axes) for b in BITS if family.depth(b, axes) >= 1]
        depth = [family.depth(*cell) for cell in cells]
        lower = sharp_littlestones(tuple(depth), (epsilon,) * len(depth), alpha=alpha, beta=beta)
        upper = [least_at_rate(family.log_size(*c) - math.log(beta), rate) for c in cells]
        found.append(
            Priced(
                family, np.array([b for b, _ in cells]),
                np.array([family.vc(*cell) for cell in cells]), np.array(depth),
                np.array([float(one.m) if one.m else math.nan for one in lower]),
                np.array(upper, dtype=np.float64),
            )
        )  # fmt: skip
    return tuple(found)
