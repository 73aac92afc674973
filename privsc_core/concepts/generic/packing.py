"""The packing converse as a bound; a concept class declares its rivals and their mass."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.boxes import Boxes
from privsc_core.concepts.extremes import log_tail
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.inequalities import (
    halfway_failure,
    halfway_limit,
    packing_failure,
    packing_limit,
    roughly_allowed,
)
from privsc_core.numerics.binomial_windows import binomial_window
from privsc_core.numerics.logspace import each, log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.boxes import Merged
    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["HALFWAY", "OPTIMUM", "PackingBound", "PackingTwoBound"]

# The proof, for every class: its own derivation says what K and n are.
HALFWAY = (
    "Let $X_{ij}$ agree with $S_i$ on $K-t$ of the special positions and with $S_j$ on the other "
    "$t$. It is $t$ examples from $S_i$ and $K-t$ from $S_j$. With $e_i$ the failure on $S_i$ and "
    "$G_i$ the good answers, $1 - e^{\\varepsilon t} e_i \\le \\Pr[A(X_{ij}) \\in G_i] \\le "
    "e^{\\varepsilon (K-t)} \\Pr[A(S_j) \\in G_i]$. Sum over all $i \\ne j$; the $G_i$ are "
    "disjoint, so $\\sum_{i \\ne j} \\Pr[A(S_j) \\in G_i] \\le e_j$, and for the average "
    "$(n-1)(1 - e^{\\varepsilon t}\\bar e) \\le e^{\\varepsilon (K-t)}\\bar e$ for every whole $t$ "
    "from 0 to $K$. Solve for $\\bar e$, take the best $t$ and average over $K$. $\\square$\n\n"
    "At $t = 0$ it is the packing bound: it is never weaker. Success may grow at rate "
    "$\\varepsilon$ up to one half, and then failure falls at rate $\\varepsilon/2$ only."
)
OPTIMUM = (
    "**How good it is.** No proper, purely private learner can be above; attained in every case that "
    "we could solve by linear programming. In general that is a conjecture."
)


class PackingBound(SearchBound):
    """E[1 / (1 + (n-1) e^{-eps K})] must reach 1 - beta, over n targets.

    Attributes
    ----------
    fewer : int
        2^d minus n - 1, the number of rivals of a target, unless `log_rivals` says otherwise.
    one, many : str
        What a target is, singular and plural.
    way_out : str
        A sentence: who escapes the argument and how, or that nobody is known to.
    """

    near = True
    title = "Packing bound"
    legend = "Impossible for every proper ε-DP learner"
    headline = True
    kind = "lower"
    constants = "sharp"
    applies_to = "every proper, purely private learner"
    proved_on = ("hard",)
    packs = True
    fewer: int = 0
    one: ClassVar[str] = "target"
    many: ClassVar[str] = "targets"
    way_out: ClassVar[str] = ""

    def log_rivals(self, d: int) -> float:
        """Return the log of the number of rivals of a target."""
        return log_domain_scalar(d, self.fewer)

    @abstractmethod
    def mass(self, alpha: float) -> float:
        """Return the mass on which the distributions of two targets may differ."""

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.proper and learner.privacy == "pure" and not learner.unlabelled

    def note(self, at: Cell) -> str:
        """Return that nothing is said, where `success` is 1 for every m."""
        if self.mass(at.alpha) > 1.0:
            return "says nothing: the rare points cannot have that much mass"
        if self.log_rivals(at.d) == -math.inf:
            return f"says nothing at d = {at.d}: a target has no rivals"
        return ""

    def merged(self, _at: Cell, /) -> Merged | None:
        """Return what becomes of the boxes when one answer may be good for many targets."""
        return None

    def boxes(self, at: Cell) -> Boxes | None:
        """Return the sets of good answers of the targets."""
        if self.note(at):
            return None
        mass, tail = self.mass(at.alpha), log_tail(at.beta)
        return Boxes(
            log_rivals=self.log_rivals(at.d), share=mass,
            counts=lambda m: binomial_window(m, mass, tail),
            law=f"K ~ Bin(m, {mass:g})", one=self.one, many=self.many,
            merged=self.merged(at), way_out=self.way_out,
        )  # fmt: skip

    def guess(self, at: Cell) -> float:
        """Return about where `success` is 1 - beta."""
        mass = min(self.mass(at.alpha), 1.0)
        return float(roughly_allowed(at.beta, self.log_rivals(at.d), mass, at.epsilon))

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner, averaged over targets."""
        mass, rivals = self.mass(setting.alpha), each(self.log_rivals, setting.d)
        if mass > 1.0:
            return np.ones(setting.shape)
        value = packing_limit(setting.m, rivals, mass, setting.epsilon, setting.log_tail)
        return np.where(rivals == -math.inf, 1.0, value)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        mass, rivals = self.mass(setting.alpha), each(self.log_rivals, setting.d)
        if mass > 1.0:
            return np.zeros(setting.shape)
        return packing_failure(setting.m, rivals, mass, setting.epsilon, setting.log_tail)


class PackingTwoBound(PackingBound):
    """E[1 - max_t 1 / (e^{eps t} + e^{eps (K-t)} / (n-1))] must reach 1 - beta.

    The same setting and rivals as the packing bound; see `HALFWAY`.
    """

    title = "Packing bound, halfway"

    def boxes(self, at: Cell) -> Boxes | None:
        """Return the sets of good answers of the targets, to be held against halfway databases."""
        found = super().boxes(at)
        return found and replace(found, halfway=True)

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner, averaged over targets."""
        mass, rivals = self.mass(setting.alpha), each(self.log_rivals, setting.d)
        if mass > 1.0:
            return np.ones(setting.shape)
        known = np.maximum(rivals, 0.0)
        value = halfway_limit(setting.m, known, mass, setting.epsilon, setting.log_tail)
        return np.where(rivals == -math.inf, 1.0, value)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        mass, rivals = self.mass(setting.alpha), each(self.log_rivals, setting.d)
        if mass > 1.0:
            return np.zeros(setting.shape)
        known = np.maximum(rivals, 0.0)
        value = halfway_failure(setting.m, known, mass, setting.epsilon, setting.log_tail)
        return np.where(rivals == -math.inf, 0.0, value)
