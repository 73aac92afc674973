"""The paper's first lower bound, for learners into a class that is alpha-minimal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Bound, BoundValue
from privsc_core.concepts.inequalities import least_at_rate, log_odds
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Constants, Distribution, Kind, Learner
    from privsc_core.concepts.generic.packing import PackingBound

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
    on_hard : PackingBound
        What holds on the hard distribution.

    Notes
    -----
    It is proved on distributions that differ everywhere. On `hard` there are fewer rivals, but
    only K of m examples tell them apart. With n - 1 rivals there and R here, and a mass of at
    most 1/2 on the rare points, the packing bound implies this one whenever beta <= 1/2 and
    sqrt(R) <= n - 1: K is below a variable that is symmetric about m/2, and the packing limit
    at k and at m - k is on average at most 1/2 or that at m/2, whose odds are
    e^{eps m/2} / (n-1) < sqrt(R (1-beta) / beta) / (n-1) <= (1-beta) / beta for an m that is
    excluded here. Elsewhere (d = 1 for points, where `hard` has no rival) it is compared.
    """

    kind: ClassVar[Kind] = "lower"
    constants: ClassVar[Constants] = "paper"
    applies_to: ClassVar[str] = "every proper, purely private learner"
    fewer: ClassVar[int]
    below: ClassVar[float] = 1.0
    on_hard: ClassVar[PackingBound]

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.proper and learner.privacy == "pure"

    def holds_on(
        self, distribution: Distribution, *, d: int, epsilon: float, alpha: float, beta: float
    ) -> bool:
        """Tell whether no learner that it binds can do better; see the notes."""
        if distribution.name != "hard" or distribution.name not in self.worst_on:
            return distribution.name in self.worst_on
        rivals, mine = self.on_hard.log_rivals(d), log_domain_scalar(d, self.fewer)
        if beta <= 0.5 and self.on_hard.mass(alpha) <= 0.5 and 0.5 * mine <= rivals:
            return True
        return _implied(self, d, epsilon, alpha, beta)

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del delta
        if alpha >= self.below:
            return BoundValue(None, f"needs alpha < {self.below:g}")
        factor = log_domain_scalar(d, self.fewer) - log_odds(beta)
        return BoundValue(least_at_rate(factor, epsilon))


@lru_cache(maxsize=4096)
def _implied(entry: MinimalClassBound, d: int, epsilon: float, alpha: float, beta: float) -> bool:
    """Tell whether the packing bound on the hard distribution is at least as large."""
    cell = {"epsilon": epsilon, "alpha": alpha, "beta": beta}
    mine, sharp = entry.samples(d=d, **cell).m, entry.on_hard.samples(d=d, **cell).m
    return sharp is None or mine is None or mine <= sharp
