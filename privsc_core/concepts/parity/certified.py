"""The numbers of parities that have a certified route."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, ball, power_of_two
from privsc_core.certify.routes import Routes

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball

__all__ = ["ROUTES"]

# Ranks that are summed over, at most.
_RANKS_MOST = 2000


def _solved(at: At) -> Ball:
    """Return E 2^{-(d - rank)} of an m x d matrix of coins, by the law of its rank.

    Pr[rank = k] = 2^{-(m-k)(d-k)} times the product over i < k of
    (1 - 2^{i-m}) (1 - 2^{i-d}) / (1 - 2^{i-k}).
    """
    if 2 * at.alpha >= 1:
        raise Uncertified("there is nothing to learn from alpha = 1/2 on")
    m, d = at.m, at.d
    if min(m, d) > _RANKS_MOST:
        raise Uncertified(f"it would take more than {_RANKS_MOST:,} terms")
    total, product = ball(0), ball(1)
    for rank in range(min(m, d) + 1):
        total += product * power_of_two(-(m - rank + 1) * (d - rank))
        rows, columns = (1 - power_of_two(rank - size) for size in (m, d))
        product *= rows * columns / (1 - power_of_two(-rank - 1))
    return total


def _of_class(at: At) -> Ball:
    return formulas.promise_of_class(at, formulas.points(at.d, 1))


def _on_uniform(at: At) -> Ball:
    """Return the same with the error of every wrong parity, 1/2, in place of alpha."""
    if 2 * at.alpha >= 1:
        raise Uncertified("the bound needs alpha < 1/2")
    return _of_class(replace(at, alpha=Fraction(1, 2)))


ROUTES = Routes(
    success={("erm", "uniform"): _solved},
    limits={"finite-class": _of_class, "exponential": _on_uniform},
)
