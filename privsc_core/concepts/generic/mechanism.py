"""Upper bounds for the exponential mechanism over a finite class that contains the target."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.inequalities import least_at_rate, mechanism_rate
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Constants, Kind, Learner, Setting

__all__ = ["FiniteClassBound", "Theorem32Bound"]


@dataclass(frozen=True)
class _OfExponential(Bound):
    """What both share.

    Attributes
    ----------
    fewer : int
        2^d minus the number of wrong concepts, unless `log_wrong` says otherwise.
    mechanism : str
        The learner that it speaks about.
    """

    kind: ClassVar[Kind] = "upper"
    fewer: ClassVar[int] = 0
    mechanism: ClassVar[str] = "exponential"

    def log_wrong(self, d: int) -> float:
        """Return the log of the number of concepts other than the target."""
        return log_domain_scalar(d, self.fewer)

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == self.mechanism


@dataclass(frozen=True)
class FiniteClassBound(_OfExponential):
    """(|H| - 1) (1 - alpha (1 - e^{-eps/2}))^m <= beta."""

    name: ClassVar[str] = "finite-class"
    title: ClassVar[str] = "Finite class"
    legend: ClassVar[str] = "Guaranteed: exponential mechanism"
    headline: ClassVar[bool] = True
    source: ClassVar[Source] = Source("ours", "sharpens BBKN13, Theorem 3.2 and Lemma 3.4")
    constants: ClassVar[Constants] = "sharp"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del delta
        factor = self.log_wrong(d) - math.log(beta)
        return BoundValue(least_at_rate(factor, mechanism_rate(epsilon, alpha)))

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the success probability that is guaranteed for every target and distribution."""
        rate = -np.log1p(setting.alpha * np.expm1(-0.5 * setting.epsilon))
        bits, place = np.unique(setting.d, return_inverse=True)
        wrong = np.array([self.log_wrong(int(b)) for b in bits])[place].reshape(setting.d.shape)
        failure = wrong - rate * setting.m
        return np.broadcast_to(-np.expm1(np.minimum(failure, 0.0)), setting.shape)


@dataclass(frozen=True)
class Theorem32Bound(_OfExponential):
    """m >= max(8, 4/eps) / alpha * log(2 |H| / beta)."""

    name: ClassVar[str] = "theorem-3.2"
    title: ClassVar[str] = "Theorem 3.2"
    headline: ClassVar[bool] = True
    source: ClassVar[Source] = Source(
        "BBKN13",
        "Theorem 3.2 (after Kasiviswanathan et al.), with the constants of our Chernoff proof",
    )
    constants: ClassVar[Constants] = "paper"
    completed: ClassVar[str] = "all of them, by a Chernoff proof"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del delta
        size = log_domain_scalar(d, self.fewer - 1)
        factor = size + math.log(2.0) - math.log(beta)
        return BoundValue(least_at_rate(factor, alpha / max(8.0, 4.0 / epsilon)))
