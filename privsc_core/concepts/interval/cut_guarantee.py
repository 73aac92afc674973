"""What suffices to the generic learner of intervals on every distribution: labels against people.

For any x, eta in (0, 1) and a < alpha it fails with probability at most

    r T e^{-eps x / (2r)} + ceil(1/eta) Pr[Bin(u, a - eta) <= u 2^-r + 2x] + (2^r - 1) rho^m,

rho = 1 - alpha (1 - e^{-e/2}) + a (e^{e/2} - 1), e = min(eps, log(alpha/a)), r levels of medians. First: on a
level the ranges are disjoint, so that all its medians have a score of at most x with probability
1 - T e^{-eps x / (2r)}; then a leaf holds at most u 2^-r + 2x people. Second: a gap of mass over a, lifted to
[0, 1] by its randomised quantile, holds a window of length a - eta that starts at a multiple of eta, and few
people fall into one of these. So some cut is within a of the target, and third the exponential mechanism, at
loss e, prefers it to each of the others that err on more than alpha.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell

__all__ = ["Guarantee", "guaranteed"]

# Levels, a as a share of alpha, x as a share of a u; eta is a / 80.
_LEVELS = np.arange(5, 9)[:, None, None]
_SHARES = np.linspace(0.2, 0.5, 7)[None, :, None]
_SCORES = np.linspace(0.02, 0.49, 48)[None, None, :]
_WINDOWS = 80
_MOST = 2.0**40


class Guarantee(NamedTuple):
    """So many labels and people suffice, with so many levels of medians."""

    labels: int
    people: int
    levels: int


def guaranteed(at: Cell) -> tuple[Guarantee, ...]:
    """Return what suffices for every target on every distribution: the fewest people for each of the labels.

    Ours. A third of beta goes to the people, the rest to the labels; the best of a grid of levels, a and x.

    Parameters
    ----------
    at : Cell

    Returns
    -------
    tuple of Guarantee
        More labels and fewer people from one to the next; empty where the grid has none.
    """
    r, gap = _LEVELS, at.alpha * _SHARES
    loss = np.minimum(at.epsilon, -np.log(_SHARES))
    rho = 1.0 + at.alpha * np.expm1(-0.5 * loss) + gap * np.expm1(0.5 * loss)
    rivals = r * math.log(2.0) + np.log1p(-(2.0**-r)) - math.log(2.0 * at.beta / 3.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        labels = np.where(rho < 1.0, np.ceil(-rivals / np.log(rho)), np.inf)
    window = gap * (1.0 - 1.0 / _WINDOWS)
    starts = np.ceil(_WINDOWS / gap)

    def enough(people: NDArray[np.float64]) -> NDArray[np.bool_]:
        score = _SCORES * gap * people
        log_missed = np.log(r) + at.d * math.log(2.0) - at.epsilon * score / (2.0 * r)
        crowded = np.floor(people * 2.0**-r + 2.0 * score)
        few = special.betaincc(crowded + 1.0, np.maximum(people - crowded, 1.0), window)
        few[crowded >= people] = 1.0
        lost = np.exp(np.minimum(log_missed, 1.0)) + starts * few
        return np.asarray(lost <= at.beta / 3.0)

    low = np.ones(np.broadcast_shapes(r.shape, gap.shape, _SCORES.shape))
    high = np.full(low.shape, _MOST)
    reached = enough(high)
    while (high - low > 1.0).any():
        middle = np.floor(0.5 * (low + high))
        good = enough(middle)
        high, low = np.where(good, middle, high), np.where(good, low, middle)
    found: list[Guarantee] = []
    every = np.isfinite(labels) & reached
    levels = np.broadcast_to(r, low.shape)[every].tolist()
    sizes = np.broadcast_to(labels, low.shape)[every].tolist(), high[every].tolist()
    for m, u, depth in sorted(zip(*sizes, levels, strict=True)):
        if not found or u < found[-1].people:
            found.append(Guarantee(int(m), int(u), int(depth)))
    return tuple(found)
