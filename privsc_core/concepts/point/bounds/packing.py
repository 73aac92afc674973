"""The packing converse, the sharp lower bound for proper private learners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.packing import PackingBound

__all__ = ["Packing"]


@dataclass(frozen=True)
class Packing(PackingBound):
    """E[1 / (1 + (T-2) e^{-eps K})] must reach 1 - beta."""

    name: ClassVar[str] = "packing"
    source: ClassVar[Source] = Source("ours", "sharpens BBKN13, Lemma 3.9")
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
        "$\\varepsilon/2$, so on this distribution it is within a factor two in "
        "$\\varepsilon$ of every proper $\\varepsilon$-DP learner that serves all targets."
    )
    fewer: ClassVar[int] = 2

    def mass(self, alpha: float) -> float:
        """Return the mass of the target point."""
        return alpha
