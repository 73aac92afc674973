"""The upper bounds for POINT_d but the hash learner's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.generic.mechanism import FiniteClassBound, Theorem32Bound
from privsc_core.concepts.generic.rate import RateBound
from privsc_core.concepts.inequalities import shifted_rate
from privsc_core.concepts.point.learners.noise_boosted import (
    run_count,
    run_samples,
    selection_samples,
)
from privsc_core.concepts.point.learners.representation import class_size
from privsc_core.numerics.decimals import decimal, floor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner

__all__ = ["BOUNDS", "Claim45", "FiniteClass", "RepresentationBound", "Theorem32", "Theorem42"]


class FiniteClass(FiniteClassBound):
    """(T-1) (1 - alpha (1 - e^{-eps/2}))^m <= beta."""

    statement = r"(T-1)\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation = (
        "The target has weight 1. A concept of error above $\\alpha$ is chosen with "
        "probability at most its own weight $e^{-\\varepsilon M/2}$, where its number of "
        "mistakes $M$ dominates $\\mathrm{Bin}(m,\\alpha)$; so with probability at most "
        "$\\mathbb{E}\\,e^{-\\varepsilon M/2} \\le (1-\\alpha(1-e^{-\\varepsilon/2}))^m$. Add up "
        "over the at most $T-1$ such concepts. $\\square$\n\n"
        "Holds for every distribution and target. Any finite class with $|H|$ hypotheses, one "
        "of them without error, has the same bound with $|H|-1$ in place of $T-1$."
    )
    applies_to = "the exponential mechanism over POINT"
    fewer = 1


class Theorem32(Theorem32Bound):
    """m >= max(8, 4/eps) / alpha * log(2 T / beta)."""

    statement = r"m \ge \frac{\max(8,\,4/\varepsilon)}{\alpha}\,\log\frac{2T}{\beta}"
    derivation = (
        "The paper cites the theorem without constants; these are of the usual two-step "
        "proof, for a class that contains the target. With $m \\ge "
        "\\frac{8}{\\alpha}\\log\\frac{2T}{\\beta}$, by Chernoff no concept of error above "
        "$\\alpha$ makes fewer than $\\alpha m/2$ mistakes, except with probability $\\beta/2$. "
        "With $m \\ge \\frac{4}{\\varepsilon\\alpha}\\log\\frac{2T}{\\beta}$ the mechanism then "
        "picks one of them with probability at most $T e^{-\\varepsilon\\alpha m/4} \\le "
        "\\beta/2$."
    )
    applies_to = "the exponential mechanism over POINT"
    fewer = 1


class _OfRepresentation(RateBound):
    """What the bounds by a small class share: its best hypothesis has error alpha / 2."""

    kind = "upper"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "representation"

    def outside(self, at: Cell) -> BoundValue | None:
        """Refuse d below 16."""
        return BoundValue(None, "the proof of Lemma 4.1 needs d >= 16") if at.d < 16 else None

    def rate(self, epsilon: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
        """Return -log r against a hypothesis of error alpha / 2."""
        return shifted_rate(epsilon, alpha, alpha / 2.0)


class Theorem42(_OfRepresentation):
    """(|H_d| - 1) r^m <= beta over the class of Lemma 4.1."""

    name = "theorem-4.2"
    title = "Theorem 4.2"
    source = Source(
        "BBKN13",
        "Lemma 4.1 and Theorem 4.2; size of the class as in the proof, number of samples ours",
    )
    constants = "paper"
    completed = "the number of samples"
    statement = r"(|H_d|-1)\,r^m \le \beta,\quad |H_d|=\Bigl\lceil \tfrac{8e\,p^2}{d}\Bigr\rceil,\ p=d\bigl(1+\lfloor 2/\alpha\rfloor\bigr)"
    derivation = (
        "Lemma 4.1 shows that a good class exists: a random one is good with positive "
        "probability, and it is **selected**. The learner that runs draws a class of the same size "
        "and takes it as it is, so its curve is not what is guaranteed here.\n\n"
        "The class of Lemma 4.1 at accuracy $\\alpha/2$ holds, for every target and "
        "distribution, a set of error at most $\\alpha' = \\alpha/2$. Against it, a set of "
        "error above $\\alpha$ is chosen with probability at most $r^m$ with $r = "
        "1-\\alpha(1-e^{-\\varepsilon'/2})+\\alpha'(e^{\\varepsilon'/2}-1)$, where $\\varepsilon' "
        "= \\min(\\varepsilon, \\log 2)$ is the best privacy loss to spend.\n\n"
        "The proof of Lemma 4.1 takes $d \\ge 16$. Where $|H_d| \\ge T$ the class is no smaller "
        "than POINT itself and the bound has no point."
    )
    applies_to = (
        "the small-representation learner over a selected class; the one that runs draws a class of "
        "that size and does not select"
    )
    validity = "for d ≥ 16; it says something where the class is smaller than POINT itself"

    def log_failure(self, d: int, alpha: float) -> float:
        """Return log(|H_d| - 1)."""
        return math.log(class_size(d, alpha).sets - 1)

    def note(self, at: Cell) -> str:
        """Return for which class, and whether it is worth it."""
        which = "for a selected class; the learner runs a random one of that size"
        if class_size(at.d, at.alpha).sets >= 1 << at.d:
            return f"vacuous: the class is no smaller than POINT itself; {which}"
        return which


class RepresentationBound(_OfRepresentation):
    """16 e (1 + floor(4/alpha)) r^m <= beta."""

    name = "representation"
    without = ("d", "delta")
    title = "Representation without d"
    legend = "Guaranteed: a selected representation, 4/α (the learner runs a random one, 2/α)"
    source = Source("ours", "sharpens BBKN13, Theorem 4.2")
    constants = "sharp"
    statement = r"16e\,\bigl(1+\lfloor 4/\alpha\rfloor\bigr)\,r^m \le \beta"
    derivation = (
        "Select a class as in Lemma 4.1 with $p = d(1+\\lfloor 4/\\alpha\\rfloor)$. The masses of "
        "the $p$ sets through $j$, without $j$, sum to less than $d$, so fewer than "
        "$2d/\\alpha < p/2$ of them have error above $\\alpha' = \\alpha/2$: more than $p/2$ are "
        "good.\n\n"
        "With $N$ good sets in place of one, the inequality between arithmetic and harmonic "
        "mean on their weights divides the bound by $N$, and $|H_d|/N \\le 16e\\,p/d = "
        "16e(1+\\lfloor 4/\\alpha\\rfloor)$. The $\\log d$ of Theorem 4.2 comes from the union "
        "bound alone: the paper's own class already gives $O(1)$ samples. $r$ is that of "
        "Theorem 4.2; the construction takes $d \\ge 16$. $\\square$"
    )
    applies_to = (
        "the small-representation learner over a selected class built with p = d(1+⌊4/α⌋); the one that "
        "runs draws a class with p = d(1+⌊2/α⌋) and does not select"
    )
    validity = "for d ≥ 16"

    def log_failure(self, d: int, alpha: float) -> float:
        """Return log(16 e (1 + floor(4/alpha))); nothing is promised below d = 16."""
        pieces = 1 + floor(4 / decimal(alpha))
        return math.log(16.0 * math.e * pieces) if d >= 16 else math.inf

    def note(self, at: Cell) -> str:
        """Return for which class."""
        per = floor(4 / decimal(at.alpha)), floor(2 / decimal(at.alpha))
        note = "for a selected class, p = d(1+{}); the learner runs a random one, p = d(1+{})"
        return note.format(*per)


class Claim45(Bound):
    """N runs of ceil(384 ln 4 / (eps (alpha/8)^2)) samples and a selection."""

    name = "claim-4.5"
    title = "Claim 4.5"
    source = Source("BBKN13", "Claim 4.5, as in the proof")
    without = ("d", "delta")
    kind = "upper"
    constants = "paper"
    statement = r"m = N \Bigl\lceil \frac{384\,\ln 4}{\varepsilon(\alpha/8)^2}\Bigr\rceil + \Bigl\lceil \frac{24\,\ln(3/\beta^2)}{\varepsilon\alpha}\Bigr\rceil,\quad N = \lceil \log_{5/4}(5/\beta)\rceil"
    derivation = (
        "$N$ independent runs at accuracy $\\alpha/8$, each good with probability above $1/5$, "
        "and an exponential-mechanism choice on a fresh sample. The proof's failure "
        "probability is $\\beta/5 + \\beta^2/3 + N\\beta^2/3 + N\\beta^6/27$ once the selection "
        "has $24\\ln(3/\\beta^2)/(\\varepsilon\\alpha)$ samples (the text later writes $3/\\beta$: "
        "a slip).\n\n"
        "Valid where that is at most $\\beta$ (it is at 0.01, 0.05 and 0.1, and fails from "
        "about 0.14), for $\\varepsilon < 1$ and $\\alpha < 1/2$. It holds for every "
        "distribution and has no $d$; that the constant is huge is part of the story."
    )
    applies_to = "the boosted noise learner"
    validity = "for ε < 1, α < 1/2, and β up to about 0.14"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "noise-boosted"

    def least(self, at: Cell) -> BoundValue:
        """Return the number of samples of all runs and the selection."""
        epsilon, alpha, beta = at.epsilon, at.alpha, at.beta
        if epsilon >= 1.0:
            return BoundValue(None, "the proof needs epsilon < 1")
        if alpha >= 0.5:
            return BoundValue(None, "the proof needs alpha < 1/2")
        runs = run_count(beta)
        failure = beta / 5 + beta**2 / 3 + runs * beta**2 / 3 + runs * beta**6 / 27
        if failure > beta:
            return BoundValue(
                None, f"the proof's failure probability {failure:.3g} exceeds beta = {beta:g}"
            )
        return BoundValue(
            runs * run_samples(epsilon, alpha) + selection_samples(epsilon, alpha, beta)
        )


BOUNDS = (FiniteClass(), Theorem32(), Theorem42(), RepresentationBound(), Claim45())
