"""The packing converse as a bound; a concept class declares its rivals and their mass."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.inequalities import packing_failure, packing_limit
from privsc_core.numerics.logspace import each, log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["PackingBound"]


class PackingBound(SearchBound):
    """E[1 / (1 + (n-1) e^{-eps K})] must reach 1 - beta, over n targets.

    Attributes
    ----------
    fewer : int
        2^d minus n - 1, the number of rivals of a target, unless `log_rivals` says otherwise.
    """

    title = "Packing bound"
    legend = "Impossible for every proper ε-DP learner"
    headline = True
    kind = "lower"
    constants = "sharp"
    applies_to = "every proper, purely private learner"
    proved_on = ("hard",)
    fewer: int = 0

    def log_rivals(self, d: int) -> float:
        """Return the log of the number of rivals of a target."""
        return log_domain_scalar(d, self.fewer)

    @abstractmethod
    def mass(self, alpha: float) -> float:
        """Return the mass on which the distributions of two targets may differ."""

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.proper and learner.privacy == "pure"

    def note(self, at: Cell) -> str:
        """Return that nothing is said, where `success` is 1 for every m."""
        if self.mass(at.alpha) > 1.0:
            return "says nothing: the rare points cannot have that much mass"
        if self.log_rivals(at.d) == -math.inf:
            return f"says nothing at d = {at.d}: a target has no rivals"
        return ""

    def guess(self, at: Cell) -> float:
        """Return where rivals * e^{-eps mass m} is 1."""
        return max(self.log_rivals(at.d), 1.0) / (at.epsilon * self.mass(at.alpha))

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner, averaged over targets."""
        mass, rivals = self.mass(setting.alpha), each(self.log_rivals, setting.d)
        if mass > 1.0:
            return np.ones(setting.shape)
        value = packing_limit(setting.m, rivals, mass, setting.epsilon, setting.log_tail)
        return np.where(rivals == -math.inf, 1.0, value)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        mass, rivals = self.mass(setting.alpha), each(self.log_rivals, setting.d)
        if mass > 1.0:
            return np.zeros(setting.shape)
        return packing_failure(setting.m, rivals, mass, setting.epsilon, setting.log_tail)
