"""What any learner needs, by two concepts that differ on one rare point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Learner, Source
from privsc_core.concepts.inequalities import least_at_rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Constants, Kind, Setting

__all__ = ["NonprivateBound"]


@dataclass(frozen=True)
class NonprivateBound(Bound):
    """(1 - alpha)^m / 2 <= beta: two concepts cannot be told apart until the point is seen.

    Attributes
    ----------
    least_d : int
        From how many bits on the class has two such concepts.
    """

    name: ClassVar[str] = "nonprivate"
    title: ClassVar[str] = "Without privacy, any learner"
    legend: ClassVar[str] = "Impossible for every learner, even without privacy"
    source: ClassVar[Source] = Source(
        "ours", "theory of PAC learning; BBKN13, Theorem 2.4 for the rate"
    )
    hugs_baseline: ClassVar[bool] = True
    dash: ClassVar[str] = "dashdot"
    kind: ClassVar[Kind] = "lower"
    constants: ClassVar[Constants] = "sharp"
    statement: ClassVar[str] = r"\tfrac12 (1-\alpha)^m \le \beta"
    applies_to: ClassVar[str] = "every learner, private or not"
    least_d: ClassVar[int] = 1

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return isinstance(learner, Learner)

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del epsilon, delta
        if d < self.least_d:
            return BoundValue(1, note=f"says nothing at d = {d}: the domain is too small")
        return BoundValue(least_at_rate(-math.log(2.0 * beta), -math.log1p(-alpha)))

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability against the worse of the two targets."""
        missed = 0.5 * np.exp(setting.m * math.log1p(-setting.alpha))
        value = 1.0 - np.where(setting.d >= self.least_d, missed, 0.0)
        return np.broadcast_to(value, setting.shape)
