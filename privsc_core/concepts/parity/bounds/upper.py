"""The upper bounds for parities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts.contracts import BoundValue, Source
from privsc_core.concepts.generic.mechanism import FiniteClassBound
from privsc_core.concepts.inequalities import mechanism_rate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell

__all__ = ["FiniteClass", "OnUniform"]


class FiniteClass(FiniteClassBound):
    """(2^d - 1) (1 - alpha (1 - e^{-eps/2}))^m <= beta, for every distribution."""

    fewer = 1
    headline = False
    legend = "Guaranteed everywhere: exponential mechanism"
    statement = r"(2^d-1)\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation = (
        "A parity of error above $\\alpha$ is chosen with probability at most "
        "$\\mathbb{E}\\,e^{-\\varepsilon\\,\\mathrm{mistakes}/2} \\le "
        "(1-\\alpha(1-e^{-\\varepsilon/2}))^m$, as the target makes no mistake; there are at most "
        "$2^d-1$ of them. $\\square$"
    )
    applies_to = "the exponential mechanism, on every distribution"


class OnUniform(FiniteClassBound):
    """(2^d - 1) ((1 + e^{-eps/2}) / 2)^m <= beta: on `uniform` a wrong parity has error 1/2."""

    without = ("alpha", "delta")
    name = "exponential"
    title = "Finite class, uniform"
    legend = "Guaranteed on uniform: exponential mechanism"
    source = Source("ours", "the same with error 1/2 in place of α")
    fewer = 1
    promised_on = ("uniform",)
    statement = r"(2^d-1)\,\Bigl(\frac{1+e^{-\varepsilon/2}}{2}\Bigr)^{m} \le \beta"
    derivation = (
        "As for every finite class, but on the uniform distribution each of the $2^d-1$ wrong "
        "parities errs on exactly half of the points: $\\tfrac12$ replaces $\\alpha$, which drops out. "
        "$\\square$"
    )
    applies_to = "the exponential mechanism, on the uniform distribution"
    validity = "for α < 1/2"

    def outside(self, at: Cell) -> BoundValue | None:
        """Refuse an alpha at which there is nothing to learn."""
        return BoundValue(None, "needs alpha < 1/2") if at.alpha >= 0.5 else None

    def rate(self, epsilon: NDArray[np.float64], _alpha: float) -> NDArray[np.float64]:
        """Return -log of the mean weight that one example leaves to a wrong parity."""
        return mechanism_rate(epsilon, 0.5)
