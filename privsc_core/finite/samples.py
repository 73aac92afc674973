"""What the dimensions of a class say about numbers of samples, above and below.

All lower bounds are about every purely private learner, proper or not; the mass of a point is "just
above" what is written, as everywhere here.
"""

from __future__ import annotations

import itertools
import math
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from privsc_core.concepts.generic.guessing import guessing_limit, least_guessing
from privsc_core.concepts.generic.littlestone import sharp_littlestone
from privsc_core.concepts.shared.inequalities import (
    SEARCH_LIMIT,
    least_at_rate,
    mechanism_rate,
    shifted_rate,
)
from privsc_core.finite.budget import Between, Budget, OutOfStepsError
from privsc_core.finite.shatter import growth
from privsc_core.numerics.decimals import complement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privsc_core.concepts.generic.littlestone import SharpLittlestone
    from privsc_core.finite.littlestone import MistakeTree
    from privsc_core.finite.matrix import FiniteClass


# -------------------------------------------------------------------------------------------------
# The blind guess: the best chance to be right before any data, and sizes of representations.
#
# rho(C, alpha) is the largest number such that for one fixed distribution over hypotheses, every
# concept f and every distribution D of points, a draw has error at most alpha with at least that
# probability. It says what pure privacy costs: see `samples`.


_ROUNDING = 1e-9
# The weights of an optimum are fractions with small denominators.
_DENOMINATOR = 10_000
# Nature's maximal bad families {z : D(z) > alpha} of mistakes z, by their minimal sets of points
# and up to the order of the points, where they are known: points, then alpha in [low, high).
_FAMILIES: dict[int, tuple[tuple[float, float, tuple[str, ...]], ...]] = {
    3: ((1 / 3, 1 / 2, ("1 2",)),),
    4: (
        (1 / 4, 1 / 3, ("1 2 3",)),
        (1 / 3, 2 / 5, ("1 2", "1 23 24 34")),
        (2 / 5, 1 / 2, ("1 2", "12 13 14 23 24 34")),
    ),
    5: ((1 / 4, 2 / 7, ("1 2 3", "1 2 34 35 45")),),
}
_TOO_FAR = f"more than {SEARCH_LIMIT:.0e}: not searched further"
_REPRESENTED = 4  # points up to which sets of hypotheses are all looked at, at alpha in [1/4, 1/3)


@dataclass(frozen=True, slots=True)
class Guess:
    """The blind guess of a class, or the ends between which it lies.

    Attributes
    ----------
    low, high : float
        rho is from `low` to `high`; equal where it is known.
    reason : str
        How it is known, or which inequality each end is.
    """

    low: float
    high: float
    reason: str

    @property
    def exact(self) -> bool:
        """Whether it is known."""
        return self.low == self.high


def patterns_of(alpha: float) -> int:
    """Return s = ceil(1/alpha) - 1: on so many points every mistake can cost more than alpha."""
    return max(0, math.ceil(1.0 / alpha - _ROUNDING) - 1)


def binomial_share(length: int, alpha: float) -> float:
    """Return Pr[Bin(l, 1/2) <= alpha l]: what a mistake tree of depth l leaves to a guess."""
    good = sum(math.comb(length, i) for i in range(math.floor(alpha * length + _ROUNDING) + 1))
    return float(good / 2**length)


def ranges(points: int) -> tuple[tuple[float, float], ...]:
    """Return the ranges of alpha, from low to below high, in which nature's families are listed."""
    return tuple((low, high) for low, high, _ in _FAMILIES.get(points, ()))


def _listed(points: int, alpha: float) -> tuple[str, ...]:
    """Return the families at this accuracy, or none."""
    return next(
        (words for low, high, words in _FAMILIES.get(points, ())
         if low - _ROUNDING <= alpha < high - _ROUNDING),
        (),
    )  # fmt: skip


def guess(of: FiniteClass, alpha: float, *, patterns: int = 1, depth: int = 0) -> Guess:
    """Return the blind guess at an accuracy.

    Parameters
    ----------
    of : FiniteClass
    alpha : float
        In (0, 1).
    patterns, depth : int
        A number of patterns on ceil(1/alpha) - 1 points, and a depth of a mistake tree, that the
        class has: what is said where the program is too large.
    """
    small = of.reduced()
    if small.points <= patterns_of(alpha):
        rho = 1.0 / len(small)
        return Guess(rho, rho, "every concept needs a hypothesis of its own: fewer than 1/α points")
    high = min(1.0 / max(patterns, 1), *(binomial_share(k, alpha) for k in range(depth + 1)))
    low = 1.0 / deterministic_size(of, alpha).cap
    if math.isclose(low, high, rel_tol=1e-12):
        return Guess(high, high, "a representation, and patterns or a mistake tree, say the same")
    if _listed(small.points, alpha):
        low, high = _program(small.concepts, small.points, alpha)
        how = "linear program over all hypotheses and nature's bad families"
        return Guess(
            low, high, how + (", proved in fractions" if low == high else ": its two ends")
        )
    return Guess(low, high, "from a representation to patterns on few points and the mistake tree")


@lru_cache(maxsize=2048)
def _program(concepts: tuple[int, ...], points: int, alpha: float) -> tuple[float, float]:
    """Return the ends between which rho lies, by linear programming; equal where fractions prove it.

    A row for each concept and bad family. What the solver says is rounded to fractions and mended:
    a distribution over hypotheses promises its least row, one over rows leaves no hypothesis more than
    its largest column.
    """
    from scipy.optimize import linprog  # noqa: PLC0415 - slow to import, and most never ask

    good = _good(points, alpha)  # (families, mistakes)
    hypotheses = np.arange(1 << points)
    rows = np.concatenate([good[:, hypotheses ^ concept] for concept in concepts])
    rows = np.unique(rows, axis=0).astype(np.float64)
    width = hypotheses.size
    result = linprog(
        np.append(np.zeros(width), -1.0),
        A_ub=np.hstack([-rows, np.ones((rows.shape[0], 1))]),
        b_ub=np.zeros(rows.shape[0]),
        A_eq=np.append(np.ones(width), 0.0)[None, :],
        b_eq=[1.0],
        bounds=(0.0, None),
        method="highs",
    )
    if result.x is None:  # the uniform distribution is feasible, and 1 a bound
        raise RuntimeError(f"the program of the blind guess was not solved: {result.message}")
    low = min(_sums(rows, _distribution(result.x[:-1])))
    high = max(_sums(rows.T, _distribution(-result.ineqlin.marginals)))
    if low == high:
        return float(low), float(low)
    return math.nextafter(float(low), 0.0), math.nextafter(float(high), 1.0)


def _distribution(weights: NDArray[np.float64]) -> list[Fraction]:
    """Return weights as fractions that are not negative and add up to 1."""
    parts = [Fraction(max(w, 0.0)).limit_denominator(_DENOMINATOR) for w in weights.tolist()]
    total = sum(parts)
    return [part / total for part in parts]


def _sums(table: NDArray[np.float64], weights: list[Fraction]) -> Iterator[Fraction]:
    """Yield of every row the sum of the weights where it has a 1."""
    for row in table:
        yield sum((weights[i] for i in np.flatnonzero(row).tolist()), Fraction(0))


@lru_cache(maxsize=16)
def _good(points: int, alpha: float) -> NDArray[np.bool_]:
    """Return for every maximal bad family which mistakes z stay at most alpha."""
    found: set[frozenset[int]] = set()
    orders = itertools.permutations(range(points))
    for family, order in itertools.product(_listed(points, alpha), orders):
        sets = (sum(1 << order[int(x) - 1] for x in word) for word in family.split())
        found.add(frozenset(sets))
    mistakes = np.arange(1 << points)
    return np.array(
        [
            ~np.any([mistakes & s == s for s in family], axis=0)
            for family in sorted(map(sorted, found))
        ]
    )


def deterministic_size(of: FiniteClass, alpha: float, least: int = 1) -> Between:
    """Return the size of the least set with a hypothesis of error at most alpha for all f and D.

    Its log2 is the deterministic representation dimension.

    Parameters
    ----------
    of : FiniteClass
    alpha : float
        In (0, 1).
    least : int
        A lower bound that is known, such as 1/rho.
    """
    small = of.reduced()
    if small.points <= patterns_of(alpha):
        return Between(len(small), len(small))
    if small.points == _REPRESENTED and _listed(_REPRESENTED, alpha) == _listed(_REPRESENTED, 0.25):
        target = sum(1 << concept for concept in small.concepts)
        represented, sizes = _all_sets()
        size = int(sizes[(represented & target) == target].min())
        return Between(size, size)
    return Between(min(least, len(small)), len(small))


@lru_cache(maxsize=1)
def _all_sets() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return of all sets of hypotheses on four points which concepts they represent, and sizes.

    At alpha in [1/4, 1/3) a concept is represented when it is in the set, or all four concepts that
    differ from it at one point are.
    """
    sets = np.arange(1 << 16)
    represented, sizes = np.zeros_like(sets), np.zeros_like(sets)
    for f in range(16):
        near = sum(1 << (f ^ 1 << x) for x in range(4))
        own = sets >> f & 1
        sizes += own
        represented |= (own | (sets & near == near)) << f
    return represented, sizes


def probabilistic_size(rho: Guess, deterministic: Between, beta: float) -> tuple[int, int]:
    """Return the ends between which the size of a probabilistic representation lies.

    A random set of hypotheses holds a good one except with probability beta, for every f and D:
    its least size k has (1 - beta)/rho <= k <= min(deterministic size, ln(1/beta)/rho).
    """
    low = math.ceil(complement(beta) / rho.high - _ROUNDING)
    high = math.ceil(math.log(1.0 / beta) / rho.low - _ROUNDING)
    return max(1, low), max(1, low, min(deterministic.cap, high))


@dataclass(frozen=True, slots=True)
class SampleBound:
    """A number of samples that is enough, or that is needed.

    Attributes
    ----------
    name, title : str
    kind : str
        ``upper`` or ``lower``.
    m : int or None
        None where it says nothing here.
    how : str
        With which numbers of the class, in words; or why there is no m.
    silent : bool
        Whether it says nothing here: then no m is excluded. Else, where m is None, more are than are searched.
    """

    name: str
    title: str
    kind: Literal["upper", "lower"]
    m: int | None
    how: str
    silent: bool = False


def sample_bounds(
    of: FiniteClass,
    tree: MistakeTree,
    *,
    epsilon: float,
    alpha: float,
    beta: float,
    budget: Budget | None = None,
) -> tuple[SampleBound, ...]:
    """Return all that is known, upper bounds first.

    Parameters
    ----------
    of : FiniteClass
    tree : MistakeTree
        Of the class; what it knows already is used.
    epsilon, alpha, beta : float
    budget : Budget, optional
    """
    budget = budget or Budget()
    packing, blind = packing_limits(of, alpha, budget), blind_limits(of, alpha)
    return (
        *_enough(of, epsilon, alpha, beta),
        littlestone_bound(depths(of, tree), epsilon, alpha, beta),
        _best("packing", "Packing by patterns", packing, epsilon, beta),
        _best("blind-guess", "What a blind guess leaves", blind, epsilon, beta),
    )


def _enough(of: FiniteClass, epsilon: float, alpha: float, beta: float) -> list[SampleBound]:
    rate = float(mechanism_rate(np.array(epsilon), alpha))
    size = len(of)
    found = [
        SampleBound(
            "finite-class", "Finite class, the exponential mechanism", "upper",
            least_at_rate(math.log(size / beta), rate), f"|C| = {size}, proper",
        ),
        SampleBound(
            "blind-guess-upper", "The exponential mechanism over a blind guess", "upper",
            least_at_rate(math.log(max(size - 1, 1e-300) / beta), rate),
            f"ρ = 1/{size} at α' = 0, proper",
        ),
    ]  # fmt: skip
    points = of.reduced().points
    for start, _ in ranges(points):
        # The least alpha' at which rho is that of the range: a larger one only slows the rate.
        if start >= alpha * (1.0 - 1e-9):
            continue
        rho = guess(of, start).low
        slow = float(shifted_rate(np.array(epsilon), alpha, start))
        m = (
            least_at_rate(math.log(max((1.0 - rho) / rho, 1e-300) / beta), slow)
            if slow > 0
            else None
        )
        if m is not None and m < (found[1].m or math.inf):
            found[1] = SampleBound(
                "blind-guess-upper",
                found[1].title,
                "upper",
                m,
                f"ρ = {rho:.4g} at α' = {start:.3g}",
            )
    return found


def halves(of: FiniteClass) -> Iterator[tuple[int, int, FiniteClass]]:
    """Yield the dummies: a point, a label, and the concepts that label it so, if several."""
    for x in range(of.points):
        for label in (0, 1):
            part = of.labelled(x, label)
            if part is not None and len(part) > 1:
                yield x, label, part


class Depths(NamedTuple):
    """How deep mistake trees of a class are.

    Attributes
    ----------
    whole, beside : int
        On all concepts; and on those beside a dummy, 0 without one.
    point, label : int
        The dummy, its point from 1.
    """

    whole: int
    beside: int = 0
    point: int = 1
    label: int = 0


def littlestone_bound(known: Depths, epsilon: float, alpha: float, beta: float) -> SampleBound:
    """Return the better of a tree on all concepts, and of one beside a dummy."""
    values = {"epsilon": epsilon, "alpha": alpha, "beta": beta}
    best = sharp_littlestone(known.whole, dummy=False, **values)
    how = f"LDim = {known.whole}, {_paths(best)}"
    if known.beside:
        other = sharp_littlestone(known.beside, **values)
        if not other.m or 0 < best.m <= other.m:
            best = other
            dummy = f"dummy: point {known.point}, label {known.label}"
            how = f"{dummy}, LDim = {known.beside} beside it, {_paths(best)}"
    name, title = "sharp-littlestone", "Sharp Littlestone bound"
    if best.m == 1 or best.length == 0:
        return SampleBound(name, title, "lower", None, "says nothing: no mistake tree", silent=True)
    return SampleBound(name, title, "lower", best.m or None, how if best.m else _TOO_FAR)


def depths(of: FiniteClass, tree: MistakeTree) -> Depths:
    """Return the depths of the deepest trees; what is found when the steps are spent is valid."""
    found = Depths(tree.between(of.everyone).found)
    with suppress(OutOfStepsError):  # whatever was found is a valid bound
        for x, column in enumerate(of.columns):
            for label, space in ((1, column), (0, of.everyone & ~column)):
                # Deeper than the best so far is all that is asked of a part.
                while found.beside < found.whole and tree.at_least(space, found.beside + 1):
                    found = Depths(found.whole, found.beside + 1, x + 1, label)
    return found


def _paths(by: SharpLittlestone) -> str:
    """Return in words which part of the tree excludes most."""
    if by.length == 1:
        return "two concepts that part at one point"
    fail = "one mistake fails" if by.mistakes == 1 else f"{by.mistakes} mistakes fail"
    return f"paths of {by.length} points, {fail}"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the success of every purely private learner: E min(1, G / (o + R e^{-εK})).

    K ~ Bin(m, mass) is the number of examples off the dummy; see `concepts.generic.guessing`.

    Attributes
    ----------
    own : bool
        Whether o is 1, else 0.
    log_good, log_rivals, masses : tuple of float
        log G, log R, and the mass off the dummy, one for each limit.
    words : tuple of str
        With which numbers of the class.
    """

    own: bool
    log_good: tuple[float, ...] = ()
    log_rivals: tuple[float, ...] = ()
    masses: tuple[float, ...] = ()
    words: tuple[str, ...] = ()

    def also(self, log_good: float, log_rivals: float, mass: float, text: str) -> Limits:
        """Return them with one more."""
        return Limits(
            self.own, (*self.log_good, log_good), (*self.log_rivals, log_rivals),
            (*self.masses, min(mass, 1.0)), (*self.words, text),
        )  # fmt: skip

    def leasts(self, epsilon: float, beta: float) -> NDArray[np.int64]:
        """Return the least m that each allows; 0 where more are excluded than are searched for."""
        return least_guessing(
            np.array(self.log_good), np.array(self.log_rivals), np.array(self.masses),
            epsilon=epsilon, beta=beta, own=self.own,
        )  # fmt: skip

    def success(
        self, m: NDArray[np.int64], epsilon: NDArray[np.float64], tail: float, *, lost: bool = False
    ) -> NDArray[np.float64]:
        """Return the least of all limits, or 1 less it without cancellation; 1 without any."""
        shape = np.broadcast_shapes(m.shape, epsilon.shape)
        found = np.full(shape, 0.0 if lost else 1.0)
        own = np.array([0.0 if self.own else -math.inf])
        for good, rivals, mass in zip(self.log_good, self.log_rivals, self.masses, strict=True):
            columns = np.array([good]), np.array([rivals]), own, np.atleast_1d(epsilon)
            one = guessing_limit(np.atleast_1d(m), np.array([mass]), columns, tail, lost=lost)
            found = (np.maximum if lost else np.minimum)(found, one.reshape(shape))
        return found


def packing_limits(of: FiniteClass, alpha: float, budget: Budget) -> Limits:
    """Return packing by patterns: few points, each of so much mass that all must be right."""
    most = patterns_of(alpha)
    found = Limits(own=True)

    def add(patterns: int, mass: float, text: str) -> None:
        nonlocal found
        if patterns > 1:
            found = found.also(0.0, math.log(patterns - 1), mass, text)

    parts = list(halves(of))
    with suppress(OutOfStepsError):  # whatever was found is a valid bound
        for k in range(1, most + 1):
            # Of parts with dummies of the same mass the one with most patterns excludes most.
            n, text = 1, ""
            for x, label, part in parts:
                if n == min(2**k, len(of)):
                    break
                budget.spend()
                if (patterns := growth(part, k, budget, beyond=n).found) > n:
                    n = patterns
                    on = f"{n} patterns on {k} point{'s' * (k > 1)}"
                    text = f"{on}, dummy: point {x + 1}, label {label}"
            add(n, k * alpha, text)
        # Last: on many points the search may take all steps.
        add(growth(of, most, budget).found, 1.0, f"patterns on {most} points")
    return found


def blind_limits(of: FiniteClass, alpha: float) -> Limits:
    """Return what the blind guess leaves: E min(1, rho e^{eps K}), with and without a dummy."""
    found = Limits(own=False)

    def add(part: FiniteClass, at: float, mass: float, text: str) -> None:
        nonlocal found
        rho = guess(part, at)
        if math.isclose(rho.low, rho.high, rel_tol=1e-6) and rho.high < 1.0:
            found = found.also(math.log(rho.high), 0.0, mass, f"1/ρ = {1 / rho.high:.4g}{text}")

    add(of, alpha, 1.0, "")
    for x, label, part in halves(of):
        points = part.reduced().points
        text = f", dummy: point {x + 1}, label {label}"
        for low, high in ranges(points):
            # Just below the upper end the mass is least, and the guess the same.
            if alpha < high:
                add(part, max(alpha, low), alpha / high, text)
        if points <= patterns_of(alpha):
            # So many points of mass alpha each, just above: all must be right.
            add(part, alpha, min(points * alpha, 1.0), text)
    return found


def _best(name: str, title: str, limits: Limits, epsilon: float, beta: float) -> SampleBound:
    """Return the largest least m of several limits."""
    # One that excludes more than are searched for has a 0 here, and is the largest.
    found = [m or math.inf for m in limits.leasts(epsilon, beta).tolist()] if limits.words else []
    most = max(found, default=1)
    if most <= 1:
        return SampleBound(name, title, "lower", None, "says nothing here", silent=True)
    if math.isinf(most):
        return SampleBound(name, title, "lower", None, _TOO_FAR)
    return SampleBound(name, title, "lower", int(most), limits.words[found.index(most)])
