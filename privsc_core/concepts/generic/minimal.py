"""The paper's first lower bound, for learners into a class that is alpha-minimal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Bound, BoundValue
from privsc_core.concepts.inequalities import least_at_rate, log_odds
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Constants, Kind, Learner

__all__ = ["MinimalClassBound"]


@dataclass(frozen=True)
class MinimalClassBound(Bound):
    """(|H| - 1) e^{-eps m} (1 - beta) <= beta (BBKN13, Theorem 3.6).

    Attributes
    ----------
    fewer : int
        2^d minus |H| - 1.
    below : float
        The class is alpha-minimal for alpha below this.
    """

    kind: ClassVar[Kind] = "lower"
    constants: ClassVar[Constants] = "paper"
    applies_to: ClassVar[str] = "every proper, purely private learner"
    fewer: ClassVar[int]
    below: ClassVar[float] = 1.0

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.proper and learner.privacy == "pure"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del delta
        if alpha >= self.below:
            return BoundValue(None, f"needs alpha < {self.below:g}")
        factor = log_domain_scalar(d, self.fewer) - log_odds(beta)
        return BoundValue(least_at_rate(factor, epsilon))
