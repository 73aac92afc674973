"""Private cuts of very many data sets at a time, where all data lie on a few points.

The tree of `medians`, drawn level by level for all data sets together. What a concept does on those
few points depends only on between which of them its sides lie: the slots of the cuts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BITS_MOST", "check_bits", "cuts_of_many", "in_scale", "slots"]

# Points are int64.
BITS_MOST = 62


def check_bits(d: int) -> None:
    """Refuse a domain whose points are no int64."""
    if d > BITS_MOST:
        raise InputError("d", f"must be at most {BITS_MOST} where private medians are drawn", d)


def in_scale(d: int) -> tuple[int, float]:
    """Return the bits of a domain that stands for one of d bits, and `log_scale`.

    Beyond 62 bits gaps are drawn to 2^-62 of the domain: the law is the same up to about that.
    """
    return min(d, BITS_MOST), max(d - BITS_MOST, 0) * math.log(2.0)


def cuts_of_many(
    places: NDArray[np.int64],
    counts: NDArray[np.int64],
    size: int,
    levels: int,
    rate: float,
    rng: np.random.Generator,
    log_scale: float = 0.0,
) -> NDArray[np.int64]:
    """Draw the cuts of every data set, in law those of `drawn_cuts`.

    Parameters
    ----------
    places : ndarray, shape (places,)
        Where data can be, increasing, in [1, size].
    counts : ndarray, shape (sets, places)
        How many data points of each set lie there.
    size : int
        Of the domain, at most 2^62.
    levels, rate
        As for `drawn_cuts`.
    rng : Generator
        The coins.
    log_scale : float
        The log of how many points of a larger domain an integer between two places stands for.

    Returns
    -------
    ndarray of int64, shape (sets, 2^levels - 1)
        The cuts, level by level; 0 where a node had no room for one.
    """
    number = len(counts)
    low, high = np.ones((number, 1), dtype=np.int64), np.full((number, 1), size, dtype=np.int64)
    found = []
    for _ in range(levels):
        at = _cut_nodes(places, counts, low, high, rate, rng, log_scale)
        found.append(at)
        there = at > 0
        # A node without room has none below it either.
        low, high = (
            np.stack(pair, axis=2).reshape(number, -1)
            for pair in (
                (low, np.where(there, at + 1, 1)),
                (np.where(there, at - 1, 0), np.where(there, high, 0)),
            )
        )
    return np.concatenate(found, axis=1)


def _cut_nodes(
    places: NDArray[np.int64], counts: NDArray[np.int64], low: NDArray[np.int64],
    high: NDArray[np.int64], rate: float, rng: np.random.Generator, log_scale: float,
) -> NDArray[np.int64]:  # fmt: skip
    """Return one cut of every node, 0 for an empty range; nodes are of shape (sets, nodes)."""
    shape = (*low.shape, 2 * places.size + 1)
    first, last = np.empty((2, *shape), dtype=np.int64)
    # Gaps and places in turn, each cut to the range of its node.
    first[..., ::2] = np.append(0, places) + 1
    last[..., ::2] = np.append(places, np.iinfo(np.int64).max) - 1
    first[..., 1::2] = last[..., 1::2] = places
    first = np.maximum(first, low[..., None])
    last = np.minimum(last, high[..., None])
    length = np.maximum(last - first + 1, 0)
    inside = np.where(length[..., 1::2] > 0, counts[:, None, :], 0)
    passed = np.cumsum(inside, axis=2)
    total = passed[..., -1:]
    below, above = np.zeros((2, *shape))
    below[..., 2::2], below[..., 1::2] = passed, passed - inside
    above[..., ::2] = total - below[..., ::2]
    above[..., 1::2] = total - passed
    half = 0.5 * total
    score = np.maximum(np.maximum(below, above), half) - half
    with np.errstate(divide="ignore"):
        weights = np.log(length) - rate * score
    weights[..., ::2] += log_scale
    pick = np.argmax(weights + rng.gumbel(size=shape), axis=2)[..., None]
    start, long = (np.take_along_axis(one, pick, axis=2)[..., 0] for one in (first, length))
    at = start + rng.integers(np.maximum(long, 1))
    return np.where(low <= high, at, 0)


def slots(cuts: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many cuts of every set lie up to each place, behind the one before, and behind all.

    Parameters
    ----------
    cuts : ndarray, shape (sets, cuts)
        0 for none.
    places : ndarray, shape (places,)
        Increasing.

    Returns
    -------
    ndarray of int64, shape (sets, places + 1)
        Entry k counts the cuts that have k of the places below them.
    """
    slot = np.where(cuts > 0, np.searchsorted(places, cuts), places.size + 1)
    return np.stack([(slot == k).sum(axis=1) for k in range(places.size + 1)], axis=1)
