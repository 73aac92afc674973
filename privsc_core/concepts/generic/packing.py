"""The packing converse as a bound; a concept class declares its rivals and their mass."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import BoundValue, Source, Whom
from privsc_core.concepts.generic.rate import RateBound
from privsc_core.concepts.generic.search import CountBound, SearchBound
from privsc_core.concepts.shared.boxes import Boxes
from privsc_core.concepts.shared.inequalities import (
    halfway_limit,
    log_odds,
    log_tail,
    roughly_allowed,
    walked_limit,
)
from privsc_core.numerics.binomial import binomial_window
from privsc_core.numerics.logspace import each, log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Distribution, Setting
    from privsc_core.concepts.shared.boxes import Merged


# The proof, for every class: its own derivation says what K and n are.
HALFWAY = (
    "Let $X_{ij}$ agree with $S_i$ on $K-t$ of the special positions and with $S_j$ on the other $t$. It differs "
    "from $S_i$ in $t$ examples and from $S_j$ in $K-t$. Let $e_i$ be the probability of failure on $S_i$ and $G_i$ "
    "the set of good answers. Then $1 - e^{\\varepsilon t} e_i \\le \\Pr[A(X_{ij}) \\in G_i] \\le e^{\\varepsilon "
    "(K-t)} \\Pr[A(S_j) \\in G_i]$. Sum over all $i \\ne j$; the $G_i$ are disjoint, so $\\sum_{i \\ne j} "
    "\\Pr[A(S_j) \\in G_i] \\le e_j$, and for the average $(n-1)(1 - e^{\\varepsilon t}\\bar e) \\le e^{\\varepsilon "
    "(K-t)}\\bar e$ for every whole $t$ from 0 to $K$. Solve for $\\bar e$, take the best $t$ and average over $K$. "
    "$\\square$\n\n"
    "At $t = 0$ this is the packing bound, so it is never weaker. Up to one half, success may grow by a factor of "
    "$e^{\\varepsilon}$ with each example; beyond, failure falls by $e^{-\\varepsilon/2}$ only."
)
OPTIMUM = (
    "**How good it is.** No proper, purely private learner can be above it. In every case that "
    "we could solve by linear programming, some mechanism attains it. In general that is a "
    "conjecture."
)


class PackingBound(CountBound):
    """E[1 / (1 + (n-1) e^{-eps K})] must reach 1 - beta, over n targets.

    Attributes
    ----------
    fewer : int
        2^d minus n - 1, the number of rivals of a target, unless `log_rivals` says otherwise.
    one, many : str
        What a target is, singular and plural.
    way_out : str
        A sentence: which learner escapes the argument and how, or that none is known to.
    """

    near = True
    title = "Packing bound"
    legend = "Impossible for every proper ε-DP learner"
    shaded = True
    kind = "lower"
    applies_to = "every proper, purely private learner"
    whom = Whom(privacy=("pure",), proper=True, unlabelled=False)
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

    def differing(self, setting: Setting) -> tuple[NDArray[np.float64], float, NDArray[np.bool_]]:
        """Return the rivals, and the mass on which the distributions of two targets may differ."""
        mass, rivals = self.mass(setting.alpha), each(self.log_rivals, setting.d)
        return np.maximum(rivals, 0.0), min(mass, 1.0), (rivals == -math.inf) | (mass > 1.0)


class PackingTwoBound(PackingBound):
    """E[1 - max_t 1 / (e^{eps t} + e^{eps (K-t)} / (n-1))] must reach 1 - beta.

    The same setting and rivals as the packing bound; see `HALFWAY`.
    """

    title = "Packing bound, halfway"
    mean = staticmethod(halfway_limit)

    def boxes(self, at: Cell) -> Boxes | None:
        """Return the sets of good answers of the targets, to be held against halfway databases."""
        found = super().boxes(at)
        return found and replace(found, halfway=True)


# -------------------------------------------------------------------------------------------------
# The packing converse with a privacy slack; a concept class declares its targets and their mass.


# The proof, for every class: its own derivation says what K and the targets are.
WALK = (
    "Replace these examples by examples of the common point: the sample $S_\\varnothing$ then does not depend on the "
    "target. So there the learner names the target with probability at most $\\pi_0$, on average over the "
    "targets.\n\n"
    "Put the rare examples in one at a time. A step changes a probability $p$ to at most $e^{\\varepsilon} p + "
    "\\delta$. It changes $1-p$, the probability of all other outputs, to at least $e^{-\\varepsilon}(1-p-\\delta)$. "
    "So the new $p$ is at most $1-e^{-\\varepsilon}(1-p-\\delta)$ too. Both upper limits on it are increasing and "
    "concave in $p$, as is the constant 1, and so is their minimum. By Jensen's "
    "inequality the average over the targets is at most $\\pi_k$ after $k$ steps. Average over $K$. $\\square$\n\n"
    "With $c = \\delta/(e^{\\varepsilon}-1)$ the first step multiplies $\\pi + c$ by $e^{\\varepsilon}$: however "
    "small $\\pi_0$ is, it counts as $c$. That is why a domain of more than $(e^{\\varepsilon}-1)/\\delta$ points "
    "costs no more. The bound also holds for $\\delta = 0$, but there it is weaker than the packing bound."
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
    source = Source(
        "ours",
        "the packing argument, step by step",
        "BBKN13, Lemma 3.9, the packing argument for pure privacy; V17 has group privacy with δ",
    )
    without = ()
    kind = "lower"
    shaded = True
    proved_on = ("hard",)
    applies_to = "every proper (ε, δ)-private learner"
    whom = Whom(privacy=("approximate",), proper=True, unlabelled=False)
    fewer: ClassVar[int] = 0

    @abstractmethod
    def mass(self, alpha: float) -> float:
        """Return the mass on which the distributions of two targets may differ."""

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
        return self._walk(setting, lost=False)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        return self._walk(setting, lost=True)

    def _walk(self, setting: Setting, *, lost: bool) -> NDArray[np.float64]:
        mass, targets = self.mass(setting.alpha), each(self.log_targets, setting.d)
        if mass > 1.0:
            return np.full(setting.shape, 0.0 if lost else 1.0)
        return walked_limit(
            setting.m, targets, mass, setting.epsilon, setting.delta, setting.log_tail, lost=lost
        )


# --- The paper's first lower bound, for learners into a class that is alpha-minimal --------------


class MinimalClassBound(RateBound):
    """(|H| - 1) e^{-eps m} (1 - beta) <= beta (BBKN13, Theorem 3.6).

    Attributes
    ----------
    fewer : int
        2^d minus |H| - 1.
    below : float
        The class is alpha-minimal for alpha below this.
    on_hard : PackingBound
        What holds on the hard distribution.

    Notes
    -----
    It is proved on distributions that differ everywhere. On `hard` there are fewer rivals, but
    only K of m examples tell them apart. With n - 1 rivals there and R here, and a mass of at
    most 1/2 on the rare points, the packing bound implies this one whenever beta <= 1/2 and
    sqrt(R) <= n - 1: K is below a variable that is symmetric about m/2, and the packing limit
    at k and at m - k is on average at most 1/2 or that at m/2, whose odds are
    e^{eps m/2} / (n-1) < sqrt(R (1-beta) / beta) / (n-1) <= (1-beta) / beta for an m that is
    excluded here. Elsewhere (d = 1 for points, where `hard` has no rival) it is compared.
    """

    without = ("alpha", "delta")
    kind = "lower"
    applies_to = "every proper, purely private learner"
    whom = Whom(privacy=("pure",), proper=True, unlabelled=False)
    fewer: int
    below: float = 1.0
    on_hard: PackingBound

    def reaches(self, distribution: Distribution, at: Cell) -> bool:
        """Return whether it follows on `hard` from packing; see the notes."""
        if distribution.name != "hard":
            return True
        rivals, mine = self.on_hard.log_rivals(at.d), log_domain_scalar(at.d, self.fewer)
        if at.beta <= 0.5 and self.on_hard.mass(at.alpha) <= 0.5 and 0.5 * mine <= rivals:
            return True
        return _implied(self, at)

    def outside(self, at: Cell) -> BoundValue | None:
        """Refuse an alpha at which the class is not minimal."""
        if at.alpha >= self.below:
            return BoundValue(None, f"needs alpha < {self.below:g}")
        return None

    def log_failure(self, d: int, _alpha: float) -> float:
        """Return log(|H| - 1)."""
        return log_domain_scalar(d, self.fewer)

    def rate(self, epsilon: NDArray[np.float64], _alpha: float) -> NDArray[np.float64]:
        """Return the privacy loss: all examples differ."""
        return np.asarray(epsilon)

    def log_allowed(self, beta: float) -> float:
        """Return log(beta / (1 - beta))."""
        return log_odds(beta)


@lru_cache(maxsize=4096)
def _implied(entry: MinimalClassBound, at: Cell) -> bool:
    """Return whether the packing bound on the hard distribution is at least as large."""
    mine, sharp = entry.least(at).m, entry.on_hard.least(at).m
    return sharp is None or mine is None or mine <= sharp
