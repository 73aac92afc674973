"""The upper bounds for lines."""

from __future__ import annotations

import math
from dataclasses import dataclass

from privsc_core.concepts.generic.mechanism import FiniteClassBound
from privsc_core.concepts.line.plane import LARGE, LARGEST, Modulus

__all__ = ["FiniteClass"]


@dataclass(frozen=True)
class FiniteClass(FiniteClassBound):
    """(p^2 - 1) (1 - alpha (1 - e^{-eps/2}))^m <= beta, for every target and distribution."""

    modulus: Modulus = LARGEST

    statement = r"(p^2-1)\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation = (
        "A line of error above $\\alpha$ makes $\\mathrm{Bin}(m, e)$ mistakes, $e > \\alpha$, while the "
        "target makes none. It is drawn instead with probability at most $e^{-\\varepsilon/2}$ to the "
        "power of its mistakes, on average at most $(1-\\alpha(1-e^{-\\varepsilon/2}))^m$; there are at "
        "most $p^2-1$ such lines. $\\square$\n\n"
        "It grows like $4\\ln p/(\\varepsilon\\alpha)$ for small $\\varepsilon$: twice what the packing "
        "bound asks of proper learners, four times what every purely private one needs."
    )
    applies_to = "the exponential mechanism over all lines"

    def log_wrong(self, d: int) -> float:
        """Return log(p^2 - 1)."""
        p = self.modulus.size(d)
        return math.log(p * p - 1.0) if self.modulus.bits(d) < LARGE else 2.0 * self.modulus.log(d)
