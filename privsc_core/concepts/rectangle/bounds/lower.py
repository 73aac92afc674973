"""The packing of rectangles."""

from __future__ import annotations

import math

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.packing import PackingBound

__all__ = ["Packing"]


class Packing(PackingBound):
    """The packing converse with all rectangles around the centre."""

    name = "packing"
    source = Source("ours", "the packing of points (BBKN13, Lemma 3.9), with rectangles")
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,8\alpha)}\Bigl[\frac{1}{1+(n-1)\,e^{-\varepsilon K}}\Bigr] \ge "
        r"1-\beta,\qquad n = \bigl(\tfrac T2-2\bigr)^2\bigl(\tfrac T2-1\bigr)^2"
    )
    derivation = (
        "Take `hard8` with each of the $n$ rectangles around the centre for its target that leave a "
        "place inside and outside of every side: the centre keeps mass $1-8\\alpha$, and the eight points "
        "move with the sides. The only accurate rectangle is the target. Samples of two targets can be "
        "coupled so that they differ in at most the $K \\sim \\mathrm{Bin}(m,8\\alpha)$ examples beside the "
        "centre. By privacy the average success $\\bar p$ given $K$ satisfies "
        "$\\bar p\\,(1+(n-1)e^{-\\varepsilon K}) \\le 1$; average over $K$. $\\square$\n\n"
        "With unlabelled examples as well it speaks of **all** people, labelled or not: points alone tell "
        "the targets apart."
    )
    validity = "for α ≤ 1/8 and d ≥ 3"
    proved_on = ("hard8",)

    def log_rivals(self, d: int) -> float:
        """Return log(n - 1)."""
        if d < 3:
            return -math.inf
        half = (d - 1) * math.log(2.0)
        log_n = 4.0 * half + 2.0 * (math.log1p(-(2.0 ** (2 - d))) + math.log1p(-(2.0 ** (1 - d))))
        return log_n + math.log(-math.expm1(-log_n))

    def mass(self, alpha: float) -> float:
        """Return the mass beside the centre."""
        return 8.0 * alpha
