"""The numbers of conjunctions that have a certified route."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import ball, least_of
from privsc_core.certify.formulas import points
from privsc_core.certify.kinds import (
    allowed,
    converse_on_spikes,
    few_wrong_halving,
    mechanism_on_spikes,
    share_of,
)
from privsc_core.certify.routes import Routes

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball

__all__ = ["ROUTES"]


def _erm_spikes(at: At) -> Ball:
    """Return Pr[at most r of the d - s literals that the target has not are never told]."""
    others = at.d - min(int(at.law.literals), at.d)
    if others <= allowed(at):
        return ball(1)
    share = share_of(at) * Fraction(others, at.d)
    return few_wrong_halving(at.m, others, share, lambda: ball(0), allowed(at), at.bits, coin=1)


def _untold(at: At) -> Ball:
    """Return 1 - d (1 - alpha/d)^m, at least 0."""
    return 1 - least_of(at.d * ball(1 - at.alpha / at.d) ** at.m, 1)


def _of_class(at: At) -> Ball:
    return formulas.promise_of_class(at, points(at.d, 1))


ROUTES = Routes(
    success={("erm", "spikes"): _erm_spikes, ("exponential", "spikes"): mechanism_on_spikes},
    limits={
        "finite-class": _of_class,
        "untold": _untold,
        "converse-spikes": converse_on_spikes,
    },
)
