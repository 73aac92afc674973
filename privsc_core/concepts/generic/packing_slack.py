"""The packing converse with a privacy slack; a concept class declares its targets and their mass."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.inequalities import walked_failure, walked_limit
from privsc_core.numerics.logspace import each, log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["WALK", "PackingSlackBound"]

# The proof, for every class: its own derivation says what K and the targets are.
WALK = (
    "Where these examples are replaced by examples of the common point, the sample $S_\\varnothing$ "
    "does not depend on the target, so that the learner names the target there with probability "
    "$\\pi_0$ at most, on average over the targets.\n\n"
    "Put the rare examples in one at a time. A step takes a probability $p$ to at most "
    "$e^{\\varepsilon} p + \\delta$; and $1-p$, the probability of all other outputs, to at least "
    "$e^{-\\varepsilon}(1-p-\\delta)$. Both are increasing and concave in $p$ (linear, in fact, and "
    "so is the constant 1), hence so is their minimum, and by Jensen's inequality the average over "
    "the targets is after $k$ steps at most $\\pi_k$. Average over $K$. $\\square$\n\n"
    "With $c = \\delta/(e^{\\varepsilon}-1)$ the first step multiplies $\\pi + c$ by "
    "$e^{\\varepsilon}$: however small $\\pi_0$ is, it counts as $c$. That is why a domain of more "
    "than $(e^{\\varepsilon}-1)/\\delta$ points costs no more. With $\\delta = 0$ it holds too, and "
    "says less than the packing bound."
)


class PackingSlackBound(SearchBound):
    """E[pi_K] must reach 1 - beta: as many steps of privacy as there are special examples.

    Attributes
    ----------
    fewer : int
        2^d minus the number of targets.
    """

    name = "packing-delta"
    title = "Packing bound with δ"
    legend = "Impossible for every proper (ε, δ)-DP learner"
    source = Source("ours", "the packing converse, step by step")
    without = ()
    kind = "lower"
    constants = "sharp"
    headline = True
    proved_on = ("hard",)
    applies_to = "every proper (ε, δ)-private learner"
    fewer: ClassVar[int] = 0

    @abstractmethod
    def mass(self, alpha: float) -> float:
        """Return the mass on which the distributions of two targets may differ."""

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner; of pure ones others say more."""
        return learner.proper and learner.privacy == "approximate" and not learner.unlabelled

    def log_targets(self, d: int) -> float:
        """Return the log of the number of targets, 0 where nothing is said."""
        return max(log_domain_scalar(d, self.fewer), 0.0)

    def note(self, at: Cell) -> str:
        """Return that nothing is said, where `success` is 1 for every m."""
        if self.mass(at.alpha) > 1.0:
            return "says nothing: the rare points cannot have that much mass"
        if self.log_targets(at.d) == 0.0:
            return f"says nothing at d = {at.d}: a target has no rivals"
        return ""

    def guess(self, at: Cell) -> float:
        """Return where the walk from 1/targets is at one half."""
        steps = self.log_targets(at.d)
        if at.delta:
            steps = min(steps, math.log(max(1.0, math.expm1(min(at.epsilon, 700.0)) / at.delta)))
        return max(steps, 1.0) / (at.epsilon * self.mass(at.alpha))

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner, averaged over targets."""
        mass, targets = self.mass(setting.alpha), each(self.log_targets, setting.d)
        if mass > 1.0:
            return np.ones(setting.shape)
        return walked_limit(
            setting.m, targets, mass, setting.epsilon, setting.delta, setting.log_tail
        )

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        mass, targets = self.mass(setting.alpha), each(self.log_targets, setting.d)
        if mass > 1.0:
            return np.zeros(setting.shape)
        return walked_failure(
            setting.m, targets, mass, setting.epsilon, setting.delta, setting.log_tail
        )
