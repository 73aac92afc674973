"""The numbers of thresholds on [0, 1] that have a certified route."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, ball
from privsc_core.certify.routes import Routes
from privsc_core.certify.sums import binomial_mean

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball

__all__ = ["ROUTES"]


def _noisy_count(at: At) -> Ball:
    """Return 1 - (1 - alpha (1 - e^{-eps}))^m."""
    return 1 - (1 + ball(at.alpha) * (-ball(at.epsilon)).expm1()) ** at.m


def _ranks(at: At) -> Ball:
    """Return E[(1 + q - r^{m-J} - q r^J) / (1 + q - q^{J+1} - q^{m-J+1})], J ~ Bin(m, 1/2).

    q = e^{-eps/2} and r = 1 - 2 alpha (1 - q).
    """
    q = (-ball(at.epsilon / 2)).exp()
    r = 1 - 2 * ball(at.alpha) * (1 - q)

    def law(left: int) -> Ball:
        right = at.m - left
        return (1 + q - r**right - q * r**left) / (1 + q - q ** (left + 1) - q ** (right + 1))

    return binomial_mean(at.m, Fraction(1, 2), law, at.bits)


def _pair(at: At) -> Ball:
    if 2 * at.alpha >= 1:
        return ball(1)
    return formulas.packing(at, 2 * at.alpha, ball(1))


def _theorem_5(at: At) -> Ball:
    """Return eps m - log(kappa/3 - 5/3), kappa = 2^b."""
    if 5 * at.alpha > 1 or 2 * at.beta >= 1 or at.d <= 3:
        raise Uncertified("the theorem does not reach this setting")
    return ball(at.epsilon * at.m) - (formulas.points(at.d, 5) / 3).log()


_LAWS = {"erm": formulas.unseen, "noisy-count": _noisy_count, "ranks": _ranks}

ROUTES = Routes(
    success={(name, law): route for name, route in _LAWS.items() for law in ("window", "uniform")},
    limits={"pair": _pair, "noisy-count": _noisy_count},
    excess={"theorem-5": _theorem_5},
)
