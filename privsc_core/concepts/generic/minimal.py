"""The paper's first lower bound, for learners into a class that is alpha-minimal."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import BoundValue
from privsc_core.concepts.generic.rate import RateBound
from privsc_core.concepts.inequalities import log_odds
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Distribution, Learner
    from privsc_core.concepts.generic.packing import PackingBound

__all__ = ["MinimalClassBound"]


class MinimalClassBound(RateBound):
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

    without = ("alpha", "delta")
    kind = "lower"
    constants = "paper"
    applies_to = "every proper, purely private learner"
    fewer: int
    below: float = 1.0
    on_hard: PackingBound

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.proper and learner.privacy == "pure" and not learner.unlabelled

    def reaches(self, distribution: Distribution, at: Cell) -> bool:
        """Tell whether it follows on `hard` from packing; see the notes."""
        if distribution.name != "hard":
            return True
        rivals, mine = self.on_hard.log_rivals(at.d), log_domain_scalar(at.d, self.fewer)
        if at.beta <= 0.5 and self.on_hard.mass(at.alpha) <= 0.5 and 0.5 * mine <= rivals:
            return True
        return _implied(self, at)

    def outside(self, at: Cell) -> BoundValue | None:
        """Refuse an alpha at which the class is not minimal."""
        if at.alpha >= self.below:
            return BoundValue(None, f"needs alpha < {self.below:g}")
        return None

    def log_failure(self, d: int, _alpha: float) -> float:
        """Return log(|H| - 1)."""
        return log_domain_scalar(d, self.fewer)

    def rate(self, epsilon: NDArray[np.float64], _alpha: float) -> NDArray[np.float64]:
        """Return the privacy loss: all examples differ."""
        return np.asarray(epsilon)

    def log_allowed(self, beta: float) -> float:
        """Return log(beta / (1 - beta))."""
        return log_odds(beta)


@lru_cache(maxsize=4096)
def _implied(entry: MinimalClassBound, at: Cell) -> bool:
    """Tell whether the packing bound on the hard distribution is at least as large."""
    mine, sharp = entry.least(at).m, entry.on_hard.least(at).m
    return sharp is None or mine is None or mine <= sharp
