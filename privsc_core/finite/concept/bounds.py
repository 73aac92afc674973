"""The bounds of a class that is given as a matrix: its dimensions say what they need.

A search for a dimension may do so many steps; what it found by then is a valid bound.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source, Whom
from privsc_core.concepts.generic.littlestone import littlestone_limit
from privsc_core.concepts.generic.rate import FiniteClassBound
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.generic.shattered import ShatteredBound
from privsc_core.concepts.shared.inequalities import SEARCH_LIMIT
from privsc_core.finite.budget import Budget
from privsc_core.finite.concept.distributions import FIRST
from privsc_core.finite.littlestone import MistakeTree
from privsc_core.finite.samples import (
    blind_limits,
    depths,
    halves,
    littlestone_bound,
    packing_limits,
    patterns_of,
)
from privsc_core.finite.shatter import vc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Setting
    from privsc_core.finite.matrix import FiniteClass
    from privsc_core.finite.samples import Depths, Limits

_STEPS = 40_000
_SILENT = "says nothing: the class is too small"
_WORST = (
    "A learner need not fail on the distribution of the figures; it fails on some distribution and target of this "
    "proof."
)


@lru_cache(maxsize=64)
def shattered_beside(of: FiniteClass) -> int:
    """Return the most points that concepts shatter which all give one further point the same label."""
    budget = Budget(_STEPS)
    return max((vc(part, budget).found for _, _, part in halves(of)), default=0)


@lru_cache(maxsize=64)
def _packing(of: FiniteClass, alpha: float) -> Limits:
    return packing_limits(of, alpha, Budget(_STEPS))


@lru_cache(maxsize=64)
def _blind(of: FiniteClass, alpha: float) -> Limits:
    return blind_limits(of, alpha)


@lru_cache(maxsize=64)
def _depths(of: FiniteClass) -> Depths:
    return depths(of, MistakeTree(of, Budget(_STEPS)))


@lru_cache(maxsize=256)
def _littlestone(of: FiniteClass, epsilon: float, alpha: float, beta: float) -> BoundValue:
    found = littlestone_bound(_depths(of), epsilon=epsilon, alpha=alpha, beta=beta)
    if found.m is None and not found.silent:
        return BoundValue(None, found.how)
    return BoundValue(found.m or 1, note=found.how)


# --- Lower bounds --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Nonprivate(SearchBound):
    """E[2^-U] >= 1 - beta, U of k shattered points of mass alpha each unseen."""

    of: FiniteClass = field(default=FIRST, repr=False)

    name = "nonprivate"
    title = "VC bound, without privacy"
    legend = "Impossible for every learner, even without privacy, on the worst distribution"
    source = Source("ours", "theory of PAC learning; BBKN13, Theorem 2.4 for the rate")
    dash = "dashdot"
    without = ("d", "epsilon", "delta")
    kind = "lower"
    statement = (
        r"\sum_{j=0}^{k}\binom{k}{j}\Bigl(-\tfrac12\Bigr)^{j}(1-j\alpha)^m \ge 1-\beta,"
        r"\quad k = \min(v, \lceil 1/\alpha\rceil - 1)"
    )
    derivation = (
        "The class shatters $v$ points with concepts that all agree on one further point, the base. Put a mass just "
        "above $\\alpha$ on $k$ of these points and the rest on the base: $k$ is the largest number of points that "
        "leaves room for it. Then a single wrong point fails. Draw the target uniformly among $2^k$ concepts, one for "
        "each labelling. If $U$ of the points are not in the sample, their labels are independent of it, and any "
        "learner has them all right with probability at most $2^{-U}$. By inclusion and exclusion "
        "$\\mathbb{E}\\,2^{-U}$ is the sum above: $(1-j\\alpha)^m$ is the probability that $j$ given points are "
        f"unseen. $\\square$\n\n{_WORST}"
    )
    applies_to = "every learner, private or not"
    whom = Whom()

    def _points(self, alpha: float) -> int:
        return min(shattered_beside(self.of), patterns_of(alpha))

    def guess(self, at: Cell) -> float:
        """Return where one of the points is unseen with probability about 2 beta."""
        return max(math.log(0.5 * max(self._points(at.alpha), 1) / at.beta) / at.alpha, 1.0)

    def note(self, at: Cell) -> str:
        """Return that nothing is said where no point is shattered."""
        return "" if self._points(at.alpha) else _SILENT

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure, on the worst distribution."""
        k = self._points(setting.alpha)
        terms = (
            -math.comb(k, j) * (-0.5) ** j * np.exp(setting.m * math.log1p(-j * setting.alpha))
            for j in range(1, k + 1)
        )
        found = sum(terms, np.zeros(setting.m.shape))
        return np.broadcast_to(np.maximum(found, 0.0), setting.shape)


@dataclass(frozen=True)
class Shattered(ShatteredBound):
    """The largest shattered set of points beside a base, found by a search."""

    of: FiniteClass = field(default=FIRST, repr=False)

    without: ClassVar[tuple[str, ...]] = ("d",)

    def shattered(self, d: int) -> int:
        """Return how many points are shattered beside a base."""
        return shattered_beside(self.of)

    def note(self, at: Cell) -> str:
        """Return that nothing is said where no point is shattered, or alpha is too large."""
        return super().note(at) if shattered_beside(self.of) else _SILENT

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure, on the worst distribution."""
        known = shattered_beside(self.of)
        return super().failure(setting) if known else np.zeros(setting.shape)


@dataclass(frozen=True)
class Limited(SearchBound):
    """The least of several limits on success, all for purely private learners."""

    of: FiniteClass = field(default=FIRST, repr=False)

    kind = "lower"
    without = ("d", "delta")
    shaded = True
    applies_to = "every purely private learner, proper or not"
    whom = Whom(privacy=("pure",))

    @abstractmethod
    def limits(self, alpha: float) -> Limits:
        """Return the limits at an accuracy."""

    def guess(self, at: Cell) -> float:
        """Return the largest number that one of the limits asks for."""
        known = self.limits(at.alpha)
        return float(known.leasts(at.epsilon, at.beta).max(initial=1)) if known.words else 1.0

    def note(self, at: Cell) -> str:
        """Return which limit asks for most."""
        known = self.limits(at.alpha)
        if not known.words:
            return _SILENT
        least = known.leasts(at.epsilon, at.beta)
        return known.words[int(np.argmax(np.where(least == 0, SEARCH_LIMIT, least)))]

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure, on the worst distribution."""
        return self._limit(setting, lost=True)

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner, averaged over targets."""
        return self._limit(setting, lost=False)

    def _limit(self, setting: Setting, *, lost: bool) -> NDArray[np.float64]:
        known = self.limits(setting.alpha)
        found = known.success(setting.m, setting.epsilon, setting.log_tail, lost=lost)
        return np.broadcast_to(found, setting.shape)


@dataclass(frozen=True)
class Packing(Limited):
    """E[1 / (1 + (n-1) e^{-eps K})] >= 1 - beta, n patterns on k points, K ~ Bin(m, k alpha)."""

    name = "packing"
    title = "Packing by patterns"
    legend = "Impossible for every ε-DP learner, on the worst distribution"
    source = Source(
        "ours",
        "the packing argument, over labellings of few points",
        "BBKN13, Lemma 3.9, the packing argument for points",
    )
    statement = (
        r"\min_{k}\,\mathbb{E}\Bigl[\frac{1}{1+(n_k-1)\,e^{-\varepsilon K}}\Bigr] \ge 1-\beta,"
        r"\quad K \sim \mathrm{Bin}(m, k\alpha),\; k < 1/\alpha"
    )
    derivation = (
        "Choose a dummy: a point and a label. Concepts that give it this label label some $k$ further points in "
        "$n_k$ different ways. Put a mass just above $\\alpha$ on each of the $k$ points and the rest on the dummy. "
        "Then one wrong point fails, so the sets $G_i$ of hypotheses that are good for the labellings are disjoint, "
        "whether hypotheses are concepts or not. Let the samples of all labellings share their points. They differ in "
        "at most $K$ examples, those off the dummy, so $\\Pr_i[G_j] \\ge e^{-\\varepsilon K} \\Pr_j[G_j]$. Summed "
        "over $i$ and $j$, the average success $p$ satisfies $p\\,(1+(n_k-1)e^{-\\varepsilon K}) \\le 1$. Average "
        "over $K$. $\\square$\n\nWithout a dummy the $k = \\lceil 1/\\alpha\\rceil - 1$ points share all the mass, "
        f"and $K = m$. The best choice of points and dummy is searched for. {_WORST}"
    )

    def limits(self, alpha: float) -> Limits:
        """Return packing by patterns on all numbers of points."""
        return _packing(self.of, alpha)


@dataclass(frozen=True)
class BlindGuess(Limited):
    """E min(1, rho e^{eps K}) >= 1 - beta: what a guess before any data is good for."""

    name = "blind-guess"
    title = "What a blind guess leaves"
    legend = "Impossible for every ε-DP learner, on the worst distribution, by a blind guess"
    source = Source("ours", "the representation dimension of BNS13a, at a given accuracy")
    statement = r"\mathbb{E}\bigl[\min(1,\, \rho\,e^{\varepsilon K})\bigr] \ge 1-\beta"
    derivation = (
        "Let $\\rho$ be the largest number such that some distribution over hypotheses, fixed before any data, is "
        "good for every concept and every distribution of points with probability at least $\\rho$. Run the learner "
        "on a sample of the dummy alone: what it puts out is such a distribution. So for some target and distribution "
        "it is good with probability at most $\\rho$. The real sample differs in $K$ examples, those off the dummy, "
        "so it is good with probability at most $\\min(1, \\rho\\,e^{\\varepsilon K})$. Average over $K$. "
        "$\\square$\n\nWithout a dummy $K = m$. With one, $\\rho$ is that of the concepts which give it its label, "
        f"on the other points, and only these have the mass that an error of $\\alpha$ needs. {_WORST}"
    )
    validity = "where ρ is known: for few points, or at a small α"

    def limits(self, alpha: float) -> Limits:
        """Return what the guess leaves with each dummy."""
        return _blind(self.of, alpha)


@dataclass(frozen=True)
class Littlestone(Bound):
    """The sharp Littlestone bound of a mistake tree of the class."""

    of: FiniteClass = field(default=FIRST, repr=False)

    name = "littlestone"
    title = "Littlestone bound"
    legend = "Impossible for every ε-DP learner, on the worst distribution, by a mistake tree"
    kind = "lower"
    source = Source("ours", "replaces the entropy of FX14, Theorems 2.5 and 3.1, Corollary 4.3")
    without = ("d", "delta")
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\,\alpha l/j)}\Bigl[\min\Bigl(1,\,\frac{M}"
        r"{1+(2^l-1)\,e^{-\varepsilon K}}\Bigr)\Bigr] \ge 1-\beta"
        r"\quad\text{for all } l \le L,\; j > \alpha l,\qquad M = \sum_{i<j} \binom{l}{i}"
    )
    derivation = (
        "$L$ is the depth of a mistake tree of the class, beside a point that all its concepts label alike, the "
        "dummy. Each of its $2^l$ paths of length $l$ is consistent with some concept. For any hypothesis, the path "
        "and the nodes at which the hypothesis is wrong determine each other: so it makes fewer than $j$ mistakes on "
        "$M$ paths. Put a mass just above $\\alpha/j$ on each node of a path and the rest on the dummy. Then $j$ "
        "mistakes fail, and the samples of two paths differ in at most $K$ examples. So on average over the paths "
        "success $p$ satisfies $p\\,(1+(2^l-1)e^{-\\varepsilon K}) \\le M$. Average over $K$. $\\square$\n\n"
        f"Without a dummy a path has all the mass. The proof stands on the page of intervals. {_WORST}"
    )
    applies_to = "every purely private learner, proper or not"
    whom = Whom(privacy=("pure",))

    def least(self, at: Cell) -> BoundValue:
        """Return the larger number of a tree on all concepts, and of one beside a dummy."""
        return _littlestone(self.of, at.epsilon, at.alpha, at.beta)

    def limit(self, setting: Setting) -> NDArray[np.float64] | None:
        """Return the largest success probability that a tree beside a dummy allows."""
        depth = _depths(self.of).beside
        return (
            littlestone_limit(replace(setting, d=np.full_like(setting.d, depth))) if depth else None
        )


# --- Upper bounds -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Finite(FiniteClassBound):
    """(|C| - 1) (1 - alpha (1 - e^{-eps/2}))^m <= beta, for every distribution and target."""

    of: FiniteClass = field(default=FIRST, repr=False)

    without = ("d", "delta")
    statement = r"(|C|-1)\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation = (
        "A concept of error above $\\alpha$ is chosen with probability at most "
        "$\\mathbb{E}\\,e^{-\\varepsilon\\,\\mathrm{mistakes}/2} \\le (1-\\alpha(1-e^{-\\varepsilon/2}))^m$, as the "
        "target makes no mistake; there are at most $|C|-1$ of them. $\\square$"
    )
    applies_to = "the exponential mechanism, on every distribution"

    def log_wrong(self, d: int) -> float:
        """Return log(|C| - 1)."""
        return math.log(len(self.of) - 1) if len(self.of) > 1 else -math.inf


@dataclass(frozen=True)
class Flip(Finite):
    """(|C| - 1) / 2 (1 - alpha (1 - e^{-eps/2}))^m <= beta, for every distribution and target."""

    name = "finite-class-flip"
    title = "Finite class, permute-and-flip"
    legend = "Guaranteed: permute-and-flip"
    source = Source("ours", "the finite class, for MS20, Algorithm 1")
    whom = Whom("permute-and-flip")
    statement = r"\tfrac12(|C|-1)\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation = (
        "The target makes no mistake, so it accepts when it is reached. A concept of error above $\\alpha$ is the "
        "answer only if it comes before the target in the random order, with probability $\\tfrac12$, and accepts. "
        "The order is independent of the coins and the sample, and it accepts with probability "
        "$\\mathbb{E}\\,e^{-\\varepsilon\\,\\mathrm{mistakes}/2} \\le "
        "(1-\\alpha(1-e^{-\\varepsilon/2}))^m$. There are at most $|C|-1$ such concepts. $\\square$"
    )
    applies_to = "permute-and-flip, on every distribution"

    def log_wrong(self, d: int) -> float:
        """Return log((|C| - 1) / 2)."""
        return super().log_wrong(d) - math.log(2.0)


def bounds_of(of: FiniteClass) -> tuple[Bound, ...]:
    """Return the bounds of the class of a matrix."""
    kinds = (Nonprivate, Shattered, Packing, BlindGuess, Littlestone, Finite, Flip)
    return tuple(kind(of) for kind in kinds)
