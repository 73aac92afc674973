"""How likely an accurate synthetic database is, counted without listing any."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privsc_core.concepts.release.multisets import log_multisets
from privsc_core.numerics.logspace import log_sum

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Splits", "log_odds", "splits_of"]

_TERMS_AT_ONCE = 1 << 14
# Logs from here down are those of nothing.
_LEAST = -1e300
# e^-45 is 3e-20: of what sums of a few thousand terms do not see.
_NOTHING = 45.0


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """All counts of some points with a sum of at most `size`, and what is left.

    Attributes
    ----------
    size : int
    counts : ndarray, shape (points, splits)
    left : ndarray, shape (splits,)
    """

    size: int
    counts: NDArray[np.int64]
    left: NDArray[np.int64]

    def furthest(self, away: Callable[[int], NDArray[Any]]) -> NDArray[np.float64]:
        """Return the largest distance over the points, as floats, which hold such whole numbers."""
        return functools.reduce(
            np.maximum, (np.abs(away(j)).astype(np.float64) for j in range(len(self.counts)))
        )


@lru_cache(maxsize=8)
def splits_of(size: int, points: int) -> Splits:
    """Return those of `points` points."""
    counts = np.indices((size + 1,) * points).reshape(points, -1)
    left = size - counts.sum(axis=0)
    return Splits(size, counts[:, left >= 0].copy(), left[left >= 0])


class _Counts(NamedTuple):
    """`log_multisets` by their largest multiplicity: s itself, at most s, at least s."""

    equal: NDArray[np.float64]
    at_most: NDArray[np.float64]
    at_least: NDArray[np.float64]


@lru_cache(maxsize=256)
def _counts(d: int, fewer: int, size: int) -> _Counts:
    """Return them, with a column for s = size + 1."""
    equal = np.pad(log_multisets(d, fewer, size), ((0, 0), (0, 1)), constant_values=-math.inf)
    at_least = np.logaddexp.accumulate(equal[:, ::-1], axis=1)[:, ::-1]
    return _Counts(equal, np.logaddexp.accumulate(equal, axis=1), at_least)


def _tables(d: NDArray[np.int64], fewer: int, size: int) -> tuple[NDArray[np.intp], _Counts]:
    """Return where each d is in the tables of all of them, one below the other."""
    bits, place = np.unique(d, return_inverse=True)
    every = [_counts(one, fewer, size) for one in bits.tolist()]
    if len(every) == 1:
        return place, every[0]
    return place, _Counts(*[np.concatenate(parts) for parts in zip(*every, strict=True)])


def log_odds(
    d: NDArray[np.int64],
    splits: Splits,
    gap: Callable[[slice], NDArray[np.float64]],
    limit: NDArray[np.int64] | NDArray[np.float64],
    rate: NDArray[np.float64],
    m: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the log odds of an error below alpha, cell by cell: they tell even tiny chances.

    A synthetic database is grouped by its counts of the points that occur in the database,
    whose largest deviation is `gap`, and by the largest count s of all others, which ought to
    be 0. The error times size times m is max(gap, s m), and it is good iff that is below
    `limit`; in whole numbers for the law itself. Where s m is above the gap there are mostly so
    few that they cannot matter: only the others are summed.
    """
    size, left = splits.size, splits.left
    place, counts = _tables(d, len(splits.counts), size)
    found = np.empty(m.size)
    step = max(1, _TERMS_AT_ONCE // left.size)
    for start in range(0, m.size, step):
        here = slice(start, start + step)
        far, size_m, most = gap(here), m[here, None].astype(np.float64), limit[here, None]
        loss = rate[here, None] / size
        first = np.minimum(far / size_m, size).astype(np.int64) + 1
        rows = place[here, None] * (size + 1) + left
        by_gap = counts.at_most.ravel().take(rows * (size + 2) + (first - 1)) - loss * far
        fits = far < most
        # From this s on an error is too large.
        ends = np.where(
            fits, (np.arange(size + 1) * size_m < most).sum(axis=1, keepdims=True), first
        )
        good = _log_sum(counts, rows, loss * size_m, np.where(fits, by_gap, -np.inf), first, ends)
        bad = _log_sum(counts, rows, loss * size_m, np.where(fits, -np.inf, by_gap), ends, size + 1)
        found[here] = good - bad
    return found


def _log_sum(
    counts: _Counts,
    of: NDArray[np.int64],
    speed: NDArray[np.float64],
    logs: NDArray[np.float64],
    first: NDArray[np.int64],
    after: NDArray[np.int64] | int,
) -> NDArray[np.float64]:
    """Return row by row the log of the sum of what has these logs and of e^(-speed s) times counts.

    Those are rows `of` the table. At each place s goes from `first` to before `after`; what cannot matter is left out.
    """
    top = logs.max(axis=1)
    most = counts.at_least.ravel().take(of * counts.equal.shape[1] + first)
    most -= speed * first
    heavy = (most > np.maximum(top - _NOTHING, _LEAST)[:, None]) & (first < after)
    rows, columns = np.nonzero(heavy)
    beyond = np.empty(rows.size)
    if rows.size:
        steps = np.arange(counts.equal.shape[1])
        first, after = first[rows, columns], np.broadcast_to(after, logs.shape)[rows, columns]
        part = max(1, _TERMS_AT_ONCE // steps.size)
        for start in range(0, rows.size, part):
            here = slice(start, start + part)
            terms = counts.equal[of[rows[here], columns[here]]] - speed[rows[here]] * steps
            terms[(steps < first[here, None]) | (steps >= after[here, None])] = -np.inf
            beyond[here] = log_sum(terms)
        np.maximum.at(top, rows, beyond)
    top = np.maximum(top, _LEAST)
    total = np.exp(logs - top[:, None]).sum(axis=1)
    if rows.size:
        total += np.bincount(rows, np.exp(beyond - top[rows]), minlength=top.size)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(total) + top)
