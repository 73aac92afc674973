"""The sharp upper bound for the exponential mechanism over a finite class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.inequalities import least_at_rate, mechanism_rate
from privsc_core.numerics.logspace import log_domain, log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Constants, Kind, Learner, Setting

__all__ = ["FiniteClass"]


@dataclass(frozen=True)
class FiniteClass(Bound):
    """(T-1) (1 - alpha (1 - e^{-eps/2}))^m <= beta."""

    name: ClassVar[str] = "finite-class"
    title: ClassVar[str] = "Finite class"
    source: ClassVar[Source] = Source("ours", "sharpens BBKN13, Theorem 3.2 and Lemma 3.4")
    kind: ClassVar[Kind] = "upper"
    constants: ClassVar[Constants] = "sharp"
    statement: ClassVar[str] = r"(T-1)\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation: ClassVar[str] = (
        "The target has weight 1. A concept of error above $\\alpha$ is chosen with "
        "probability at most its own weight $e^{-\\varepsilon M/2}$, where its number of "
        "mistakes $M$ dominates $\\mathrm{Bin}(m,\\alpha)$; so with probability at most "
        "$\\mathbb{E}\\,e^{-\\varepsilon M/2} \\le (1-\\alpha(1-e^{-\\varepsilon/2}))^m$. Add up "
        "over the at most $T-1$ such concepts. $\\square$\n\n"
        "Holds for every distribution and target. Any finite class with $|H|$ hypotheses, one "
        "of them without error, has the same bound with $|H|-1$ in place of $T-1$."
    )
    applies_to: ClassVar[str] = "the exponential mechanism over POINT"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "exponential"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del delta
        factor = log_domain_scalar(d, 1) - math.log(beta)
        return BoundValue(least_at_rate(factor, mechanism_rate(epsilon, alpha)))

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the success probability that is guaranteed for every target and distribution."""
        rate = -np.log1p(setting.alpha * np.expm1(-0.5 * setting.epsilon))
        failure = log_domain(setting.d, 1) - rate * setting.m
        return np.broadcast_to(-np.expm1(np.minimum(failure, 0.0)), setting.shape)
