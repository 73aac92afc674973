"""The lower bounds for data release: families of databases that differ in few entries."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.boxes import Boxes
from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.generic.packing import HALFWAY
from privsc_core.concepts.inequalities import (
    SEARCH_LIMIT,
    halfway_failure,
    halfway_limit,
    least_allowed,
    least_at_rate,
    log_odds,
    packing_limit,
)
from privsc_core.concepts.release.entries import entries, entries_scalar, least_m
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.logspace import each, log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["BOUNDS", "FamilyBound", "Packing", "PackingTwo", "Theorem72"]


class FamilyBound(Bound):
    """(T-1) e^{-eps k} (1-beta) <= beta for k = ceil(factor alpha m) changed entries.

    Notes
    -----
    It says that some database of the family fails: a mechanism must serve every one. On a
    single database alone anything is possible, for a mechanism may just know it; `shown_on`
    names databases like those of the family, on which mechanisms that treat all points alike are
    compared with it.

    Attributes
    ----------
    factor : int
        See above.
    """

    kind = "lower"
    applies_to = (
        "every purely private mechanism that is useful on every database, whatever it outputs"
    )
    shown_on = ("hard", "single")
    factor: int

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this mechanism."""
        return learner.privacy == "pure"

    def outside(self, _at: Cell, /) -> BoundValue | None:
        """Return what is said where the family does not exist; None where it does."""
        return None

    def changed(self, at: Cell) -> int:
        """Return the least number of changed entries that satisfies the inequality."""
        return least_at_rate(log_domain_scalar(at.d, 1) - log_odds(at.beta), at.epsilon)

    def least(self, at: Cell) -> BoundValue:
        """Return the least m whose k satisfies the inequality."""
        if (said := self.outside(at)) is not None:
            return said
        m = least_m(self.factor, at.alpha, self.changed(at))
        if m > SEARCH_LIMIT:
            return BoundValue(None, f"more than {SEARCH_LIMIT:.0e} samples: not searched further")
        return BoundValue(m)


class Packing(FamilyBound):
    """1 / (1 + (T-1) e^{-eps ceil(2 alpha m)}) must reach 1 - beta.

    As every lower bound of data release it says that some database of the family fails.
    """

    name = "packing"
    title = "Packing bound"
    legend = "Impossible for every ε-DP mechanism, without the halfway database"
    headline = True
    behind = True
    source = Source("ours", "sharpens BBKN13, Theorem 7.2")
    constants = "sharp"
    statement = r"\frac{1}{1+(T-1)\,e^{-\varepsilon\lceil 2\alpha m\rceil}} \ge 1-\beta"
    derivation = (
        "Let $k=\\lceil 2\\alpha m\\rceil \\le m$, that is $\\alpha \\le \\frac12$. The database "
        "$D_1$ has $m$ entries 1; for $i \\ne 1$, $D_i$ has $k$ entries $i$ and the rest 1. Any "
        "two of these $T$ databases differ in at most $k$ entries.\n\n"
        "A release that is useful for $D_i$, $i \\ne 1$, says more than $k/m - \\alpha \\ge "
        "\\alpha$ for query $i$; one that is useful for any other $D_j$ says less than $\\alpha$, "
        "because $i$ does not occur there. So the sets $G_i$ of useful releases are disjoint, "
        "and privacy gives $\\Pr[A(D_i) \\in G_j] \\ge e^{-\\varepsilon k}\\,p_j$ with $p_j = "
        "\\Pr[A(D_j) \\in G_j]$.\n\n"
        "Hence $p_i + e^{-\\varepsilon k}\\sum_{j \\ne i} p_j \\le 1$ for every $i$; the average "
        "over the $T$ databases is $\\bar p\\,(1+(T-1)e^{-\\varepsilon k}) \\le 1$, and some "
        "database does no better than the average. $\\square$\n\n"
        "Two $\\alpha m$ in place of the three of the paper's proof, which leaves a gap between "
        "the sets that is not needed. Nothing is assumed about the form of the release."
    )
    validity = "for α ≤ 1/2"
    factor = 2
    packs = True

    def boxes(self, at: Cell) -> Boxes | None:
        """Return the sets of useful releases; always k entries differ."""
        if self.outside(at) is not None:
            return None
        alpha = at.alpha
        return Boxes(
            log_rivals=log_domain_scalar(at.d, 1), share=2.0 * alpha,
            counts=lambda m: (entries_scalar(2, alpha, m), np.ones(1)),
            law=f"K = ⌈{2.0 * alpha:g} m⌉, always", one="database", many="databases",
            unit="entries",
            way_out="Nothing can be merged: a box holds every release that is useful for its "
            "database, whatever its form. With δ > 0 the debt has an end, and the bound falls.",
        )  # fmt: skip

    def outside(self, at: Cell) -> BoundValue | None:
        """Return that nothing is said for alpha above 1/2."""
        if 2 * decimal(at.alpha) > 1:
            return BoundValue(1, note="says nothing: the databases would need more than m entries")
        return None

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability, averaged over the family."""
        if 2 * decimal(setting.alpha) > 1:
            return np.ones(setting.shape)
        rivals = each(lambda d: log_domain_scalar(d, 1), setting.d)
        changed = entries(2, setting.alpha, setting.m)
        return packing_limit(changed, rivals, 1.0, setting.epsilon)


class PackingTwo(Packing):
    """max_t 1 / (e^{eps t} + e^{eps (k-t)} / (T-1)) must be at most beta, k = ceil(2 alpha m).

    As every lower bound of data release it says that some database of the family fails.
    """

    name = "packing-two"
    title = "Packing bound, halfway"
    legend = "Impossible for every ε-DP mechanism: some database fails"
    behind = False
    source = Source("ours", "sharpens the packing bound; we know of no reference")
    statement = (
        r"\max_{0 \le t \le k}\frac{1}{e^{\varepsilon t}+e^{\varepsilon (k-t)}/(T-1)} \le \beta,"
        r"\quad k = \lceil 2\alpha m\rceil"
    )
    derivation = (
        "The databases of the packing bound: $n = T$ of them, $S_i = D_i$, and $K = k = \\lceil "
        "2\\alpha m\\rceil$ always, for all of them differ in the same $k$ entries.\n\n" + HALFWAY
    )

    def boxes(self, at: Cell) -> Boxes | None:
        """Return the sets of useful releases, to be held against halfway databases."""
        found = super().boxes(at)
        return found and replace(found, halfway=True)

    def changed(self, at: Cell) -> int:
        """Return the least number of changed entries that satisfies the inequality."""
        rivals, epsilon = np.array([log_domain_scalar(at.d, 1)]), np.array([at.epsilon])
        guess = (rivals - 2.0 * math.log(min(at.beta, 0.5))) / epsilon
        found = least_allowed(
            at.beta,
            lambda which, k: halfway_limit(k, rivals[which], 1.0, epsilon[which]),
            lambda which, k: halfway_failure(k, rivals[which], 1.0, epsilon[which]),
            guess=guess,
        )
        return int(found[0]) or SEARCH_LIMIT + 1

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability, averaged over the family."""
        if 2 * decimal(setting.alpha) > 1:
            return np.ones(setting.shape)
        rivals = each(lambda d: log_domain_scalar(d, 1), setting.d)
        changed = entries(2, setting.alpha, setting.m)
        return halfway_limit(changed, rivals, 1.0, setting.epsilon)


class Theorem72(FamilyBound):
    """(T-1) e^{-eps ceil(3 alpha m)} (1-beta) <= beta.

    As every lower bound of data release it says that some database of the family fails.
    """

    name = "theorem-7.2"
    title = "Theorem 7.2"
    headline = True
    source = Source("BBKN13", "Theorem 7.2, as in the proof")
    constants = "paper"
    statement = r"(T-1)\,e^{-\varepsilon\lceil 3\alpha m\rceil}\,(1-\beta) \le \beta"
    derivation = (
        "$D_i$ has $3\\alpha m$ entries $i$ and the rest 1; $D_1$ has only 1. No release is "
        "useful for two of them, so on $D_1$ the mechanism outputs a release that is useful for "
        "$D_i$, $i \\ne 1$, with probability at least $e^{-3\\varepsilon\\alpha m}(1-\\beta)$, "
        "and any of these with probability at most $\\beta$.\n\n"
        "Valid for $3\\alpha \\le 1$. The number of changed entries is rounded up, "
        "$\\lceil 3\\alpha m\\rceil$: the proof takes $3\\alpha m$ for a whole number. The paper "
        "states it as $m = \\Omega((d+\\log(1/\\beta))/(\\varepsilon\\alpha))$."
    )
    validity = "for α ≤ 1/3"
    factor = 3

    def outside(self, at: Cell) -> BoundValue | None:
        """Refuse alpha above 1/3."""
        if 3 * decimal(at.alpha) > 1:
            return BoundValue(None, "the proof needs 3 alpha <= 1")
        return None


BOUNDS = (Packing(), PackingTwo(), Theorem72())
