"""The numbers of lines that have a certified route."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, ball
from privsc_core.certify.routes import Routes
from privsc_core.certify.sums import binomial_mean
from privsc_core.concepts.line.plane import MOST, prime

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball

__all__ = ["ROUTES"]


def _size(at: At) -> int:
    """Return p."""
    if at.d > MOST:
        raise Uncertified(f"the prime is looked for up to 2^{MOST}")
    return prime(at.d)


def _exists(at: At) -> None:
    if 2 * at.alpha >= 1:
        raise Uncertified("the distribution needs alpha < 1/2")


# --- Learners -------------------------------------------------------------------------------------


def _anchor(at: At) -> Ball:
    """Return 1 - (1-alpha)^m - alpha^m: both points are seen."""
    _exists(at)
    share = ball(at.alpha)
    return 1 - (1 - share) ** at.m - share**at.m


def _pair(at: At) -> Ball:
    """Return 1 - 2 (1-alpha)^m + (1-2 alpha)^m: both rare points are seen."""
    _exists(at)
    share = ball(at.alpha)
    return 1 - 2 * (1 - share) ** at.m + (1 - 2 * share) ** at.m


def _two_places(m: int, mass: Fraction, p: int) -> Ball:
    """Return the chance to see two of p places that share a mass evenly."""
    none = ball(1 - mass) ** m
    return 1 - none - p * (ball(1 - mass + mass / p) ** m - none)


def _spread(at: At) -> Ball:
    """Return that of two places of the target; its mass is alpha p / (p - 1)."""
    _exists(at)
    p = _size(at)
    return _two_places(at.m, at.alpha * p / (p - 1), p)


def _mixture(at: At) -> Ball:
    """Return the same with mass kappa; one place or none will do where it is so light."""
    _exists(at)
    p, mass = _size(at), Fraction(str(at.law.k))
    if mass <= at.alpha:
        return ball(1)
    if mass * (p - 1) <= at.alpha * p:
        return 1 - ball(1 - mass) ** at.m
    return _two_places(at.m, mass, p)


def _exponential_anchor(at: At) -> Ball:
    """Return E[1 / (1 + (p-1) e^{-eps K/2} + (p-1) e^{-eps (m-K)/2} + (p-1)^2 e^{-eps m/2})].

    K ~ Bin(m, alpha) examples are at the rare point. Through either point alone go p - 1 other lines,
    (p - 1)^2 through none.
    """
    _exists(at)
    others = _size(at) - 1
    none = others * others * formulas.decay(at.epsilon, at.m)

    def law(k: int) -> Ball:
        one = formulas.decay(at.epsilon, k) + formulas.decay(at.epsilon, at.m - k)
        return formulas.against(others * one + none)

    return binomial_mean(at.m, at.alpha, law, at.bits)


# --- Bounds ---------------------------------------------------------------------------------------


def _packing(at: At) -> Ball:
    """Return the packing converse of the p^2 - p lines that miss (0, 1), of mass alpha p / (p - 1)."""
    p = _size(at)
    mass = at.alpha * p / (p - 1)
    return ball(1) if mass > 1 else formulas.packing(at, mass, ball(p * p - p - 1))


def _of_class(at: At) -> Ball:
    return formulas.promise_of_class(at, ball(_size(at) ** 2 - 1))


ROUTES = Routes(
    success={
        ("erm", "anchor"): _anchor,
        ("erm", "pair"): _pair,
        ("erm", "spread"): _spread,
        ("erm", "mixture"): _mixture,
        ("exponential", "anchor"): _exponential_anchor,
    },
    limits={
        "nonprivate": lambda at: formulas.unseen(at, ball(1) / 2),
        "littlestone": lambda at: formulas.packing(at, at.alpha, ball(1)),
        "packing": _packing,
        "finite-class": _of_class,
    },
    reasons={
        "blind-guess": "it is the best of a grid of mixtures, and no formula says which",
        "theorem-5.3": "it is a rate without a constant",
        "vote": "its level is the best of a grid, and no formula says which",
    },
)
