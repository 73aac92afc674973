"""Kinds of questions about parities alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import exercise, number

if TYPE_CHECKING:
    from privsc_core.concepts.contracts.practice import Asked, Exercise


@exercise("until-full-rank", "why")
def _rank(at: Asked) -> Exercise | None:
    d, beta = at.cell.d, at.cell.beta
    extra = 0
    while -math.expm1(sum(math.log1p(-(2.0**-i)) for i in range(extra + 1, extra + d + 1))) > beta:
        extra += 1
        if extra > 60:
            return None
    return number(
        f"Random examples of a parity of d = {d} bits are linear equations. How many are needed until they have a unique solution "
        f"with probability {1 - beta:g}?",
        (d + float(extra), f"Right: {extra} more than d. Beyond d each further equation about halves the chance that one bit is open."),
        (math.ceil(d * math.log(d / beta)) if d > 1 else 0.0, "That is the coupon collector's number: but random equations speak of about half of all bits."),
        (2.0**d, "So many examples would show each point about once. Equations are solved, not tabulated."),
        (d / 2, "Fewer than d equations always leave several solutions."),
        (d / beta, "That is d/β. But the chance of failure halves with each further equation."),
    )  # fmt: skip


@exercise("queries-of-parity", "why")
def _queries(at: Asked) -> Exercise | None:
    d, goal = at.cell.d, 1 - at.cell.beta
    if not 8 <= d <= 48:
        return None
    least = math.ceil(4.0 * 2.0 ** (-d / 2) * (goal * 2.0**d - 1))
    return number(
        f"A learner of parities of d = {d} bits asks statistical queries that are accurate to 2 to the power −d/4. About how many "
        f"does it need to succeed with probability {goal:g}?",
        (float(least), "Right: a query speaks of few parities, so about 4 times 2 to the power d/2 are needed. Private elimination needs about d examples."),
        (float(d), "So many equations decide a parity. But statistical queries cannot be solved like equations."),
        (float(d**2), "No polynomial number is enough: two parities agree on half of all points."),
        (2.0 ** (d / 4), "That is one over the accuracy. Its square counts: a query rules out few parities."),
        (2.0**d, "That would be a query for each parity. One query rules out several."),
    )  # fmt: skip


KINDS = (_rank, _queries)
