"""The expected share of one kind among weighed members, by an integral with a proof."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from privsc_core.certify.balls import Uncertified, ball, hull, power_of_two, quadrature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.certify.balls import Ball

__all__ = ["expected_share"]


def expected_share(members: int, own: Ball, others: Sequence[tuple[Ball, Ball]], bits: int) -> Ball:
    """Return E[N / (N + sum N_j w_j)] for (N, N_1, ...) ~ Multinomial(members; own, p_1, ...).

    Parameters
    ----------
    members : int
    own : Ball
        The probability of the kind itself, of weight 1; N = 0 is a share of 0.
    others : sequence of (probability, weight)
        With weights in [0, 1]; the probabilities and `own` add up to 1.
    bits : int
        The integral is cut off where about 2^-bits is left.

    Notes
    -----
    1/S is the integral of e^{-tS} over t >= 0, so that the mean is that of
    members own e^{-t} (own e^{-t} + sum p_j e^{-t w_j})^{members - 1}. It is an entire function of t,
    and beyond t at most members own e^{-t}.
    """
    end = math.ceil((bits + members.bit_length()) * math.log(2.0))
    scale = members * own

    def integrand(t: Any, _analytic: bool) -> Any:  # noqa: FBT001 - as Arb calls it
        first = (-t).exp()
        total = own * first
        for probability, weight in others:
            total += probability * (-t * weight).exp()
        return scale * first * total ** (members - 1)

    found = quadrature(integrand, 0, end, bits)
    if not found.is_finite():
        raise Uncertified("an integral did not converge")
    rest = scale * (-ball(end)).exp()
    return found + hull(ball(0), rest.max(power_of_two(-bits)))
