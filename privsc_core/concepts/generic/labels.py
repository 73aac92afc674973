"""How many labels to ask for, for any class: by sampling examples, and by relabelling.

Ours, beside Beimel, Nissim and Stemmer 2015. The lower bound is in `labels_bound`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.search import CountBound, SearchBound
from privsc_core.concepts.shared.inequalities import halfway_limit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting


# What relabelling multiplies probabilities by where an unlabelled example is replaced.
UNLABELLED = 4.0


def amplified(epsilon: float, share: float) -> float:
    """Return the privacy loss of a mechanism on a uniformly random share of the examples.

    log(1 + share (e^epsilon - 1)): sharp for replacing one example, where the number taken is fixed.
    """
    return math.log1p(share * math.expm1(epsilon))


def proved_labels(dimension: int, alpha: float, beta: float) -> tuple[int, int]:
    """Return the labels that BNS15 prove to suffice on every distribution, as their proofs have them.

    Of GenericLearner 1250 VC/alpha^2 ln(25/(alpha beta)) before its privacy terms (Theorem 3.3), of
    LabelBoost, at epsilon = 1, 96000 VC/a ln(2240/(a b)) at a = alpha/11 and b = beta/2 (Theorem 4.13),
    because it ends with an error of 11 a and fails with probability 2 b.
    """
    generic = 1250.0 * dimension / alpha**2 * math.log(25.0 / (alpha * beta))
    a, b = alpha / 11.0, beta / 2.0
    boosted = 96000.0 * dimension / a * math.log(2240.0 / (a * b))
    return math.ceil(generic), math.ceil(boosted)


def relabelling(pick: float) -> float:
    """Return what relabelling multiplies probabilities by where a labelled example is replaced.

    (1 + e^{pick/2})^2, for a labelling picked by the exponential mechanism at loss `pick`; 4 where an
    unlabelled one is replaced (`UNLABELLED`). BNS15 (Lemma 4.1) has 4e for both, at pick = 1.

    Notes
    -----
    Let z be a labelling of the points that both databases share. Given the one or other point that
    they do not share, z has one or two extensions, of weight at least e^{-pick/2} and at most 1
    relative to that of z on the others: a factor in [e^{-pick/2}, 1 + e^{-pick/2}] where the point has
    a label, {1, 2} where it has none. Numerator and normaliser each move by at most the largest over
    the least. What was relabelled then differs in one example at most.
    """
    return (1.0 + math.exp(0.5 * pick)) ** 2


def kept_share(epsilon: float, base: float, factor: float) -> float:
    """Return the share of the examples to keep so that relabelling and learning are epsilon-private.

    `amplified` solved for the share, of a mechanism that loses base + log(factor); at most 1.
    """
    log_share = (
        epsilon - base + math.log(-math.expm1(-epsilon)) - math.log(factor - math.exp(-base))
    )
    return math.exp(min(0.0, log_share))


def pool(m: int, inner: float, epsilon: float) -> int:
    """Return how many people to draw m at random from, so that asking these alone is epsilon-private.

    Parameters
    ----------
    m : int
        How many are asked, a uniformly random set of them.
    inner : float
        The privacy loss of what is done with their labels; also what remains where the world may
        see who was asked.
    epsilon : float
        The privacy loss where no output tells it (BNS15, Definition 5.3).

    Notes
    -----
    `amplified` solved for the pool. BNS15 (Section 5) takes the m smallest of random indices, and
    m (3 + e^{2 inner}) / epsilon people for it.
    """
    return max(m, math.ceil(m * math.expm1(inner) / math.expm1(epsilon)))


def transcript_labels(
    epsilon: float, alpha: float, beta: float, delta: float = 0.0, n: int = 0
) -> float:
    """Return how many labels an active learner must ask for that publishes whose it asked for.

    [(1 - 2 beta)(1 - alpha + alpha e^epsilon) - n alpha (1 - alpha) delta] / (alpha e^epsilon), for
    n examples, of two concepts that differ at one point of mass alpha.
    """
    grown = math.exp(epsilon)
    asked = (1.0 - 2.0 * beta) * (1.0 - alpha + alpha * grown) - n * alpha * (1.0 - alpha) * delta
    return asked / (alpha * grown)


# --- How many labels privacy asks for, whatever the class: a bound that counts labels alone ------


# The proof, for every class: its own derivation says what the two concepts are.
FLIPS = (
    "Fix the points of the sample, labelled and unlabelled. Only the $K \\sim \\mathrm{Bin}(m,\\alpha)$ labels on "
    "the rare point tell the concepts apart. Flip these labels one by one. No concept fits the samples in between, "
    "but privacy holds on them too. With $p_t$ the chance of an answer that is good for the second one after $t$ "
    "flips, the two succeed with at most $1-p_0$ and $p_K$, and $p_{t+1} \\le "
    "\\min\\{e^{\\varepsilon}p_t,\\;1-e^{-\\varepsilon}(1-p_t)\\}$. The gain of $K$ such steps is largest from $p_0 "
    "= g_K$; from there they lead to $1-g_K$. Average over $K$. $\\square$\n\n"
    "A mechanism that protects the labels attains the bound: it answers with $p_t$ after $t$ flips. This is the packing bound, "
    "halfway, for **two** targets. It does not depend on $d$, and it **counts labels**. It also holds with any "
    "number of unlabelled examples, and if the learner knows the distribution. The bound needs pure privacy. It does "
    "not apply to learners that choose which labels to ask for."
)


class ByLabels(SearchBound):
    """What bounds share that hold samples with the same points against each other: pure privacy."""

    name = "labels"
    title = "Labels bound"
    legend = (
        "Impossible if labels are private and the labelled people fixed beforehand, with "
        "any number of unlabelled people"
    )
    kind = "lower"
    adjacency = "label"
    applies_to = (
        "every learner, proper or not, that protects at least the labels with pure privacy and "
        "whose labelled people are fixed beforehand (any number of unlabelled examples, known "
        "distribution or not)"
    )
    applies_briefly = "every learner with purely private labels of fixed people"

    def binds(self, learner: Learner) -> bool:
        """Return whether the bound speaks about this learner."""
        return learner.privacy == "pure" or (
            learner.privacy == "label" and not learner.privacy_slack
        )


class LabelsBound(CountBound, ByLabels):
    """E[1 - g(K)] must reach 1 - beta, K ~ Bin(m, alpha) labels on one rare point; see `FLIPS`.

    It is proved on the pair of targets of its proof, which share a distribution. A learner that
    knows that the family is `hard` may read the target off the points there, without a label.

    Attributes
    ----------
    least_d : int
        From how many bits on the class has two such concepts.
    """

    dash = "2px,5px"  # those beside it keep theirs
    source = Source(
        "ours",
        "the labels of one rare point flipped one by one; beside BNS15",
        "CH11, lower bounds for learners that protect only the labels; BNS15 counts labelled examples apart",
    )
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}[g_K] \le \beta,\qquad g_k = \begin{cases}"
        r"\tfrac12 e^{-\varepsilon k/2} & k \text{ even}\\"
        r"e^{-\varepsilon (k-1)/2}/(1+e^{\varepsilon}) & k \text{ odd}\end{cases}"
    )
    shown_on = ("hard",)
    mean = staticmethod(halfway_limit)
    least_d: int = 1

    def guess(self, at: Cell) -> float:
        """Return where the mean is beta if every count were even."""
        missed = -math.log1p(at.alpha * math.expm1(-0.5 * at.epsilon))
        return max(-math.log(2.0 * at.beta) / missed, 1.0)

    def note(self, at: Cell) -> str:
        """Return that nothing is said where the class is too small."""
        small = f"says nothing at d = {at.d}: the domain is too small"
        return small if at.d < self.least_d else ""

    def differing(self, setting: Setting) -> tuple[NDArray[np.float64], float, NDArray[np.bool_]]:
        """Return one rival: the database halfway between the two has half of the labels flipped."""
        return np.zeros(()), setting.alpha, setting.d < self.least_d
