"""How many labels privacy asks for, whatever the class: a bound that counts labels alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.inequalities import halfway_failure, halfway_limit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Adjacency, Cell, Learner, Setting

__all__ = ["FLIPS", "ByLabels", "LabelsBound"]

# The proof, for every class: its own derivation says what the two concepts are.
FLIPS = (
    "Fix the points of the sample, labelled and unlabelled. Only the $K \\sim \\mathrm{Bin}(m,\\alpha)$ "
    "labels on the rare point tell the concepts apart; flip them one by one, through samples that no "
    "concept fits, which privacy holds on all the same. With $p_t$ the chance of an answer that is good for "
    "the second one after $t$ flips, the two succeed with at most $1-p_0$ and $p_K$, and "
    "$p_{t+1} \\le \\min\\{e^{\\varepsilon}p_t,\\;1-e^{-\\varepsilon}(1-p_t)\\}$. What $K$ such steps gain is "
    "largest from $p_0 = g_K$, whence they lead to $1-g_K$. Average over $K$. $\\square$\n\n"
    "Attained, by linear programming over all databases. It is the packing bound, halfway, of "
    "**two** targets: $d$ drops out, and it **counts labels**. Unlabelled examples do not help, nor does it to "
    "know the distribution. It needs pure privacy, and says nothing of learners that choose whose label "
    "to ask for."
)


class ByLabels(SearchBound):
    """What bounds share that hold samples with the same points against each other: pure privacy."""

    name = "labels"
    title = "Labels bound"
    legend = "Impossible where labels are private and their people fixed beforehand, however many have none"
    kind = "lower"
    constants = "sharp"
    adjacency: ClassVar[Adjacency] = "label"
    applies_to = (
        "every learner that protects labels at least, without a slack δ, and whose labelled people are "
        "fixed beforehand, proper or not, however many unlabelled examples it has, also one that knows the "
        "distribution"
    )

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.privacy == "pure" or (
            learner.privacy == "label" and not learner.privacy_slack
        )


class LabelsBound(ByLabels):
    """E[1 - g(K)] must reach 1 - beta, K ~ Bin(m, alpha) labels on one rare point; see `FLIPS`.

    It is proved on the pair of targets of its proof, which share a distribution. A learner that
    knows that the family is `hard` may read the target off the points there, without a label.

    Attributes
    ----------
    least_d : int
        From how many bits on the class has two such concepts.
    """

    dash = "2px,5px"  # those beside it keep theirs
    source = Source("ours", "the labels of one rare point flipped one by one; beside BNS15")
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}[g_K] \le \beta,\qquad g_k = \begin{cases}"
        r"\tfrac12 e^{-\varepsilon k/2} & k \text{ even}\\"
        r"e^{-\varepsilon (k-1)/2}/(1+e^{\varepsilon}) & k \text{ odd}\end{cases}"
    )
    shown_on: ClassVar[tuple[str, ...]] = ("hard",)
    least_d: int = 1

    def guess(self, at: Cell) -> float:
        """Return where the mean is beta if every count were even."""
        missed = -math.log1p(at.alpha * math.expm1(-0.5 * at.epsilon))
        return max(-math.log(2.0 * at.beta) / missed, 1.0)

    def note(self, at: Cell) -> str:
        """Return that nothing is said where the class is too small."""
        small = f"says nothing at d = {at.d}: the domain is too small"
        return small if at.d < self.least_d else ""

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability, averaged over the two."""
        m, epsilon = setting.m, setting.epsilon
        # One rival: the database halfway between the two has half of the labels flipped.
        value = halfway_limit(m, np.zeros(()), setting.alpha, epsilon, setting.log_tail)
        return np.where(setting.d < self.least_d, 1.0, value)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        m, epsilon = setting.m, setting.epsilon
        value = halfway_failure(m, np.zeros(()), setting.alpha, epsilon, setting.log_tail)
        return np.where(setting.d < self.least_d, 0.0, value)
