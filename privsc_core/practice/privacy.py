"""Kinds of questions about privacy itself: what ε and δ of the setting mean, and how they add up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import exercise, number
from privsc_core.concepts.shared.choosing import Choosing
from privsc_core.practice.common import value

if TYPE_CHECKING:
    from privsc_core.concepts.contracts.practice import Asked, Exercise, ExerciseKind


def _pure(at: Asked) -> bool:
    return any(one.privacy == "pure" for one in at.concept.learners)


@exercise("odds", "private", _pure)
def _odds(at: Asked) -> Exercise | None:
    e = at.cell.epsilon
    return number(
        f"A learner has pure privacy with ε = {value(e)}, and one example is replaced. By which factor at most can the "
        "probability of an output change?",
        (math.exp(e), "Right: the factor is e to the power ε. That is the definition of ε-differential privacy."),
        (e, "ε bounds the logarithm of the factor, not the factor."),
        (1 + e, "1 + ε is about the factor where ε is small, but the factor is larger."),
        (math.exp(e / 2), "ε/2 is the exponent in the exponential mechanism. There the total of all weights may change as well."),
        (math.exp(2 * e), "That would be so if two examples were replaced."),
    )  # fmt: skip


@exercise("group", "private", _pure)
def _group(at: Asked) -> Exercise | None:
    e, k = at.cell.epsilon, at.pick((2, 3, 5, 10))
    if k * e > 12:
        return None
    return number(
        f"A learner has pure privacy with ε = {value(e)}, and {k} examples are replaced. By which factor at most can "
        "the probability of an output change?",
        (math.exp(k * e), f"Right: replace one example after the other. Each of the {k} steps allows a factor of e to the power ε."),
        (math.exp(e), "That is the factor for one example."),
        (k * math.exp(e), f"The factors of {k} steps multiply; they do not add up."),
        (math.exp(e * math.sqrt(k)), f"A root of {k} appears in some composition theorems with δ > 0, not here."),
        (1.0, "Privacy does not keep the probabilities equal: it bounds their ratio."),
        k=k,
    )  # fmt: skip


@exercise("attacker", "private", _pure)
def _attacker(at: Asked) -> Exercise | None:
    e = at.cell.epsilon
    return number(
        f"An attacker knows all examples but one, and gives each of two values of that one probability 1/2. The learner "
        f"has pure privacy with ε = {value(e)}. How sure can the attacker be after the output, at most?",
        (math.exp(e) / (1 + math.exp(e)), "Right: the odds grow from 1 to at most e to the power ε."),
        (0.5, "That would mean that the output tells nothing: this is so only for ε = 0."),
        (math.exp(e / 2) / (1 + math.exp(e / 2)), "That is the answer for ε/2."),
        (math.exp(2 * e) / (1 + math.exp(2 * e)), "That is the answer for 2ε."),
        form="probability {}",
    )  # fmt: skip


@exercise("run-again", "private", _pure)
def _run_again(at: Asked) -> Exercise | None:
    e, k = at.cell.epsilon, at.pick((2, 3, 4, 10))
    return number(
        f"You run a learner with pure privacy and ε = {value(e)} on the same sample {k} times, and publish all outputs. "
        "What is the smallest ε that you can guarantee for all outputs together?",
        (k * e, f"Right: the privacy losses of {k} runs on the same examples add up."),
        (e, "That would be so if each run had examples of its own."),
        (
            e * math.sqrt(k),
            f"With δ > 0 the loss can grow about like the root of {k}, but not with pure privacy.",
        ),
        (e**k, "The factors multiply, so the exponents add up."),
        (e / k, f"That is what each run may have if ε = {value(e)} is the total."),
        form="ε = {}",
        k=k,
    )


@exercise("disjoint-parts", "private", _pure)
def _disjoint(at: Asked) -> Exercise | None:
    e, k = at.cell.epsilon, at.pick((2, 3, 4, 10))
    return number(
        f"You cut the sample into {k} parts, run a learner with pure privacy and ε = {value(e)} on each, and publish all "
        "outputs. What is the smallest ε that you can guarantee for all outputs together?",
        (e, "Right: replacing one example changes one part only."),
        (k * e, "That would be so if all runs read the same examples."),
        (e / k, "The runs do not make each other more private."),
        (e * math.sqrt(k), "Each example is read once, so nothing adds up."),
        form="ε = {}",
        k=k,
    )


@exercise("afterwards", "private", lambda at: at.concept.labelled and _pure(at))
def _afterwards(at: Asked) -> Exercise | None:
    e, k = at.cell.epsilon, at.pick((3, 100))
    return number(
        f"A hypothesis was learned with pure privacy and ε = {value(e)}. It is then used to label {k} new points that are "
        "not in the sample. What is the smallest ε that you can guarantee for these labels?",
        (e, "Right: what is computed from a private output alone stays as private."),
        (k * e, "That would be so if the sample were read again for each label."),
        ((k + 1) * e, "The labels are computed from the hypothesis: the sample is read once."),
        (2 * e, "Using the hypothesis costs nothing more."),
        form="ε = {}",
        k=k,
    )


@exercise("published", "numbers", lambda at: at.cell.delta > 0)
def _published(at: Asked) -> Exercise | None:
    m, slack = at.m, at.cell.delta
    return number(
        f"A program publishes each of m = {m:,} examples with probability δ = {value(slack)}. It is (0, δ)-private. How "
        "many examples does it publish on average?",
        (m * slack, "Right: m times δ. That is why δ must be far below 1/m."),
        (slack, "That is the expected number for a single example."),
        (1 / slack, "So many examples have one published on average."),
        (float(m), "That would be so for δ = 1."),
        (
            math.sqrt(m * slack),
            "The root gives about the spread around the average, not the average.",
        ),
    )


@exercise(
    "half-exponent",
    "run",
    lambda at: (
        at.concept.labelled and any(isinstance(one, Choosing) for one in at.concept.learners)
    ),
)
def _half_exponent(at: Asked) -> Exercise | None:
    e, k = at.cell.epsilon, at.pick((4, 2, 10, 20))
    if e * k > 20:
        return None
    return number(
        f"Concept A makes {k} mistakes more than concept B on the sample. How many times as likely does the exponential "
        "mechanism pick B, for this ε?",
        (math.exp(e * k / 2), f"Right: each of the {k} mistakes divides the weight by e to the power ε/2."),
        (math.exp(e * k), "That takes ε for ε/2. Replacing an example changes the weight of A and the total of all weights."),
        (1 + e * k / 2, "That is linear in the mistakes. The weights fall exponentially."),
        (float(k), f"That is the {k} mistakes alone, without ε."),
        (1.0, "That would be a uniform choice, as for ε = 0."),
        form="{} times",
        k=k,
    )  # fmt: skip


@exercise("noisy-count", "private", _pure)
def _noisy_count(at: Asked) -> Exercise | None:
    e, beta = at.cell.epsilon, at.cell.beta
    return number(
        f"You publish one count of examples with Laplace noise, for ε = {value(e)}; one example changes it by 1. With "
        f"probability {value(beta)} it is off by at least how much?",
        (
            math.log(1 / beta) / e,
            "Right: ln(1/β)/ε, as the noise is more than t off with probability e to the power −εt.",
        ),
        (1 / e, "That is the scale of the noise, 1/ε, without log(1/β)."),
        (1 / (e * beta), "That is what Markov's inequality gives: 1/β in place of ln(1/β)."),
        (2 * math.log(1 / beta) / e, "That would be so if one example changed the count by 2."),
        (math.log(1 / beta), "That is the answer for ε = 1."),
        form="by {}",
    )


@exercise("hidden-sampling", "private", _pure)
def _hidden_sampling(at: Asked) -> Exercise | None:
    e, q = at.cell.epsilon, at.pick((0.1, 0.25, 0.5, 0.01))
    return number(
        f"A random share q = {value(q)} of all people is asked, and which people stays secret. A learner with pure privacy "
        f"and ε = {value(e)} learns from their answers. What is the smallest ε that its output guarantees to every person?",
        (math.log1p(q * math.expm1(e)), "Right: ln(1 + q(e to the power ε − 1)). With probability 1 − q a person is not asked at all."),
        (e, "That would be so if it were published which people were asked."),
        (q * e, "qε is about right where ε is small. But it is too small: the factor e to the power ε is averaged, not ε."),
        (math.sqrt(q) * e, "No root of q appears here."),
        (e + math.log(q) if e + math.log(q) > 0 else -1.0, "Multiplying the factor by q would forget the case that the person is not asked."),
        form="ε = {}",
        q=q,
    )  # fmt: skip


@exercise("published-sampling", "private", _pure)
def _published_sampling(at: Asked) -> Exercise | None:
    e, q = at.cell.epsilon, at.pick((0.1, 0.25, 0.5, 0.01))
    return number(
        f"A random share q = {value(q)} of all people is asked, and it is published which people these are. A learner with "
        f"pure privacy and ε = {value(e)} learns from their answers. What is the smallest ε that this guarantees to a person that was asked?",
        (
            e,
            "Right: a person that is known to be in the sample has the privacy of the learner, and no more.",
        ),
        (
            math.log1p(q * math.expm1(e)),
            "That needs the list of the people that were asked to stay secret.",
        ),
        (q * e, "That needs secrecy, and even then it is only about right."),
        (e / q, "Publishing the list does not add to the loss of the answers."),
        form="ε = {}",
        q=q,
    )


KINDS: tuple[ExerciseKind, ...] = (
    _odds, _group, _attacker, _run_again, _disjoint, _afterwards, _published, _half_exponent, _noisy_count,
    _hidden_sampling, _published_sampling,
)  # fmt: skip
