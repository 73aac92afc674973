"""The success law of the exponential mechanism over all lines, where examples lie off the target too.

A line but the target passes one of its p points or none, and some of the examples beside it. Of a
small p all p^2 lines are gone through. Of a larger one those examples count by what they do to a line
on average: all of them together pass every line as often as they must, and only how many of them lie
on one line is left to chance. For p above 2^8 that moves the odds by less than a part in a thousand,
far below what a simulation tells.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.laws import exact, rao_blackwell
from privsc_core.concepts.line.occupied import occupied
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting
    from privsc_core.concepts.line.distributions import Profile

    Draw = Callable[[int, int, np.random.Generator], tuple[Any, ...]]

__all__ = ["law_off_target"]

# Up to such a p every line is gone through, so many places of a table at a time.
_EVERY = 1 << 8
_TABLE = 1 << 20
# Odds below e^-40 are none beside 1.
_NEGLIGIBLE = 40.0
_EXAMPLES_MOST = 40_000


def law_off_target(profile: Profile, p: float, setting: Setting) -> Estimate:
    """Return the law of a profile that is even on the target and even beside it, p below 2^40.

    Raises
    ------
    InputError
        For an epsilon at which more examples matter than are simulated.
    """
    mass, size, alpha = profile.even[0], int(p), decimal(setting.alpha)
    # What a line errs on that meets the target, and one that does not.
    if mass + (1 - mass) / (size - 1) <= alpha:
        return exact(np.ones(setting.shape), setting)
    accurate = mass + (1 - 2 * mass) / size <= alpha
    least = float(setting.epsilon.min())
    enough = 4.0 * (2.0 * math.log(p) + _NEGLIGIBLE) / least
    if min(float(setting.m.max()), enough / float(mass)) > _EXAMPLES_MOST:
        needed = enough * least / float(mass) / _EXAMPLES_MOST
        raise InputError("epsilon", f"must be at least {needed:.2g} to simulate here", least)
    law = _every_line if size <= _EVERY else _on_average
    return rao_blackwell(setting, *law(mass, size, enough, accurate=accurate))


def _odds(
    meeting: NDArray[np.float64], apart: NDArray[np.float64], *, accurate: bool
) -> NDArray[np.float64]:
    """Return the chance of success, given what lines weigh that meet the target and that do not."""
    good = 1.0 + meeting if accurate else np.ones(meeting.shape)
    return np.asarray(good / (1.0 + meeting + apart))


def _on_average(
    mass: Fraction, p: int, enough: float, *, accurate: bool
) -> tuple[Draw, Callable[..., NDArray[np.float64]]]:
    def sampled(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
        hits = rng.binomial(m, float(mass), size=trials)
        beside = (m - hits).astype(np.float64)
        hits = np.minimum(hits, math.ceil(enough))
        return (hits.astype(np.float64), beside, *occupied(hits, p, rng)[:3])

    def given(
        d: int, epsilon: float, hits: NDArray[np.float64], beside: NDArray[np.float64],
        rows: NDArray[np.int64], counts: NDArray[np.int64], many: NDArray[np.int64],
    ) -> NDArray[np.float64]:  # fmt: skip
        del d
        half, lost = 0.5 * epsilon, np.expm1(-0.5 * epsilon)
        missed = np.exp(-half * hits)
        passed = np.bincount(rows, many * np.exp(-half * (hits[rows] - counts)), hits.size)
        unseen = p - np.bincount(rows, many, hits.size)
        meeting = (p - 1.0) * (passed + unseen * missed) * np.exp(beside * np.log1p(lost / p))
        apart = (p - 1.0) * missed * np.exp(beside * np.log1p(lost / (p - 1.0)))
        return _odds(meeting, apart, accurate=accurate)

    return sampled, given


def _every_line(
    mass: Fraction, p: int, enough: float, *, accurate: bool
) -> tuple[Draw, Callable[..., NDArray[np.float64]]]:
    del enough
    slopes = np.arange(p)
    # Where the line y = ax + b meets the target: only parallels, in the first row, do not.
    inverses = np.array([0] + [pow(a, -1, p) for a in range(1, p)])
    meets = -slopes[None, :] * inverses[:, None] % p

    def tables(
        m: int, trials: int, rng: np.random.Generator
    ) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield the mistakes of all lines, shape (samples, a, b), with the number of the first."""
        at_once = max(_TABLE // (p * max(p, m)), 1)
        for first in range(0, trials, at_once):
            hits = rng.binomial(m, float(mass), size=min(at_once, trials - first))
            on = rng.multinomial(hits, np.full(p, 1.0 / p))
            rows = np.repeat(np.arange(hits.size), m - hits)
            x, y = rng.integers(p, size=rows.size), rng.integers(1, p, size=rows.size)
            lines = (rows[:, None] * p + slopes) * p + (y[:, None] - slopes * x[:, None]) % p
            passed = np.bincount(lines.ravel(), minlength=hits.size * p * p)
            mistakes = passed.reshape(-1, p, p) + hits[:, None, None]
            mistakes[:, 1:] -= on[:, meets[1:]]
            yield first, mistakes

    def sampled(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
        found = []
        for first, mistakes in tables(m, trials, rng):
            # The target itself, in the corner, makes none and is told by that.
            rows = first + np.arange(mistakes.shape[0])[:, None, None]
            kinds = 2 * rows + (slopes[:, None] > 0)
            keys = kinds * (2 * m + 1) + mistakes
            keys[:, 0, 0] = -1
            found.append(np.unique(keys, return_counts=True))
        keys, counts = (np.concatenate(part) for part in zip(*found, strict=True))
        keys, counts = keys[keys >= 0], counts[keys >= 0]
        kinds, mistakes = np.divmod(keys, 2 * m + 1)
        return np.array(trials), kinds, mistakes, counts

    def given(
        d: int, epsilon: float, trials: NDArray[np.int64], kinds: NDArray[np.int64],
        mistakes: NDArray[np.int64], counts: NDArray[np.int64],
    ) -> NDArray[np.float64]:  # fmt: skip
        del d
        weights = counts * np.exp(-0.5 * epsilon * mistakes)
        weighed = np.asarray(np.bincount(kinds, weights, 2 * int(trials)), dtype=np.float64)
        weighed = weighed.reshape(-1, 2)
        return _odds(weighed[:, 1], weighed[:, 0], accurate=accurate)

    return sampled, given
