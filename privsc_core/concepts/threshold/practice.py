"""Kinds of questions about thresholds on [0, 1] alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import exercise, number

if TYPE_CHECKING:
    from privsc_core.concepts.contracts.practice import Asked, Exercise


@exercise("shortest-stretch", "theory")
def _stretch(at: Asked) -> Exercise | None:
    b = at.cell.d
    return number(
        f"The data have b = {b} bits of resolution: their density is at most 2 to the power {b} times the uniform one. How long is "
        "the shortest part of the unit interval that may hold all examples?",
        (math.ldexp(1.0, -b), "Right: a part of this length has probability at most 1, and any shorter one less than 1."),
        (1.0, "That would be so for b = 0 alone: then the data are uniform."),
        (1.0 / b, "That divides by b. But b is a logarithm: each further bit halves the length."),
        (math.ldexp(1.0, -2 * b), "That is the square of the shortest length. With this density so short a part cannot hold all examples."),
        (2.0 ** (-b / 2), "A longer part may hold them, but a shorter one is enough."),
    )  # fmt: skip


@exercise("threshold-without-data", "why")
def _blind(at: Asked) -> Exercise | None:
    b, alpha = at.cell.d, at.cell.alpha
    if alpha >= 0.5:
        return None
    return number(
        f"All examples lie in an interval of length 2 to the power −{b}, spread evenly, and the target is its middle. A learner draws "
        f"a threshold uniformly between 0 and 1 without data. How probable is it that the error is at most α = {alpha:g}?",
        (math.ldexp(2 * alpha, -b), "Right: thresholds within α of the target, on both sides, take a part 2α of the interval."),
        (math.ldexp(alpha, -b), "That counts one side of the target only."),
        (2 * alpha, "That would be so if the data were uniform between 0 and 1."),
        (math.ldexp(1.0, -b), "That counts every threshold in the interval. At its ends the error is one half."),
        (math.ldexp(0.5, -b), "That is half of the interval: it counts all errors up to a quarter."),
    )  # fmt: skip


@exercise("labelings-by-thresholds", "theory", lambda at: at.m > 1)
def _labelings(at: Asked) -> Exercise | None:
    m = at.m
    return number(
        f"A sample has {m:,} different points between 0 and 1. In how many ways can thresholds label them?",
        (m + 1.0, "Right: a threshold is decided by how many points lie below it. A private learner must choose among so many."),
        (2.0, "So many ways are there to label a single point; the VC dimension is 1."),
        (2.0**m if m < 1000 else math.inf, "So many labelings has the sample. Thresholds give only those in which no 0 lies below a 1."),
        (m * (m + 1) / 2 + 1.0, "So many has the class of all intervals, with two ends."),
        (float(at.cell.d), "That is the number of bits of resolution, on which the answer does not depend."),
        (m / 2, "Each gap between two points, and both sides of all points, gives one labeling."),
    )  # fmt: skip


KINDS = (_stretch, _blind, _labelings)
