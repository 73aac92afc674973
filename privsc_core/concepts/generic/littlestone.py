"""What a mistake tree of depth L costs every pure private learner, without entropy."""

from __future__ import annotations

import math
import operator
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from privsc_core.concepts.generic.guessing import guessing_limit, least_guessing, surely_enough
from privsc_core.concepts.shared.inequalities import log_tail, over_allowed
from privsc_core.kept import Kept

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Setting


# -------------------------------------------------------------------------------------------------
# Paths of a mistake tree: by how many of their nodes, and how many mistakes, a learner may fail.


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
        """Concatenate several `Paths`."""
        return cls(*[np.concatenate(columns) for columns in zip(*parts, strict=True)])

    def at(self, places: NDArray[np.intp]) -> Paths:
        """Return some of them."""
        return self.each(lambda column: column[places])

    def each(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Paths:
        """Return the paths with another order or shape."""
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
    """Return the table [l, j] for l up to 64, computed with whole numbers."""
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
    """Return where the limits of paths are at least 1 - β without an expectation; the others may be."""
    # For M > 1 what is lost is at most 1 - 1/z, z = (2^l - 1) e^{-εK} / (M - 1).
    single = paths.mistakes == 1
    with np.errstate(divide="ignore"):
        less = np.log(-np.expm1(-paths.log_good))
    rivals = paths.log_rivals - np.where(single, 0.0, paths.log_good + less)
    return surely_enough(m, rivals, paths.masses, epsilon, beta, own=single)


@lru_cache(maxsize=256)
def short_paths(last: int, alpha: float, *, dummy: bool) -> Paths:
    """Return the paths of lengths up to `last`, at most 64, that no other beats; see `_beaten_from`.

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


def sharp_littlestones(
    dimensions: tuple[int, ...], epsilons: tuple[float, ...], *, alpha: float, beta: float,
    dummy: bool = True,
) -> tuple[SharpLittlestone, ...]:  # fmt: skip
    """Return `sharp_littlestone` of several pairs of dimension and epsilon."""
    asked = [(*cell, alpha, beta, dummy) for cell in zip(dimensions, epsilons, strict=True)]
    with _lock:
        known = {cell: _found.seen(cell) for cell in asked}
    if wanted := [cell[:2] for cell, found in known.items() if found is None]:
        found = _search(wanted, alpha, beta, dummy=dummy)
        new = {(*cell, alpha, beta, dummy): by for cell, by in zip(wanted, found, strict=True)}
        known |= new
        with _lock:
            _found.keep(new)
    return tuple(known[cell] for cell in asked)  # type: ignore[misc]  # all are known by now


_found: Kept[tuple[int, float, float, float, bool], SharpLittlestone] = Kept(1 << 12)
_lock = threading.Lock()


def _search(
    asked: Sequence[tuple[int, float]], alpha: float, beta: float, *, dummy: bool
) -> list[SharpLittlestone]:
    """Return the sharp bounds of distinct pairs."""
    # Short paths serve all deeper trees; those of a deep tree must exceed them.
    short = sorted({(min(length, SHORT), loss) for length, loss in asked})
    deep = [cell for cell in asked if cell[0] > SHORT]
    paths = [short_paths(top, alpha, dummy=dummy) for top, _ in short]
    paths += long_paths(tuple(length for length, _ in deep), alpha, dummy=dummy)
    best = _Best([loss for _, loss in short + deep], beta)
    best.take(Paths.joined(paths), _cells(paths))
    known = dict(zip(short, best.found, strict=False))
    if deep:
        longer = zip(
            (known[SHORT, loss] for _, loss in deep), best.found[len(short) :], strict=True
        )
        best = _Best([loss for _, loss in deep], beta)
        for place, (one, other) in enumerate(longer):
            best.put(place, other if one.m and (other.m == 0 or other.m > one.m) else one)
        if dummy:
            more = nearer_paths([(by.length, by.mistakes) for by in best.found], alpha)
            best.take(Paths.joined(more), _cells(more), together=True)
        known |= zip(deep, best.found, strict=True)
    return [known[cell] for cell in asked]


def over_littlestone(
    dimension: int, m: int, *, epsilon: float, alpha: float, beta: float, dummy: bool = True
) -> float:
    """Return by how much m exceeds `sharp_littlestone`: below 0 where a path excludes it.

    What the paths of its first turns exclude is told without a search for the number.
    """
    paths = _first_turns(dimension, alpha, dummy=dummy)
    best, loss, tail = _Best([epsilon], beta), np.array([epsilon]), log_tail(beta)
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
    if least < 0.0 or dimension <= SHORT:
        return least
    # What its last turn would look at, whichever path is the best one by then.
    more = _all_nearer(dimension, alpha, dummy=dummy)
    open_ = np.flatnonzero(~best.enough(more, np.zeros(more.lengths.size, dtype=np.intp)))
    if not open_.size or over(more.at(open_)) >= 0.0:
        return least
    by = sharp_littlestone(dimension, epsilon=epsilon, alpha=alpha, beta=beta, dummy=dummy)
    if 0 < by.m <= m:
        return least
    # On the scale of the others, so that a secant does not creep.
    decides = Paths.of([(by.length, by.mistakes)], alpha, dummy=dummy)
    return min(over(decides), math.log(m / by.m)) if by.m else -math.inf


@lru_cache(maxsize=256)
def _first_turns(dimension: int, alpha: float, *, dummy: bool) -> Paths:
    """Return the paths of the first turns of the search, the most promising first."""
    parts = [short_paths(min(dimension, SHORT), alpha, dummy=dummy)]
    if dimension > SHORT:
        parts += long_paths((dimension,), alpha, dummy=dummy)
    paths = Paths.joined(parts)
    return paths.at(np.argsort(-paths.rate(), kind="stable"))


def _cells(parts: Sequence[Paths]) -> NDArray[np.intp]:
    """Return for each of the joined paths which part it is of."""
    return np.repeat(np.arange(len(parts)), [part.lengths.size for part in parts])


class _Best:
    """The largest least m that was found at each of several ε, and by which path."""

    def __init__(self, epsilons: Sequence[float], beta: float) -> None:
        self.epsilon, self.beta = np.array(epsilons), beta
        self.found = [SharpLittlestone(1, 0, 0, 0.0)] * len(epsilons)
        self.m = np.ones(len(epsilons), dtype=np.int64)

    def put(self, place: int, found: SharpLittlestone) -> None:
        """Take in what is known already."""
        self.found[place], self.m[place] = found, found.m

    def take(self, paths: Paths, cell: NDArray[np.intp], *, together: bool = False) -> None:
        """Take in paths, each for one ε; the most promising first, to search few of the others.

        Or `together`, where much is known already.
        """
        if not cell.size:
            return
        order = np.lexsort((-paths.rate(), cell))
        first = np.append(True, np.diff(cell[order]) > 0)
        for places in (order,) if together else (order[first], order[~first]):
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
                self.put(place, SharpLittlestone(m_here, of, j, mass))

    def enough(self, paths: Paths, cell: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which paths exclude fewer than m without computing an expectation."""
        return paths_enough(self.m[cell], paths, self.epsilon[cell], self.beta)


@lru_cache(maxsize=256)
def _all_nearer(dimension: int, alpha: float, *, dummy: bool) -> Paths:
    """Return `nearer_paths` of all long paths."""
    if not dummy:
        return Paths.of([], alpha)
    (long,) = long_paths((dimension,), alpha, dummy=True)
    pairs = list(zip(long.lengths.tolist(), long.mistakes.tolist(), strict=True))
    found: set[tuple[int, int]] = set()
    for near in nearer_paths(pairs, alpha):
        found |= set(zip(near.lengths.tolist(), near.mistakes.tolist(), strict=True))
    return Paths.of(sorted(found), alpha)


# -------------------------------------------------------------------------------------------------
# What a mistake tree leaves of success over an axis; where that is 0 or 1, without a search.


_NO_LOSS = 1e-15  # what success, or failure, may be to count as none: far below a curve's rounding
_SHARES = 64  # of mistakes, of long paths: classes that are told of together


def littlestone_limit(setting: Setting) -> NDArray[np.float64]:
    """Return the largest success probability of a pure private learner, of the setting's shape.

    By two paths for each d and ε: that of the number of samples, and that which is best for many.
    """
    d, epsilon = np.broadcast_arrays(setting.d, setting.epsilon)
    depths, losses, tail = d.ravel(), epsilon.ravel(), setting.log_tail
    if not every_short_path(setting.alpha)[
        0
    ].lengths.size:  # alpha is 1 but for rounding: no mistakes fail
        return np.ones(setting.shape)
    if setting.m.size > 1:
        many = _many_samples(depths, setting.alpha)
        best = _best(depths, losses, setting, many)
        # Often both are one.
        same = np.array_equal(best.mistakes, many.mistakes) and np.array_equal(
            best.lengths, many.lengths
        )
        limits = [
            path_limit(
                setting.m, by.each(lambda column: column.reshape(d.shape)), epsilon, tail=tail
            )
            for by in ([many] if same else [best, many])
        ]
        return np.broadcast_to(np.minimum(limits[0], limits[-1]), setting.shape)
    # Over d or ε most values are 0 or 1, whichever path it is.
    m, found = setting.m.reshape(1), np.ones(depths.size)
    open_ = np.flatnonzero(~_surely_one(m, depths, losses, setting.alpha))
    if open_.size:
        many = _many_samples(depths[open_], setting.alpha)
        found[open_] = path_limit(m, many, losses[open_], tail=tail)
        some = np.flatnonzero(found[open_] > _NO_LOSS)
        many, open_ = many.at(some), open_[some]
    if open_.size:
        best = _best(depths[open_], losses[open_], setting, many)
        other = path_limit(m, best, losses[open_], tail=tail)
        found[open_] = np.minimum(found[open_], other)
    return np.broadcast_to(found.reshape(d.shape), setting.shape)


def _surely_one(
    m: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64], alpha: float
) -> NDArray[np.bool_]:
    """Return where no path leaves less than 1 of success, without an expectation; elsewhere it may be so.

    Parameters
    ----------
    m : ndarray, shape (1,)
    d, epsilon : ndarray, shape (cells,)
    alpha : float
    """
    top = np.minimum(d, SHORT)
    every, beaten_from = every_short_path(alpha)
    used = (every.lengths <= top.max()) & (beaten_from > np.maximum(every.lengths, top.min()))
    paths = every.at(np.flatnonzero(used))
    losses, place = np.unique(epsilon, return_inverse=True)
    enough = paths_enough(m, paths, losses[:, None], _NO_LOSS)
    # From the first length on at which that is not known of a path.
    first = np.where(enough, SHORT + 1, paths.lengths).min(axis=1)
    sure = np.asarray(top < first[place])
    deep = np.flatnonzero(sure & (d > SHORT))
    if deep.size:
        sure[deep] = _long_surely_one(m, d[deep], epsilon[deep], alpha)
    return sure


def _long_surely_one(
    m: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64], alpha: float
) -> NDArray[np.bool_]:
    """Tell the same of paths of l > 64 nodes, α < j/l <= 1/2: of all of them together, for l up to d.

    Where j >= 2, M - 1 >= C(l, j-1) = C(l, j) j / (l - j + 1), and with x = j/l
    C(l, j) >= e^{l H(x)} / sqrt(8 l x (1-x)) >= e^{l H(x)} / sqrt(2 l) for the entropy H in nats
    (MacWilliams and Sloane, The Theory of Error-Correcting Codes, chapter 10, Lemma 7). So what is
    lost is at most 1 - 1/z, z = R e^{-εK}, K ~ Bin(m, α/x), where
    log R = l (log 2 - H(x)) + log(2l) / 2 + log((1 - x + 1/65) / x). It grows with l and falls with x,
    as does α/x: for x in an interval both are taken at its worse end.
    """
    if alpha >= 0.5:
        return np.ones(d.shape, dtype=np.bool_)  # there are none
    if alpha * (SHORT + 1) < 1.0:
        return np.zeros(d.shape, dtype=np.bool_)  # j may be 1
    shares = np.geomspace(alpha, 0.5, _SHARES + 1)
    x, length = shares[:-1], d[:, None].astype(np.float64)
    bits = math.log(2.0) + x * np.log(x) + (1.0 - x) * np.log1p(-x)
    rivals = length * bits + 0.5 * np.log(2.0 * length)
    rivals += np.log((1.0 - x + 1.0 / (SHORT + 1)) / x)
    enough = surely_enough(m, rivals, alpha / shares[1:], epsilon[:, None], _NO_LOSS)
    return np.asarray(enough.all(axis=1))


def _best(
    d: NDArray[np.int64], epsilon: NDArray[np.float64], setting: Setting, many: Paths
) -> Paths:
    """Return the paths that exclude most; those for many samples where nothing is excluded."""
    found = sharp_littlestones(
        tuple(d.tolist()), tuple(epsilon.tolist()), alpha=setting.alpha, beta=setting.beta
    )
    other = zip(many.lengths.tolist(), many.mistakes.tolist(), strict=True)
    pairs = [
        (by.length, by.mistakes) if by.length else pair
        for by, pair in zip(found, other, strict=True)
    ]
    return Paths.of(pairs, setting.alpha)


def _many_samples(d: NDArray[np.int64], alpha: float) -> Paths:
    """Return for each depth the one path that excludes most where many samples are excluded.

    Long ones do that best, where there are some: less than half of their nodes are mistakes.
    """
    depths = list(dict.fromkeys(d.tolist()))
    deep = tuple(depth for depth in depths if depth > SHORT)
    long = dict(zip(deep, long_paths(deep, alpha, dummy=True), strict=True))
    found = {}
    for depth in depths:
        paths = long.get(depth)
        if paths is None or not paths.lengths.size:
            paths = short_paths(min(depth, SHORT), alpha, dummy=True)
        found[depth] = paths.at(np.array([paths.rate().argmax()]))
    return Paths.joined([found[depth] for depth in d.tolist()])
