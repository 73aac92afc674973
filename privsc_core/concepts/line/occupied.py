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
    if size <= FEW:
        table = rng.multinomial(hits, np.full(size, 1.0 / size)).astype(np.int64)
        rows, places = np.nonzero(table)
        return Occupied(*_by_count(rows, table[rows, places]), table[:, 0])
    # Sample by sample, in as few bits as will do: sorting is what takes time here.
    kind = np.uint32 if size <= 1 << 32 else np.uint64
    inside = np.arange(hits.max(initial=0)) < hits[:, None]
    places = np.full(inside.shape, np.iinfo(kind).max, dtype=kind)
    places[inside] = rng.integers(size, size=int(hits.sum()))
    places.sort(axis=1)
    first = np.zeros(hits.size, dtype=np.int64)
    there = np.flatnonzero((places[:, :1] == 0).any(axis=1))
    first[there] = np.count_nonzero(places[there] == 0, axis=1)
    # Almost all of many points occur once, and need not be told apart.
    again = places[:, 1:] == places[:, :-1]
    again &= inside[:, 1:]
    more = np.flatnonzero(again)
    rows, at = np.divmod(more, max(again.shape[1], 1))
    # A row begins anew.
    starts = np.flatnonzero((np.diff(more, prepend=-2) != 1) | (at == 0))
    rows, often, many = _by_count(rows[starts], np.diff(starts, append=more.size) + 1)
    once = hits - np.bincount(rows, many * often, hits.size).astype(np.int64)
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
