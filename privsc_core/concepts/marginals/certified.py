"""The numbers of marginals that have a certified route."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import ball
from privsc_core.certify.formulas import floor, points
from privsc_core.certify.routes import Routes

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball


def _laplace_largest(at: At) -> Ball:
    """Return (1 - e^{-alpha / b})^P, b = 2 floor(D^2 / 4) / (m eps)."""
    turned, many = (at.d + 1) ** 2 // 4, at.d * (at.d + 1) // 2
    outside = ball(-at.alpha * at.m * at.epsilon / (2 * turned)).exp()
    return (many * (-outside).log1p()).exp()


def _packing(at: At) -> Ball:
    """Return 1 / (1 + (2^d - 1) e^{-eps k}), k = floor(alpha m) + 1."""
    return formulas.packing(at, Fraction(1), points(at.d, 1), count=floor(at.alpha * at.m) + 1)


_SEARCHED = "its noise is the least by a search in floating point"

ROUTES = Routes(
    success={("laplace", "largest"): _laplace_largest},
    limits={"packing": _packing},
    without={"gauss": _SEARCHED, "projected": _SEARCHED, "projection": _SEARCHED},
)
