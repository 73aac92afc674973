"""How often examples that fall evenly on the target's points meet there, in many samples at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FEW", "Occupied", "occupied"]

FEW = 64  # so many points are counted one by one


class Occupied(NamedTuple):
    """Points by how often they occur: `many` of them `counts` times each in the sample `rows`.

    Attributes
    ----------
    rows, counts, many : ndarray of int64
        By sample, and then by count; only points that occur.
    first : ndarray of int64, shape (samples,)
        How often the first point occurs, which is among those.
    """

    rows: NDArray[np.int64]
    counts: NDArray[np.int64]
    many: NDArray[np.int64]
    first: NDArray[np.int64]


def occupied(hits: NDArray[np.int64], size: int, rng: np.random.Generator) -> Occupied:
    """Draw where the hits of every sample fall among `size` points.

    Parameters
    ----------
    hits : ndarray of int64, shape (samples,)
    size : int
        At most 2^40.
    rng : Generator
    """
    samples = np.arange(hits.size)
    if size <= FEW:
        table = rng.multinomial(hits, np.full(size, 1.0 / size)).astype(np.int64)
        rows, places = np.nonzero(table)
        return Occupied(*_by_count(rows, table[rows, places]), table[:, 0])
    keys = np.repeat(samples * size, hits)
    keys += rng.integers(size, size=keys.size)
    keys.sort()
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[: keys.size])
    counts = np.diff(starts, append=keys.size)
    # Almost all of many points occur once, and need not be told apart.
    ends = np.searchsorted(starts, np.cumsum(hits))
    first = np.zeros(hits.size, dtype=np.int64)
    begin = np.minimum(ends - np.diff(ends, prepend=0), max(counts.size - 1, 0))
    if counts.size:
        there = (hits > 0) & (keys[starts[begin]] == samples * size)
        first[there] = counts[begin[there]]
    more = np.flatnonzero(counts > 1)
    rows, often, many = _by_count(np.searchsorted(ends, more, side="right"), counts[more])
    once = np.diff(ends, prepend=0) - np.bincount(rows, many, hits.size).astype(np.int64)
    single = np.flatnonzero(once)
    rows, often = np.concatenate([single, rows]), np.concatenate([np.ones_like(single), often])
    many, order = np.concatenate([once[single], many]), np.argsort(rows, kind="stable")
    return Occupied(rows[order], often[order], many[order], first)


def _by_count(
    rows: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return (rows, counts, many) of points of which each has its row and count."""
    most = int(counts.max(initial=0)) + 1
    keys, many = np.unique(rows * most + counts, return_counts=True)
    return keys // most, keys % most, many
