"""The bounds for POINT_d that have a certified route, from the inequalities of the theory."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, at_least, ball, hull, least_of
from privsc_core.certify.formulas import ceiling, floor, points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privsc_core.certify.balls import At, Ball
    from privsc_core.certify.routes import Route

__all__ = ["EXCESS", "LIMITS"]


def _nonprivate(at: At) -> Ball:
    return formulas.unseen(at, ball(Fraction(1, 2))) if at.d >= 2 else ball(1)


def _proper(at: At) -> Ball:
    return formulas.unseen(at, 1 / points(at.d, 1))


def _from_sixteen(at: At) -> None:
    if at.d < 16:
        raise Uncertified("the proof of Lemma 4.1 needs d >= 16")


def _representation(at: At) -> Ball:
    """Return 1 - 16 e (1 + floor(4/alpha)) r^m."""
    _from_sixteen(at)
    rate = formulas.shifted_rate(at.epsilon, at.alpha, at.alpha / 2)
    factor = 16 * ball(1).exp() * (1 + floor(4 / at.alpha))
    return 1 - least_of(factor * (-at.m * rate).exp(), 1)


def _theorem_42(at: At) -> Ball:
    """Return log(beta) - log((|H_d| - 1) r^m), |H_d| = ceil(8 e p^2/d), p = d (1 + floor(2/alpha))."""
    _from_sixteen(at)
    sets = ceiling(8 * ball(1).exp() * at.d * (1 + floor(2 / at.alpha)) ** 2)
    rate = formulas.shifted_rate(at.epsilon, at.alpha, at.alpha / 2)
    return ball(at.beta).log() - ball(sets - 1).log() + at.m * rate


def _lemma_39(at: At) -> Ball:
    """Return log(Gamma/(1-Gamma)) - log((2^d-2) e^{-4 eps alpha m}), Gamma = beta + e^{-alpha m/3}.

    As a function of m its negative is concave where Gamma < 1: what violates the inequality is an
    interval, and at least 0 at m and below 0 at m - 1 means that m - 1 is its end.
    """
    if at.d < 2:
        return ball(1)
    gamma = ball(at.beta) + (-ball(at.alpha * at.m / 3)).exp()
    if gamma >= 1:
        return ball(1)
    odds = (gamma / (1 - gamma)).log()
    return odds - points(at.d, 2).log() + ball(4 * at.epsilon * at.alpha * at.m)


def _claim_45(at: At) -> Ball:
    """Return m minus the number of samples of Claim 4.5, as in the proof."""
    runs = next(n for n in range(5000) if Fraction(5, 4) ** n >= 5 / at.beta)
    failure = at.beta / 5 + (1 + runs) * at.beta**2 / 3 + runs * at.beta**6 / 27
    if at.epsilon >= 1 or at.alpha >= Fraction(1, 2) or failure > at.beta:
        raise Uncertified("the proof does not reach this setting")
    one = ceiling(384 * ball(4).log() / ball(at.epsilon * (at.alpha / 8) ** 2))
    last = ceiling(24 * ball(3 / at.beta**2).log() / ball(at.epsilon * at.alpha))
    return ball(at.m - runs * one - last)


def _seen(at: At) -> Ball:
    """Return 1 - max(share at a1, C r(a*)^m), a* = (alpha T - 1)/(T - 1), C r(a1)^m = 1."""
    total = points(at.d)
    size = formulas.lump_size(at, total)
    kink = at_least((ball(at.alpha) * total - 1) / (total - 1), 0)
    at_kink = least_of(size * (-at.m * formulas.rate_of(at.epsilon, kink)).exp(), 1)
    first = -(-size.log() / at.m).expm1() / -(-ball(at.epsilon / 2)).expm1()
    if first >= kink:
        return 1 - at_least(at_kink, 1)
    share = least_of((1 - first) / ((ball(at.alpha) - first) * total), 1)
    if not first < kink:
        share = hull(share, ball(1))
    return 1 - at_least(at_kink, share)


LIMITS: Mapping[str, Route] = {
    "nonprivate": _nonprivate,
    "nonprivate-proper": _proper,
    "packing": lambda at: formulas.packing(at, at.alpha, points(at.d, 2)),
    "packing-two": lambda at: formulas.halfway(at, at.alpha, points(at.d, 2)),
    "packing-delta": lambda at: formulas.packing_slack(at, at.alpha, points(at.d, 1)),
    "finite-class": lambda at: formulas.promise_of_class(at, points(at.d, 1)),
    "representation": _representation,
    "seen": _seen,
}

EXCESS: Mapping[str, Route] = {
    "corollary-3.8": lambda at: formulas.minimal_class(at, points(at.d, 1)),
    "lemma-3.9": _lemma_39,
    "theorem-3.2": lambda at: formulas.pure_theorem(at, points(at.d)),
    "theorem-4.2": _theorem_42,
    "claim-4.5": _claim_45,
}
