"""The bounds for conjunctions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.conjunction.distributions import Spikes
from privsc_core.concepts.conjunction.learners import SqGauss, SqLaplace
from privsc_core.concepts.contracts import Source, Whom
from privsc_core.concepts.generic.rate import FiniteClassBound
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.generic.shattered import ShatteredBound, SpikesConverse, spikes_proof
from privsc_core.numerics.binomial import binomial_expectation, of_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Distribution, Setting


# --- The lower bounds for conjunctions -----------------------------------------------------------


class OnSpikes(SpikesConverse):
    """The converse on spikes, on average over all 2^d targets.

    For the one target of a picture it is shown where that has half of the bits: a learner that
    decides on every bit apart, by that bit's examples, errs there as often as on average (for an odd d
    this speaks of all bits but one). One that prefers long conjunctions does better on a long one.
    """

    derivation = spikes_proof(
        "The $d$ points with a single zero are shattered, and all conjunctions label the point of ones 1."
    )
    applies_to = "every private learner, on average over all targets"
    shown_on = ("spikes",)

    def reaches(self, distribution: Distribution, at: Cell) -> bool:
        """Return whether the spikes have mass 1/2, and the target half of the bits, as far as d allows."""
        return (
            super().reaches(distribution, at)
            and isinstance(distribution, Spikes)
            and 0 < distribution.relevant(at.d) < at.d
            and abs(2 * distribution.relevant(at.d) - at.d) <= 1
        )


class Shattered(ShatteredBound):
    """The d points with a single zero, beside the point of ones."""

    shown_on = ("spikes",)

    def shattered(self, d: int) -> int:
        """Return d."""
        return d


# --- What suffices for the learners by noisy statistical queries, on every distribution ----------


_PROOF = (
    "The learner errs only where it drops a literal of the target, or keeps too many others. Let $p_j$ be the "
    "probability of a positive example in which bit $j$ is 0. If the learner keeps all literals of the target, its "
    "error is at most the sum of $p_j$ over the kept bits. So the error is at most $\\alpha$ unless some $j$ with "
    "$p_j > \\alpha/d$ is kept. A literal of the target has the count 0 and is dropped with probability "
    "$1-F(\\theta)$. A bit with $p_j > \\alpha/d$ is kept with probability at most $\\mathbb{E}\\,F(\\theta-K)$, $K "
    "\\sim \\mathrm{Bin}(m,\\alpha/d)$. Every bit is of one of these two kinds, and there are $d$ bits. $\\square$"
)


class _Queries(SearchBound):
    """d max{1 - F(theta), E F(theta - K)} <= beta, theta = alpha m / (2d), K ~ Bin(m, alpha / d)."""

    kind = "upper"
    source = Source(
        "ours",
        "a union bound over the literals",
        "Valiant 1984, for learning without privacy; KLNRS11, for noisy statistical queries",
    )
    statement = (
        r"d\,\max\bigl\{1-F(\theta),\ \mathbb{E}\,F(\theta-K)\bigr\} \le \beta,\quad "
        r"\theta = \tfrac{\alpha m}{2d},\; K \sim \mathrm{Bin}\bigl(m,\tfrac{\alpha}{d}\bigr)"
    )
    derivation = _PROOF
    learner: SqLaplace

    def scale(self, d: NDArray[np.int64], setting: Setting) -> NDArray[np.float64]:
        """Return the scale of the noise."""
        return self.learner.at(setting.delta).scale(d, setting.epsilon)

    def guess(self, at: Cell) -> float:
        """Return where the noise alone fails so often."""
        scale = float(self.scale(np.array(at.d), at.at(1)))
        return max(2.0 * at.d * scale * math.log(at.d / at.beta) / at.alpha, 1.0)

    def silent(self, at: Cell) -> str:
        """Return why it says nothing: below scale 1 it may fall from one m to the next."""
        least = float(self.scale(np.array(at.d), at.at(1)))
        return "" if least >= 1.0 else f"says nothing for noise of scale below 1 (here {least:.3g})"

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest probability of failure."""
        shape = setting.shape
        m, d = (np.broadcast_to(x, shape).ravel() for x in (setting.m, setting.d))
        scale = np.broadcast_to(self.scale(setting.d, setting), shape).ravel()
        theta = self.learner.threshold(m, d, setting.alpha)
        kept = binomial_expectation(
            m, setting.alpha / d, (theta, scale),
            of_count(lambda k, theta, scale: self.learner.below((theta - k) / scale)),
            rate=1.0, log_tail=setting.log_tail,
        )  # fmt: skip
        lost = d * np.maximum(self.learner.below(-theta / scale), kept)
        return np.where(scale < 1.0, 1.0, np.minimum(lost, 1.0)).reshape(shape)


class QueriesLaplace(_Queries):
    """With Laplace noise of scale d / eps."""

    name = "queries-laplace"
    title = "Noisy queries, Laplace"
    legend = "Guaranteed everywhere: Laplace queries"
    applies_to = "the queries with Laplace noise, on every distribution"
    validity = "for ε ≤ d"
    learner = SqLaplace()
    whom = Whom(learner.name)


class QueriesGauss(_Queries):
    """With Gaussian noise."""

    without = ()
    name = "queries-gauss"
    title = "Noisy queries, Gauss"
    legend = "Guaranteed everywhere: Gauss queries"
    applies_to = "the queries with Gaussian noise, on every distribution"
    validity = "for noise of standard deviation at least 1"
    learner = SqGauss()
    whom = Whom(learner.name)


# --- The upper bounds for conjunctions -----------------------------------------------------------


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
    title = "Literals not ruled out"
    legend = "Guaranteed everywhere: non-private"
    kind = "upper"
    source = Source(
        "ours",
        "a union bound over the literals",
        "Valiant 1984, for learning without privacy; KLNRS11, for noisy statistical queries",
    )
    statement = r"d\,\bigl(1-\tfrac{\alpha}{d}\bigr)^m \le \beta"
    derivation = (
        "The learner keeps all literals of the target, and errs only where the target says 1 and a kept literal $j$ "
        "says 0. Let $p_j$ be the probability of a positive example in which bit $j$ is 0. The error is at most the "
        "sum of $p_j$ over the kept $j$. So it is above $\\alpha$ only if some $j$ with $p_j > \\alpha/d$ is kept, "
        "which has probability $(1-p_j)^m$ for each. $\\square$"
    )
    applies_to = "the non-private learner, on every distribution"
    whom = Whom("erm")

    def guess(self, at: Cell) -> float:
        """Return the number to first order."""
        return max(math.log(at.d / at.beta) * at.d / at.alpha, 1.0)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest probability of failure."""
        d = setting.d.astype(np.float64)
        lost = np.log(d) + setting.m * np.log1p(-setting.alpha / d)
        return np.broadcast_to(np.exp(np.minimum(lost, 0.0)), setting.shape)


BOUNDS = (OnSpikes(), Shattered(), FiniteClass(), Untold(), QueriesLaplace(), QueriesGauss())
