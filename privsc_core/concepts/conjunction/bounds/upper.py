"""The upper bounds for conjunctions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.mechanism import FiniteClassBound
from privsc_core.concepts.generic.search import SearchBound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["FiniteClass", "Untold"]


class FiniteClass(FiniteClassBound):
    """(2^d - 1) (1 - alpha (1 - e^{-eps/2}))^m <= beta, for every distribution."""

    fewer = 1
    legend = "Guaranteed everywhere: exponential mechanism"
    statement = r"(2^d-1)\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation = (
        "A conjunction of error above $\\alpha$ is chosen with probability at most "
        "$\\mathbb{E}\\,e^{-\\varepsilon\\,\\mathrm{mistakes}/2} \\le "
        "(1-\\alpha(1-e^{-\\varepsilon/2}))^m$, as the target makes no mistake; there are at most "
        "$2^d-1$ of them. $\\square$"
    )
    applies_to = "the exponential mechanism, on every distribution"


class Untold(SearchBound):
    """d (1 - alpha / d)^m <= beta: the non-private learner, on every distribution."""

    name = "untold"
    without = ("epsilon", "delta")
    title = "Untold literals"
    legend = "Guaranteed everywhere: non-private"
    kind = "upper"
    constants = "sharp"
    source = Source("ours", "a union bound over the literals")
    statement = r"d\,\bigl(1-\tfrac{\alpha}{d}\bigr)^m \le \beta"
    derivation = (
        "The learner keeps all literals of the target, and errs only where the target says 1 and "
        "a kept literal $j$ says 0. Let $p_j$ be the probability of a positive example in which bit $j$ is 0. "
        "The error is at most the sum of $p_j$ over the kept $j$, so that it is above $\\alpha$ only if "
        "some $j$ with $p_j > \\alpha/d$ is kept: with probability $(1-p_j)^m$ each. $\\square$"
    )
    applies_to = "the non-private learner, on every distribution"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "erm"

    def guess(self, at: Cell) -> float:
        """Return the number to first order."""
        return max(math.log(at.d / at.beta) * at.d / at.alpha, 1.0)

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the success probability that is promised."""
        return 1.0 - self.failure(setting)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest probability of failure."""
        d = setting.d.astype(np.float64)
        lost = np.log(d) + setting.m * np.log1p(-setting.alpha / d)
        return np.broadcast_to(np.exp(np.minimum(lost, 0.0)), setting.shape)
