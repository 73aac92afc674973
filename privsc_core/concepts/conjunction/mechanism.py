"""What the exponential mechanism does on independent bits, averaged over drawn samples.

Given a sample a conjunction is drawn with probability proportional to e^{-rate * mistakes}: success is
G / (G + F), the weights of the accurate ones over all. Sums over supersets count the mistakes of all
2^d conjunctions at once, so that the coins of the mechanism are integrated out and only those of the
sample are drawn.

The target weighs 1, and 1 / (1 + x) is convex, so that success is at least 1 / (1 + E F). E F is known:
A literals too few and B too many err with probability e(A, B), and such a conjunction weighs
(1 - e(A, B) (1 - e^{-rate}))^m on average. Where that leaves nothing open, nothing is drawn.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Estimate
from privsc_core.concepts.laws import by_d, narrowed, rao_blackwell
from privsc_core.errors import InputError
from privsc_core.numerics.supersets import add_supersets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from privsc_core.concepts.conjunction.product import Product
    from privsc_core.concepts.contracts import Setting

__all__ = ["BITS_MOST", "mechanism_law"]

BITS_MOST = 16
"""The most bits: on every sample the mistakes of all 2^d conjunctions are counted."""

_NARROW = 1e-4  # Nothing is drawn where at most so much is open.
_ENTRIES = 1 << 21  # of mistakes that are counted at once
_COINS = 1 << 22  # drawn at a time


def mechanism_law(
    distribution: Product, setting: Setting, rate: Callable[[float], float]
) -> Estimate:
    """Return the law of who draws a conjunction with weight e^{-rate(epsilon) * mistakes}.

    Raises
    ------
    InputError
        Where there are too many conjunctions to count the mistakes of all of them.
    """
    for d in (int(setting.d.min()), int(setting.d.max())):
        distribution.check(d=d, alpha=setting.alpha)
        if d > BITS_MOST:
            wanted = f"must be at most {BITS_MOST} on {distribution.name} to weigh all conjunctions"
            raise InputError("d", wanted, d)
    return by_d(setting, partial(_at_one_d, distribution, rate))


def _at_one_d(
    distribution: Product, rate: Callable[[float], float], d: int, setting: Setting
) -> Estimate:
    m = np.broadcast_to(setting.m, setting.shape)
    epsilon = np.broadcast_to(setting.epsilon, setting.shape)
    most = np.array(distribution.allowed(d, setting.alpha))
    good = _accurate(*_wrong(distribution, d), most)
    low = np.exp(-np.logaddexp(0.0, _log_rivals(distribution, rate, d, m, epsilon, most)))
    proved = Estimate(low, low, np.ones(setting.shape), "rao-blackwell")
    open_ = 1.0 - low > _NARROW
    if not open_.any():
        return proved

    def given(_: int, loss: float, *mistakes: NDArray[Any]) -> NDArray[np.float64]:
        return _chance(rate(loss), good, mistakes)

    part = replace(setting, m=m[open_], d=np.array(d), epsilon=epsilon[open_])
    drawn = rao_blackwell(part, partial(_mistakes, distribution, d), given)
    return narrowed(proved, open_, drawn)


def _chance(
    rate: float, good: NDArray[np.bool_], mistakes: tuple[NDArray[Any], ...]
) -> NDArray[np.float64]:
    """Return how likely an accurate conjunction is drawn on every sample."""
    room, ones, found = np.empty(mistakes[0].shape), np.ones(good.size), []
    for each in mistakes:
        weights = room[:, : each.shape[1]]
        weights[...] = each
        weights *= -rate
        np.exp(weights, out=weights)
        found.append(weights[good].sum(axis=0) / (ones @ weights))
    return np.concatenate(found)


def _wrong(distribution: Product, d: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many literals of the target are missing, and how many others there are, for every S."""
    goal = distribution.target(d) - 1
    bits = np.arange(1 << d)
    few, many = np.bitwise_count(goal & ~bits), np.bitwise_count(bits & ~goal)
    return few.astype(np.int64), many.astype(np.int64)


def _accurate(
    few: NDArray[np.int64], many: NDArray[np.int64], most: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Tell whose error is small, by how many literals may be too many after so few are missing."""
    return (few < most.size) & (many <= most[np.minimum(few, most.size - 1)])


def _log_rivals(
    distribution: Product,
    rate: Callable[[float], float],
    d: int,
    m: NDArray[np.int64],
    epsilon: NDArray[np.float64],
    most: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the logarithm of the mean weight of all conjunctions that are not accurate."""
    s = distribution.relevant(d)
    few, many = (x.ravel() for x in np.mgrid[: s + 1, : d - s + 1])
    bad = ~_accurate(few, many, most)
    few, many = few[bad], many[bad]
    error = (1.0 - distribution.one(d) ** many * (2.0 - np.exp2(few / s))) / 2.0
    log_count = sum(
        special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
        for n, k in ((s, few), (d - s, many))
    )
    kept = np.array([-np.expm1(-rate(loss)) for loss in epsilon.ravel().tolist()])
    each = log_count + m.ravel()[:, None] * np.log1p(-error * kept[:, None])
    return np.asarray(special.logsumexp(each, axis=1)).reshape(m.shape)


def _mistakes(
    distribution: Product, d: int, m: int, trials: int, rng: np.random.Generator
) -> tuple[NDArray[Any], ...]:
    """Return the mistakes of all conjunctions on samples, shape (2^d, samples), a few together."""
    goal = distribution.target(d) - 1
    positive = np.arange(1 << d) & goal == goal
    signs = np.where(positive, -1, 1)[:, None]
    found = []
    for counts in _counts(distribution, d, m, trials, rng):
        told = counts[positive].sum(axis=0)
        counts *= signs.astype(counts.dtype)  # noqa: PLW2901 - in place
        # It errs on every positive example but those above it, and on the negative ones above it.
        add_supersets(counts)
        counts += told.astype(counts.dtype)  # noqa: PLW2901 - in place
        found.append(counts)
    return tuple(found)


def _counts(
    distribution: Product, d: int, m: int, trials: int, rng: np.random.Generator
) -> Iterator[NDArray[Any]]:
    """Draw how often every point occurs in samples, shape (2^d, samples), a few together."""
    size, step = 1 << d, max(1, _ENTRIES >> d)
    kind = np.int16 if m < 1 << 15 else np.int32 if m < 1 << 31 else np.int64
    if m < size:
        points = _points(distribution, d, m, trials, rng)
        for start in range(0, trials, step):
            some = points[:, start : start + step]
            counts = np.zeros(size * some.shape[1], dtype=kind)
            np.add.at(counts, (some * some.shape[1] + np.arange(some.shape[1])).ravel(), kind(1))
            yield counts.reshape(size, -1)
        return
    one, ones = distribution.one(d), np.bitwise_count(np.arange(size))
    chances = one**ones * (1.0 - one) ** (d - ones)
    for start in range(0, trials, step):
        drawn = rng.multinomial(m, chances / chances.sum(), size=min(step, trials - start))
        yield np.ascontiguousarray(drawn.T, dtype=kind)


def _points(
    distribution: Product, d: int, m: int, trials: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Return points less 1, shape (m, samples); the first ones are the same whatever m is."""
    rows = max(1, _COINS // (trials * d))
    found = np.empty((m, trials), dtype=np.int32)
    for begin in range(0, m, rows):
        coins = rng.random((min(rows, m - begin), trials, d)) < distribution.one(d)
        packed = np.packbits(coins, axis=2, bitorder="little").astype(np.int64)
        found[begin : begin + rows] = (packed << 8 * np.arange(packed.shape[2])).sum(axis=2)
    return found
