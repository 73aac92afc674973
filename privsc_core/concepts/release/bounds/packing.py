"""The packing converse for data release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import BoundValue, Source
from privsc_core.concepts.inequalities import packing_limit
from privsc_core.concepts.release.bounds.family import FamilyBound
from privsc_core.concepts.release.entries import entries
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.logspace import log_domain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Constants, Setting

__all__ = ["Packing"]


@dataclass(frozen=True)
class Packing(FamilyBound):
    """1 / (1 + (T-1) e^{-eps ceil(2 alpha m)}) must reach 1 - beta.

    As every lower bound of data release it says that some database of the family fails.
    """

    name: ClassVar[str] = "packing"
    title: ClassVar[str] = "Packing bound"
    legend: ClassVar[str] = "Impossible for every ε-DP mechanism: some database fails"
    headline: ClassVar[bool] = True
    source: ClassVar[Source] = Source("ours", "sharpens BBKN13, Theorem 7.2")
    constants: ClassVar[Constants] = "sharp"
    statement: ClassVar[str] = (
        r"\frac{1}{1+(T-1)\,e^{-\varepsilon\lceil 2\alpha m\rceil}} \ge 1-\beta"
    )
    derivation: ClassVar[str] = (
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
    factor: ClassVar[int] = 2

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of entries at one setting."""
        del delta
        if 2 * decimal(alpha) > 1:
            return BoundValue(1, note="says nothing: the databases would need more than m entries")
        return self.least(d, epsilon, alpha, beta)

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability, averaged over the family."""
        if 2 * decimal(setting.alpha) > 1:
            return np.ones(setting.shape)
        changed = entries(2, setting.alpha, setting.m)
        return packing_limit(changed, log_domain(setting.d, 1), 1.0, setting.epsilon)
