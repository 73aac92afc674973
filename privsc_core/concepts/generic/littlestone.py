"""What a mistake tree of depth L costs every pure private learner, without entropy."""

from __future__ import annotations

import math
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from cachetools import LRUCache

from privsc_core.concepts.extremes import log_tail
from privsc_core.concepts.generic.guessing import least_guessing
from privsc_core.concepts.generic.paths import (
    SHORT,
    Paths,
    long_paths,
    nearer_paths,
    path_limit,
    paths_enough,
    short_paths,
)
from privsc_core.concepts.inequalities import over_allowed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["SharpLittlestone", "over_littlestone", "sharp_littlestone", "sharp_littlestones"]


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
        known = {cell: _found.get(cell) for cell in asked}
    if wanted := [cell[:2] for cell, found in known.items() if found is None]:
        found = _search(wanted, alpha, beta, dummy=dummy)
        new = {(*cell, alpha, beta, dummy): by for cell, by in zip(wanted, found, strict=True)}
        known |= new
        with _lock:
            _found.update(new)
    return tuple(known[cell] for cell in asked)  # type: ignore[misc]  # all are known by now


_found: LRUCache[tuple[int, float, float, float, bool], SharpLittlestone] = LRUCache(
    maxsize=1 << 12
)
_lock = threading.Lock()


def _search(
    asked: Sequence[tuple[int, float]], alpha: float, beta: float, *, dummy: bool
) -> list[SharpLittlestone]:
    """Return them for distinct pairs."""
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
        """Tell of some paths that exclude fewer than m, without an expectation."""
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
