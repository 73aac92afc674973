"""Kinds of questions about points alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import Choice, choose, exercise, number, written
from privsc_core.concepts.point.learners.hashing import default_bits
from privsc_core.concepts.shared.unseen import bits_of

if TYPE_CHECKING:
    from privsc_core.concepts.contracts.practice import Asked, Exercise

_PLENTY = 10**7  # unlabelled examples
_FARTHER = 64  # times the bits


@exercise("positive-examples", "run", lambda at: at.law.name == "hard")
def _positives(at: Asked) -> Exercise | None:
    m, alpha = at.m, at.cell.alpha
    return number(
        f"A sample of the hard distribution has m = {m:,} examples. About how many of them have label 1, on average?",
        (
            alpha * m,
            "Right: the target has a mass slightly above α, and no other point has label 1.",
        ),
        ((1 - alpha) * m, "So many show point 1, which has label 0."),
        (m / 2, "The labels are not balanced: the target is rare."),
        (float(m), "That would be so if each example were the target."),
        (1 / alpha, "So many examples have one with label 1 on average."),
    )


@exercise("hash-bits", "theory")
def _hash_bits(at: Asked) -> Exercise | None:
    alpha, beta = at.cell.alpha, at.cell.beta
    return number(
        "The hash learner hashes all points to t bits. The other points of the target's bucket may have a mass above "
        f"α = {written(alpha)} with probability at most β/4, where β = {written(beta)}. Which t does it take?",
        (float(default_bits(alpha, beta)), "Right: the least t with 4/(αβ) at most 2 to the power t. No d is in it."),
        (float(at.cell.d), "That is d, the bits of a point: t does not depend on it."),
        (float(math.ceil(math.log2(1 / alpha))), "That is log₂(1/α): it has no β in it."),
        (float(math.ceil(4 / (alpha * beta))), "That is 4/(αβ), the number of buckets. The bits are its logarithm."),
        (1.0, "With two buckets half of all points would have label 1."),
        form="t = {}",
    )  # fmt: skip


@exercise("delta-worth", "numbers", lambda at: at.cell.delta > 0)
def _delta_worth(at: Asked) -> Exercise | None:
    e, slack, d = at.cell.epsilon, at.cell.delta, at.cell.d
    worth = bits_of(e, slack)
    if not 2 < worth < d - 4:
        return None
    return number(
        f"For the learner “{at.learner('seen').title}” the slack δ = {written(slack)} replaces the 2 to the power {d} points "
        f"by far fewer, at ε = {written(e)}. About how many bits is this?",
        (
            worth,
            "Right: log₂((e to the power ε/2 − 1)/δ). At more bits the number of examples hardly grows.",
        ),
        (math.log2(1 / slack), "That is log₂(1/δ): ε is missing."),
        (math.log(1 / slack), "That is ln(1/δ): a natural logarithm, and no ε."),
        (math.log10(1 / slack), "That is the number of decimal digits of 1/δ."),
        (float(d), "That is d: it holds for δ = 0."),
        form="{} bits",
    )


_TREND = {
    "falls": "It falls",
    "stays": "It stays the same",
    "grows": "It grows, but to less than twice as many",
    "more": "It grows to twice as many, or more",
}


@exercise(
    "labels-and-d", "numbers", lambda at: at.law.name == "hard" and at.concept.only_size is None
)
def _labels_and_d(at: Asked) -> Exercise | None:
    one, far = at.learner("generic").beside(_PLENTY), _FARTHER * at.cell.d
    few, many = at.least(one), at.least(one, d=far)
    if few is None or many is None:
        return None
    right = (
        "falls" if many < few else "stays" if many == few else "grows" if many < 2 * few else "more"
    )
    facts = f"From d = {at.cell.d:,} to {far:,} the labelled examples go from {few:,} to {many:,}."
    means = {
        "falls": "That would mean that a larger class needs fewer labels.",
        "stays": "That would mean that d does not matter for the labels.",
        "grows": f"That would be far less than in proportion to d, which grows {_FARTHER} times.",
        "more": f"In proportion to d it would be {_FARTHER} times as many.",
    }
    return choose(
        f"GenericLearner has {_PLENTY:,} unlabelled examples. What happens to the number of labelled examples that it "
        f"needs when d grows from {at.cell.d:,} to {far:,}?",
        *(
            Choice(_TREND[key], f"{'Right.' if key == right else means[key]} {facts}", key)
            for key in sorted(_TREND, key=lambda key: key != right)
        ),
        about={"u": _PLENTY, "d": far},
    )


KINDS = (_positives, _hash_bits, _delta_worth, _labels_and_d)
