"""What a mistake tree of depth L costs every pure private learner, without entropy."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from privsc_core.concepts.extremes import log_tail
from privsc_core.concepts.generic.guessing import guessing_limit, least_guessing
from privsc_core.concepts.inequalities import over_allowed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = [
    "Paths",
    "SharpLittlestone",
    "log_patterns",
    "many_samples",
    "over_littlestone",
    "path_limit",
    "sharp_littlestone",
    "sharp_littlestones",
]

_LOG2 = math.log(2.0)
_ALL_PAIRS = 64  # up to here every (l, j) is tried
_ROOT = 0.1548  # of 1 + 2x log2 x + (1 - 2x) log2 (1 - x): the share of mistakes of long paths
_AROUND = np.array([0.7, 0.8, 0.88, 0.94, 0.97, 1.0, 1.03, 1.06, 1.12, 1.2, 1.35])
# Of the way from there, or from α, to one half: shares that are best for few samples.
_FEW = np.array([0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85])
_FINE = 25  # values of j around the best ones of the first turn
_CORNERS = 3
_NOTHING = 37.0  # e^{-37} is below half an ulp of 1
_ROUNDING = 1e-9  # 0.1 * 30 is 3.0000000000000004


class SharpLittlestone(NamedTuple):
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
    def of(cls, pairs: Sequence[tuple[int, int]], alpha: float, *, dummy: bool = True) -> Paths:
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

    def rate(self) -> NDArray[np.float64]:
        """Return about how many samples each excludes, times ε, where many are excluded."""
        return (self.log_rivals - self.log_good) / self.masses


def log_patterns(lengths: NDArray[np.int64], mistakes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log of sum_{i<j} C(l, i); beyond l = 64 for j up to l/2 alone, and rounded up."""
    found = np.empty(lengths.size)
    short = lengths <= _ALL_PAIRS
    found[short] = _short_patterns()[lengths[short], mistakes[short]]
    if not short.all():
        size, last = lengths[~short].astype(np.float64), mistakes[~short] - 1.0
        # C(l, i - 1) = C(l, i) i / (l - i + 1): geometric, or a bell of width sqrt(l) / 2.
        fall = -np.log(np.maximum(last, 0.5) / (size - last + 1.0))
        terms = np.minimum(_NOTHING / fall, np.sqrt(0.5 * _NOTHING * size)).max()
        i = last[:, None] - np.arange(math.ceil(terms) + 1)
        ratios = np.maximum(i, 0.0) / (size[:, None] - i + 1.0)
        log_last = gammaln(size + 1.0) - gammaln(last + 1.0) - gammaln(size - last + 1.0)
        # The gamma functions of a million err by a few billionths.
        found[~short] = log_last + np.log1p(np.cumprod(ratios, axis=1).sum(axis=1)) + 1e-8
    return found


@lru_cache(maxsize=1)
def _short_patterns() -> NDArray[np.float64]:
    """Return them for l up to 64 from whole numbers: the table [l, j]."""
    most = _ALL_PAIRS + 1
    table = np.full((most, most), -np.inf)
    for length in range(1, most):
        total = 0
        for j in range(1, length + 1):
            total += math.comb(length, j - 1)
            table[length, j] = math.log(total)
    return table


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
        The largest over all (l, j) up to 64. Above, those and l = L with many j, most of them
        around 0.155 L, which is best for many samples.
    """
    return sharp_littlestones((dimension,), (epsilon,), alpha=alpha, beta=beta, dummy=dummy)[0]


@lru_cache(maxsize=64)
def sharp_littlestones(
    dimensions: tuple[int, ...], epsilons: tuple[float, ...], *, alpha: float, beta: float,
    dummy: bool = True,
) -> tuple[SharpLittlestone, ...]:  # fmt: skip
    """Return `sharp_littlestone` of several pairs of dimension and epsilon."""
    asked = list(zip(dimensions, epsilons, strict=True))
    losses = sorted(set(epsilons))
    # Short paths first, and once for each epsilon: a deeper tree has those of the others.
    best, short, before = _Best.nothing(losses, beta), {}, 0
    for top in sorted({min(length, _ALL_PAIRS) for length in dimensions}):
        paths = _short_paths(before + 1, top, alpha, dummy=dummy)
        size = paths.lengths.size
        if size:
            best.take(Paths.joined([paths] * len(losses)), np.repeat(np.arange(len(losses)), size))
        short[top] = [best.value(i) for i in range(len(losses))]
        before = top
    start = [short[min(length, _ALL_PAIRS)][losses.index(loss)] for length, loss in asked]
    deep = [i for i, (length, _) in enumerate(asked) if length > _ALL_PAIRS]
    if deep:
        best = _Best([asked[i][1] for i in deep], beta, [start[i] for i in deep])
        many = [_long_paths(asked[i][0], alpha, dummy=dummy) for i in deep]
        best.take(Paths.joined(many), _cells(many))
        if dummy:
            more = [_nearer(best.value(i), alpha) for i in range(len(deep))]
            best.take(Paths.joined(more), _cells(more))
        for place, i in enumerate(deep):
            start[i] = best.value(place)
    return tuple(start)


def over_littlestone(
    dimension: int, m: int, *, epsilon: float, alpha: float, beta: float, dummy: bool = True
) -> float:
    """Return by how much m exceeds `sharp_littlestone`: below 0 where a path excludes it.

    What the paths of its first turns exclude is told without a search for the number.
    """
    short = _short_paths(1, min(dimension, _ALL_PAIRS), alpha, dummy=dummy)
    parts = (
        [short, _long_paths(dimension, alpha, dummy=dummy)] if dimension > _ALL_PAIRS else [short]
    )
    paths = Paths.joined(parts)
    paths = paths.at(np.argsort(-paths.rate(), kind="stable"))
    best, loss, tail = _Best.nothing([epsilon], beta), np.array([epsilon]), log_tail(beta)
    best.m[:] = m

    def over(these: Paths) -> float:
        found = over_allowed(
            beta,
            lambda: path_limit(np.array([m]), these, loss, tail=tail),
            lambda: path_limit(np.array([m]), these, loss, tail=tail, lost=True),
        )
        return float(found.min(initial=math.inf))

    # Mostly the most promising one decides.
    least = over(paths.at(np.arange(min(1, paths.lengths.size))))
    if least >= 0.0:
        others = paths.at(np.arange(1, paths.lengths.size))
        open_ = np.flatnonzero(~best.enough(others, np.zeros(others.lengths.size, dtype=np.intp)))
        if open_.size:
            least = min(least, over(others.at(open_)))
    if least < 0.0 or dimension <= _ALL_PAIRS:
        return least
    # What its last turn would look at, whichever path is the best one by then.
    more = _all_nearer(dimension, alpha, dummy=dummy)
    open_ = np.flatnonzero(~best.enough(more, np.zeros(more.lengths.size, dtype=np.intp)))
    if not open_.size or over(more.at(open_)) >= 0.0:
        return least
    number = sharp_littlestone(dimension, epsilon=epsilon, alpha=alpha, beta=beta, dummy=dummy).m
    return least if 0 < number <= m else math.log(m / number) if number else -math.inf


def _cells(parts: Sequence[Paths]) -> NDArray[np.intp]:
    """Return for each of the joined paths which part it is of."""
    return np.repeat(np.arange(len(parts)), [part.lengths.size for part in parts])


class _Best:
    """The largest least m that was found at each of several ε, and by which path."""

    def __init__(
        self, epsilons: Sequence[float], beta: float, found: Sequence[SharpLittlestone]
    ) -> None:
        self.epsilon, self.beta = np.array(epsilons), beta
        self.found = list(found)
        self.m = np.array([one.m for one in found], dtype=np.int64)

    @classmethod
    def nothing(cls, epsilons: Sequence[float], beta: float) -> _Best:
        return cls(epsilons, beta, [SharpLittlestone(1, 0, 0, 0.0)] * len(epsilons))

    def value(self, place: int) -> SharpLittlestone:
        return self.found[place]

    def take(self, paths: Paths, cell: NDArray[np.intp]) -> None:
        """Take in paths, each for one ε; the most promising first, to search few of the others."""
        if not cell.size:
            return
        order = np.lexsort((-paths.rate(), cell))
        first = np.append(True, np.diff(cell[order]) > 0)
        for places in (order[first], order[~first]):
            self._try(paths.at(places), cell[places])

    def _try(self, paths: Paths, cell: NDArray[np.intp]) -> None:
        # Where more than are searched for are excluded (m = 0), nothing can be added.
        open_ = np.flatnonzero((self.m[cell] > 0) & ~self.enough(paths, cell))
        cell, paths = cell[open_], paths.at(open_)
        tail = log_tail(self.beta)
        lost = path_limit(self.m[cell], paths, self.epsilon[cell], tail=tail, lost=True)
        open_ = np.flatnonzero(lost > self.beta)
        if not open_.size:
            return
        cell, paths = cell[open_], paths.at(open_)
        found = least_guessing(
            paths.log_good, paths.log_rivals, paths.masses, epsilon=self.epsilon[cell],
            beta=self.beta,
        )  # fmt: skip
        for place, m_here, of, j, mass in zip(
            cell.tolist(), found.tolist(), paths.lengths.tolist(), paths.mistakes.tolist(),
            paths.masses.tolist(), strict=True,
        ):  # fmt: skip
            known = int(self.m[place])
            if known and (m_here == 0 or m_here > known):
                self.m[place] = m_here
                self.found[place] = SharpLittlestone(m_here, of, j, mass)

    def enough(self, paths: Paths, cell: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Tell of some paths that exclude fewer than m, without an expectation.

        From K = k on at most half of beta is lost, and by Chernoff's inequality smaller K have at
        most the other half.
        """
        log_half = math.log(2.0 / self.beta)
        k = np.maximum(paths.log_rivals - paths.log_good + log_half, 0.0) / self.epsilon[cell]
        mean = self.m[cell] * paths.masses
        return np.asarray(mean >= k + 2.0 * log_half + 2.0 * np.sqrt(k * log_half))


def many_samples(dimension: int, alpha: float) -> Paths:
    """Return the one path that excludes most where many samples are excluded."""
    if dimension > _ALL_PAIRS:
        paths = _long_paths(dimension, alpha, dummy=True)
    else:
        paths = _short_paths(1, dimension, alpha, dummy=True)
    return paths.at(np.argsort(-paths.rate(), kind="stable")[:1])


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


@lru_cache(maxsize=256)
def _short_paths(first: int, last: int, alpha: float, *, dummy: bool) -> Paths:
    """Return all of lengths from first to last, at most 64; without a dummy one a length."""
    pairs = []
    for length in range(first, last + 1):
        least = _enough(length, alpha)
        pairs += [(length, j) for j in (range(least, length + 1) if dummy else [least])]
    return Paths.of([pair for pair in pairs if pair[1] <= pair[0]], alpha, dummy=dummy)


@lru_cache(maxsize=256)
def _long_paths(dimension: int, alpha: float, *, dummy: bool) -> Paths:
    """Return some of l = L, above 64, and those just below it that fit αl best."""
    pairs = {(dimension, least := _enough(dimension, alpha))}
    for j in range(max(1, least - _CORNERS), least):
        length = min(dimension, math.ceil(j / alpha))
        while _enough(length, alpha) > j:
            length -= 1
        pairs.add((length, j))
    if dummy:
        base = max(alpha, _ROOT)
        shares = np.concatenate([_ROOT * _AROUND, base + (0.5 - base) * _FEW]).tolist()
        pairs |= {(dimension, round(share * dimension)) for share in shares}
    return Paths.of(sorted(_sound(pairs, alpha)), alpha, dummy=dummy)


@lru_cache(maxsize=1024)
def _nearer(best: SharpLittlestone, alpha: float) -> Paths:
    """Return more paths as long as the best one, with a few mistakes more or less."""
    length, j = best.length, best.mistakes
    if length <= _ALL_PAIRS:
        return Paths.of([], alpha)
    reach = max(0.07 * j, _FINE // 2)
    pairs = {(length, round(k)) for k in np.linspace(j - reach, j + reach, _FINE).tolist()}
    return Paths.of(sorted(_sound(pairs, alpha)), alpha)


@lru_cache(maxsize=256)
def _all_nearer(dimension: int, alpha: float, *, dummy: bool) -> Paths:
    """Return `_nearer` of all long paths."""
    if not dummy:
        return Paths.of([], alpha)
    long = _long_paths(dimension, alpha, dummy=True)
    pairs: set[tuple[int, int]] = set()
    for length, j in zip(long.lengths.tolist(), long.mistakes.tolist(), strict=True):
        near = _nearer(SharpLittlestone(0, length, j, 0.0), alpha)
        pairs |= set(zip(near.lengths.tolist(), near.mistakes.tolist(), strict=True))
    return Paths.of(sorted(pairs), alpha)


def _sound(pairs: set[tuple[int, int]], alpha: float) -> set[tuple[int, int]]:
    """Return the pairs whose j mistakes fail; those of long paths where less than half are."""
    return {
        (k, j) for k, j in pairs if _enough(k, alpha) <= j <= k and (k <= _ALL_PAIRS or 2 * j <= k)
    }


def _enough(length: int, alpha: float) -> int:
    """Return the least j with j > α l, with slack for rounding."""
    return math.floor(alpha * length + _ROUNDING) + 1
