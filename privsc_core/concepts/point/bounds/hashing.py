"""The hash learner for every distribution, at the best number of bits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Constants, Kind, Learner, Setting

__all__ = ["HashBound"]


@dataclass(frozen=True)
class HashBound(Bound):
    """2^-t / alpha' + (2^t - 1) r^m <= beta for the best t and alpha'."""

    name: ClassVar[str] = "hash"
    title: ClassVar[str] = "Hashing"
    source: ClassVar[Source] = Source("ours", "constants for FX14, Section 3.1")
    kind: ClassVar[Kind] = "upper"
    constants: ClassVar[Constants] = "sharp"
    statement: ClassVar[str] = (
        r"\min_{t,\,\alpha'}\Bigl\{\, m : \frac{2^{-t}}{\alpha'} + (2^t-1)\,r^m \le \beta \Bigr\}"
    )
    derivation: ClassVar[str] = (
        "Two points share a bucket with probability $2^{-t}$, so the target's bucket has "
        "expected error at most $2^{-t}$, and error above $\\alpha'$ with probability at most "
        "$2^{-t}/\\alpha'$ (Markov). Otherwise each other bucket of error above $\\alpha$ is "
        "chosen with probability at most $r^m$, $r = "
        "1-\\alpha(1-e^{-\\varepsilon'/2})+\\alpha'(e^{\\varepsilon'/2}-1)$ with the best "
        "$\\varepsilon' \\le \\varepsilon$.\n\n"
        "The least $m$ over all $t$ and $\\alpha'$ is reported: no $d$, every distribution. "
        "$\\square$"
    )
    applies_to: ClassVar[str] = "the hash learner (at its best number of bits)"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "hash"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del d, delta
        return BoundValue(_best(epsilon, alpha, beta)[0])

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the guaranteed success probability of the hash that is best for beta."""
        flat = setting.epsilon.ravel().tolist()
        best = [_best(e, setting.alpha, setting.beta) for e in flat]
        shape = setting.epsilon.shape
        bits, good, rate = (np.reshape([b[i] for b in best], shape) for i in (1, 2, 3))
        failure = np.exp2(-bits) / good + np.expm1(bits * _LOG2) * np.exp(-rate * setting.m)
        return np.broadcast_to(np.maximum(1.0 - failure, 0.0), setting.shape)


_LOG2 = math.log(2.0)
_GRID = 65
_ROUNDS = 6
_MORE_BITS = 24


@lru_cache(maxsize=4096)
def _best(epsilon: float, alpha: float, beta: float) -> tuple[int, int, float, float]:
    """Return (least m, t, alpha', rate): every t, and a refined grid of alpha' for each.

    Any (t, alpha') gives a true bound, so a coarse search costs sharpness, never truth.
    """
    first = max(1, math.floor(-math.log2(alpha * beta)))
    answers = [_at(bits, epsilon, alpha, beta) for bits in range(first, first + _MORE_BITS)]
    return min(answer for answer in answers if answer is not None)


def _at(
    bits: int, epsilon: float, alpha: float, beta: float
) -> tuple[int, int, float, float] | None:
    least = math.ldexp(1.0, -bits) / beta
    if least >= alpha:
        return None
    low, high = math.log(least), math.log(alpha)
    best = (math.inf, 0.0, 0.0)
    for _ in range(_ROUNDS):
        inner = np.linspace(low, high, _GRID)[1:-1]
        good = np.exp(inner)
        spend = np.minimum(epsilon, np.log(alpha / good))
        rate = -np.log1p(alpha * np.expm1(-0.5 * spend) + good * np.expm1(0.5 * spend))
        left = beta - math.ldexp(1.0, -bits) / good
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = (math.log(math.expm1(bits * _LOG2)) - np.log(left)) / rate
        needed = np.where((left > 0.0) & (rate > 0.0), needed, np.inf)
        at = int(np.argmin(needed))
        if needed[at] < best[0]:
            best = (float(needed[at]), float(good[at]), float(rate[at]))
        step = inner[1] - inner[0]
        low, high = float(inner[at] - step), float(inner[at] + step)
    if not math.isfinite(best[0]):
        return None
    return max(1, math.ceil(best[0])), bits, best[1], best[2]
