"""The hash learner for every distribution, at the best number of bits."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.point.learners.hashing import default_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["HashBound"]


class HashBound(Bound):
    """2^-t / alpha' + (2^t - 1) r^m <= beta for the best t and alpha'."""

    free_of_delta = True
    name = "hash"
    title = "Hashing"
    legend = "Guaranteed: hashing at its best t (the learner runs t = ⌈log₂ 4/(αβ)⌉)"
    source = Source("ours", "constants for FX14, Section 3.1")
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
        least, bits, good, _ = _best(at.epsilon, at.alpha, at.beta)
        which = f"at t = {bits} bits and α' = {good:.3g}"
        runs = default_bits(at.alpha, at.beta)
        return BoundValue(least, note=f"{which}; the learner runs t = {runs}")

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the guaranteed success probability of the hash that is best for beta."""
        flat = setting.epsilon.ravel().tolist()
        best = [_best(e, setting.alpha, setting.beta) for e in flat]
        shape = setting.epsilon.shape
        bits, good, rate = (np.reshape([b[i] for b in best], shape) for i in (1, 2, 3))
        failure = np.exp2(-bits) / good + np.exp(_log_buckets(bits, 1) - rate * setting.m)
        return np.broadcast_to(np.maximum(1.0 - failure, 0.0), setting.shape)


_LOG2 = math.log(2.0)


def _log_buckets(bits: NDArray[np.float64], fewer: int) -> NDArray[np.float64]:
    """Return log(2^t - fewer), for t beyond every float."""
    return np.asarray(bits * _LOG2 + np.log1p(-fewer * np.exp2(-bits)))


_GRID = 65
_ROUNDS = 4
_MORE_BITS = 16


@lru_cache(maxsize=4096)
def _best(epsilon: float, alpha: float, beta: float) -> tuple[int, int, float, float]:
    """Return (least m, t, alpha', rate) over a range of t and a refined grid of alpha'.

    Any (t, alpha') gives a true bound, so a coarse search costs sharpness, never truth. The
    first t is the least with 2^-t / alpha < beta; no other is useful below it.
    """
    first = max(1, math.floor(-math.log2(alpha) - math.log2(beta)) + 1)
    bits = np.arange(first, first + _MORE_BITS, dtype=np.float64)[:, None]
    share = np.linspace(0.0, 1.0, _GRID + 2)[1:-1]
    least = -bits * _LOG2 - math.log(beta)
    low = least
    high = np.full(bits.shape, math.log(alpha))
    rows = np.arange(_MORE_BITS)
    best = (math.inf, 0, 0.0, 0.0)
    for _ in range(_ROUNDS):
        grid = low + share * (high - low)
        good = np.exp(grid)
        spend = np.minimum(epsilon, np.log(alpha) - grid)
        rate = -np.log1p(alpha * np.expm1(-0.5 * spend) + good * np.expm1(0.5 * spend))
        # What is left of beta, as a share: 1 - 2^-t / (alpha' beta).
        left = -np.expm1(least - grid)
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = (_log_buckets(bits, 1) - math.log(beta) - np.log(left)) / rate
        needed = np.where((left > 0.0) & (rate > 0.0), needed, np.inf)
        at = np.argmin(needed, axis=1)
        row = int(np.argmin(needed[rows, at]))
        column = at[row]
        if needed[row, column] < best[0]:
            best = (
                float(needed[row, column]), int(bits[row, 0]), float(good[row, column]),
                float(rate[row, column]),
            )  # fmt: skip
        step = (high - low) / (_GRID + 1)
        middle = grid[rows, at][:, None]
        low, high = middle - step, middle + step
    return max(1, math.ceil(best[0])), *best[1:]
