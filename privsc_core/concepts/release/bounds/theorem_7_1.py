"""The upper bound that the paper cites: a rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Bound, BoundValue, Source

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Constants, Kind, Learner

__all__ = ["Theorem71"]


@dataclass(frozen=True)
class Theorem71(Bound):
    """O(d VCDIM log(1/alpha) / (alpha^3 eps) + log(1/beta) / (eps alpha)), VCDIM = 1."""

    name: ClassVar[str] = "theorem-7.1"
    title: ClassVar[str] = "Theorem 7.1"
    source: ClassVar[Source] = Source("BBKN13", "Theorem 7.1 (Blum, Ligett, Roth 2008)")
    kind: ClassVar[Kind] = "upper"
    constants: ClassVar[Constants] = "rate"
    statement: ClassVar[str] = (
        r"m = O\Bigl(\frac{d\cdot\mathrm{VCDIM}(C)\,\log(1/\alpha)}{\alpha^3\varepsilon}"
        r"+\frac{\log(1/\beta)}{\varepsilon\alpha}\Bigr)"
    )
    derivation: ClassVar[str] = (
        "The exponential mechanism over synthetic databases. For any class, a random sample of "
        "$O(\\mathrm{VCDIM}(C)\\log(1/\\alpha)/\\alpha^2)$ entries of the database keeps all "
        "queries within $\\alpha/2$; so there are $T^{O(\\mathrm{VCDIM}(C) "
        "\\log(1/\\alpha)/\\alpha^2)}$ candidates of which one is good, and the mechanism finds "
        "one that is nearly as good once $\\varepsilon\\alpha m$ passes their logarithm.\n\n"
        "$\\mathrm{VCDIM}(\\mathrm{POINT}_d)=1$. The theorem has no constants, so it has no "
        "number. For points a histogram does far better, "
        "$O((d+\\log(1/\\beta))/(\\varepsilon\\alpha))$: all queries together change by two."
    )
    applies_to: ClassVar[str] = "the exponential mechanism over synthetic databases"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this mechanism."""
        return learner.name == "blr"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Refuse a number: the paper gives only a rate."""
        del d, epsilon, alpha, beta, delta
        return BoundValue(
            None, "a rate without a constant: d log(1/alpha) / (alpha^3 epsilon) + ..."
        )
