"""The generic upper bound of the paper, with the constants of a Chernoff proof."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.inequalities import least_at_rate
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Constants, Kind, Learner

__all__ = ["Theorem32"]


@dataclass(frozen=True)
class Theorem32(Bound):
    """m >= max(8, 4/eps) / alpha * log(2 |H| / beta)."""

    name: ClassVar[str] = "theorem-3.2"
    title: ClassVar[str] = "Theorem 3.2"
    source: ClassVar[Source] = Source(
        "BBKN13",
        "Theorem 3.2 (after Kasiviswanathan et al.), with the constants of our Chernoff proof",
    )
    kind: ClassVar[Kind] = "upper"
    constants: ClassVar[Constants] = "paper"
    statement: ClassVar[str] = r"m \ge \frac{\max(8,\,4/\varepsilon)}{\alpha}\,\log\frac{2T}{\beta}"
    derivation: ClassVar[str] = (
        "The paper cites the theorem without constants; these are of the usual two-step "
        "proof, for a class that contains the target. With $m \\ge "
        "\\frac{8}{\\alpha}\\log\\frac{2T}{\\beta}$, by Chernoff no concept of error above "
        "$\\alpha$ makes fewer than $\\alpha m/2$ mistakes, except with probability $\\beta/2$. "
        "With $m \\ge \\frac{4}{\\varepsilon\\alpha}\\log\\frac{2T}{\\beta}$ the mechanism then "
        "picks one of them with probability at most $T e^{-\\varepsilon\\alpha m/4} \\le "
        "\\beta/2$."
    )
    applies_to: ClassVar[str] = "the exponential mechanism over POINT"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "exponential"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del delta
        factor = log_domain_scalar(d) + math.log(2.0) - math.log(beta)
        return BoundValue(least_at_rate(factor, alpha / max(8.0, 4.0 / epsilon)))
