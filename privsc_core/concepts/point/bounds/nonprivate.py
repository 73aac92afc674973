"""What even learners without privacy need."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.generic.nonprivate import NonprivateBound
from privsc_core.concepts.inequalities import least_at_rate
from privsc_core.numerics.logspace import log_domain, log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Constants, Kind, Learner, Setting

__all__ = ["Nonprivate", "NonprivateProper"]


@dataclass(frozen=True)
class Nonprivate(NonprivateBound):
    """Two concepts cannot be told apart until the rare point is seen."""

    derivation: ClassVar[str] = (
        "Take two points $i \\ne j$ outside the rest of the support and the concepts $c_i$ and "
        "$c_j$, with mass $\\alpha$ on $i$ and the rest on a third point. Both label the rest "
        "of the support 0, and they differ on $i$.\n\n"
        "While $i$ is unseen, which happens with probability $(1-\\alpha)^m$, the samples are "
        "equal, and an output is accurate for at most one of the two: some target fails with "
        "probability at least $\\frac12 (1-\\alpha)^m$. Needs three points, $d \\ge 2$."
    )
    least_d: ClassVar[int] = 2


@dataclass(frozen=True)
class NonprivateProper(Bound):
    """A proper learner must see the target or guess it."""

    name: ClassVar[str] = "nonprivate-proper"
    title: ClassVar[str] = "Without privacy, proper learners"
    legend: ClassVar[str] = "Impossible for every proper learner, even without privacy"
    hugs_baseline: ClassVar[bool] = True
    dash: ClassVar[str] = "longdashdot"
    source: ClassVar[Source] = Source("ours", "the guess among unseen points")
    kind: ClassVar[Kind] = "lower"
    constants: ClassVar[Constants] = "sharp"
    statement: ClassVar[str] = r"(1-\alpha)^m \Bigl(1 - \frac{1}{T-1}\Bigr) \le \beta"
    derivation: ClassVar[str] = (
        "On the hard distribution only $c_i$ itself is accurate. While $i$ is unseen, the "
        "sample does not depend on which of the $T-1$ targets it is, so a proper learner "
        "names it with probability at most $1/(T-1)$ on average over the targets."
    )
    applies_to: ClassVar[str] = "every proper learner, private or not"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.proper

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del epsilon, delta
        log_miss = log_domain_scalar(d, 2) - log_domain_scalar(d, 1)
        return BoundValue(least_at_rate(log_miss - math.log(beta), -math.log1p(-alpha)))

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability on average over the targets."""
        log_miss = log_domain(setting.d, 2) - log_domain(setting.d, 1)
        value = -np.expm1(setting.m * math.log1p(-setting.alpha) + log_miss)
        return np.broadcast_to(value, setting.shape)
