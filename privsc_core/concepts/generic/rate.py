"""Bounds whose failure falls at a rate: the number of samples and the limit follow."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue
from privsc_core.concepts.inequalities import least_at_rate
from privsc_core.numerics.logspace import each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Setting

__all__ = ["RateBound"]


class RateBound(Bound):
    """e^{log_failure - rate m} <= beta: at least that often (lower), or most (upper), m fail."""

    @abstractmethod
    def log_failure(self, d: int, alpha: float, /) -> float:
        """Return the log of the factor: -inf where nothing fails, inf where nothing is promised."""

    @abstractmethod
    def rate(self, epsilon: NDArray[np.float64], alpha: float, /) -> NDArray[np.float64]:
        """Return by how much each sample lowers the log of the failure, for every epsilon."""

    def log_allowed(self, beta: float) -> float:
        """Return the log of what the left side may be."""
        return math.log(beta)

    def outside(self, _at: Cell, /) -> BoundValue | None:
        """Return what is said where the theorem is not valid; None where it is."""
        return None

    def note(self, _at: Cell, /) -> str:
        """Return a remark on the number."""
        return ""

    def least(self, at: Cell) -> BoundValue:
        """Return the least m that satisfies the inequality."""
        return self.outside(at) or BoundValue(self._satisfying(at), note=self.note(at))

    def _satisfying(self, at: Cell) -> int:
        factor = self.log_failure(at.d, at.alpha) - self.log_allowed(at.beta)
        return least_at_rate(factor, float(self.rate(np.array(at.epsilon), at.alpha)))

    def limit(self, setting: Setting) -> NDArray[np.float64] | None:
        """Return 1 minus the failure; of the papers' theorems only the numbers are claimed."""
        if self.constants != "sharp":
            return None
        factor = each(lambda d: self.log_failure(d, setting.alpha), setting.d)
        failure = factor - self.rate(setting.epsilon, setting.alpha) * setting.m
        return np.broadcast_to(0.0 - np.expm1(np.minimum(failure, 0.0)), setting.shape)
