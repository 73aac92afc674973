"""The exponential mechanism over POINT_d on many samples at a time.

`simulate` draws nothing but binomial counts, all that matters on the hard distribution.
`run_many` and `chances_many` take samples as they are, consistent or not: rows are sorted,
runs of equal examples become one score per distinct point, and all unseen points of a row
stay one lump (Lemma 3.4). Nothing has the size of the domain, nothing loops over examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.point.laws import lump_share
from privsc_core.concepts.rows import checked_rows
from privsc_core.errors import InputError
from privsc_core.numerics.logspace import log_domain
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["chances_many", "run_many", "simulate"]

# Examples per block of rows: small enough for the cache, large enough to hide Python.
_BLOCK = 1 << 16
# e^{-1000} is 0, also times 2^62: a larger rate changes nothing, and could overflow.
_RATE_MOST = 1000.0


def simulate(
    *,
    m: int,
    d: int,
    epsilon: float,
    alpha: float,
    trials: int,
    rng: np.random.Generator,
    rao_blackwell: bool = True,
) -> NDArray[np.float64]:
    """Run the exponential mechanism `trials` times on the hard distribution.

    Parameters
    ----------
    m, d, epsilon, alpha, trials : int or float
        See `privsc_core.parameters`; d may be as large as there.
    rng : numpy.random.Generator
        Source of the counts and, without `rao_blackwell`, of the outputs.
    rao_blackwell : bool
        Whether to return the probability of success given each sample, which has the same
        mean and a smaller variance, instead of 0 or 1.

    Returns
    -------
    ndarray of float64, shape (trials,)
        Their mean estimates the probability of success.

    Raises
    ------
    InputError
        For parameters outside their domain.
    """
    m, trials = scalar("m", m), scalar("trials", trials)
    hits = rng.binomial(m, scalar("alpha", alpha), size=trials)
    # One value per count that occurs, not per trial.
    least = int(hits.min())
    count = np.arange(least, int(hits.max()) + 1, dtype=np.float64)[:, None]
    bits = np.array([[scalar("d", d)]])
    rate = np.array([[scalar("epsilon", epsilon)]])
    table = lump_share(count, m - count, log_domain(bits, 2), rate)[:, 0]
    hits -= least
    chances = table[hits]
    if rao_blackwell:
        return chances
    return (rng.random(trials) < chances).astype(np.float64)


def run_many(
    x: NDArray[np.int64],
    y: NDArray[np.uint8],
    *,
    d: int,
    rate: float,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Choose one point per sample, with probability proportional to e^{-rate * mistakes}.

    Parameters
    ----------
    x : ndarray of int, shape (samples, m)
        Points in [1, 2^d].
    y : ndarray of uint8 or bool, shape (samples, m)
        Labels, 0 or 1; they need not agree with any concept.
    d : int
        Bits, at most 62.
    rate : float
        The factor of the mistakes in the exponent, epsilon / 2 for privacy epsilon.
    rng : numpy.random.Generator
        Two random numbers per sample are drawn from it.

    Returns
    -------
    ndarray of int64, shape (samples,)
        The chosen points.

    Raises
    ------
    InputError
        For arrays of another shape or type, and values outside the domain.
    """
    x, y, d = checked_rows(x, y, d)
    chosen = np.empty(len(x), dtype=np.int64)
    for rows, scores in _blocks(x, y, d):
        chosen[rows] = _choose(scores, _weights(scores, rate), rng)
    chosen += 1
    return chosen


def chances_many(
    x: NDArray[np.int64], y: NDArray[np.uint8], *, d: int, rate: float, target: int
) -> NDArray[np.float64]:
    """Return for each sample the probability with which `run_many` chooses the target.

    Parameters
    ----------
    x, y, d, rate
        As for `run_many`.
    target : int
        A point in [1, 2^d].

    Returns
    -------
    ndarray of float64, shape (samples,)
        On distributions where only the target succeeds, the probability of success given
        the sample.

    Raises
    ------
    InputError
        As for `run_many`.
    """
    x, y, d = checked_rows(x, y, d)
    if not 1 <= target <= 1 << d:
        raise InputError("target", f"must be a whole number from 1 to 2^{d}", target)
    chances = np.empty(len(x))
    for rows, scores in _blocks(x, y, d):
        weights = _weights(scores, rate)
        part = weights.lump / np.maximum(scores.unseen, 1)
        here = np.flatnonzero(scores.point == target - 1)
        part[scores.owner[here]] = weights.seen[here]
        chances[rows] = part
    return chances


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    """The distinct points of a block of samples, one sample after the other.

    Attributes
    ----------
    point : ndarray of int
        The points, minus 1, increasing within each sample.
    net : ndarray of int64
        Positive minus negative examples at each point.
    owner : ndarray of intp
        The sample to which each point belongs.
    first : ndarray of intp, shape (samples,)
        Where the points of each sample begin.
    distinct, unseen : ndarray of int64, shape (samples,)
        How many points each sample has, and lacks.
    """

    point: NDArray[np.signedinteger]
    net: NDArray[np.int64]
    owner: NDArray[np.intp]
    first: NDArray[np.intp]
    distinct: NDArray[np.int64]
    unseen: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Weights:
    """Probabilities of the seen points (aligned with `_Scores.point`) and of each lump."""

    seen: NDArray[np.float64]
    lump: NDArray[np.float64]


def _blocks(x: NDArray[np.int64], y: NDArray[np.uint8], d: int) -> Iterator[tuple[slice, _Scores]]:
    """Yield the scores of a block of rows at a time."""
    samples, m = x.shape
    step = max(1, _BLOCK // m)
    # The narrowest type sorts fastest.
    kind = np.min_scalar_type(-(1 << d) * 2)
    keys = np.empty((min(step, samples), m), dtype=kind)
    for start in range(0, samples, step):
        rows = slice(start, min(start + step, samples))
        key = keys[: rows.stop - start]
        # Points from 0, so that 62 bits and a label fill an int64 and no more.
        np.subtract(x[rows], 1, out=key, casting="unsafe")
        key <<= 1
        key |= y[rows]
        key.sort(axis=1)
        yield rows, _scores(key, d)


def _scores(key: NDArray[np.signedinteger], d: int) -> _Scores:
    """Condense sorted rows of 2 * (point - 1) + label."""
    samples, m = key.shape
    flat = key.ravel()
    edge = np.empty(flat.size, dtype=np.bool_)
    np.not_equal(flat[1:], flat[:-1], out=edge[1:])
    edge.reshape(samples, m)[:, 0] = True
    start = np.flatnonzero(edge)
    first = np.searchsorted(start, np.arange(0, flat.size, m))
    run = flat[start]
    net = np.empty(start.size, dtype=np.int64)
    np.subtract(start[1:], start[:-1], out=net[:-1])
    net[-1] = flat.size - start[-1]
    net *= 2 * (run & 1) - 1
    # Where a sample has a point with both labels, the negative run comes right before the
    # positive one: keep the second.
    both = np.zeros(run.size, dtype=np.bool_)
    np.equal(run[1:] ^ run[:-1], 1, out=both[:-1])
    both[first[1:] - 1] = False
    double = np.flatnonzero(both)
    if double.size:
        net[double + 1] += net[double]
        first = first - np.searchsorted(double, first)
        keep = ~both
        run, net = run[keep], net[keep]
    distinct = np.diff(first, append=run.size)
    owner = np.repeat(np.arange(samples), distinct)
    return _Scores(run >> 1, net, owner, first, distinct, (1 << d) - distinct)


def _weights(scores: _Scores, rate: float) -> _Weights:
    """Return the law of the choice, relative to each row's largest weight: no overflow."""
    rate = min(rate, _RATE_MOST)
    best = np.maximum.reduceat(scores.net, scores.first)
    with np.errstate(divide="ignore"):  # no unseen point: weight 0
        lump = np.log(scores.unseen.astype(np.float64)) - rate * best
    shift = np.maximum(lump, 0.0)
    # Differences of whole numbers first: exact however large the rate.
    seen: NDArray[np.float64] = np.multiply(scores.net - best[scores.owner], rate)
    seen -= shift[scores.owner]
    np.exp(seen, out=seen)
    lump = np.exp(lump - shift)
    scale = 1.0 / (np.add.reduceat(seen, scores.first) + lump)
    seen *= scale[scores.owner]
    return _Weights(seen, lump * scale)


def _choose(scores: _Scores, weights: _Weights, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a point, minus 1, for each sample."""
    samples = len(scores.first)
    u = rng.random(samples)
    # Unseen points by rank: the answer exceeds its rank by the number of seen points below
    # it, which are those whose value minus position is at most the rank. No rejection.
    rank = rng.integers(np.maximum(scores.unseen, 1))
    gap = scores.point - np.arange(scores.point.size)
    below = gap <= (rank - scores.first)[scores.owner]
    chosen = rank + np.add.reduceat(below.astype(np.int64), scores.first)
    # Seen points by one search in the running total of all rows, each of mass at most 1.
    seen = np.flatnonzero(u >= weights.lump)
    total = np.cumsum(weights.seen)
    first = scores.first[seen]
    wanted = u[seen] - weights.lump[seen] + (total[first] - weights.seen[first])
    pick = np.searchsorted(total, wanted, side="right")
    pick = np.clip(pick, first, first + scores.distinct[seen] - 1)
    chosen[seen] = scores.point[pick]
    return chosen
