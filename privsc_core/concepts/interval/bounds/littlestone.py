"""The sharp lower bound for every pure private learner, improper ones included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.generic.littlestone import over_littlestone, sharp_littlestones
from privsc_core.concepts.generic.littlestone_curve import littlestone_limit
from privsc_core.concepts.inequalities import SEARCH_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["Improper", "Littlestone"]


class Improper(Bound):
    """What the bounds for improper learners share.

    They are proved on mixtures over the paths of a binary search. On `hard` only three labels must
    be right, and a random function may have them.
    """

    kind = "lower"
    applies_to = "every purely private learner, proper or not"
    shown_on = ("hard",)

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.privacy == "pure" and not learner.unlabelled


class Littlestone(Improper):
    """E min(1, M / (1 + (2^l - 1) e^{-eps K})) >= 1 - beta, K ~ Bin(m, alpha l / j), all l <= d, j."""

    name = "littlestone"
    title = "Littlestone bound"
    legend = "Impossible for every ε-DP learner, proper or not: some distribution fails it"
    headline = True
    source = Source("ours", "replaces the entropy of FX14, Theorems 2.5 and 3.1, Corollary 4.3")
    constants = "sharp"
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\,\alpha l/j)}\Bigl[\min\Bigl(1,\,\frac{M}"
        r"{1+(2^l-1)\,e^{-\varepsilon K}}\Bigr)\Bigr] \ge 1-\beta"
        r"\quad\text{for all } l \le d,\; j > \alpha l,\qquad M = \sum_{i<j} \binom{l}{i}"
    )
    derivation = (
        "**A mistake tree.** Binary search over $c_2, \\dots, c_{T+1}$ is a complete tree of depth "
        "$d$: a node asks for the label of one point, and each of the $2^l$ paths of its upper $l$ "
        "levels is followed by some concept. Point 1, which they all label 1, is never asked: the "
        "**dummy**.\n\n"
        "**Nobody beats a coin.** For *any* hypothesis $h$ write down, for each path, at which of its "
        "$l$ nodes $h$ is wrong. This is a bijection onto $\\{0,1\\}^l$: knowing $h$ and where it was "
        "wrong, one walks the path again. So exactly $\\binom{l}{i}$ paths see $i$ mistakes, and $h$ "
        "makes fewer than $j$ on $M = \\sum_{i<j}\\binom{l}{i}$ of them.\n\n"
        "**Few examples tell.** For a path $y$ let $D_y$ put mass $\\alpha/j$, just above, on each of "
        "its $l$ nodes and the rest on the dummy: $j$ mistakes fail. Let $G_y$ be the hypotheses that "
        "do not, and $p_y$ the probability that the learner returns one. Share the positions of the "
        "$K \\sim \\mathrm{Bin}(m, \\alpha l/j)$ examples off the dummy, and which nodes of a path "
        "they are: two paths' samples then differ in at most $K$ examples, so $\\Pr_{y'}[G_y] \\ge "
        "e^{-\\varepsilon K} p_y$. By the bijection $\\sum_y \\Pr_{y'}[G_y] \\le M$ for each $y'$; "
        "averaged over $y'$ it gives $\\bar p\\,(1 + (2^l-1)e^{-\\varepsilon K}) \\le M$. Average over "
        "$K$. $\\square$\n\n"
        "No protocol, no entropy and no second confidence is needed: Feldman and Xiao's route, with "
        "its constants, is the bound by entropy below. $l = j = 1$ is the pair of two neighbouring "
        "thresholds.\n\n"
        "The distribution that a learner fails on need not be the hard one of the pictures.\n\n"
        "Reported: the least $m$ that no $(l, j)$ excludes, over all of them up to $l = 64$; for "
        "larger $d$ also $l = d$ with many $j$, most near $0.155\\,d$, which is best for many "
        "samples. Every pair is a valid bound."
    )

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        return self.leasts([at])[0]

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Return them at settings that differ in d and epsilon alone."""
        found = sharp_littlestones(
            tuple(at.d for at in cells), tuple(at.epsilon for at in cells),
            alpha=cells[0].alpha, beta=cells[0].beta,
        )  # fmt: skip
        beyond = f"more than {SEARCH_LIMIT:.0e} samples: not searched further"
        return [BoundValue(by.m) if by.m else BoundValue(None, beyond) for by in found]

    def over(self, at: Cell, m: int) -> float | None:
        """Return the log odds of the limit less those of 1 - beta, or by how much m is too small."""
        return over_littlestone(at.d, m, epsilon=at.epsilon, alpha=at.alpha, beta=at.beta)

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of a pure private learner.

        By two pairs (l, j): that of the number of samples, and that which is best for many.
        """
        return littlestone_limit(setting)
