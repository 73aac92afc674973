"""What the candidates of `RanksCoarse` weigh on either side of the target, given how many points lie there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.threshold.learners.ranks_coarse.reach import Reach

__all__ = ["odds_against"]

# Products above this size wake the BLAS threads, which costs more than it gives.
_BLAS_SERIAL = 262_144


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
        start = np.clip(np.ceil((low - self.passed) / self.step), 0.0, self.number)
        last = np.minimum(np.ceil((high - self.passed) / self.step), self.number)
        together = self.fall.shape[0] == 1 < self.fall.shape[1] and self.passed.shape[1] == 1
        t, good, lost = (self._product if together else self._sums)(points, reach, start, last)
        good -= self.first * self.all_ * np.expm1(-self.fall * start)
        rest = np.expm1(-self.fall * np.maximum(self.number - t, 0.0))
        return good, lost - self.first * np.exp(-self.fall * t) * self.all_ * rest

    def _sums(
        self,
        points: NDArray[np.float64],
        reach: Reach,
        start: NDArray[np.float64],
        last: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the t after those that are open, and what of these is accurate, and what not."""
        t, chances = start.copy(), reach.chances(np.broadcast_to(points, self.passed.shape))
        weight = np.where(self.number > t, self.first * np.exp(-self.fall * t), 0.0)
        good, lost = np.zeros((2, *weight.shape))
        for _ in range(int((last - t).max(initial=0.0))):
            count = self.passed + t * self.step
            near = t < last
            hit, missed = np.zeros(count.shape), np.ones(count.shape)
            hit[near], missed[near] = chances(count, near)
            good += weight * hit
            lost += weight * missed
            t += 1.0
            weight = np.where(self.number > t, weight * self.ratio, 0.0)
        return t, good, lost

    def _product(
        self,
        points: NDArray[np.float64],
        reach: Reach,
        start: NDArray[np.float64],
        last: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the same where all steps are alike, for many speeds: the chances are theirs in common."""
        t = start + np.arange(int((last - start).max(initial=0.0)))
        near = t < last
        known = np.zeros((2, *t.shape))
        count = np.broadcast_to(self.passed + t * self.step, t.shape)
        known[1][(t < self.number) & ~near] = 1.0
        known[:, near] = reach.chances(np.broadcast_to(points, t.shape))(count, near)
        powers = np.exp(-self.fall * np.arange(t.shape[1])[:, None])
        weight = self.first * np.exp(-self.fall * start)
        good, lost = np.empty((2, *weight.shape))
        rows = max(1, _BLAS_SERIAL // max(1, powers.size))
        for begin in range(0, len(weight), rows):
            some = slice(begin, begin + rows)
            np.matmul(known[0][some], powers, out=good[some])
            np.matmul(known[1][some], powers, out=lost[some])
        return start + t.shape[1], good * weight, lost * weight
