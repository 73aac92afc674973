"""The first lower bound of the paper, by an alpha-minimal class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.inequalities import least_at_rate, log_odds
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Constants, Kind, Learner

__all__ = ["Corollary38"]


@dataclass(frozen=True)
class Corollary38(Bound):
    """(T-1) e^{-eps m} (1-beta) <= beta."""

    name: ClassVar[str] = "corollary-3.8"
    title: ClassVar[str] = "Corollary 3.8"
    source: ClassVar[Source] = Source("BBKN13", "Theorem 3.6, Proposition 3.7, Corollary 3.8")
    kind: ClassVar[Kind] = "lower"
    constants: ClassVar[Constants] = "paper"
    statement: ClassVar[str] = r"(T-1)\,e^{-\varepsilon m}\,(1-\beta) \le \beta"
    derivation: ClassVar[str] = (
        "POINT is $\\alpha$-minimal for itself: with all mass on $i$ only $c_i$ is accurate. "
        "Any two databases differ in at most $m$ examples, so on $D_i$ the learner outputs "
        "each of the $T-1$ other concepts with probability at least $e^{-\\varepsilon "
        "m}(1-\\beta)$, and all of them together with probability at most $\\beta$."
    )
    applies_to: ClassVar[str] = "every proper, purely private learner"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.proper and learner.privacy == "pure"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del alpha, delta
        return BoundValue(least_at_rate(log_domain_scalar(d, 1) - log_odds(beta), epsilon))
