"""Kinds of questions about conjunctions alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import exercise, number, written

if TYPE_CHECKING:
    from privsc_core.concepts.contracts.practice import Asked, Exercise


@exercise("noise-of-counts", "run")
def _noise(at: Asked) -> Exercise | None:
    d, e = at.cell.d, at.cell.epsilon
    return number(
        f"The learner “{at.learner('sq-laplace').title}” publishes d = {d} counts, one for each bit, and one example can change "
        f"all of them by 1. Which scale must its Laplace noise have on each count, for ε = {written(e)}?",
        (d / e, "Right: the privacy losses of the d counts add up, so each count may spend ε/d."),
        (1 / e, "That is enough for a single count."),
        (math.sqrt(d) / e, "A root of d is what Gaussian noise takes, with δ > 0."),
        (d**2 / e, "The changes add up once: d counts that change by 1 are a change of d in sum."),
        (e / d, "That is the loss that each count may spend, not the scale of the noise."),
    )


@exercise("literals-left", "why")
def _literals(at: Asked) -> Exercise | None:
    d, k = at.cell.d, at.pick((2, 3, 5))
    if k >= d:
        return None
    return number(
        f"A monotone conjunction of d = {d} variables is learned from uniform points that have label 1 if the target is 1 on them. A "
        f"variable is not in the target. With which probability do {k} positive examples all fail to rule it out?",
        (
            0.5**k,
            "Right: a positive example rules it out if the variable is 0 there, which has probability 1/2.",
        ),
        (1 - 0.5**k, "That is the probability that it is ruled out."),
        (1 / (k + 1), "The examples are independent, so the probabilities multiply."),
        (0.5 / d, "The other variables do not matter: each one is ruled out by itself."),
        (
            0.5,
            "That is the probability for one example."
            if k > 1
            else "That is right for one example.",
        ),
        k=k,
    )


KINDS = (_noise, _literals)
