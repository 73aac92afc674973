"""Bounds whose failure falls at a rate: the number of samples and the limit follow."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source, Whom
from privsc_core.concepts.shared.inequalities import least_at_rate, mechanism_rate
from privsc_core.numerics.logspace import each, log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Setting


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


# --- Upper bounds for the exponential mechanism over a finite class that contains the target -----


class _OfExponential(RateBound):
    """What both share.

    Attributes
    ----------
    fewer : int
        2^d minus the number of wrong concepts, unless `log_wrong` says otherwise.
    """

    kind = "upper"
    shaded = True
    fewer: int = 0
    whom = Whom("exponential")

    def log_wrong(self, d: int) -> float:
        """Return the log of the number of concepts other than the target."""
        return log_domain_scalar(d, self.fewer)


class FiniteClassBound(_OfExponential):
    """(|H| - 1) (1 - alpha (1 - e^{-eps/2}))^m <= beta, for every target and distribution."""

    name = "finite-class"
    title = "Finite class"
    legend = "Guaranteed: exponential mechanism"
    source = Source("ours", "sharpens BBKN13, Theorem 3.2 and Lemma 3.4")

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
    completed = "all of them, by a Chernoff proof"

    def log_failure(self, d: int, _alpha: float) -> float:
        """Return log(2 |H|)."""
        return log_domain_scalar(d, self.fewer - 1) + math.log(2.0)

    def rate(self, epsilon: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
        """Return alpha / max(8, 4/eps)."""
        return np.asarray(alpha / np.maximum(8.0, 4.0 / epsilon))


# --- What any learner needs, by two concepts that differ on one rare point -----------------------


class NonprivateBound(RateBound):
    """(1 - alpha)^m / 2 <= beta: two concepts cannot be told apart until the point is seen.

    It is proved on the pair of distributions of its proof alone. A learner that knows that the
    family is `hard` may do better there.

    Attributes
    ----------
    least_d : int
        From how many bits on the class has two such concepts.
    """

    name = "nonprivate"
    title = "Without privacy, any learner"
    legend = "Impossible for every learner, even without privacy"
    source = Source("ours", "theory of PAC learning; BBKN13, Theorem 2.4 for the rate")
    on_demand = True
    dash = "dashdot"
    without = ("d", "epsilon", "delta")
    kind = "lower"
    statement = r"\tfrac12 (1-\alpha)^m \le \beta"
    applies_to = "every learner, private or not"
    whom = Whom()
    shown_on: ClassVar[tuple[str, ...]] = ("hard",)
    least_d: int = 1

    def log_failure(self, d: int, _alpha: float) -> float:
        """Return the log of the failure with the rare point unseen, for the worse target."""
        return -math.log(2.0) if d >= self.least_d else -math.inf

    def rate(self, _epsilon: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
        """Return -log of the chance to miss the rare point."""
        return np.asarray(-math.log1p(-alpha))

    def note(self, at: Cell) -> str:
        """Return that nothing is said where the class is too small."""
        small = f"says nothing at d = {at.d}: the domain is too small"
        return small if at.d < self.least_d else ""
