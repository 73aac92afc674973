"""What a mistake tree of depth L costs every pure private learner, without entropy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.extremes import log_tail
from privsc_core.concepts.inequalities import least_allowed
from privsc_core.numerics.binomial import binomial_expectation, of_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["SharpLittlestone", "least_guessing", "log_patterns", "sharp_littlestone"]

_LOG2 = math.log(2.0)
_ALL_PAIRS = 64  # up to here every (l, j) is tried
_ROOT = 0.1548  # of 1 + 2x log2 x + (1 - 2x) log2 (1 - x): the share of mistakes of long paths
_AROUND = np.array([0.7, 0.8, 0.88, 0.94, 0.97, 1.0, 1.03, 1.06, 1.12, 1.2, 1.35])
_FINE = 25  # values of j between the best ones of the first turn
_ROUNDING = 1e-9  # 0.1 * 30 is 3.0000000000000004


@dataclass(frozen=True, slots=True)
class SharpLittlestone:
    """The least m that is not excluded, and by which paths.

    Attributes
    ----------
    m : int
        Every ε-DP learner with fewer examples fails for some target and distribution; 0 where
        more than are searched for are excluded.
    length, mistakes : int
        l, the nodes of a path that have mass, and j, so many wrong ones fail; 0 where nothing is
        excluded.
    mass : float
        Of the l nodes together; the rest is on the dummy.
    """

    m: int
    length: int
    mistakes: int
    mass: float


def log_patterns(length: int, mistakes: int) -> float:
    """Return log of sum_{i < mistakes} C(length, i): for so many leaves a hypothesis is good."""
    total = term = 1
    for i in range(1, mistakes):
        term = term * (length - i + 1) // i
        total += term
    return math.log(total)


@lru_cache(maxsize=256)
def sharp_littlestone(
    dimension: int, *, epsilon: float, alpha: float, beta: float, dummy: bool = True
) -> SharpLittlestone:
    """Return the sharp Littlestone bound of every purely private learner, proper or not.

    Put mass α/j on each of the l nodes of a leaf's path in a mistake tree, and the rest on a point
    that all concepts of the tree label alike (the dummy). Then j mistakes on the path fail. For
    any hypothesis, leaf -> its mistakes along the path is a bijection onto {0,1}^l: it is good
    for M = sum_{i<j} C(l, i) leaves of 2^l. So with K ~ Bin(m, αl/j) examples off the dummy the
    success, averaged over the leaves, is at most E min(1, M / (1 + (2^l - 1) e^{-εK})).

    Parameters
    ----------
    dimension : int
        The Littlestone dimension L of the concepts that agree on the dummy, or of all where there
        is none; 0 excludes nothing.
    epsilon, alpha, beta : float
    dummy : bool
        Without one the path has all the mass, 1/l on each node, and j = floor(αl) + 1.

    Returns
    -------
    SharpLittlestone
        The largest over all (l, j) up to 64; above, l = L and j around 0.155 L, which is best for
        many samples.
    """
    pairs = _pairs(dimension, alpha) if dummy else _whole(dimension, alpha)
    if not pairs:
        return SharpLittlestone(1, 0, 0, 0.0)
    found = _found(pairs, epsilon, beta)
    best = _largest(found)
    if dummy and dimension > _ALL_PAIRS and alpha < _ROOT:
        low, high = (pairs[max(0, min(best + step, len(pairs) - 1))][1] for step in (-1, 1))
        nearer = sorted({round(j) for j in np.linspace(low, high, _FINE).tolist()})
        pairs = [(dimension, j, alpha * dimension / j) for j in nearer]
        found = _found(pairs, epsilon, beta)
        best = _largest(found)
    return SharpLittlestone(int(found[best]), *pairs[best])


def _largest(found: NDArray[np.int64]) -> int:
    """Return the place of the largest; 0 stands for more than are searched for."""
    return int(np.argmax(found) if found.all() else np.argmin(found))


def _found(
    pairs: Sequence[tuple[int, int, float]], epsilon: float, beta: float
) -> NDArray[np.int64]:
    lengths = np.array([pair[0] for pair in pairs])
    masses = np.array([pair[2] for pair in pairs])
    log_good = np.array([log_patterns(pair[0], pair[1]) for pair in pairs])
    log_rivals = lengths * _LOG2 + np.log1p(-np.exp2(-lengths.astype(np.float64)))
    return least_guessing(log_good, log_rivals, masses, epsilon=epsilon, beta=beta)


def least_guessing(
    log_good: NDArray[np.float64],
    log_rivals: NDArray[np.float64],
    masses: NDArray[np.float64],
    *,
    epsilon: float,
    beta: float,
    own: bool = True,
) -> NDArray[np.int64]:
    """Return the least m with E min(1, G / (o + R e^{-εK})) >= 1 - β, K ~ Bin(m, mass).

    Parameters
    ----------
    log_good, log_rivals, masses : ndarray, shape (limits,)
        log G, log R, and the mass off the dummy; 1 where there is none.
    epsilon, beta : float
    own : bool
        Whether o is 1, for limits that count the target itself apart; else 0.

    Returns
    -------
    ndarray of int64, shape (limits,)
        0 where more samples than are searched for are excluded.
    """
    found = np.zeros(masses.size, dtype=np.int64)
    for sure in (False, True):
        where = np.flatnonzero((masses >= 1.0) == sure)
        if where.size:
            found[where] = _leasts(
                log_good[where], log_rivals[where], masses[where], epsilon, beta, own=own
            )
    return found


def _leasts(
    log_good: NDArray[np.float64],
    log_rivals: NDArray[np.float64],
    masses: NDArray[np.float64],
    epsilon: float,
    beta: float,
    *,
    own: bool,
) -> NDArray[np.int64]:
    """Return the least m of each limit; the masses are all 1 or all below."""
    shape = (masses.size, 1)
    columns = (
        log_good[:, None], log_rivals[:, None], np.full(shape, 0.0 if own else -np.inf),
        np.full(shape, epsilon),
    )  # fmt: skip
    tail, sure = log_tail(beta), bool(masses[0] >= 1.0)

    def mean(which: NDArray[np.intp], m: NDArray[np.int64], *, lost: bool) -> NDArray[np.float64]:
        mine = [column[which] for column in columns]
        table = _lost if lost else _kept
        if sure:
            return table(m.astype(np.float64), *mine)
        return binomial_expectation(
            m, masses[which, None], tuple(mine), of_count(table), rate=1.0, log_tail=tail
        )

    return least_allowed(
        beta,
        lambda which, m: mean(which, m, lost=False),
        lambda which, m: mean(which, m, lost=True),
        guess=np.maximum(log_rivals - log_good, 1.0) / (epsilon * masses),
    )


def _log_share(
    count: NDArray[np.float64],
    log_good: NDArray[np.float64],
    log_rivals: NDArray[np.float64],
    log_own: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    return np.minimum(log_good - np.logaddexp(log_own, log_rivals - epsilon * count), 0.0)


def _kept(*arguments: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.exp(_log_share(*arguments)))


def _lost(*arguments: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(-np.expm1(_log_share(*arguments)))


def _pairs(dimension: int, alpha: float) -> list[tuple[int, int, float]]:
    """Return (l, j, mass) with j > αl, for paths beside a dummy."""
    if dimension <= _ALL_PAIRS:
        return [
            (length, j, alpha * length / j)
            for length in range(1, dimension + 1)
            for j in range(_enough(length, alpha), length + 1)
        ]
    first = _enough(dimension, alpha)
    if alpha >= _ROOT:
        # All the mass on the path is best: then l just below L may fit αl better.
        lengths = _just_below(dimension, alpha)
        return [(k, j, alpha * k / j) for k in lengths for j in [_enough(k, alpha)]]
    near = {max(first, round(_ROOT * dimension * ratio)) for ratio in _AROUND.tolist()}
    return [(dimension, j, alpha * dimension / j) for j in sorted(near)]


def _whole(dimension: int, alpha: float) -> list[tuple[int, int, float]]:
    """Return (l, j, 1) for paths with all the mass."""
    whole = dimension <= _ALL_PAIRS
    lengths = range(1, dimension + 1) if whole else _just_below(dimension, alpha)
    return [(k, j, 1.0) for k in lengths if (j := _enough(k, alpha)) <= k]


def _just_below(dimension: int, alpha: float) -> range:
    return range(max(1, dimension - round(1 / alpha) - 1), dimension + 1)


def _enough(length: int, alpha: float) -> int:
    """Return the least j with j > α l, with slack for rounding."""
    return math.floor(alpha * length + _ROUNDING) + 1
