"""Upper bounds for the exponential mechanism over a finite class that contains the target."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.rate import RateBound
from privsc_core.concepts.inequalities import mechanism_rate
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Learner

__all__ = ["FiniteClassBound", "Theorem32Bound"]


class _OfExponential(RateBound):
    """What both share.

    Attributes
    ----------
    fewer : int
        2^d minus the number of wrong concepts, unless `log_wrong` says otherwise.
    mechanism : str
        The learner that it speaks about.
    """

    kind = "upper"
    headline = True
    fewer: int = 0
    mechanism: str = "exponential"

    def log_wrong(self, d: int) -> float:
        """Return the log of the number of concepts other than the target."""
        return log_domain_scalar(d, self.fewer)

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == self.mechanism


class FiniteClassBound(_OfExponential):
    """(|H| - 1) (1 - alpha (1 - e^{-eps/2}))^m <= beta, for every target and distribution."""

    name = "finite-class"
    title = "Finite class"
    legend = "Guaranteed: exponential mechanism"
    source = Source("ours", "sharpens BBKN13, Theorem 3.2 and Lemma 3.4")
    constants = "sharp"

    def log_failure(self, d: int, _alpha: float) -> float:
        """Return log(|H| - 1)."""
        return self.log_wrong(d)

    def rate(self, epsilon: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
        """Return -log of the mean weight that one example leaves to a wrong concept."""
        return mechanism_rate(epsilon, alpha)


class Theorem32Bound(_OfExponential):
    """m >= max(8, 4/eps) / alpha * log(2 |H| / beta)."""

    name = "theorem-3.2"
    title = "Theorem 3.2"
    source = Source(
        "BBKN13",
        "Theorem 3.2 (after Kasiviswanathan et al.), with the constants of our Chernoff proof",
    )
    constants = "paper"
    completed = "all of them, by a Chernoff proof"

    def log_failure(self, d: int, _alpha: float) -> float:
        """Return log(2 |H|)."""
        return log_domain_scalar(d, self.fewer - 1) + math.log(2.0)

    def rate(self, epsilon: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
        """Return alpha / max(8, 4/eps)."""
        return np.asarray(alpha / np.maximum(8.0, 4.0 / epsilon))
