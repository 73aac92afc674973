"""The numbers of rectangles that have a certified route."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, ball, power_of_two
from privsc_core.certify.routes import Routes

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball


def _seen(at: At, share: Fraction) -> Ball:
    """Return E (1 - share)^U for U unseen ones of four points of mass alpha: by any j of them."""
    return sum(
        (
            ball(math.comb(4, j) * (-share) ** j) * (1 - j * ball(at.alpha)) ** at.m
            for j in range(1, 5)
        ),
        start=ball(1),
    )


def _all_four(at: At) -> Ball:
    if 8 * at.alpha > 1:
        raise Uncertified("the distribution needs alpha up to 1/8")
    return _seen(at, Fraction(1))


def _unseen(at: At) -> Ball:
    if 4 * at.alpha > 1 or at.d < 3:
        raise Uncertified("the bound says nothing there")
    return _seen(at, Fraction(1, 2))


def _of_class(at: At) -> Ball:
    ranges = power_of_two(at.d) * (power_of_two(at.d) + 1) / 2
    return formulas.promise_of_class(at, ranges * ranges)


ROUTES = Routes(
    success={("erm", "hard8"): _all_four},
    limits={"nonprivate": _unseen, "finite-class": _of_class},
)
