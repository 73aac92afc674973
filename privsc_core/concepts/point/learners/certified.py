"""The route of the learner of points that takes unlabelled examples as well."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, at_least, ball, hull, power_of_two
from privsc_core.certify.formulas import points
from privsc_core.certify.sums import binomial_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from privsc_core.certify.balls import At, Ball

__all__ = ["generic"]

# Of empty cells that survive, at most half of them: the learner's own number.
_SURVIVORS = Fraction(1, 100)
# With so many more of them the arithmetic of their chances has gone wrong.
_MOST = 10_000


def generic(at: At, mass: Fraction, *, flip: bool) -> Ball:
    """Return the success of the generic learner where a target has some mass, and point 1 the rest.

    With i and 1 for the target's point and point 1, B the survivors, J of them other than these two,
    and one representative drawn from what is outside of B: the answer comes from R others of weight
    p = e^{-eps K/2}, perhaps 1 of weight q = e^{-eps m/2}, and i of weight 1, if it is there at all.
    """
    cells = points(at.d, 2)
    weights: dict[tuple[int, bool], Ball] = {}

    def add(chance: Ball, others: int, one: bool) -> None:  # noqa: FBT001
        weights[others, one] = weights.get((others, one), ball(0)) + chance

    both, target, first, none = _kept(at, mass, cells)
    chances, rest = _empty(at, cells)
    for j, chance in enumerate(chances):
        outside = (
            cells + 1 - j
        )  # with one of i and 1 in B; the other one is there, and it may be all
        full = outside == 1
        lucky = 1 / outside
        add(chance * both, j if full else j + 1, one=True)
        add(chance * (target + first) * lucky, j, one=True)
        if not full:
            add(chance * target * (1 - lucky), j + 1, one=False)
        add(chance * none / (outside + 1), j, one=False)
    found = binomial_mean(at.m, mass, (_flipped if flip else _drawn)(at, weights), at.bits)
    return found + rest


def _drawn(at: At, weights: dict[tuple[int, bool], Ball]) -> Callable[[int], Ball]:
    """Return the success of the exponential mechanism given K: the mean of 1 / (1 + R p + q)."""
    q = formulas.decay(at.epsilon, at.m)

    def law(k: int) -> Ball:
        p = formulas.decay(at.epsilon, k)
        return sum(
            (
                chance / (1 + others * p + (q if one else 0))
                for (others, one), chance in weights.items()
            ),
            start=ball(0),
        )

    return law


def _flipped(at: At, weights: dict[tuple[int, bool], Ball]) -> Callable[[int], Ball]:
    """Return that of permute-and-flip: the mean of the integral of (1 - xp)^R (1 - xq) over [0, 1].

    It is a polynomial in p: that of R is the sum of C(R, i) (-p)^i (1/(i+1) - q/(i+2)).
    """
    q = formulas.decay(at.epsilon, at.m)
    sums = [ball(0)] * (1 + max(others for others, _ in weights))
    for (others, one), chance in weights.items():
        for i in range(others + 1):
            share = ball(Fraction(1, i + 1)) - (q / (i + 2) if one else 0)
            sums[i] += chance * (-1) ** i * comb(others, i) * share

    def law(k: int) -> Ball:
        p, found = formulas.decay(at.epsilon, k), ball(0)
        for factor in reversed(sums):
            found = found * p + factor
        return found

    return law


def _empty(at: At, cells: Ball) -> tuple[list[Ball], Ball]:
    """Return the chances of J ~ Bin(T - 2, 0.01 / (T - 2)) from 0 on, and how likely more are at most."""
    if cells == 0:
        return [ball(1)], ball(0)
    share = ball(_SURVIVORS) / cells
    odds, enough = share / (1 - share), power_of_two(-at.bits)
    found = [(cells * (-share).log1p()).exp()]
    # From each to the next the chance falls by more than half.
    for j in range(_MOST):
        after = found[-1] * at_least(cells - j, 0) / (j + 1) * odds
        if 2 * after < enough:
            return found, hull(ball(0), 2 * after)
        found.append(after)
    raise Uncertified("the survivors cannot be counted")


def _kept(at: At, mass: Fraction, cells: Ball) -> tuple[Ball, Ball, Ball, Ball]:
    """Return the chances that i and 1, i alone, 1 alone and neither survive noise Lap(2/eps).

    K ~ Bin(u, mass) unlabelled examples lie on i, the others on 1; the threshold tau has
    e^{-eps tau/2}/2 = 0.01 / (T - 2), and is 0 where there is no other point.
    """
    log_tau = ball(0) if cells == 0 else (cells / ball(2 * _SURVIVORS)).log()
    rate = ball(at.epsilon / 2)

    @lru_cache(maxsize=8)
    def over(k: int) -> Ball:
        x = log_tau - rate * k
        low, high = (-at_least(x, 0)).exp() / 2, 1 - (-at_least(-x, 0)).exp() / 2
        return low if x >= 0 else high if x < 0 else hull(low, high)

    both, target, first = (
        binomial_mean(at.u, mass, law, at.bits)
        for law in (lambda k: over(k) * over(at.u - k), over, lambda k: over(at.u - k))
    )
    return both, target - both, first - both, 1 - target - first + both
