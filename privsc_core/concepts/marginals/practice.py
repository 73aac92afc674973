"""Kinds of questions about marginals alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts.practice import Choice, choose, exercise, number
from privsc_core.concepts.marginals.distributions import pairs
from privsc_core.concepts.marginals.laws import turned

if TYPE_CHECKING:
    from privsc_core.concepts.contracts.practice import Asked, Exercise


@exercise("number-of-answers", "theory")
def _answers(at: Asked) -> Exercise | None:
    d = at.cell.d
    return number(
        f"A release answers the mean of each of d = {d} attributes, and of each product of two different ones. How many answers are "
        "these?",
        (float(pairs(d)), "Right: d attributes, and d(d − 1)/2 products."),
        (float(d * d), "That counts each product twice, and squares, which are always 1."),
        (d * (d - 1) / 2, "That counts the products only."),
        (2.0**d, "That is the number of all products of any number of attributes."),
        (float(d), "That counts the attributes only."),
    )


@exercise("sensitivity", "theory", lambda at: at.cell.d > 2)
def _sensitivity(at: Asked) -> Exercise | None:
    changed = int(turned(np.array(at.cell.d)))
    return number(
        f"Replacing one row changes up to {changed} answers by 2/m each. Laplace noise must hide the sum of all changes (ℓ₁), Gaussian "
        "noise the root of the sum of their squares (ℓ₂). How many times as large as the second is the first?",
        (math.sqrt(changed), f"Right: {changed} changes of equal size, against the root of {changed}. So noise grows like d² with Laplace, and like d with Gauss."),
        (1.0, "That is so for a single answer: for several ones the sum is larger."),
        (float(changed), "That is the sum itself, in units of one change. The root of the sum of squares grows, too."),
        (2.0 * changed, "That is the sum, with 2/m for each change."),
        (math.log(changed), "A logarithm comes from a union bound over all answers, which both kinds of noise need."),
        form="{} times",
    )  # fmt: skip


@exercise("why-gauss", "theory", lambda at: at.cell.d > 3)
def _why(at: Asked) -> Exercise | None:
    d = at.cell.d
    before, after = (int(turned(np.array(size))) for size in (d, 2 * d))
    grown = after / before
    return choose(
        f"From d = {d} to {2 * d} Laplace noise on each answer grows {grown:.2g} times, Gaussian noise {math.sqrt(grown):.2g} times. "
        "Why do they differ?",
        Choice("The ℓ₁ against the ℓ₂ sensitivity of all answers", f"Right: the number of answers that a row changes grows {grown:.2g} times, its root {math.sqrt(grown):.2g} times.", "norms"),
        Choice("A union bound over all answers", f"Both need one: it adds a logarithm of {pairs(d):,} answers to both.", "union"),
        Choice("The projection onto possible answers", "Neither of both projects: that is a third mechanism.", "projection"),
        Choice("δ hides some rows altogether", "δ allows Gaussian noise at all. But each row is hidden by the noise.", "delta"),
    )  # fmt: skip


KINDS = (_answers, _sensitivity, _why)
