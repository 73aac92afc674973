"""The packing converse, the sharp lower bound for proper private learners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.inequalities import SEARCH_LIMIT, packing_limit
from privsc_core.numerics.logspace import log_domain, log_domain_scalar
from privsc_core.numerics.search import least_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Constants, Kind, Learner, Setting

__all__ = ["Packing"]


@dataclass(frozen=True)
class Packing(Bound):
    """E[1 / (1 + (T-2) e^{-eps K})] must reach 1 - beta."""

    name: ClassVar[str] = "packing"
    title: ClassVar[str] = "Packing bound"
    source: ClassVar[Source] = Source("ours", "sharpens BBKN13, Lemma 3.9")
    kind: ClassVar[Kind] = "lower"
    constants: ClassVar[Constants] = "sharp"
    statement: ClassVar[str] = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}\Bigl[\frac{1}{1+(T-2)\,e^{-\varepsilon K}}\Bigr] \ge 1-\beta"
    )
    derivation: ClassVar[str] = (
        "Let target $i$ range over the $T-1$ points other than 1, with mass $\\alpha$ on $i$ "
        "and $1-\\alpha$ on point 1. Draw the positions of the $K$ rare examples first and "
        "share them: the samples $S_i$ and $S_j$ then differ in at most $K$ examples, so "
        "privacy gives $\\Pr[A(S_i)=c_j] \\ge e^{-\\varepsilon K}\\Pr[A(S_j)=c_j]$.\n\n"
        "Write $p_j = \\Pr[A(S_j)=c_j]$. For each $i$ the outputs $c_j$ are disjoint events, "
        "so $p_i + e^{-\\varepsilon K}\\sum_{j\\ne i} p_j \\le 1$. Summing over the $n=T-1$ "
        "targets, $\\bar p\\,(1+(n-1)e^{-\\varepsilon K}) \\le 1$; then average over $K$. "
        "$\\square$\n\n"
        "The exponential mechanism at $\\varepsilon$ reaches nearly this curve at "
        "$\\varepsilon/2$, so it is within a factor two in $\\varepsilon$ of every proper "
        "private learner."
    )
    applies_to: ClassVar[str] = "every proper, purely private learner"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.proper and learner.privacy == "pure"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del delta
        rivals = np.array(log_domain_scalar(d, 2))
        loss = np.array(epsilon)
        guess = max(1, int(min(rivals.item() / (epsilon * alpha), SEARCH_LIMIT))) if d > 1 else 1
        least = least_integer(
            lambda m: float(packing_limit(np.array(m), rivals, alpha, loss)),
            1.0 - beta, guess=guess, limit=SEARCH_LIMIT,
        )  # fmt: skip
        if least is None:
            return BoundValue(None, f"more than {SEARCH_LIMIT:.0e} samples: not searched further")
        return BoundValue(least)

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of a proper private learner, averaged over targets."""
        return packing_limit(setting.m, log_domain(setting.d, 2), setting.alpha, setting.epsilon)
