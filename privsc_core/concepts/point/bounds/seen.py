"""What the learner `seen` guarantees, for every distribution and target."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.inequalities import least_at_rate, mechanism_rate
from privsc_core.concepts.lump import log_effective
from privsc_core.numerics.logspace import log_domain, log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Demand, Learner, Setting

__all__ = ["SeenBound"]


class SeenBound(Bound):
    """sup over a < alpha of min(1, (1-a) / ((alpha-a) T)) min(1, C r(a)^m) <= beta."""

    name = "seen"
    title = "Seen points and a lump"
    legend = "Guaranteed: seen points and a lump"
    source = Source("ours", "every distribution, by the mass of the target")
    without = ()
    kind = "upper"
    constants = "sharp"
    statement = (
        r"\max\Bigl(C\,r(\alpha)^m,\ \sup_{a<\alpha}\,\min\Bigl(1,\tfrac{1-a}{(\alpha-a)\,T}\Bigr)"
        r"\min\bigl(1,\,C\,r(a)^m\bigr)\Bigr) \le \beta,\quad r(a) = 1-a(1-e^{-\varepsilon/2}),\ "
        r"C = \max\Bigl(1, \tfrac{1}{1/T+\delta/(e^{\varepsilon/2}-1)}\Bigr)"
    )
    derivation = (
        "Let $a$ be the mass of the target and $K \\sim \\mathrm{Bin}(m, a)$ its number of examples; "
        "nobody else has any. Anything but the target comes out with probability at most "
        "$C/(C+e^{\\varepsilon K/2}-1) \\le \\min(1, C e^{-\\varepsilon K/2})$, on average at most "
        "$\\min(1, C\\,r(a)^m)$. For $a \\ge \\alpha$ that is the first term.\n\n"
        "For $a < \\alpha$ an error above $\\alpha$ takes another point of mass above $\\alpha-a$. "
        "There are fewer than $(1-a)/(\\alpha-a)$ of them, and the lump is uniform: one of them "
        "comes out with that share of the probability at most. $\\square$\n\n"
        "Of the supremum two points suffice: the kink $a^* = (\\alpha T-1)/(T-1)$ from which on the "
        "share is 1, and the $a_1$ where $C\\,r(a_1)^m = 1$. Between them the logarithm falls and "
        "then rises: its derivative has the sign of a concave quadratic that is positive at "
        "$\\alpha$. The kink also covers the first term, and the least $m$ follows by solving for "
        "both.\n\n"
        "Where $\\alpha\\beta T \\le 1$ it promises nothing, and rightly: negative examples are "
        "ignored, so that with a target of mass 0 the answer is a random point, which may be a "
        "heavy wrong one. $\\delta = 0$ is $C = T$."
    )
    applies_to = "the learner of seen points and a lump"
    validity = "for every δ; it says something where αβT > 1"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "seen"

    def eases(self, wanted: Demand) -> bool:
        """Tell that a rare target needs more where there are few points."""
        return wanted != "d"

    def least(self, at: Cell) -> BoundValue:
        """Return the least m with both points of the supremum at most beta."""
        inverse, alpha, beta = math.ldexp(1.0, -min(at.d, 1074)), at.alpha, at.beta
        if alpha * beta <= inverse:
            return BoundValue(
                None,
                f"says nothing: alpha beta T = {alpha * beta / inverse:.3g} must be above 1, as negative "
                "examples are ignored",
            )
        size = float(log_effective(log_domain_scalar(at.d), at.epsilon, at.delta))
        kink = (alpha - inverse) / (1.0 - inverse)
        # Where the share is beta: (1 - a) / ((alpha - a) T) = beta.
        rare = (alpha * beta - inverse) / (beta - inverse)
        return BoundValue(
            max(
                least_at_rate(
                    size - math.log(beta), float(mechanism_rate(np.array(at.epsilon), kink))
                ),
                least_at_rate(size, float(mechanism_rate(np.array(at.epsilon), rare))),
            )
        )

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the success probability that is promised."""
        inverse, alpha = np.exp2(-setting.d.astype(np.float64)), setting.alpha
        size = log_effective(log_domain(setting.d), setting.epsilon, setting.delta)
        kink = np.maximum((alpha - inverse) / (1.0 - inverse), 0.0)
        at_kink = np.minimum(size - setting.m * mechanism_rate(setting.epsilon, kink), 0.0)
        # The mass below which C r^m is above 1.
        first = -np.expm1(-size / setting.m) / -np.expm1(-0.5 * setting.epsilon)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(first < kink, (1.0 - first) * inverse / (alpha - first), 1.0)
        return np.broadcast_to(
            1.0 - np.maximum(np.minimum(share, 1.0), np.exp(at_kink)), setting.shape
        )
