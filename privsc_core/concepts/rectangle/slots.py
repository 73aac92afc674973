"""The law of private grids on `hard8`: what a rectangle does there depends on the slots of its sides.

Between the five coordinates that the nine points have lie six slots. Only rectangles whose four sides lie
in the target's own slots succeed, and those slots have one place each.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.generic.medians_many import cuts_of_many, in_scale, slots

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.rectangle.distributions import Hard8

__all__ = ["Grids", "drawn_grids", "drawn_labels", "shares"]

_RANGES = tuple(itertools.combinations(range(6), 2))  # slots of the first side, and of the last
_TARGET = _RANGES.index((1, 4))
_SIGNS = np.array([1.0] * 5 + [-1.0] * 4)
# Coordinates of the nine points among the five: centre, four inner ones, four outer ones.
_PLACES = ((2, 2), (1, 2), (3, 2), (2, 1), (2, 3), (0, 2), (4, 2), (2, 0), (2, 4))
_INSIDE = np.array([
    [[a <= x < b and c <= y < e for x, y in _PLACES] for c, e in _RANGES] for a, b in _RANGES
], dtype=np.float64)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Grids:
    """Grids that have the target, by how many ranges of each coordinate hold which of its points.

    Attributes
    ----------
    of : ndarray of int64
        Which of the draws they are; the others lack a side of the target.
    x, y : ndarray of float64, shape (grids, 15)
        How many ranges of cells have their sides in a pair of slots.
    others : ndarray of float64
        How many rectangles hold none of the points, the empty one among them.
    """

    of: NDArray[np.int64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    others: NDArray[np.float64]


def _masses(law: Hard8, alpha: float) -> NDArray[np.float64]:
    shares = np.array([float(mass) for mass in law.masses(alpha)])
    return np.asarray(shares / shares.sum())


def drawn_grids(
    law: Hard8, u: int, levels: int, d: int, cut_rate: float, alpha: float, trials: int,
    rng: np.random.Generator,
) -> Grids:  # fmt: skip
    """Draw the unlabelled examples and a grid, so many times; `cut_rate` as for a median's score."""
    people = rng.multinomial(u, _masses(law, alpha), size=trials)
    bits, log_scale = in_scale(d)
    places = np.array(sorted({x for x, _ in law.atoms(bits)}))
    ranges, number = [], []
    for coordinate in (0, 1):
        counts = np.zeros((trials, places.size), dtype=np.int64)
        for point, place in enumerate(_PLACES):
            counts[:, place[coordinate]] += people[:, point]
        cuts = cuts_of_many(places, counts, 1 << bits, levels, cut_rate, rng, log_scale)
        # The grid begins at 1 anyway, and ends behind the board.
        sides = slots(np.where(cuts == 1, 0, cuts), places)
        sides[:, 0] += 1
        sides[:, -1] += 1
        ranges.append(np.stack([sides[:, a] * sides[:, b] for a, b in _RANGES], axis=1))
        number.append(sides.sum(axis=1) * (sides.sum(axis=1) - 1) // 2)
    x, y = (found.astype(np.float64) for found in ranges)
    others = number[0] * number[1] - x.sum(axis=1) * y.sum(axis=1) + 1.0
    there = np.flatnonzero((x[:, _TARGET] > 0) & (y[:, _TARGET] > 0))
    return Grids(there, x[there], y[there], others[there])


def drawn_labels(
    law: Hard8, m: int, alpha: float, trials: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw what every pair of ranges gains on m labelled examples, below what the target gains.

    Returns
    -------
    ndarray, shape (trials, 15, 15, 2)
        The last axis: of the pair, and of a rectangle with none of the points.
    """
    seen = rng.multinomial(m, _masses(law, alpha), size=trials) * _SIGNS
    gains = np.einsum("xyp,np->nxy", _INSIDE, seen)
    best = gains[:, _TARGET, _TARGET][:, None, None]
    return np.stack([gains - best, np.broadcast_to(-best, gains.shape)], axis=3)


def shares(grids: Grids, lost: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """Return the target's share for every draw, 0 where the grid lacks it.

    Parameters
    ----------
    lost : ndarray
        As `drawn_labels` returns it.
    rate : float
        The factor of the mistakes.
    """
    weights = np.exp(rate * lost[grids.of])
    total = np.einsum("nx,ny,nxy->n", grids.x, grids.y, weights[..., 0])
    total += grids.others * weights[:, 0, 0, 1]
    found = np.zeros(len(lost))
    found[grids.of] = 1.0 / total
    return found
