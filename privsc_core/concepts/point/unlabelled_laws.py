"""The exact law of the generic learner of points on `hard`: a product of two small tables.

Which of the target i and the point 1 survive in the sanitised set B depends on the unlabelled
examples alone, and how the exponential mechanism then does on the labelled ones alone. So a plane of
(m, u) costs a table of four numbers for every m and for every u.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.numerics import flips
from privsc_core.numerics.binomial_windows import LOG_TAIL, binomial_window

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "drawn_shares",
    "drawn_tables",
    "enough_labels",
    "generic_law",
    "kept_shares",
    "kept_tables",
    "stable_shares",
    "survivors",
    "threshold_of",
    "with_labels",
]

# Above so many bits the number of empty survivors is Poisson to every digit.
_POISSON_BITS = 40
_LAPLACE_LOG = 745.0
_NOTHING = 750.0  # e to its negative is 0


def survivors(d: int, spurious: float) -> float:
    """Return how many empty cells of T - 2 survive on average: `spurious`, at most half of them."""
    return min(spurious, 0.5 * max(2.0 ** min(d, 1000) - 2.0, 0.0))


def threshold_of(d: int, epsilon: float, spurious: float) -> float:
    """Return the threshold that noise Lap(2/epsilon) of an empty cell passes so rarely."""
    mean = survivors(d, spurious)
    if mean <= 0.0:
        return 0.0
    log_cells = math.log(2.0**d - 2.0) if d <= 1000 else d * math.log(2.0)
    return max(0.0, (2.0 / epsilon) * (log_cells - math.log(2.0 * mean)))


def _tails(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Pr[Lap(1) >= x] and Pr[Lap(1) < x], both without cancellation."""
    small = 0.5 * np.exp(-np.minimum(np.abs(x), _LAPLACE_LOG))
    return np.where(x >= 0.0, small, 1.0 - small), np.where(x >= 0.0, 1.0 - small, small)


@functools.lru_cache(maxsize=64)
def _window(u: int, mass: float, log_tail: float) -> tuple[int, NDArray[np.float64]]:
    """Return a binomial window; those of one u follow each other, over d and epsilon."""
    return binomial_window(u, mass, log_tail)


def _told_apart(size: int, *spans: tuple[float, float]) -> NDArray[np.intp]:
    """Return where each part begins of 0, ..., size - 1: every place in a span, and what is between."""
    parts, place = [], 0
    for low, high in sorted(spans):
        begin, end = (int(min(max(at, place), size)) for at in (low, high + 1.0))
        if begin > place:
            parts.append(np.array([place]))
        parts.append(np.arange(begin, end))
        place = max(place, end)
    if place < size:
        parts.append(np.array([place]))
    return np.concatenate(parts).astype(np.intp)


@functools.lru_cache(maxsize=4096)
def kept_tables(
    u: int, d: int, epsilon: float, mass: float, spurious: tuple[float, ...], log_tail: float = LOG_TAIL
) -> NDArray[np.float64]:  # fmt: skip
    """Return the joint law of what survives of u unlabelled examples, at several thresholds.

    Returns
    -------
    ndarray, shape (thresholds, 2, 2)
        Entry [.., i, one]: whether the target's point, and whether point 1, is in B.
    """
    first, weights = _window(u, mass, log_tail)
    tau = np.array([[threshold_of(d, epsilon, one)] for one in spurious])
    reach = 2.0 * _LAPLACE_LOG / epsilon  # beyond it noise makes no difference to any digit
    low, high = float(tau.min()) - reach, float(tau.max()) + reach
    begins = _told_apart(
        weights.size, (low - first, high - first), (u - high - first, u - low - first)
    )
    count = first + begins.astype(np.float64)
    if begins.size < weights.size:
        weights = np.add.reduceat(weights, begins)
    in_i, out_i = _tails((tau - count) * (0.5 * epsilon))
    in_1, out_1 = _tails((tau - u + count) * (0.5 * epsilon))
    rows = np.stack([out_i, in_i], axis=1) * weights
    return np.asarray(rows @ np.stack([out_1, in_1], axis=2))


@functools.lru_cache(maxsize=4096)
def stable_shares(
    u: int, threshold: float, epsilon: float, mass: float, log_tail: float = LOG_TAIL
) -> NDArray[np.float64]:
    """Return what survives where points that nobody is at cannot: counts above a threshold.

    Shape (2, 2), as a table of `kept_tables`.
    """
    first, weights = binomial_window(u, mass, log_tail)
    count = first + np.arange(weights.size, dtype=np.float64)
    sides = []
    for size in (count, u - count):
        inside, outside = _tails((threshold - size) * (0.5 * epsilon))
        sides.append([np.where(size > 0.0, outside, 1.0), np.where(size > 0.0, inside, 0.0)])
    return np.asarray((np.array(sides[0]) * weights) @ np.array(sides[1]).T)


def kept_shares(
    u: int, d: int, epsilon: float, mass: float, spurious: float, log_tail: float = LOG_TAIL
) -> NDArray[np.float64]:
    """Return the law of `kept_tables` at one threshold, shape (2, 2)."""
    return np.asarray(kept_tables(u, d, epsilon, mass, (spurious,), log_tail)[0])


@functools.lru_cache(maxsize=256)
def _empty(
    d: int, spurious: tuple[float, ...], log_tail: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return numbers of other survivors, and the chances of each of them, a row a threshold."""
    found = [_empty_of(d, survivors(d, one), log_tail) for one in spurious]
    low = min(first for first, _ in found)
    high = max(first + chances.size for first, chances in found)
    table = np.zeros((len(found), high - low))
    for row, (first, chances) in zip(table, found, strict=True):
        row[first - low : first - low + chances.size] = chances
    return np.arange(low, high, dtype=np.float64), table


def _empty_of(d: int, mean: float, log_tail: float) -> tuple[int, NDArray[np.float64]]:
    if mean <= 0.0:
        return 0, np.ones(1)
    if d <= _POISSON_BITS:
        cells = (1 << d) - 2
        return binomial_window(cells, mean / cells, log_tail)
    last = math.ceil(mean + log_tail + math.sqrt(2.0 * mean * log_tail))
    logs = np.cumsum(np.log(np.append(1.0, mean / np.arange(1.0, last + 1.0)))) - mean
    kept = np.flatnonzero(logs >= -log_tail - math.log(last + 1.0))  # the others: below e^-log_tail
    return int(kept[0]), np.exp(logs[kept[0] : kept[-1] + 1])


def _shares(
    rivals: NDArray[np.float64], log_p: NDArray[np.float64], q: float, *, flip: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return success and failure against rivals of weight p: without and with one of weight q."""
    if not flip:
        odds = rivals * np.exp(log_p)
        alone, joined = (np.array([np.ones_like(o), o]) / (1.0 + o) for o in (odds, odds + q))
        return alone, joined
    log_count = np.log(rivals + 1.0)
    won, lost = flips.reached(log_count, log_p), flips.missed(log_count, log_p)
    # The integral over x in [0, 1] of (1 - x p)^rivals (1 - x q).
    less = q * (won - flips.beside(log_count, np.log(rivals + 2.0), log_p))
    return np.array([won, lost]), np.array([won - less, lost + less])


@functools.lru_cache(maxsize=4096)
def _choices(
    m: int, bits: int, epsilon: float, mass: float, spurious: tuple[float, ...], log_tail: float, *,
    flip: bool,
) -> tuple[NDArray[np.float64], ...]:  # fmt: skip
    """Return the shares, success and failure, given each number of survivors.

    They are against them alone, beside point 1, beside one more, and beside both. Above
    `_POISSON_BITS` the bits make no difference.
    """
    first, over_k = binomial_window(m, mass, log_tail)
    log_p = -0.5 * epsilon * (first + np.arange(over_k.size, dtype=np.float64))
    last = int(np.searchsorted(-log_p, _NOTHING))  # from there on a rival's weight is 0
    over_k, log_p = (
        np.append(over_k[:last], over_k[last:].sum()),
        np.append(log_p[:last], -_NOTHING),
    )
    count, _ = _empty(bits, spurious, log_tail)
    q = math.exp(-0.5 * epsilon * m)
    # One more of weight p: the representative, which there is none of where B holds all others.
    last = min(count[-1] + 1.0, max(count[-1], 2.0**bits - 2.0))
    rivals = np.arange(count[0], last + 1.0)
    more = np.minimum(np.arange(1, count.size + 1), rivals.size - 1)
    alone, joined = (found @ over_k for found in _shares(rivals[:, None], log_p, q, flip=flip))
    few = slice(count.size)
    return alone[:, few], joined[:, few], alone[:, more], joined[:, more]


@functools.lru_cache(maxsize=4096)
def drawn_tables(
    m: int, d: int, epsilon: float, mass: float, spurious: tuple[float, ...],
    log_tail: float = LOG_TAIL, *, flip: bool = False,
) -> NDArray[np.float64]:  # fmt: skip
    """Return success and failure of the choice on m labelled examples, given what survived.

    Returns
    -------
    ndarray, shape (thresholds, 2, 2, 2)
        Entry [.., 0, i, one] is success, [.., 1, i, one] failure, given whether the target's point
        and point 1 are in B.
    """
    bits = min(d, _POISSON_BITS + 1)
    count, chances = _empty(bits, spurious, log_tail)
    alone, joined, third, both = _choices(m, bits, epsilon, mass, spurious, log_tail, flip=flip)
    cells = 2.0**d - 2.0 if d <= 1000 else math.inf
    is_one = 1.0 / (cells + 1.0 - count)  # with i alone in B the representative is point 1
    given = np.empty((2, 2, 2, count.size))
    given[:, 1, 1] = both
    given[:, 1, 0] = is_one * joined + (1.0 - is_one) * third
    for one, known in ((0, alone), (1, joined)):
        hit = 1.0 / (cells + 2.0 - one - count)  # the representative is the target's point
        given[0, 0, one] = known[0] * hit
        given[1, 0, one] = 1.0 - hit + hit * known[1]
    return np.asarray((given.reshape(8, -1) @ chances.T).T.reshape(-1, 2, 2, 2))


def drawn_shares(
    m: int, d: int, epsilon: float, mass: float, spurious: float,
    log_tail: float = LOG_TAIL, *, flip: bool = False,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the shares of `drawn_tables` at one threshold, shape (2, 2, 2)."""
    return np.asarray(drawn_tables(m, d, epsilon, mass, (spurious,), log_tail, flip=flip)[0])


def enough_labels(d: int, epsilon: float, mass: float, log_tail: float = LOG_TAIL) -> int:
    """Return from how many labels on every rival's weight is 0 to every digit, and more are no help."""
    most = 4.0 * (d * math.log(2.0) + log_tail + 750.0) / (epsilon * mass) + 16.0 * log_tail / mass
    return math.ceil(most)


def generic_law(
    m: int, u: int, d: int, epsilon: float, mass: float, spurious: float,
    log_tail: float = LOG_TAIL, *, flip: bool = False,
) -> tuple[float, float]:  # fmt: skip
    """Return success and failure of the generic learner on `hard`."""
    kept = kept_shares(u, d, epsilon, mass, spurious, log_tail)
    return with_labels(kept, m, d, epsilon, mass, spurious, log_tail, flip=flip)


def with_labels(
    kept: NDArray[np.float64], m: int, d: int, epsilon: float, mass: float, spurious: float,
    log_tail: float = LOG_TAIL, *, flip: bool = False,
) -> tuple[float, float]:  # fmt: skip
    """Return success and failure with m labels, given the law of what survives."""
    labels = min(m, enough_labels(d, epsilon, mass, log_tail))
    drawn = drawn_shares(labels, d, epsilon, mass, spurious, log_tail, flip=flip)
    return float((kept * drawn[0]).sum()), float((kept * drawn[1]).sum())
