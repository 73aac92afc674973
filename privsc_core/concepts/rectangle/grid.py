"""Rectangles of a private grid (BNS15's GenericLearner; the sanitizer is ours).

The unlabelled examples give the cuts of both coordinates, each by medians of medians at epsilon / 2;
the labelled ones choose among the rectangles of the grid. Both parts are private and disjoint: so is
the whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.generic.medians import Node, drawn_cuts, law_of_cuts
from privsc_core.concepts.rectangle.hypotheses import differing
from privsc_core.concepts.rectangle.weights import Axis, Weights

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from privsc_core.concepts.generic.medians import Cut
    from privsc_core.concepts.rectangle.hypotheses import Box

__all__ = ["Grid", "cut_rate", "good_share", "law_of_grid", "law_on_grid", "weights_on"]


def cut_rate(epsilon: float, levels: int) -> float:
    """Return the factor of a median's score: half of epsilon for a coordinate, split over levels."""
    return epsilon / (4.0 * levels)


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The cuts of both coordinates, as drawn.

    Attributes
    ----------
    x, y : list of Cut
        Level by level.
    sizes : (int, int)
        How many values they have.
    """

    x: list[Cut]
    y: list[Cut]
    sizes: tuple[int, int]

    @classmethod
    def drawn(cls, x: Node, y: Node, *, levels: int, rate: float, rng: np.random.Generator) -> Grid:
        """Draw the cuts of the marginals x and y of the unlabelled examples."""
        across = drawn_cuts(x, levels, rate, rng)
        return cls(across, drawn_cuts(y, levels, rate, rng), (x.high, y.high))

    def axes(self) -> tuple[Axis, Axis]:
        """Return the cells of both coordinates."""
        across, up = (
            Axis.of_grid([cut.at for cut in cuts], size)
            for cuts, size in zip((self.x, self.y), self.sizes, strict=True)
        )
        return across, up


def weights_on(
    x: Axis, y: Axis, places: NDArray[np.int64], gains: NDArray[np.float64], rate: float
) -> Weights:
    """Return the weights of the rectangles of a grid, and the empty one.

    Parameters
    ----------
    x, y : Axis
        The cells.
    places : ndarray, shape (points, 2)
        Where labelled examples are.
    gains : ndarray, shape (points,)
        Positives minus negatives there.
    rate : float
        The factor of the gain.
    """
    row, column = (
        np.searchsorted(np.array([start for start, _ in axis.firsts]), values, "right") - 1
        for axis, values in ((x, places[:, 0]), (y, places[:, 1]))
    )
    table = np.zeros((len(x), len(y)))
    np.add.at(table, (row, column), gains)
    return Weights(x, y, table, rate)


def good_share(weights: Weights, target: Box, alpha: float) -> float:
    """Return how likely a rectangle of a grid differs from the target on at most alpha of the board."""
    x, y, rate = weights.x, weights.y, weights.rate
    sums = np.zeros((len(x) + 1, len(y) + 1))
    sums[1:, 1:] = rate * weights.gains.cumsum(axis=0).cumsum(axis=1)
    (first, last), (low, high) = (np.triu_indices(len(axis)) for axis in (x, y))
    strips = sums[last + 1] - sums[first]  # of every range of x
    logs = strips[:, high + 1] - strips[:, low]
    starts, ends = ([np.array(ends)[:, 0] for ends in (axis.firsts, axis.lasts)] for axis in (x, y))
    sides = (
        starts[0][first][:, None], starts[1][last][:, None], ends[0][low][None], ends[1][high][None]
    )  # fmt: skip
    board = float(x.size) * y.size
    good = differing(sides, target) <= alpha * board + 1e-9 * board
    top = max(float(logs.max()), weights.log_others)
    shares = np.exp(logs - top)
    left, right, bottom, up = target
    empty = (right - left + 1) * (up - bottom + 1) <= alpha * board
    others = math.exp(weights.log_others - top)
    return float((shares[good].sum() + others * empty) / (shares.sum() + others))


def law_of_grid(
    data: Iterable[tuple[int, int]], sizes: tuple[int, int], levels: int, rate: float
) -> dict[tuple[tuple[int, ...], tuple[int, ...]], float]:
    """Return the probability of every pair of cuts, for tiny boards."""
    points = np.array(list(data), dtype=np.int64).reshape(-1, 2)
    across, up = (law_of_cuts(Node.of(points[:, i], sizes[i]), levels, rate) for i in (0, 1))
    return {(x, y): p * q for x, p in across.items() for y, q in up.items()}


def law_on_grid(
    cuts: tuple[tuple[int, ...], tuple[int, ...]], sizes: tuple[int, int],
    places: NDArray[np.int64], gains: NDArray[np.float64], rate: float,
) -> dict[Box | None, float]:  # fmt: skip
    """Return the probability of every rectangle of a grid, None for the empty one; for tiny boards."""
    x, y = (Axis.of_grid(list(one), size) for one, size in zip(cuts, sizes, strict=True))
    weights = weights_on(x, y, places, gains, rate)
    total, over_x = weights.log_total(), weights.ranges()
    inside = list(zip(*np.triu_indices(len(y)), strict=True))
    found: dict[Box | None, float] = {None: float(np.exp(weights.log_others - total))}
    for first, last in zip(*over_x, strict=True):
        shares = np.exp(weights.of_strip(int(first), int(last)) - total).tolist()
        left, right = x.firsts[first][0], x.lasts[last][1]
        for (low, high), share in zip(inside, shares, strict=True):
            found[left, right, y.firsts[low][0], y.lasts[high][1]] = share
    return found
