"""Kinds of questions about thresholds on a finite domain alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import exercise, number

if TYPE_CHECKING:
    from privsc_core.concepts.contracts.practice import Asked, Exercise


@exercise("tree-candidates", "run")
def _candidates(at: Asked) -> Exercise | None:
    d = at.cell.d
    return number(
        f"The tree learner halves the 2 to the power {d} points again and again, and scores at most one node of each level. How "
        "many candidates does it score at most?",
        (
            d + 1.0,
            "Right: one a level, and there are d + 1 levels. So the number of examples grows with log d.",
        ),
        (
            2.0**d,
            "That is the number of points: the exponential mechanism scores about so many thresholds.",
        ),
        (
            math.log2(d),
            "That is the logarithm of d: it is in the number of examples, not in the number of candidates.",
        ),
        (2.0 * d, "That would be two candidates a level."),
        (math.sqrt(d), "A root of d appears in noisy binary search, in the number of examples."),
    )


@exercise("mistakes-of-thresholds", "why")
def _mistakes(at: Asked) -> Exercise | None:
    d = at.cell.d
    return number(
        f"An online learner sees one point after the other and predicts its label. A threshold on 2 to the power {d} points gives "
        "the labels. How many mistakes can the best learner be forced to make?",
        (float(d), "Right: this is the Littlestone dimension. Each mistake halves the thresholds that are left, as in binary search."),
        (1.0, "That is the VC dimension of thresholds."),
        (2.0**d, "Each mistake would rule out one threshold only. The best learner rules out half of them."),
        (math.log2(d), "That is log d; the class has about 2 to the power d thresholds, and the answer is the logarithm of this number."),
        (2.0 * d, "Two mistakes for each halving are not needed."),
    )  # fmt: skip


KINDS = (_candidates, _mistakes)
