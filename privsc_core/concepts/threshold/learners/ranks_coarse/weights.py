"""What the candidates of `RanksCoarse` weigh on either side of the target, given how many points lie there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.threshold.learners.ranks_coarse.reach import Reach

__all__ = ["odds_against"]


def odds_against(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    speed: NDArray[np.float64],
    step: NDArray[np.float64],
    reach: Reach,
) -> NDArray[np.float64]:
    """Return the odds against success, in sums of positive terms.

    Candidates with fewer than J = `left` points before them are accurate iff at least J - k of
    those are within reach; the others iff more than k - J of the `right` ones are.
    """
    # How many there are on either side, and how far the first of them is from J.
    fewer = np.ceil(left / step)
    others = np.floor((left + right) / step) + 1.0 - fewer
    before, after = left - (fewer - 1.0) * step, fewer * step - left
    near = np.minimum(np.where(fewer > 0.0, before, np.inf), np.where(others > 0.0, after, np.inf))
    fall = speed * step
    ratio, all_ = np.exp(-fall), -1.0 / np.expm1(-fall)
    good: NDArray[np.float64] = np.zeros(())
    lost: NDArray[np.float64] = np.zeros(())
    sides = ((left, before, before - 1.0, fewer), (right, after, after, others))
    for points, away, passed, number in sides:
        first = np.where(number > 0.0, np.exp(speed * np.minimum(near - away, 0.0)), 0.0)
        side = _Side(first, ratio, all_, fall, passed, number, step)
        reached, missed = side.weights(points, reach)
        good, lost = good + reached, lost + missed
    return np.asarray(lost / np.maximum(good, 1e-300))


class _Side(NamedTuple):
    """The candidates of one side of z, from z outwards.

    The t-th of `number` weighs `first` e^{-fall t}, and is accurate iff more than passed + t step of
    the points of the side are within reach. `ratio` is e^-fall, and if there were no last one, all
    would weigh `all_` times the first.
    """

    first: NDArray[np.float64]
    ratio: NDArray[np.float64]
    all_: NDArray[np.float64]
    fall: NDArray[np.float64]
    passed: NDArray[np.float64]
    number: NDArray[np.float64]
    step: NDArray[np.float64]

    def weights(
        self, points: NDArray[np.float64], reach: Reach
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what the accurate and the inaccurate ones weigh."""
        # Those that are accurate for sure, then those of which it is open, then the others.
        low, high = reach.open(points)
        chances = reach.chances(np.broadcast_to(points, self.passed.shape))
        t = np.clip(np.ceil((low - self.passed) / self.step), 0.0, self.number)
        last = np.minimum(np.ceil((high - self.passed) / self.step), self.number)
        good = -self.first * self.all_ * np.expm1(-self.fall * t)
        weight = np.where(self.number > t, self.first * np.exp(-self.fall * t), 0.0)
        lost = np.zeros(good.shape)
        for _ in range(int((last - t).max(initial=0.0))):
            count = self.passed + t * self.step
            near = t < last
            hit, missed = np.zeros(count.shape), np.ones(count.shape)
            hit[near], missed[near] = chances(count, near)
            good += weight * hit
            lost += weight * missed
            t += 1.0
            weight = np.where(self.number > t, weight * self.ratio, 0.0)
        rest = np.expm1(-self.fall * np.maximum(self.number - t, 0.0))
        return good, lost - weight * self.all_ * rest
