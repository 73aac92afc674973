"""The numbers of half-spaces that have a certified route."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, ball, beta_share, on_circle
from privsc_core.certify.routes import Routes
from privsc_core.certify.sums import avoiding_mean

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball


def _arcs(at: At) -> Ball:
    """Return (1 - (1 - alpha (1 - q))^m) / (1 - q^m), q = e^{-eps/2}."""
    q = (-ball(at.epsilon / 2)).exp()
    return (1 - (1 - ball(at.alpha) * (1 - q)) ** at.m) / (1 - q**at.m)


def _pair(at: At) -> Ball:
    if 2 * at.alpha >= 1:
        return ball(1)
    return formulas.packing(at, 2 * at.alpha, ball(1))


# Finer circles of targets the bound itself leaves alone.
_FINEST = Fraction(5, 1000)
_MOST = 1000


def _circle(at: At) -> Ball:
    """Return log beta - log sum_j E_beta(2 min(j, N-j) / N), 0 < j < N = ceil(1/alpha) - 1."""
    count = -(-1 // at.alpha) - 1
    if at.alpha < _FINEST or count < 2:
        raise Uncertified(f"the bound needs alpha from {float(_FINEST)} up to 1/2")
    total = ball(0)
    for j in range(1, count // 2 + 1):
        mean = avoiding_mean(
            at.m, Fraction(2 * j, count), lambda k: (-ball(at.epsilon * k)).exp(), at.beta, at.bits
        )
        total += mean if 2 * j == count else 2 * mean
    return ball(at.beta).log() - total.log()


def _cap(n: int, turns: Fraction) -> Ball:
    """Return the share of the sphere in n dimensions within so many half turns of a point, up to 1/2."""
    square = on_circle(turns / 2).imag ** 2
    return beta_share(Fraction(n - 1, 2), Fraction(1, 2), square) / 2


def _doubling(at: At) -> Ball:
    """Return m - (d'' - 1) log 2 / eps, d'' = log2 (cap(4 pi alpha) / cap(2 pi alpha))."""
    if 8 * at.alpha >= 1 or 2 * at.beta >= 1 or not 2 <= at.d <= _MOST:
        raise Uncertified(f"the bound needs alpha < 1/8, beta < 1/2 and n from 2 to {_MOST}")
    ratio = _cap(at.d, 4 * at.alpha) / _cap(at.d, 2 * at.alpha)
    return at.m - (ratio / 2).log() / ball(at.epsilon)


_LAWS = {"erm": formulas.unseen, "arcs": _arcs}

ROUTES = Routes(
    success={
        (name, law): route
        for name, route in _LAWS.items()
        for law in ("circle", "band-in", "band-out")
    },
    limits={"pair": _pair, "arcs": _arcs},
    excess={"packing-circle": _circle, "theorem-12": _doubling},
    without={
        "packing": "it is the best of a grid of r: any of them is a bound, and no formula says which",
        **dict.fromkeys(
            ("density", "density-simple"),
            "it is at the best α' that a search in floating point finds: any of them is a bound, "
            "and none is the best to twelve digits",
        ),
    },
)
