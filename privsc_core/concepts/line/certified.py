"""The numbers of lines that have a certified route."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, ball
from privsc_core.certify.routes import Routes
from privsc_core.concepts.line.plane import MOST, prime

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball

__all__ = ["ROUTES"]


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


def _exists(at: At) -> None:
    if 2 * at.alpha >= 1:
        raise Uncertified("the distribution needs alpha < 1/2")


def _of_class(at: At) -> Ball:
    if at.d > MOST:
        raise Uncertified(f"the prime is looked for up to 2^{MOST}")
    return formulas.promise_of_class(at, ball(prime(at.d) ** 2 - 1))


ROUTES = Routes(
    success={("erm", "anchor"): _anchor, ("erm", "pair"): _pair},
    limits={"finite-class": _of_class},
)
