"""The hash learner for every distribution, at the best number of bits."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.point.learners.hashing import default_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["HashBound"]


class HashBound(Bound):
    """2^-t / alpha' + (2^t - 1) r^m <= beta for the best t and alpha'."""

    name = "hash"
    title = "Hashing"
    legend = "Guaranteed: hashing at its best t (the learner runs t = ⌈log₂ 4/(αβ)⌉)"
    source = Source("ours", "constants for FX14, Section 3.1")
    without = ("d", "delta")
    kind = "upper"
    constants = "sharp"
    statement = (
        r"\min_{t,\,\alpha'}\Bigl\{\, m : \frac{2^{-t}}{\alpha'} + (2^t-1)\,r^m \le \beta \Bigr\}"
    )
    derivation = (
        "Two points share a bucket with probability $2^{-t}$, so the target's bucket has "
        "expected error at most $2^{-t}$, and error above $\\alpha'$ with probability at most "
        "$2^{-t}/\\alpha'$ (Markov). Otherwise each other bucket of error above $\\alpha$ is "
        "chosen with probability at most $r^m$, $r = "
        "1-\\alpha(1-e^{-\\varepsilon'/2})+\\alpha'(e^{\\varepsilon'/2}-1)$ with the best "
        "$\\varepsilon' \\le \\varepsilon$.\n\n"
        "The least $m$ over all $t$ and $\\alpha'$ is reported: no $d$, every distribution. "
        "$\\square$\n\n"
        "The learner that runs has $t = \\lceil\\log_2(4/(\\alpha\\beta))\\rceil$ bits and spends "
        "all of $\\varepsilon$: its curve is another learner's than the one that is guaranteed "
        "here."
    )
    applies_to = (
        "the hash learner at the number of bits t, and the privacy loss up to ε, that are best for "
        "the bound; the one that runs has t = ⌈log₂ 4/(αβ)⌉ and spends all of ε"
    )

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "hash"

    def least(self, at: Cell) -> BoundValue:
        """Return the least number of samples over t and alpha'."""
        return self.leasts([at])[0]

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Return the same of cells that differ in d and epsilon alone."""
        alpha, beta = cells[0].alpha, cells[0].beta
        place = {loss: k for k, loss in enumerate(dict.fromkeys(at.epsilon for at in cells))}
        best, runs = _bests(tuple(place), alpha, beta), default_bits(alpha, beta)
        told = [
            BoundValue(
                one.least,
                note=f"at t = {one.bits} bits and α' = {one.good:.3g}; the learner runs t = {runs}",
            )
            for one in best
        ]
        return [told[place[at.epsilon]] for at in cells]

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the guaranteed success probability of the hash that is best for beta."""
        distinct, place = np.unique(setting.epsilon, return_inverse=True)
        best = _bests(tuple(distinct.tolist()), setting.alpha, setting.beta)
        shape = setting.epsilon.shape
        bits, good, rate = (np.array([b[i] for b in best])[place].reshape(shape) for i in (1, 2, 3))
        failure = np.exp2(-bits) / good + np.exp(_log_buckets(bits, 1) - rate * setting.m)
        return np.broadcast_to(np.maximum(1.0 - failure, 0.0), setting.shape)


_LOG2 = math.log(2.0)


def _log_buckets(bits: NDArray[np.float64], fewer: int) -> NDArray[np.float64]:
    """Return log(2^t - fewer), for t beyond every float."""
    return np.asarray(bits * _LOG2 + np.log1p(-fewer * np.exp2(-bits)))


_GRID = 65
_ROUNDS = 4
_MORE_BITS = 16
_TOGETHER = 24  # larger tables cost more in page faults


class _Best(NamedTuple):
    """The least m, t, alpha' and the rate there."""

    least: int
    bits: int
    good: float
    rate: float


@lru_cache(maxsize=512)
def _bests(epsilons: tuple[float, ...], alpha: float, beta: float) -> tuple[_Best, ...]:
    """Return the best at every epsilon, over a range of t and a refined grid of alpha'."""
    starts = range(0, len(epsilons), _TOGETHER)
    parts = (_searched(epsilons[k : k + _TOGETHER], alpha, beta) for k in starts)
    return tuple(itertools.chain.from_iterable(parts))


def _searched(epsilons: Sequence[float], alpha: float, beta: float) -> list[_Best]:
    """Return the best at a few epsilons, over a range of t and a refined grid of alpha'.

    Any (t, alpha') gives a true bound, so a coarse search costs sharpness, never truth. The
    first t is the least with 2^-t / alpha < beta; no other is useful below it.

    What is needed grows with the share of beta that is lost to 2^-t / alpha', which falls with alpha',
    and with 1 / rate, which grows: between two places of the grid it is at least that share at the upper
    one over the rate at the lower one. A t for which that is above the best is not looked at again.
    """
    first = max(1, math.floor(-math.log2(alpha) - math.log2(beta)) + 1)
    bits = np.arange(first, first + _MORE_BITS, dtype=np.float64)[:, None]
    share = np.linspace(0.0, 1.0, _GRID + 2)
    lowest = -bits * _LOG2 - math.log(beta)
    factor = _log_buckets(bits, 1) - math.log(beta)

    def asked(
        grid: NDArray[np.float64], which: NDArray[np.intp], loss: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return what is asked for at places log alpha' of rows of t, and the rates; alpha' too."""
        good, free = np.exp(grid), math.log(alpha) - grid
        # What is left of beta, as a share: 1 - 2^-t / (alpha' beta).
        left = -np.expm1(lowest[which] - grid)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_factor = np.where(left > 0.0, factor[which] - np.log(left), np.inf)
        # Some epsilon' < epsilon may be best: it is the same for all of those.
        loss = np.minimum(loss, free.max())
        rate = -np.log1p(alpha * np.expm1(-0.5 * loss) + good * np.expm1(0.5 * loss))
        if (free < loss.max()).any():
            most = -np.log1p(alpha * np.expm1(-0.5 * free) + good * np.expm1(0.5 * free))
            rate = np.where(loss <= free, rate, most)
        return log_factor, rate, good

    loss = np.array(epsilons)[:, None, None]
    low, high = lowest, np.full(bits.shape, math.log(alpha))
    grid = low + share * (high - low)
    factors, rates, goods = asked(grid, np.arange(_MORE_BITS), loss)
    needed = _over(factors, rates)
    place, row = np.indices(needed.shape[:2]).reshape(2, -1)
    at = np.clip(needed.argmin(axis=2), 1, _GRID).ravel()
    value = needed[place, row, at]
    rate = rates[place, row, at]
    bound = np.minimum(
        _over(factors[row, at], rates[place, row, at - 1]), _over(factors[row, at + 1], rate)
    )
    best = value.reshape(needed.shape[:2]).min(axis=1)
    open_ = np.flatnonzero(bound <= best[place] * (1.0 + 1e-9))
    place, row, at, value, rate = (x[open_] for x in (place, row, at, value, rate))
    good, middle = goods[row, at], grid[row, at]
    step = ((high - low) / (_GRID + 1))[row, 0]
    loss, rows = loss[place, :, 0], np.arange(place.size)
    for _ in range(_ROUNDS - 1):
        grid = (middle - step)[:, None] + share[1:-1] * ((middle + step) - (middle - step))[:, None]
        factors, rates, goods = asked(grid, row, loss)
        needed = _over(factors, rates)
        at = needed.argmin(axis=1)
        step = ((middle + step) - (middle - step)) / (_GRID + 1)
        middle = grid[rows, at]
        less = needed[rows, at] < value
        value = np.where(less, needed[rows, at], value)
        good, rate = np.where(less, goods[rows, at], good), np.where(less, rates[rows, at], rate)
    order = np.lexsort((value, place))
    tops = order[np.searchsorted(place[order], np.arange(len(epsilons)))]
    return [
        _Best(max(1, math.ceil(value[k])), int(bits[row[k], 0]), float(good[k]), float(rate[k]))
        for k in tops.tolist()
    ]


def _over(factor: NDArray[np.float64], rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return factor / rate, infinite where there is no rate."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(rate > 0.0, factor / rate, np.inf)
