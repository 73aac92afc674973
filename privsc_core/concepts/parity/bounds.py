"""The bounds for parities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import BoundValue, Source, Whom
from privsc_core.concepts.generic.rate import FiniteClassBound
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.generic.shattered import ShatteredBound, SpikesConverse, spikes_proof
from privsc_core.concepts.parity.certificate import between
from privsc_core.concepts.shared.inequalities import mechanism_rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Setting


# --- The lower bounds for parities ---------------------------------------------------------------


_HALF = 0.5


class Converse(SearchBound):
    """success <= E[1 / W_eps] <= min(1/mu + Var/mu^2, R(m, d)) on the uniform distribution."""

    name = "converse"
    title = "Lower bound on uniform"
    legend = "Impossible for every proper ε-DP learner"
    shaded = True
    source = Source(
        "ours",
        "all pairs of targets share the sample points",
        "BBKN13, Lemma 3.9, the packing argument for points",
    )
    without = ("alpha", "delta")
    kind = "lower"
    statement = (
        r"\min\Bigl(\frac1\mu+\frac{\mathrm{Var}}{\mu^2},\,R(m,d)\Bigr) \ge 1-\beta,\quad "
        r"\mu = 1+(2^d-1)\Bigl(\frac{1+e^{-\varepsilon}}{2}\Bigr)^{m}"
    )
    derivation = (
        "Fix the sample points, the rows of a matrix $X$, and let the labels be those of target $i$. The samples of "
        "two targets differ in $|X(r_i+r_j)|$ labels, so the answers $G_j$ that are good for $j$ have $P_i(G_j) \\ge "
        "e^{-\\varepsilon|X(r_i+r_j)|}P_j(G_j)$. The sets $G_j$ are disjoint. Summed over $j$, $1 \\ge \\sum_j "
        "e^{-\\varepsilon|X(r_i+r_j)|}P_j(G_j)$; and summed over $i$, the average success is at most "
        "$1/W_\\varepsilon(X)$, $W_e = \\sum_v e^{-e|Xv|}$. **The exponential mechanism reaches this with "
        "$\\varepsilon/2$ in place of $\\varepsilon$.**\n\n"
        "Any two of the vectors $Xv$, $v \\neq 0$, are independent: $W$ has mean $\\mu$ and variance "
        "$(2^d-1)\\bigl[(\\tfrac{1+e^{-2e}}2)^m - (\\tfrac{1+e^{-e}}2)^{2m}\\bigr]$, and from $W \\ge 1$ follows "
        "$\\mathbb{E}\\tfrac1W \\le \\tfrac1\\mu + \\tfrac{\\mathrm{Var}}{\\mu^2}$. Also $W \\ge "
        "2^{d-\\mathrm{rank}X}$, so $\\mathbb{E}\\tfrac1W \\le R(m,d) = \\mathbb{E}\\,2^{-(d-\\mathrm{rank})}$, "
        "which Gaussian elimination without privacy attains. $\\square$\n\n"
        "For improper learners the sets are disjoint if $\\alpha < 1/4$, and the bound is the same. The bound also "
        "holds with wrong labels. Given a learner for wrong labels, first make every label wrong with probability "
        "$\\eta$, and then run it. This learner is private too, and succeeds on right labels as often as the given "
        "learner on wrong ones."
    )
    applies_to = "every proper, purely private learner (for α < 1/4 every improper one too)"
    applies_briefly = "every proper, purely private learner"
    whom = Whom(privacy=("pure",), proper=True)
    validity = "for α < 1/2"
    proved_on = ("uniform", "noisy")

    def guess(self, at: Cell) -> float:
        """Return where mu is 2."""
        return at.d * math.log(2.0) / (math.log(2.0) - math.log1p(math.exp(-at.epsilon))) + 1.0

    def note(self, at: Cell) -> str:
        """Return that nothing is said where every parity is accurate."""
        return "says nothing for alpha >= 1/2" if at.alpha >= 0.5 else ""

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner, averaged over targets."""
        if setting.alpha >= 0.5:
            return np.ones(setting.shape)
        return between(setting.m, setting.d, setting.epsilon).high

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        if setting.alpha >= 0.5:
            return np.zeros(setting.shape)
        return between(setting.m, setting.d, setting.epsilon).least_missed


class OnSpikes(SpikesConverse):
    """The converse on spikes, on average over the targets; all learners treat them alike."""

    derivation = spikes_proof(
        "The $d$ points with a single one are shattered, and all parities agree on the point without ones."
    )
    proved_on = ("spikes",)


class Shattered(ShatteredBound):
    """The d points with a single one, beside the point without ones."""

    shown_on = ("spikes",)

    def shattered(self, d: int) -> int:
        """Return d."""
        return d


# --- The upper bounds for parities ---------------------------------------------------------------


class FiniteClass(FiniteClassBound):
    """(2^d - 1) (1 - alpha (1 - e^{-eps/2}))^m <= beta, for every distribution."""

    fewer = 1
    shaded = False
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
    source = Source(
        "ours",
        "the same with error 1/2 in place of α",
        "BBKN13, Theorem 3.2, for every finite class",
    )
    fewer = 1
    promised_on = ("uniform",)
    only_on = "the uniform distribution"
    statement = r"(2^d-1)\,\Bigl(\frac{1+e^{-\varepsilon/2}}{2}\Bigr)^{m} \le \beta"
    derivation = (
        "The proof is that for finite classes, but on the uniform distribution each of the $2^d-1$ wrong parities "
        "errs on exactly half of the points. So $\\tfrac12$ replaces $\\alpha$. $\\square$"
    )
    applies_to = "the exponential mechanism, on the uniform distribution"
    validity = "for α < 1/2"

    def outside(self, at: Cell) -> BoundValue | None:
        """Refuse an alpha at which there is nothing to learn."""
        return BoundValue(None, "needs alpha < 1/2") if at.alpha >= 0.5 else None

    def rate(self, epsilon: NDArray[np.float64], _alpha: float) -> NDArray[np.float64]:
        """Return -log of the mean weight that one example leaves to a wrong parity."""
        return mechanism_rate(epsilon, 0.5)


BOUNDS = (Converse(), OnSpikes(), Shattered(), OnUniform(), FiniteClass())
