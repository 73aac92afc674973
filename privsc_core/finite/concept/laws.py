"""Success laws of a class that is given as a matrix: sums over the counts of what a sample can tell.

A learner sees only how many mistakes each concept makes. So points on which the same concepts differ from
the target are one, concepts that differ from it on the same points are one, and points on which none
does are the rest. A sample is then a multinomial count for each of a few groups of points: its type. The
law is the sum over all types where there are few of them, and a mean over types that are drawn where
there are many.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from privsc_core import progress
from privsc_core.concepts.shared.laws import certain, from_smaller, gathered, rao_blackwell
from privsc_core.numerics.binomial import binomial_ends, binomial_rows
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting
    from privsc_core.finite.concept.distributions import OnPoints

    Part = tuple[NDArray[np.intp], Estimate]

TYPES_MOST = 200_000
"""So many types of samples are summed over; of more, some are drawn."""

_WORK_MOST = 5_000_000  # numbers that a sum over types computes for one m and epsilon: some 50 ms
_BLOCK = 1 << 20  # of them at a time
_BITS = 62  # of a whole number of numpy
SUBSETS_MOST = 12
"""Of so many groups of points all sets are gone through."""

_FAR = 45.0  # e^{-45} is nothing


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """What samples from a distribution can tell of a class.

    Attributes
    ----------
    differs : ndarray of float64, shape (rows, groups)
        Whether the concepts of a row differ from the target on a group of points; row 0 does nowhere.
    sizes : ndarray of float64, shape (rows,)
        How many concepts a row is.
    masses : ndarray of float64, shape (groups,)
        The probability of each group.
    rest : float
        The probability of all other points.
    errors : tuple of Fraction
        The error of each row.
    alike : tuple of int
        A number for each group; groups with the same one may be exchanged, and the rows stay the same.
    """

    differs: NDArray[np.float64]
    sizes: NDArray[np.float64]
    masses: NDArray[np.float64]
    rest: float
    errors: tuple[Fraction, ...]
    alike: tuple[int, ...]

    def good(self, alpha: float) -> NDArray[np.bool_]:
        """Return which rows have error at most alpha."""
        most = decimal(alpha)
        return np.array([error <= most for error in self.errors])

    def chances(self) -> NDArray[np.float64]:
        """Return the probability of each group, and of the rest where it has one."""
        return np.append(self.masses, self.rest) if self.rest else self.masses

    def draw(self, m: int, trials: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the counts of the groups in so many samples, shape (trials, groups)."""
        chances = np.append(self.masses, self.rest)
        counts = rng.multinomial(m, chances / chances.sum(), size=trials)
        return counts[:, :-1].astype(np.float64)


@lru_cache(maxsize=64)
def reduced(distribution: OnPoints) -> Reduced:
    """Return what samples from a distribution can tell of its class."""
    total, parts = distribution.whole
    of, goal = distribution.of, distribution.goal
    groups: dict[int, int] = {}
    for x, (column, part) in enumerate(zip(of.columns, parts, strict=True)):
        apart = of.everyone ^ column if goal >> x & 1 else column
        groups[apart] = groups.get(apart, 0) + part
    told = [(apart, part) for apart, part in groups.items() if part and apart]
    rows: dict[int, list[int]] = {0: []}
    for i, labels in enumerate(of.concepts):
        key = sum(1 << g for g, (apart, _) in enumerate(told) if apart >> i & 1)
        rows.setdefault(key, []).append(labels ^ goal)
    differs = np.array([[key >> g & 1 for g in range(len(told))] for key in rows], dtype=np.float64)
    return Reduced(
        differs.reshape(len(rows), len(told)),
        np.array([len(same) for same in rows.values()], dtype=np.float64),
        np.array([part / total for _, part in told], dtype=np.float64),
        (total - sum(part for _, part in told)) / total,
        tuple(distribution.wrong(same[0]) for same in rows.values()),
        _alike({key: len(same) for key, same in rows.items()}, [part for _, part in told]),
    )


def _alike(rows: dict[int, int], parts: list[int]) -> tuple[int, ...]:
    """Return for each group of points the first one that it may be exchanged with."""
    if len(parts) > _BITS:
        return tuple(range(len(parts)))
    keys, sizes = np.array(sorted(rows.items()), dtype=np.int64).T
    found: list[int] = []
    for group, part in enumerate(parts):
        for first in dict.fromkeys(found):
            apart = (keys >> group ^ keys >> first) & 1
            other = keys ^ apart * (1 << group | 1 << first)
            order = np.argsort(other)
            if (
                part == parts[first]
                and (other[order] == keys).all()
                and (sizes[order] == sizes).all()
            ):
                found.append(first)
                break
        else:
            found.append(group)
    return tuple(found)


# --- Types of samples ----------------------------------------------------------------------------


@lru_cache(maxsize=2)
def types(
    m: int, of: Reduced, log_tail: float, most: int = TYPES_MOST
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return all types of m examples that matter, and their probabilities; None for more than `most`.

    Of types that differ by an exchange of groups that are alike one stands for all: their counts fall.

    Returns
    -------
    counts : ndarray of float64, shape (types, groups)
    weights : ndarray of float64, shape (types,)
        What is left out has a probability of about e^{-log_tail}.
    """
    chances = of.chances()
    alike = (*of.alike, len(of.alike))  # the rest is like no other
    order = sorted(range(chances.size), key=lambda group: (chances[group], alike[group]))
    left, weights = np.array([m], dtype=np.int64), np.ones(1)
    counts, runs = np.empty((1, 0), dtype=np.int64), np.ones(1)
    remaining, place = 1.0, 0
    for at, group in enumerate(order):
        again = at > 0 and alike[group] == alike[order[at - 1]]
        place = place + 1 if again else 1
        chance, cells = float(chances[group]), len(order) - at
        first, last = binomial_ends(m, chance, log_tail)
        high = np.minimum(left, counts[:, -1]) if again else left
        low = np.minimum(left, first)
        if alike[group] == alike[order[-1]]:
            # All that is left goes to this group and to others like it, none of which gets more.
            low = np.maximum(low, -(-left // cells))
        width = np.maximum((np.minimum(high, last) if cells > 1 else high) - low + 1, 0)
        if width.sum() > most:
            return None
        row = np.repeat(np.arange(left.size), width)
        here = low[row] + np.arange(row.size) - np.repeat(np.cumsum(width) - width, width)
        given = _binomial(left, row, here, chance / remaining, log_tail) if cells > 1 else 1.0
        # How many types a type stands for: of n groups alike, n! by the factorials of equal counts.
        same = counts[row, -1] == here if again else np.zeros(row.size, dtype=np.bool_)
        runs = np.where(same, runs[row] + 1.0, 1.0)
        weights, left = weights[row] * given * (place / runs), left[row] - here
        counts = np.column_stack([counts[row], here])
        remaining -= chance
    found = np.empty(counts.shape)
    found[:, order] = counts
    return found[:, : of.masses.size], weights


def _binomial(
    sizes: NDArray[np.int64], row: NDArray[np.intp], count: NDArray[np.int64], chance: float,
    log_tail: float,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the probability of each count among sizes[row] examples; 0 where it does not matter."""
    distinct, place = np.unique(sizes, return_inverse=True)
    starts, table = binomial_rows(distinct, chance, log_tail)
    at = count - starts[place[row]]
    inside = (at >= 0) & (at < table.shape[1])
    return np.where(inside, table[place[row], np.where(inside, at, 0)], 0.0)


# --- Laws ----------------------------------------------------------------------------------------


class Rule(Protocol):
    """How a learner chooses by mistakes, on samples in which the target makes none."""

    def __hash__(self) -> int:
        """Return its hash: what it computed is remembered."""

    def depth(self, concepts: int, /) -> int:
        """Return how many numbers it computes for a type and a row."""

    def shares(
        self, mistakes: NDArray[np.float64], of: Reduced, good: NDArray[np.bool_], epsilon: float, /
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the probabilities of a good and of a bad answer, for mistakes of shape (types, rows)."""


class ByWeight:
    """A concept is chosen with probability proportional to exp(-eps * mistakes / 2)."""

    def depth(self, _concepts: int, /) -> int:
        """Return 1: a weight."""
        return 1

    def shares(
        self, mistakes: NDArray[np.float64], of: Reduced, good: NDArray[np.bool_], epsilon: float, /
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the shares of both kinds of concepts of all weights."""
        weights = np.exp(-0.5 * epsilon * mistakes)
        kept, lost = (weights @ (of.sizes * kind) for kind in (good, ~good))
        total = kept + lost
        return kept / total, lost / total


class ByFit:
    """One of the concepts without mistakes is chosen, all equally likely."""

    def depth(self, _concepts: int, /) -> int:
        """Return 1: whether it has none."""
        return 1

    def shares(
        self, mistakes: NDArray[np.float64], of: Reduced, good: NDArray[np.bool_], epsilon: float, /
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the shares of both kinds of concepts of all that fit."""
        return ByWeight().shares(np.where(mistakes > 0.0, math.inf, 0.0), of, good, 1.0)


class ByCoins:
    """Each concept accepts with chance exp(-eps * mistakes / 2); one that accepts is chosen at random.

    As the first in a random order: give each concept an independent uniform time. At time t none before
    has accepted with probability prod (1 - a t), and a concept of chance a is the first to accept with the
    integral of a prod' (1 - a t) over t, without its own factor.
    """

    def depth(self, concepts: int, /) -> int:
        """Return the number of nodes of the integral: it is that of a polynomial."""
        return min(concepts // 2 + 1, _nodes(_FAR))

    def shares(
        self, mistakes: NDArray[np.float64], of: Reduced, good: NDArray[np.bool_], epsilon: float, /
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the probabilities that the first to accept is of either kind."""
        accepts = np.exp(-0.5 * epsilon * mistakes)
        total = accepts @ of.sizes
        end = np.minimum(1.0, _FAR / np.maximum(total, _FAR))
        enough = min(int(of.sizes.sum()) // 2 + 1, _nodes(float((total * end).max())))
        nodes, weights = np.polynomial.legendre.leggauss(enough)
        alone = bool((of.sizes == 1.0).all())
        kinds = np.stack([of.sizes * good, of.sizes * ~good], axis=1)
        found = np.zeros((end.size, 2))
        for node, weight in zip(
            (0.5 * (nodes + 1.0)).tolist(), (0.5 * weights).tolist(), strict=True
        ):
            left = 1.0 - accepts * (node * end)[:, None]
            none = (left if alone else left**of.sizes).prod(axis=1) * (weight * end)
            found += none[:, None] * ((accepts / left) @ kinds)
        return found[:, 0], found[:, 1]


def _nodes(rate: float) -> int:
    """Return how many Gauss nodes integrate a product of 1 - a t, the a adding up to a rate, to rounding.

    It is at most e^{rate |t|} everywhere. So on an ellipse around [0, 1] of radius r / 4 the error of k nodes is about
    e^{rate (1/2 + r/4)} r^{-2k}, and with r = 8 k / rate below 10^-16 for so many nodes and a rate up to 45.
    """
    return math.ceil(10.0 + 0.62 * rate)


def law(rule: Rule, distribution: OnPoints, setting: Setting) -> Estimate:
    """Return the probability of a good answer: exact where there are few types, else by draws."""
    of = reduced(distribution)
    good = of.good(setting.alpha)
    if good.all():
        return certain(setting)
    most = min(TYPES_MOST, _WORK_MOST // (len(of.sizes) * rule.depth(int(of.sizes.sum()))))
    m, epsilon = (np.broadcast_to(x, setting.shape).ravel() for x in (setting.m, setting.epsilon))
    known = np.full((2, m.size), math.nan)
    for cell in progress.steps(np.argsort(m, kind="stable").tolist()):
        at = int(m[cell]), float(epsilon[cell])
        found = _summed(rule, distribution, *at, setting.alpha, setting.log_tail, most)
        if found is None:
            break  # and there are no fewer types of more examples
        known[:, cell] = found
    drawn = np.isnan(known[0])
    kept, lost = known[:, ~drawn]
    here = np.flatnonzero(~drawn)
    parts: list[Part] = (
        [(here, from_smaller(_cells(setting, here), lambda: kept, lambda: lost))]
        if here.size
        else []
    )
    if drawn.any():
        here = np.flatnonzero(drawn)
        parts.append((here, _drawn(rule, of, good, _cells(setting, here))))
    return gathered(setting.shape, parts)


def _cells(setting: Setting, here: NDArray[np.intp]) -> Setting:
    """Return the setting of some cells, in C order."""
    columns = np.broadcast_arrays(setting.m, setting.d, setting.epsilon)
    m, d, epsilon = (column.ravel()[here] for column in columns)
    return replace(setting, m=m, d=d, epsilon=epsilon)


@lru_cache(maxsize=4096)  # the parts of a simulation ask for the same exact cells
def _summed(
    rule: Rule, distribution: OnPoints, m: int, epsilon: float, alpha: float, log_tail: float,
    most: int,
) -> tuple[float, float] | None:  # fmt: skip
    """Return the probabilities of a good and of a bad answer; None where there are more types than `most`."""
    of = reduced(distribution)
    good = of.good(alpha)
    found = types(m, of, log_tail, most)
    if found is None:
        return None
    counts, weights = found
    kept = lost = 0.0
    for begin, mistakes in _mistakes(counts, of):
        part = weights[begin : begin + len(mistakes)]
        one, other = rule.shares(mistakes, of, good, epsilon)
        kept, lost = kept + float(one @ part), lost + float(other @ part)
    return kept, lost


def _drawn(
    rule: Rule, of: Reduced, good: NDArray[np.bool_], setting: Setting,
    more: int = 0, ahead: NDArray[np.bool_] | None = None,
) -> Estimate:  # fmt: skip
    """Return the mean over drawn types; rows that are `ahead` are judged by so many `more` examples."""

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
        counts = of.draw(m, trials, rng)
        return (counts, counts + of.draw(more, trials, rng)) if more else (counts,)

    def given(_: int, epsilon: float, *counts: NDArray[np.float64]) -> NDArray[np.float64]:
        both = zip(_mistakes(counts[0], of), _mistakes(counts[-1], of), strict=True)
        return np.concatenate([
            rule.shares(now if ahead is None else np.where(ahead, later, now), of, good, epsilon)[0]
            for (_, now), (_, later) in both
        ])  # fmt: skip

    return rao_blackwell(setting, draw, given)


def span(
    rule: Rule, distribution: OnPoints, first: Setting, last: Setting
) -> tuple[Estimate, Estimate]:
    """Return what success is at least, and at most, for every m of intervals.

    On more of the same examples no concept makes fewer mistakes. So at every m success is at least what it
    would be with the mistakes of the good concepts at the last m and those of all others at the first; and
    at most the reverse. Both are means over drawn types.
    """
    of = reduced(distribution)
    good = of.good(first.alpha)
    steps = np.broadcast_to(last.m - first.m, first.shape).ravel().tolist()
    lows: list[Part] = []
    highs: list[Part] = []
    for cell, more in enumerate(steps):
        here = np.array([cell])
        at = _cells(first, here)
        for parts, ahead in ((lows, good), (highs, ~good)):
            found = _drawn(rule, of, good, at, more, ahead) if more else law(rule, distribution, at)
            parts.append((here, found))
    return gathered(first.shape, lows), gathered(first.shape, highs)


def _mistakes(
    counts: NDArray[np.float64], of: Reduced
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the mistakes of all rows for some types after another, and which is the first."""
    block = max(1, _BLOCK // len(of.sizes))
    for begin in range(0, len(counts), block):
        yield begin, counts[begin : begin + block] @ of.differs.T


def fitting_law(
    distribution: OnPoints, setting: Setting, *, end: Literal["low", "high", ""] = ""
) -> Estimate:
    """Return the law of a random concept without mistakes: by which groups of points were seen.

    All sets of groups are gone through, at most `SUBSETS_MOST` groups. By inclusion and exclusion a set S is
    what was seen with probability sum (-1)^{|S| - |U|} (probability of U and the rest)^m over its subsets U.
    The terms cancel: a number is right to 1e-12 (5e-13 on random classes of 12 groups), a small one to fewer digits.

    With an `end` it is one that never falls as m grows: at most the law, with the target alone among the good
    concepts; or at least, with all good concepts, whether they fit or not.
    """
    of = reduced(distribution)
    good = of.good(setting.alpha)
    if good.all():
        return certain(setting)
    groups = of.masses.size
    keys = (of.differs @ np.exp2(np.arange(groups))).astype(np.intp)
    fits = np.zeros((2, 1 << groups))
    for kind, found in zip((good, ~good), fits, strict=True):
        np.add.at(found, keys[kind], of.sizes[kind])
        # A row fits where it differs on no group that was seen: on a subset of all others.
        found[:] = _over_subsets(found, 1.0)[::-1]
    if end:
        fits[0] = of.sizes[0] if end == "low" else of.sizes[good].sum()
    kept, lost = fits / fits.sum(axis=0)
    inside = np.full(1 << groups, of.rest)
    for group, mass in enumerate(of.masses.tolist()):
        inside.reshape(-1, 2, 1 << group)[:, 1] += mass
    sizes, place = np.unique(setting.m, return_inverse=True)
    means = np.empty((2, sizes.size))
    for i, size in enumerate(sizes.tolist()):
        seen = np.maximum(_over_subsets(inside**size, -1.0), 0.0)
        means[:, i] = kept @ seen, lost @ seen
    reached, failed = means[:, place].reshape(2, *setting.m.shape)
    return from_smaller(setting, lambda: reached, lambda: failed)


def _over_subsets(values: NDArray[np.float64], sign: float) -> NDArray[np.float64]:
    """Return the sum over all subsets of every set; with the sign -1 what has this sum."""
    found = values.copy()
    half = 1
    while half < len(found):
        pairs = found.reshape(-1, 2, half)
        pairs[:, 1] += sign * pairs[:, 0]
        half *= 2
    return found
