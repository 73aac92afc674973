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
    every = counts.at_most[:, size].reshape(-1, size + 1)[:, left]
    found = np.empty(m.size)
    step = max(1, _TERMS_AT_ONCE // left.size)
    for start in range(0, m.size, step):
        here = slice(start, start + step)
        far, at, most = gap(here), place[here], limit[here].astype(np.float64)
        part = _Part(counts, at * (size + 1), m[here].astype(np.float64), rate[here] / size)
        fits = far < most[:, None]
        # From this s on an error is too large.
        ends = (np.arange(size + 1) * part.m[:, None] < most[:, None]).sum(axis=1)
        cell, split = np.nonzero(fits)
        near = part.near(cell, left[split], far[cell, split])
        good = part.log_sum(near, near, ends)
        # Of the many that are too far off only those are looked at that may matter beside the best.
        upper = every[at] - part.loss[:, None] * far
        upper[fits] = -np.inf
        rows, best = np.arange(at.size), upper.argmax(axis=1)
        least = part.near(rows, left[best], far[rows, best]).logs
        cell, split = np.nonzero(upper > (least - _NOTHING)[:, None])
        off = part.near(cell, left[split], far[cell, split])
        beyond = (near.cell, near.of, ends[near.cell], near.logs)
        tails = _Near(*map(np.concatenate, zip(off, beyond, strict=True)))
        found[here] = good - part.log_sum(off, tails, np.full_like(ends, size + 1))
    return found


class _Near(NamedTuple):
    """Splits of some cells, one after the other.

    Attributes
    ----------
    cell, of : ndarray of int
        And the row of the table for what is left.
    first : ndarray of int
        The largest count s from which on s m is above the gap.
    logs : ndarray of float64
        Of the weight of what has a smaller one.
    """

    cell: NDArray[np.intp]
    of: NDArray[np.intp]
    first: NDArray[np.intp]
    logs: NDArray[np.float64]


class _Part(NamedTuple):
    """Cells that are looked at together: the tables and where theirs begin, m, and what a gap costs."""

    counts: _Counts
    at: NDArray[np.intp]
    m: NDArray[np.float64]
    loss: NDArray[np.float64]

    def near(
        self, cell: NDArray[np.intp], left: NDArray[np.int64], far: NDArray[np.float64]
    ) -> _Near:
        """Return splits by what they leave and by their gaps."""
        of, size = self.at[cell] + left, self.counts.equal.shape[1] - 2
        below = np.minimum(far / self.m[cell], size).astype(np.intp)
        return _Near(cell, of, below + 1, self.counts.at_most[of, below] - self.loss[cell] * far)

    def log_sum(self, near: _Near, beyond: _Near, after: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return cell by cell the log of the sum of the weights of both.

        Of `near` with a gap above s m, of `beyond` with each s from `first` to before `after`; what cannot
        matter is left out.
        """
        top = np.full(self.m.size, _LEAST)
        np.maximum.at(top, near.cell, near.logs)
        speed, size = self.loss * self.m, self.counts.equal.shape[1]
        most = self.counts.at_least[beyond.of, beyond.first] - speed[beyond.cell] * beyond.first
        heavy = most > np.maximum(top - _NOTHING, _LEAST)[beyond.cell]
        heavy &= beyond.first < after[beyond.cell]
        total = np.zeros(top.size)
        if heavy.any():
            # What several splits that leave as many have in common is summed once.
            cell, of, first = (column[heavy] for column in beyond[:3])
            alike = np.bincount(
                (cell * size + of - self.at[cell]) * size + first, minlength=top.size * size**2
            ).reshape(-1, size)
            row = np.flatnonzero(alike.any(axis=1))
            cell, of = row // size, self.at[row // size] + row % size
            steps = np.arange(size)
            logs = np.empty(row.size)
            part = max(1, _TERMS_AT_ONCE // size)
            for start in range(0, row.size, part):
                here = slice(start, start + part)
                times = alike[row[here]].cumsum(axis=1)
                times[steps >= after[cell[here], None]] = 0
                terms = self.counts.equal[of[here]] - speed[cell[here], None] * steps
                logs[here] = log_sum(np.where(times, terms, -np.inf), times)
            np.maximum.at(top, cell, logs)
            total += np.bincount(cell, np.exp(logs - top[cell]), minlength=top.size)
        total += np.bincount(near.cell, np.exp(near.logs - top[near.cell]), minlength=top.size)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(total) + top)
