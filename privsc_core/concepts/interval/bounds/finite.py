"""The bounds for INTERVAL_d but the Littlestone bounds: a class's own numbers and proofs."""

from __future__ import annotations

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.labels_bound import FLIPS, LabelsBound
from privsc_core.concepts.generic.mechanism import FiniteClassBound, Theorem32Bound
from privsc_core.concepts.generic.minimal import MinimalClassBound
from privsc_core.concepts.generic.nonprivate import NonprivateBound
from privsc_core.concepts.generic.packing import HALFWAY, PackingBound, PackingTwoBound
from privsc_core.concepts.generic.packing_slack import WALK, PackingSlackBound

__all__ = ["FiniteClass", "Labels", "Lemma52", "Nonprivate", "Packing", "PackingSlack", "PackingTwo",
           "Theorem32"]  # fmt: skip


class Nonprivate(NonprivateBound):
    """Two neighbouring thresholds cannot be told apart until the point between is seen."""

    derivation = (
        "The concepts $c_i$ and $c_{i+1}$, $i \\ge 2$, differ on point $i$ only. Put mass "
        "$\\alpha$ on $i$ and the rest on point 1, which both label 1.\n\n"
        "While $i$ is unseen, which happens with probability $(1-\\alpha)^m$, the samples are "
        "equal, and an output is accurate for at most one of the two: some target fails with "
        "probability at least $\\frac12 (1-\\alpha)^m$."
    )


class Labels(LabelsBound):
    """Two neighbouring thresholds cannot be told apart but by the labels of the point between."""

    without = ("d", "delta")
    derivation = (
        "The concepts $c_i$ and $c_{i+1}$, $i \\ge 2$, differ on point $i$ only. Put mass just over "
        "$\\alpha$ on $i$ and the rest on point 1, which both label 1: no answer is accurate for both."
        f"\n\n{FLIPS}"
    )


class Packing(PackingBound):
    """E[1 / (1 + (T-3) e^{-eps K})], K ~ Bin(m, 2 alpha), must reach 1 - beta."""

    name = "packing"
    legend = "Impossible for every proper ε-DP learner, without the halfway database"
    headline = False
    behind = True
    source = Source("ours", "the packing converse on the hard distribution")
    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,2\alpha)}\Bigl[\frac{1}{1+(T-3)\,e^{-\varepsilon K}}\Bigr] \ge 1-\beta"
    derivation = (
        "Let the target $c_j$ range over $j = 3, \\dots, T$, with mass $\\alpha$ on each of the "
        "points $j-1$ and $j$ and the rest on point 1. Among thresholds only $c_j$ is accurate, "
        "so the sets of good outputs are disjoint.\n\n"
        "Draw the positions of the $K$ rare examples first, and which are left ones, and share "
        "them: the samples of two targets then differ in at most $K$ examples. As for points, "
        "privacy gives $\\bar p\\,(1+(n-1)e^{-\\varepsilon K}) \\le 1$ for the average over the "
        "$n = T-2$ targets; then average over $K \\sim \\mathrm{Bin}(m, 2\\alpha)$. $\\square$"
    )
    validity = "for d ≥ 2 and α ≤ 1/2"
    fewer = 3
    one, many = "threshold", "thresholds"
    way_out = (
        "Merging does not save thresholds: improper learners leave this argument, and the "
        "Littlestone bound stops them all the same, only later."
    )

    def mass(self, alpha: float) -> float:
        """Return the mass of the two points beside the step."""
        return 2.0 * alpha


class PackingTwo(PackingTwoBound):
    """E[1 - max_t 1 / (e^{eps t} + e^{eps (K-t)} / (T-3))], K ~ Bin(m, 2 alpha)."""

    name = "packing-two"
    source = Source("ours", "sharpens the packing bound; we know of no reference")
    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,2\alpha)}\Bigl[1-\max_{0 \le t \le K}\frac{1}{e^{\varepsilon t}+e^{\varepsilon (K-t)}/(T-3)}\Bigr] \ge 1-\beta"
    derivation = (
        "The setting of the packing bound: $n = T-2$ targets, and samples $S_i$ that share the "
        f"positions of the $K$ rare examples and which of them are left ones.\n\n{HALFWAY}\n\n"
        "**What this cannot show.** On the hard distribution alone $(x, 1)$, $x \\ge 2$, votes for "
        "$c_{x+1}$ and $(x, 0)$ for $c_x$: the target gets $\\mathrm{Bin}(m, 2\\alpha)$ votes and "
        "nobody else any, so the margin mechanism of the page Points comes within 8 examples of "
        "this bound (at $d = 64$ and the defaults 519 against 512). It is ε-DP and proper, yet no PAC "
        "learner of thresholds: it is blind on smooth distributions, where the best and the "
        "second-best threshold differ by one mistake at most, so that no lead exists. It only "
        "proves that the hard distribution cannot give a better lower bound. Whether a proper PAC "
        "learner of INTERVAL beats the exponential mechanism by a constant factor is open."
    )
    validity = Packing.validity
    fewer = 3
    one, many = "threshold", "thresholds"
    way_out = Packing.way_out

    def mass(self, alpha: float) -> float:
        """Return the mass of the two points beside the step."""
        return 2.0 * alpha


class PackingSlack(PackingSlackBound):
    """E[pi_K], K ~ Bin(m, 2 alpha), from pi_0 = 1/(T-2), must reach 1 - beta."""

    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,2\alpha)}[\pi_K] \ge 1-\beta,\quad \pi_0 = \tfrac{1}{T-2},\ \pi_{k} = \min\bigl(e^{\varepsilon}\pi_{k-1}+\delta,\ 1-e^{-\varepsilon}(1-\pi_{k-1}-\delta),\ 1\bigr)"
    derivation = (
        "The setting of the packing bound: the target is one of $T-2$ thresholds, and the samples "
        "share the positions of the $K$ rare examples and which of them are left ones. "
        f"{WALK}\n\n"
        "It does not grow with $d$ beyond $\\log(1/\\delta)$, and it is far from what we can do on "
        "every distribution: what thresholds cost with $\\delta$ grows as $\\log^* T$, as is known "
        "from other arguments, see the later results."
    )
    validity = Packing.validity
    fewer = 2

    def mass(self, alpha: float) -> float:
        """Return the mass of the two points beside the step."""
        return 2.0 * alpha


class Lemma52(MinimalClassBound):
    """T e^{-eps m} (1-beta) <= beta."""

    name = "lemma-5.2"
    headline = True
    title = "Lemma 5.2"
    source = Source("BBKN13", "Theorem 3.6, Lemma 5.2")
    statement = r"T\,e^{-\varepsilon m}\,(1-\beta) \le \beta"
    derivation = (
        "INTERVAL is $\\alpha$-minimal for itself when $\\alpha < \\frac12$: with half of the "
        "mass on each side of the step only $c_j$ is accurate. Any two databases differ in at "
        "most $m$ examples, so on $D_j$ the learner outputs each of the $T$ other concepts with "
        "probability at least $e^{-\\varepsilon m}(1-\\beta)$, and all of them together with "
        "probability at most $\\beta$.\n\n"
        "The paper states it as $\\Omega((d + (1/\\beta))/\\varepsilon)$, a slip for "
        "$\\log(1/\\beta)$."
    )
    proved_on = ("hard",)
    fewer = 0
    validity = "for α < 1/2"
    below = 0.5
    on_hard = Packing()


class FiniteClass(FiniteClassBound):
    """T (1 - alpha (1 - e^{-eps/2}))^m <= beta."""

    statement = r"T\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation = (
        "The target has weight 1. A concept of error above $\\alpha$ is chosen with "
        "probability at most its own weight $e^{-\\varepsilon M/2}$, where its number of "
        "mistakes $M$ dominates $\\mathrm{Bin}(m,\\alpha)$; so with probability at most "
        "$\\mathbb{E}\\,e^{-\\varepsilon M/2} \\le (1-\\alpha(1-e^{-\\varepsilon/2}))^m$. Add up "
        "over the at most $T$ such concepts of the $T+1$. $\\square$\n\n"
        "Holds for every distribution and target."
    )
    applies_to = "the exponential mechanism over INTERVAL"
    fewer = 0


class Theorem32(Theorem32Bound):
    """m >= max(8, 4/eps) / alpha * log(2 (T+1) / beta)."""

    statement = r"m \ge \frac{\max(8,\,4/\varepsilon)}{\alpha}\,\log\frac{2(T+1)}{\beta}"
    derivation = (
        "The paper cites the theorem without constants; these are of the usual two-step "
        "proof, for a class that contains the target. With $m \\ge "
        "\\frac{8}{\\alpha}\\log\\frac{2(T+1)}{\\beta}$, by Chernoff no concept of error above "
        "$\\alpha$ makes fewer than $\\alpha m/2$ mistakes, except with probability $\\beta/2$. "
        "With $m \\ge \\frac{4}{\\varepsilon\\alpha}\\log\\frac{2(T+1)}{\\beta}$ the mechanism then "
        "picks one of them with probability at most $(T+1) e^{-\\varepsilon\\alpha m/4} \\le "
        "\\beta/2$."
    )
    applies_to = "the exponential mechanism over INTERVAL"
    fewer = 0
