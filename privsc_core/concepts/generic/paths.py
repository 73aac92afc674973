"""Paths of a mistake tree: by how many of their nodes, and how many mistakes, a learner may fail."""

from __future__ import annotations

import math
import operator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from privsc_core.concepts.generic.guessing import guessing_limit, surely_enough

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = [
    "SHORT",
    "Paths",
    "every_short_path",
    "log_patterns",
    "long_paths",
    "nearer_paths",
    "path_limit",
    "paths_enough",
    "short_paths",
]

SHORT = 64
"""Up to this length every (l, j) is tried."""

_LOG2 = math.log(2.0)
_ROOT = 0.1548  # of 1 + 2x log2 x + (1 - 2x) log2 (1 - x): the share of mistakes of long paths
_AROUND = np.array([0.7, 0.8, 0.88, 0.94, 0.97, 1.0, 1.03, 1.06, 1.12, 1.2, 1.35])
# Of the way from there, or from α, to one half: shares that are best for few samples.
_FEW = np.array([0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85])
_FINE = 25  # values of j around the best ones of the first turn
_CORNERS = 3
_ROWS = 64  # of a table whose rows are about as long
_NOTHING = 37.0  # e^{-37} is below half an ulp of 1
_ROUNDING = 1e-9  # 0.1 * 30 is 3.0000000000000004


class Paths(NamedTuple):
    """Several (l, j), as `SharpLittlestone` has them, with M and 2^l - 1.

    Attributes
    ----------
    lengths, mistakes : ndarray of int64
    masses, log_good, log_rivals : ndarray of float64
        log_good is log M, M = sum_{i<j} C(l, i): for so many leaves a hypothesis is good.
    """

    lengths: NDArray[np.int64]
    mistakes: NDArray[np.int64]
    masses: NDArray[np.float64]
    log_good: NDArray[np.float64]
    log_rivals: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        pairs: Sequence[tuple[int, int]] | NDArray[np.int64],
        alpha: float,
        *,
        dummy: bool = True,
    ) -> Paths:
        """Return the paths of pairs (l, j); without a dummy they have all the mass."""
        lengths, mistakes = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        masses = np.minimum(alpha * lengths / mistakes, 1.0) if dummy else np.ones(lengths.size)
        depth = lengths.astype(np.float64)
        rivals = np.asarray(depth * _LOG2 + np.log1p(-np.exp2(-depth)))
        return cls(lengths, mistakes, masses, log_patterns(lengths, mistakes), rivals)

    @classmethod
    def joined(cls, parts: Sequence[Paths]) -> Paths:
        """Return those of several together."""
        return cls(*[np.concatenate(columns) for columns in zip(*parts, strict=True)])

    def at(self, places: NDArray[np.intp]) -> Paths:
        """Return some of them."""
        return self.each(lambda column: column[places])

    def each(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Paths:
        """Return them with another order or shape."""
        return Paths(*[change(column) for column in self])

    def split(self, sizes: Sequence[int] | NDArray[np.int64]) -> list[Paths]:
        """Return parts of them, so many at a time."""
        ends = np.cumsum(sizes, dtype=np.int64).tolist()
        return [
            self.each(operator.itemgetter(slice(start, end)))
            for start, end in zip([0, *ends[:-1]], ends, strict=False)
        ]

    def rate(self) -> NDArray[np.float64]:
        """Return about how many samples each excludes, times ε, where many are excluded."""
        return (self.log_rivals - self.log_good) / self.masses


def log_patterns(lengths: NDArray[np.int64], mistakes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log of sum_{i<j} C(l, i); beyond l = 64 for j up to l/2 alone, and rounded up."""
    found = np.empty(lengths.size)
    short = lengths <= SHORT
    found[short] = _short_patterns()[lengths[short], mistakes[short]]
    if not short.all():
        size, last = lengths[~short].astype(np.float64), mistakes[~short] - 1.0
        # C(l, i - 1) = C(l, i) i / (l - i + 1): geometric, or a bell of width sqrt(l) / 2.
        fall = -np.log(np.maximum(last, 0.5) / (size - last + 1.0))
        terms = np.ceil(np.minimum(_NOTHING / fall, np.sqrt(0.5 * _NOTHING * size))).astype(int)
        total, order = np.empty(size.size), np.argsort(terms)
        for rows in np.array_split(order, 1 + size.size // _ROWS):
            i = last[rows, None] - np.arange(terms[rows[-1]] + 1)
            ratios = np.maximum(i, 0.0) / (size[rows, None] - i + 1.0)
            total[rows] = np.cumprod(ratios, axis=1).sum(axis=1)
        log_last = gammaln(size + 1.0) - gammaln(last + 1.0) - gammaln(size - last + 1.0)
        # The gamma functions of a million err by a few billionths.
        found[~short] = log_last + np.log1p(total) + 1e-8
    return found


@lru_cache(maxsize=1)
def _short_patterns() -> NDArray[np.float64]:
    """Return them for l up to 64 from whole numbers: the table [l, j]."""
    most = SHORT + 1
    table = np.full((most, most), -np.inf)
    for length in range(1, most):
        total = 0
        for j in range(1, length + 1):
            total += math.comb(length, j - 1)
            table[length, j] = math.log(total)
    return table


def path_limit(
    m: NDArray[np.int64], paths: Paths, epsilon: NDArray[np.float64], *, tail: float,
    lost: bool = False,
) -> NDArray[np.float64]:  # fmt: skip
    """Return E min(1, M / (1 + (2^l - 1) e^{-εK})), or 1 less it without cancellation.

    Parameters
    ----------
    m, epsilon : ndarray
    paths : Paths
        One for each m, or arrays that broadcast with it.
    tail : float
        As in `binomial_expectation`.
    lost : bool
        Which of the two.
    """
    columns = (paths.log_good, paths.log_rivals, np.zeros(1), epsilon)
    return guessing_limit(m, paths.masses, columns, tail, lost=lost)


def paths_enough(
    m: NDArray[np.int64], paths: Paths, epsilon: NDArray[np.float64], beta: float
) -> NDArray[np.bool_]:
    """Tell where the limits of paths are at least 1 - β without an expectation; the others may be."""
    # For M > 1 what is lost is at most 1 - 1/z, z = (2^l - 1) e^{-εK} / (M - 1).
    single = paths.mistakes == 1
    with np.errstate(divide="ignore"):
        less = np.log(-np.expm1(-paths.log_good))
    rivals = paths.log_rivals - np.where(single, 0.0, paths.log_good + less)
    return surely_enough(m, rivals, paths.masses, epsilon, beta, own=single)


@lru_cache(maxsize=256)
def short_paths(last: int, alpha: float, *, dummy: bool) -> Paths:
    """Return those of lengths up to `last`, at most 64, that none of them beats, see `_beaten_from`.

    Without a dummy one a length.
    """
    if not dummy:
        least = [(length, _enough(length, alpha)) for length in range(1, last + 1)]
        pairs = [(length, j) for length, j in least if j <= length]
        return Paths.of(pairs, alpha, dummy=False)
    every, beaten_from = every_short_path(alpha)
    return every.at(np.flatnonzero((every.lengths <= last) & (beaten_from > last)))


@lru_cache(maxsize=8)
def every_short_path(alpha: float) -> tuple[Paths, NDArray[np.int64]]:
    """Return all paths of lengths up to 64 whose j mistakes fail, and `_beaten_from` of each."""
    table = _beaten_from()
    least = np.array([_enough(length, alpha) for length in range(len(table))])
    pairs = np.nonzero((table > 0) & (np.arange(len(table)) >= least[:, None]))
    return Paths.of(np.stack(pairs, axis=1), alpha), table[pairs]


@lru_cache(maxsize=1)
def _beaten_from() -> NDArray[np.int64]:
    """Return from which depth on another path excludes as much as (l, j), whatever ε, α and β are.

    The table [l, j], 0 where there is no such path. With y = e^{-εK} the success is at most
    1 / max(1, (1 + (2^l - 1) y) / M). A straight line in y is above another one wherever that
    exceeds 1 if it is so at y = 1 and reaches 1 at a smaller y; and with a smaller mass K is smaller
    and y larger. The rate must be larger as well, by which `_Best.take` decides between equals.
    """
    lengths = np.arange(SHORT + 1)
    good = _short_patterns()
    found = np.where(np.isfinite(good), SHORT + 1, 0)
    pairs = np.nonzero(found)
    with np.errstate(divide="ignore", invalid="ignore"):
        every = lengths[:, None] * _LOG2
        rivals = every + np.log1p(-np.exp2(-lengths))[:, None]
        at_one, reached = every - good, good + np.log1p(-np.exp(-good)) - rivals
        rate = (rivals - good) * lengths / lengths[:, None]
    for length in range(1, SHORT + 1):
        # The least j with a mass as small; a larger one only makes M larger.
        other = length, -(-pairs[1] * length // pairs[0])
        beats = (
            (at_one[other] >= at_one[pairs]) & (reached[other] <= reached[pairs])
            & (rate[other] > rate[pairs])
        )  # fmt: skip
        found[pairs] = np.where(beats, np.minimum(found[pairs], length), found[pairs])
    return found


@lru_cache(maxsize=64)
def long_paths(dimensions: tuple[int, ...], alpha: float, *, dummy: bool) -> tuple[Paths, ...]:
    """Return for each depth L > 64 some paths of l = L, and of lengths just below it that fit αl best."""
    pairs: dict[int, list[tuple[int, int]]] = {}
    for depth in dimensions:
        pairs[depth] = [(depth, least := _enough(depth, alpha))]
        for j in range(max(1, least - _CORNERS), least):
            length = min(depth, math.ceil(j / alpha))
            while _enough(length, alpha) > j:
                length -= 1
            pairs[depth].append((length, j))
    if dummy:
        base = max(alpha, _ROOT)
        shares = np.concatenate([_ROOT * _AROUND, base + (0.5 - base) * _FEW])
        mistakes = np.rint(shares * np.array(list(pairs))[:, None]).astype(np.int64)
        for depth, row in zip(pairs, mistakes.tolist(), strict=True):
            pairs[depth] += [(depth, j) for j in row]
    found = dict(zip(pairs, _sound(list(pairs.values()), alpha, dummy=dummy), strict=True))
    return tuple(found[depth] for depth in dimensions)


def nearer_paths(pairs: Sequence[tuple[int, int]], alpha: float) -> list[Paths]:
    """Return for each long path more of its length, with a few mistakes more or less."""
    distinct = list(dict.fromkeys(pairs))
    length, centre = np.array(distinct, dtype=np.int64).reshape(-1, 2).T
    reach = np.maximum(0.07 * centre, _FINE // 2)
    tried = np.linspace(centre - reach, centre + reach, _FINE, axis=1)
    length, mistakes = length[:, None], np.rint(tried).astype(np.int64)
    least = np.array([_enough(one, alpha) for one, _ in distinct], dtype=np.int64)[:, None]
    sound = (length > SHORT) & (mistakes >= least) & (2 * mistakes <= length)
    lengths = np.broadcast_to(length, sound.shape)
    paths = Paths.of(np.stack([lengths[sound], mistakes[sound]], axis=1), alpha)
    found = dict(zip(distinct, paths.split(sound.sum(axis=1)), strict=True))
    return [found[pair] for pair in pairs]


def _sound(
    parts: Sequence[Sequence[tuple[int, int]]], alpha: float, *, dummy: bool = True
) -> list[Paths]:
    """Return paths of the pairs whose j mistakes fail; those of long paths where less than half are."""
    least = {length: _enough(length, alpha) for part in parts for length, _ in part}
    kept = [
        sorted({(k, j) for k, j in part if least[k] <= j <= k and (k <= SHORT or 2 * j <= k)})
        for part in parts
    ]
    paths = Paths.of([pair for part in kept for pair in part], alpha, dummy=dummy)
    return paths.split([len(part) for part in kept])


def _enough(length: int, alpha: float) -> int:
    """Return the least j with j > α l, with slack for rounding."""
    return math.floor(alpha * length + _ROUNDING) + 1
