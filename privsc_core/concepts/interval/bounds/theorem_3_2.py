"""The generic upper bound of the paper for INTERVAL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privsc_core.concepts.generic.mechanism import Theorem32Bound

__all__ = ["Theorem32"]


@dataclass(frozen=True)
class Theorem32(Theorem32Bound):
    """m >= max(8, 4/eps) / alpha * log(2 (T+1) / beta)."""

    statement: ClassVar[str] = (
        r"m \ge \frac{\max(8,\,4/\varepsilon)}{\alpha}\,\log\frac{2(T+1)}{\beta}"
    )
    derivation: ClassVar[str] = (
        "The paper cites the theorem without constants; these are of the usual two-step "
        "proof, for a class that contains the target. With $m \\ge "
        "\\frac{8}{\\alpha}\\log\\frac{2(T+1)}{\\beta}$, by Chernoff no concept of error above "
        "$\\alpha$ makes fewer than $\\alpha m/2$ mistakes, except with probability $\\beta/2$. "
        "With $m \\ge \\frac{4}{\\varepsilon\\alpha}\\log\\frac{2(T+1)}{\\beta}$ the mechanism then "
        "picks one of them with probability at most $(T+1) e^{-\\varepsilon\\alpha m/4} \\le "
        "\\beta/2$."
    )
    applies_to: ClassVar[str] = "the exponential mechanism over INTERVAL"
    fewer: ClassVar[int] = 0
