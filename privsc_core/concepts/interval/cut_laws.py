"""How the generic learner of intervals does: what private cuts leave, and the choice by labels.

On `hard` only the slots of the cuts matter: at the step, between point 1 and the step, behind it. They
depend on the unlabelled examples alone, the choice on the labelled ones: a plane of (m, u) is a
simulated table of slots for every u, and an exact one of shares for every m.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.generic.medians_many import cuts_of_many, in_scale, slots
from privsc_core.concepts.laws import by_d, rao_blackwell
from privsc_core.numerics.binomial_windows import binomial_window

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting
    from privsc_core.concepts.interval.distributions import Hard
    from privsc_core.concepts.sample import Sample

__all__ = ["cut_law", "patterns", "points_of", "share_of", "shares", "unlimited"]

_SEEDS = 1 << 62


def cut_law(
    law: Hard, setting: Setting, u: int, levels: int,
    rate: Callable[[float], float], cut_rate: Callable[[float], float],
) -> Estimate:  # fmt: skip
    """Average the chance of success given the cuts and the labelled examples.

    Parameters
    ----------
    law, setting
        As for `Learner.success`.
    u, levels : int
        Unlabelled examples, and depth of the tree of medians.
    rate, cut_rate : callable
        epsilon -> factor of the mistakes, and of a median's score.
    """
    for d in np.unique(setting.d).tolist():
        law.check(d=d, alpha=setting.alpha)

    def counted(m: int, trials: int, rng: np.random.Generator) -> tuple[Any, ...]:
        a = setting.alpha
        seed = rng.integers(_SEEDS)  # first: so every m has the same cuts
        return (*rng.multinomial(m, [max(1.0 - 2.0 * a, 0.0), a, a], size=trials).T, seed)

    def given(
        d: int, epsilon: float, one: NDArray[np.int64], left: NDArray[np.int64],
        right: NDArray[np.int64], seed: np.int64,
    ) -> NDArray[np.float64]:  # fmt: skip
        at = d, cut_rate(epsilon), setting.alpha
        found = _patterns(law, u, levels, *at, one.size, int(seed))
        return share_of(found.T, one, left, right, rate(epsilon))

    return by_d(setting, lambda _d, part: rao_blackwell(part, counted, given))


def points_of(sample: Sample) -> NDArray[np.int64]:
    """Return the point of every example, in order."""
    return np.array(sample.points, dtype=np.int64).reshape(-1)[sample.index]


def patterns(
    law: Hard, u: int, levels: int, d: int, cut_rate: float, alpha: float, trials: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:  # fmt: skip
    """Draw how many thresholds of the class lie up to 1, up to j - 1, at j and behind, T + 1 with them.

    Returns
    -------
    ndarray of int64, shape (trials, 4)
        The second entry is 1 iff the target is there.
    """
    bits, log_scale = in_scale(d)
    j = law.target(bits)
    places = np.array([1, j - 1, j])
    people = rng.multinomial(u, [max(1.0 - 2.0 * alpha, 0.0), alpha, alpha], size=trials)
    cuts = cuts_of_many(places, people, 1 << bits, levels, cut_rate, rng, log_scale)
    found = slots(cuts, places)
    found[:, 3] += 1
    return found


# A curve over m, and a search for the least one, ask for the same again and again.
@lru_cache(maxsize=64)
def _patterns(
    law: Hard, u: int, levels: int, d: int, cut_rate: float, alpha: float, trials: int, seed: int
) -> NDArray[np.int64]:
    found = patterns(law, u, levels, d, cut_rate, alpha, trials, np.random.default_rng(seed))
    found.flags.writeable = False  # shared
    return found


def share_of(
    pattern: tuple[NDArray[np.int64], ...] | NDArray[np.int64], one: NDArray[np.int64],
    left: NDArray[np.int64], right: NDArray[np.int64], rate: float,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the target's share given slots and labelled examples on 1, j - 1 and j."""
    none, below, target, above = pattern
    odds = none * np.exp(-rate * (one + left)) + below * np.exp(-rate * left)
    return np.asarray(target / np.maximum(target + odds + above * np.exp(-rate * right), 1e-300))


def shares(
    pattern: NDArray[np.int64], m: int, rate: float, alpha: float
) -> NDArray[np.float64]:  # fmt: skip
    """Return the target's exact share for patterns, over m labelled examples of `hard`.

    Parameters
    ----------
    pattern : ndarray, shape (patterns, 4)
        As `patterns` returns them.

    Returns
    -------
    ndarray, shape (patterns,)
    """
    start, chance = binomial_window(m, 2.0 * alpha)
    total = np.zeros(len(pattern))
    none, below, target, above = (column[:, None] for column in pattern.T)
    for both, weight in enumerate(chance.tolist(), start):
        first, split = _sides(both)
        left = first + np.arange(split.size)
        given = share_of((none, below, target, above), np.array(m - both), left, both - left, rate)
        total += weight * (given @ split)
    return total


# Every m asks for those of its neighbours again.
@lru_cache(maxsize=4096)
def _sides(both: int) -> tuple[int, NDArray[np.float64]]:
    """Return how many of the examples at the step lie left of it: the least, and chances from it on."""
    return binomial_window(both, 0.5)


def unlimited(m: int, rate: float, alpha: float, levels: int) -> float:
    """Return the success of m labels with any number of unlabelled examples; levels at least 3.

    With all points found the target's left half of cuts has 2^(levels - 2) on its near side, and
    half as many behind the step; T + 1 and the cuts up to point 1 take their part too.
    """
    half = 1 << (levels - 2)
    start, chance = binomial_window(m, 2.0 * alpha)
    total = 0.0
    for both, weight in enumerate(chance.tolist(), start):
        first, split = _sides(both)
        left = first + np.arange(split.size)
        right = both - left
        odds = half * np.exp(-rate * left) + half / 2 * np.exp(-rate * right)
        total += weight * float((1.0 / (1.0 + odds + np.exp(-rate * (m - right)))) @ split)
    return total if math.isfinite(total) else 0.0
