"""The packing converse as a bound; a concept class declares its rivals and their mass."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue
from privsc_core.concepts.inequalities import (
    SEARCH_LIMIT,
    least_allowed,
    packing_failure,
    packing_limit,
)
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Constants, Kind, Learner, Setting

__all__ = ["PackingBound"]


@dataclass(frozen=True)
class PackingBound(Bound):
    """E[1 / (1 + (n-1) e^{-eps K})] must reach 1 - beta, over n targets.

    Attributes
    ----------
    fewer : int
        2^d minus n - 1, the number of rivals of a target, unless `log_rivals` says otherwise.
    """

    title: ClassVar[str] = "Packing bound"
    legend: ClassVar[str] = "Impossible for every proper ε-DP learner"
    headline: ClassVar[bool] = True
    kind: ClassVar[Kind] = "lower"
    constants: ClassVar[Constants] = "sharp"
    applies_to: ClassVar[str] = "every proper, purely private learner"
    fewer: ClassVar[int] = 0

    def log_rivals(self, d: int) -> float:
        """Return the log of the number of rivals of a target."""
        return log_domain_scalar(d, self.fewer)

    @abstractmethod
    def mass(self, alpha: float) -> float:
        """Return the mass on which the distributions of two targets may differ."""

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.proper and learner.privacy == "pure"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del delta
        mass = self.mass(alpha)
        if mass > 1.0:
            return BoundValue(1, note="says nothing: the rare points cannot have that much mass")
        rivals = np.array(self.log_rivals(d))
        if rivals == -math.inf:
            return BoundValue(1, note=f"says nothing at d = {d}: a target has no rivals")
        loss = np.array(epsilon)
        least = least_allowed(
            beta,
            lambda m, tail: float(packing_limit(np.array(m), rivals, mass, loss, tail)),
            lambda m, tail: float(packing_failure(np.array(m), rivals, mass, loss, tail)),
            guess=max(rivals.item(), 1.0) / (epsilon * mass),
        )
        if least is None:
            return BoundValue(None, f"more than {SEARCH_LIMIT:.0e} samples: not searched further")
        return BoundValue(least)

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner, averaged over targets."""
        mass = self.mass(setting.alpha)
        if mass > 1.0:
            return np.ones(setting.shape)
        bits, place = np.unique(setting.d, return_inverse=True)
        rivals = np.array([self.log_rivals(int(b)) for b in bits])[place].reshape(setting.d.shape)
        return packing_limit(setting.m, rivals, mass, setting.epsilon, setting.log_tail)
