"""How many labels to ask for, whatever the class: by sampling whom to ask, and by relabelling.

Ours, beside Beimel, Nissim and Stemmer 2015. What nobody does with fewer is in `labels_bound`.
"""

from __future__ import annotations

import math

__all__ = [
    "UNLABELLED", "amplified", "kept_share", "pool", "proved_labels", "relabelling",
    "transcript_labels",
]  # fmt: skip

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
        The privacy loss where nobody may (BNS15, Definition 5.3).

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
