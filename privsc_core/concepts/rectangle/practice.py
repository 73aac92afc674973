"""Kinds of questions about rectangles alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import exercise, number

if TYPE_CHECKING:
    from privsc_core.concepts.contracts.practice import Asked, Exercise


@exercise("bits-of-a-rectangle", "theory")
def _bits(at: Asked) -> Exercise | None:
    d = at.cell.d
    return number(
        f"The board has 2 to the power {d} columns and as many rows. About how many bits does it take to name a rectangle on it?",
        (4 * d - 2 + 2 * math.log1p(2.0**-d) / math.log(2.0), "Right: four sides of d bits each, less one bit for each pair of sides, as their order is given."),
        (2.0 * d, "So many bits name one corner. A rectangle is decided by two opposite corners."),
        (float(d), "So many bits name one side. A rectangle has four."),
        (4.0, "That is the VC dimension. It does not depend on d, but the number of rectangles does."),
        (4.0 * d * d, "That multiplies bits. Bits of independent choices add up."),
        form="{} bits",
    )  # fmt: skip


@exercise("rectangles-at-a-corner", "theory", lambda at: at.cell.d <= 15)
def _corner(at: Asked) -> Exercise | None:
    side = 2.0**at.cell.d
    return number(
        f"The board has {side:,.0f} columns and {side:,.0f} rows. How many of its rectangles contain the point in its lower left corner?",
        (side**2, "Right: the left and the lower side are decided; the upper right corner may be any point."),
        (side, "That leaves only one side open. Two sides are open: the right one and the upper one."),
        ((side * (side + 1) / 2) ** 2, "That is the number of all rectangles that are not empty."),
        (4.0, "That is the number of sides, of which the point decides two."),
        (side * (side + 1) / 2, "So many pairs of columns are there. The left side is decided here, and the upper one is open."),
    )  # fmt: skip


def _misses(sides: int, alpha: float, beta: float) -> float:
    """Return the least m at which a union bound over strips of mass alpha / sides is at most beta."""
    return float(math.ceil(math.log(beta / sides) / math.log1p(-alpha / sides)))


@exercise("four-strips", "why")
def _strips(at: Asked) -> Exercise | None:
    alpha, beta = at.cell.alpha, at.cell.beta
    return number(
        f"The tightest rectangle errs only in four strips along the sides of the target, each of probability α/4, α = {alpha:g}. How many "
        f"examples make the sum of the chances to miss a strip at most β = {beta:g}?",
        (_misses(4, alpha, beta), "Right: one strip is missed with probability (1 − α/4) to the power m, and there are four."),
        (_misses(1, alpha, beta), "That is enough for a single strip of probability α."),
        (_misses(2, alpha, beta), "That is the number for an interval, which has two ends. A rectangle has four sides."),
        (float(math.ceil(4 / (alpha * beta))), "That is 4/(αβ). But the chance to miss falls exponentially in m."),
        (float(math.ceil(1 / alpha)), "That is 1/α: then a strip of probability α is still missed about every third time."),
    )  # fmt: skip


KINDS = (_bits, _corner, _strips)
