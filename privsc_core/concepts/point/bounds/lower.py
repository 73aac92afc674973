"""The lower bounds for POINT_d."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.boxes import Merged
from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.generic.labels_bound import FLIPS, LabelsBound
from privsc_core.concepts.generic.minimal import MinimalClassBound
from privsc_core.concepts.generic.nonprivate import NonprivateBound
from privsc_core.concepts.generic.packing import HALFWAY, OPTIMUM, PackingBound, PackingTwoBound
from privsc_core.concepts.generic.packing_slack import WALK, PackingSlackBound
from privsc_core.concepts.generic.rate import RateBound
from privsc_core.concepts.inequalities import SEARCH_LIMIT, log_odds
from privsc_core.concepts.point.learners.hashing import Hash, default_bits
from privsc_core.numerics.decimals import complement
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner

__all__ = ["BOUNDS", "Corollary38", "Labels", "Lemma39", "Nonprivate", "NonprivateProper", "Packing",
           "PackingSlack", "PackingTwo"]  # fmt: skip


class Nonprivate(NonprivateBound):
    """Two concepts cannot be told apart until the rare point is seen."""

    derivation = (
        "Take two points $i \\ne j$ outside the rest of the support and the concepts $c_i$ and "
        "$c_j$, with mass $\\alpha$ on $i$ and the rest on a third point. Both label the rest "
        "of the support 0, and they differ on $i$.\n\n"
        "While $i$ is unseen, which happens with probability $(1-\\alpha)^m$, the samples are "
        "equal, and an output is accurate for at most one of the two: some target fails with "
        "probability at least $\\frac12 (1-\\alpha)^m$. Needs three points, $d \\ge 2$."
    )
    validity = "for d ≥ 2"
    least_d = 2


class NonprivateProper(RateBound):
    """A proper learner must see the target or guess it."""

    name = "nonprivate-proper"
    title = "Without privacy, proper learners"
    legend = "Impossible for every proper learner, even without privacy"
    hugs_baseline = True
    dash = "longdashdot"
    source = Source("ours", "the guess among unseen points")
    without = ("epsilon", "delta")
    kind = "lower"
    constants = "sharp"
    statement = r"(1-\alpha)^m \Bigl(1 - \frac{1}{T-1}\Bigr) \le \beta"
    derivation = (
        "On the hard distribution only $c_i$ itself is accurate. While $i$ is unseen, the "
        "sample does not depend on which of the $T-1$ targets it is, so a proper learner "
        "names it with probability at most $1/(T-1)$ on average over the targets."
    )
    applies_to = "every proper learner, private or not"
    proved_on = ("hard",)

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.proper and not learner.unlabelled

    def log_failure(self, d: int, _alpha: float) -> float:
        """Return the log of the failure with the target unseen, on average over the targets."""
        return log_domain_scalar(d, 2) - log_domain_scalar(d, 1)

    def rate(self, _epsilon: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
        """Return -log of the chance to miss the target."""
        return np.asarray(-math.log1p(-alpha))


class Labels(LabelsBound):
    """Two concepts cannot be told apart but by the labels of a rare point."""

    without = ("d", "delta")
    derivation = (
        "Take the concepts $c_i$ and $c_j$, $i \\ne j$, and a distribution with mass just over $\\alpha$ on "
        "$i$ and the rest on a third point, which both label 0. They differ on $i$ only, so no answer "
        f"is accurate for both. Needs three points, $d \\ge 2$.\n\n{FLIPS}"
    )
    validity = Nonprivate.validity
    least_d = Nonprivate.least_d


class Packing(PackingBound):
    """E[1 / (1 + (T-2) e^{-eps K})] must reach 1 - beta."""

    name = "packing"
    legend = "Impossible for every proper ε-DP learner, without the halfway database"
    headline = False
    behind = True
    source = Source("ours", "sharpens BBKN13, Lemma 3.9")
    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}\Bigl[\frac{1}{1+(T-2)\,e^{-\varepsilon K}}\Bigr] \ge 1-\beta"
    derivation = (
        "Let target $i$ range over the $T-1$ points other than 1, with mass $\\alpha$ on $i$ "
        "and $1-\\alpha$ on point 1. Draw the positions of the $K$ rare examples first and "
        "share them: the samples $S_i$ and $S_j$ then differ in at most $K$ examples, so "
        "privacy gives $\\Pr[A(S_i)=c_j] \\ge e^{-\\varepsilon K}\\Pr[A(S_j)=c_j]$.\n\n"
        "Write $p_j = \\Pr[A(S_j)=c_j]$. For each $i$ the outputs $c_j$ are disjoint events, "
        "so $p_i + e^{-\\varepsilon K}\\sum_{j\\ne i} p_j \\le 1$. Summing over the $n=T-1$ "
        "targets, $\\bar p\\,(1+(n-1)e^{-\\varepsilon K}) \\le 1$; then average over $K$. "
        "$\\square$\n\n"
        "The exponential mechanism at $\\varepsilon$ reaches nearly this curve at "
        "$\\varepsilon/2$, so on this distribution it is within a factor two in "
        "$\\varepsilon$ of every proper $\\varepsilon$-DP learner that serves all targets."
    )
    validity = "for d ≥ 2"
    fewer = 2
    one, many = "point", "points"
    way_out = (
        "Improper learners leave the argument: an answer that labels many points 1 is good for "
        "many targets, so their boxes are one box, which is owed only once."
    )

    def mass(self, alpha: float) -> float:
        """Return the mass of the target point."""
        return alpha

    def merged(self, at: Cell) -> Merged | None:
        """Return the buckets of a public hash to t bits, of rank t: equally large.

        Targets in the bucket of point 1 have no good bucket. For the 2^t - 1 other buckets the
        proof stays as it is, a bucket for a point: with t = d it is the bound itself.
        """
        bits = default_bits(at.alpha, at.beta)
        if bits >= at.d:
            return None
        lost = math.exp(log_domain_scalar(at.d - bits, 1) - log_domain_scalar(at.d, 1))
        return Merged(
            log_rivals=log_domain_scalar(bits, 2), lost=lost, one="bucket", many="buckets",
            log_each=(at.d - bits) * math.log(2.0), learner=Hash.name,
        )  # fmt: skip


class PackingTwo(PackingTwoBound):
    """E[1 - max_t 1 / (e^{eps t} + e^{eps (K-t)} / (T-2))] must reach 1 - beta."""

    name = "packing-two"
    source = Source("ours", "sharpens the packing bound; we know of no reference")
    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}\Bigl[1-\max_{0 \le t \le K}\frac{1}{e^{\varepsilon t}+e^{\varepsilon (K-t)}/(T-2)}\Bigr] \ge 1-\beta"
    derivation = (
        "The setting of the packing bound: $n = T-1$ targets, and samples $S_i$ that share the "
        f"positions of the $K$ rare examples.\n\n{HALFWAY}\n\n{OPTIMUM} For points a learner "
        "comes close for every distribution, the margin learner."
    )
    validity = Packing.validity
    fewer = 2
    one, many = "point", "points"
    way_out = Packing.way_out

    def mass(self, alpha: float) -> float:
        """Return the mass of the target point."""
        return alpha


class PackingSlack(PackingSlackBound):
    """E[pi_K], K ~ Bin(m, alpha), from pi_0 = 1/(T-1), must reach 1 - beta."""

    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}[\pi_K] \ge 1-\beta,\quad \pi_0 = \tfrac{1}{T-1},\ \pi_{k} = \min\bigl(e^{\varepsilon}\pi_{k-1}+\delta,\ 1-e^{-\varepsilon}(1-\pi_{k-1}-\delta),\ 1\bigr)"
    derivation = (
        "The setting of the packing bound: target $i$ is one of the $T-1$ points other than 1, and "
        "the samples share the positions of the $K$ rare examples. " + WALK
    )
    validity = "for d ≥ 2"
    fewer = 1

    def mass(self, alpha: float) -> float:
        """Return the mass of the target point."""
        return alpha


class Corollary38(MinimalClassBound):
    """(T-1) e^{-eps m} (1-beta) <= beta."""

    name = "corollary-3.8"
    title = "Corollary 3.8"
    source = Source("BBKN13", "Theorem 3.6, Proposition 3.7, Corollary 3.8")
    statement = r"(T-1)\,e^{-\varepsilon m}\,(1-\beta) \le \beta"
    derivation = (
        "POINT is $\\alpha$-minimal for itself: with all mass on $i$ only $c_i$ is accurate. "
        "Any two databases differ in at most $m$ examples, so on $D_i$ the learner outputs "
        "each of the $T-1$ other concepts with probability at least $e^{-\\varepsilon "
        "m}(1-\\beta)$, and all of them together with probability at most $\\beta$."
    )
    fewer = 1
    proved_on = ("hard", "single")
    on_hard = Packing()


class Lemma39(Bound):
    """(2^d - 2) e^{-4 eps alpha m} (1-Gamma) <= Gamma, Gamma = beta + e^{-alpha m/3}."""

    name = "lemma-3.9"
    headline = True
    title = "Lemma 3.9"
    source = Source("BBKN13", "Lemma 3.9, as in the proof")
    kind = "lower"
    constants = "paper"
    statement = r"(2^d-2)\,e^{-4\varepsilon\alpha m}\,(1-\Gamma) \le \Gamma,\quad \Gamma=\beta+e^{-\alpha m/3}"
    derivation = (
        "With mass $\\alpha$ on the target, all but a fraction $e^{-\\alpha m/3}$ of the "
        "samples have at most $2\\alpha m$ rare examples (Chernoff), so two good samples "
        "differ in at most $4\\alpha m$ places; group privacy then gives the inequality.\n\n"
        "Where $\\Gamma \\ge 1$ it says nothing. An $m$ that violates it is impossible, and so "
        "is every smaller $m$, because a learner may ignore samples: the bound is one more "
        "than the largest violating $m$.\n\n"
        "The paper takes mass exactly $\\alpha$ and then needs an error above $\\alpha$; read "
        "the mass as just above $\\alpha$."
    )
    applies_to = "every proper, purely private learner"
    validity = "for d ≥ 2, where Γ < 1"
    proved_on = ("hard",)

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.proper and learner.privacy == "pure" and not learner.unlabelled

    def least(self, at: Cell) -> BoundValue:
        """Return one more than the largest m that violates the inequality."""
        rivals = log_domain_scalar(at.d, 2)
        if rivals == -math.inf:
            return BoundValue(1, note="says nothing at d = 1: there are no rivals")
        rate = 4.0 * at.epsilon * at.alpha
        # From above, m <- (log rivals + log((1-Gamma)/Gamma)) / rate falls to the largest
        # crossing, because (1-Gamma)/Gamma increases with m.
        m = (rivals - log_odds(at.beta)) / rate
        for _ in range(_ITERATIONS):
            odds = _log_odds(at.beta, at.alpha, max(m, 0.0))
            if odds == math.inf or m < 1.0:
                return BoundValue(1, note="no number of samples violates the inequality")
            lower = (rivals - odds) / rate
            if m - lower <= 1e-12 * m:
                break
            m = lower
        if m > SEARCH_LIMIT:
            return BoundValue(None, f"more than {SEARCH_LIMIT:.0e} samples: not searched further")
        return BoundValue(_largest_violating(math.ceil(m) + 1, rivals, rate, at.alpha, at.beta) + 1)


# Reached only when the crossing is a tangent; the scan below then finishes the job.
_ITERATIONS = 10_000


def _largest_violating(start: int, rivals: float, rate: float, alpha: float, beta: float) -> int:
    for m in range(start, 0, -1):
        odds = _log_odds(beta, alpha, m)
        if odds == math.inf:
            return 0
        if rivals - rate * m > odds:
            return m
    return 0


def _log_odds(beta: float, alpha: float, m: float) -> float:
    """Return log(Gamma / (1 - Gamma)) for Gamma = beta + e^{-alpha m/3}; inf from Gamma = 1 on."""
    few = math.exp(-alpha * m / 3.0)
    rest = complement(beta) - few
    return math.log(beta + few) - math.log(rest) if rest > 0.0 else math.inf


BOUNDS = (
    Nonprivate(),
    NonprivateProper(),
    Labels(),
    Packing(),
    PackingTwo(),
    PackingSlack(),
    Corollary38(),
    Lemma39(),
)
