"""The numbers of half-spaces that have a certified route."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import ball
from privsc_core.certify.routes import Routes

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball

__all__ = ["ROUTES"]


def _arcs(at: At) -> Ball:
    """Return (1 - (1 - alpha (1 - q))^m) / (1 - q^m), q = e^{-eps/2}."""
    q = (-ball(at.epsilon / 2)).exp()
    return (1 - (1 - ball(at.alpha) * (1 - q)) ** at.m) / (1 - q**at.m)


def _pair(at: At) -> Ball:
    if 2 * at.alpha >= 1:
        return ball(1)
    return formulas.packing(at, 2 * at.alpha, ball(1))


_LAWS = {"erm": formulas.unseen, "arcs": _arcs}

ROUTES = Routes(
    success={
        (name, law): route
        for name, route in _LAWS.items()
        for law in ("circle", "band-in", "band-out")
    },
    limits={"pair": _pair, "arcs": _arcs},
)
