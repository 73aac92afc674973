"""What the success laws of the histograms share.

The noise is symmetric and independent, so success is a product over the T points. A point
with a count below alpha m fails when its noise reaches alpha m: if it falls by that much, the
noisy count is negative and released as 0. All those points together are one factor
(1 - u)^(T - b), in log space. The b others are few; each may fail on both sides, and also by
being lost below the threshold.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.errors import InputError
from privsc_core.numerics.logspace import log_domain

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

# Joint laws are enumerated up to this many outputs.
_OUTPUTS_MOST = 200_000
# The largest exponent whose exponential is a finite float.
_EXPONENT_MOST = 709.0
_SMALL = -18.0
# Bits of a domain with more points than any count of heavy ones.
_ENOUGH = 64


def log_one_minus(log_u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log(-log(1 - u)) from log u, for u in (0, 1), however small."""
    small = log_u < _SMALL
    # Below e^-18 the next term of the series is lost in rounding.
    series = log_u + 0.5 * np.exp(np.minimum(log_u, _SMALL))
    direct = np.log(-np.log1p(-np.exp(np.where(small, _SMALL, log_u))))
    return np.where(small, series, direct)


def all_light(
    d: NDArray[np.int64], heavy: NDArray[np.int64], log_u: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return log (1 - u)^(2^d - heavy); `heavy` counts a few points, at most 2^d."""
    if heavy.size == 1:
        cells = log_domain(d, heavy.item())
        return -np.exp(np.minimum(cells + log_one_minus(log_u), _EXPONENT_MOST))
    shape = np.broadcast_shapes(d.shape, heavy.shape, log_u.shape)
    cells = np.full(shape, -math.inf)
    for number in np.unique(heavy).tolist():
        here = heavy == number
        # Elsewhere there may be fewer points than that.
        cells = np.where(here, log_domain(np.where(here, d, _ENOUGH), number), cells)
    return -np.exp(np.minimum(cells + log_one_minus(log_u), _EXPONENT_MOST))


def log_half_sum(up: NDArray[np.float64], down: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log(((1 - e^-up) + (1 - e^-down)) / 2), right to rounding at both ends."""
    lost = 0.5 * (np.exp(-up) + np.exp(-down))
    few = lost < 0.5
    with np.errstate(divide="ignore"):
        direct = np.log(-np.expm1(-up) - np.expm1(-down)) - math.log(2.0)
    return np.where(few, np.log1p(-np.where(few, lost, 0.0)), direct)


def laplace_at_least(value: float, rate: float) -> float:
    """Return Pr[L >= value] for the density (rate / 2) e^(-rate |y|)."""
    tail = 0.5 * math.exp(-rate * abs(value))
    return tail if value >= 0.0 else 1.0 - tail


def laplace_cell(count: int, edges: list[float], rate: float) -> dict[float, float]:
    """Return the law of one noisy count in bins: 0 below the first edge, else the left edge.

    A first edge at 0 shares its bin with the counts that are released as 0. Binning is post-processing of the release, so it cannot hurt privacy; with edges at the
    whole numbers it does not hide a loss either, because a density ratio is largest there.
    """
    reach = [laplace_at_least(edge - count, rate) for edge in edges]
    law = {0.0: laplace_at_least(count - edges[0], rate)}
    for edge, (more, less) in zip(edges, itertools.pairwise([*reach, 0.0]), strict=True):
        law[edge] = law.get(edge, 0.0) + more - less
    return law


def joint(cells: list[dict[float, float]]) -> dict[Hashable, float]:
    """Return the joint law of independent released counts, point by point.

    Raises
    ------
    InputError
        When there are too many outputs to list.
    """
    outputs = math.prod(map(len, cells))
    if outputs > _OUTPUTS_MOST:
        requirement = f"must leave at most {_OUTPUTS_MOST} joint releases of 2^d points"
        raise InputError("d", requirement, len(cells).bit_length() - 1)
    return {
        tuple(value for value, _ in combined): math.prod(chance for _, chance in combined)
        for combined in itertools.product(*(cell.items() for cell in cells))
    }
