"""The numbers of POINT_d that have a certified route: learners' laws; bounds in `bounds/certified`.

Every route is written from the formula of the theory in ball arithmetic and calls none of the
learners' code.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, ball, power_of_two
from privsc_core.certify.formulas import points
from privsc_core.certify.routes import Routes
from privsc_core.certify.sums import at_most, binomial_mean
from privsc_core.concepts.point.bounds.certified import EXCESS, LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from privsc_core.certify.balls import At, Ball

__all__ = ["ROUTES"]

# Counting distinct bystanders is a sum of so many terms, squared.
_CROWD_MOST = 256


@dataclass(frozen=True, slots=True)
class _Case:
    """Mass on the target, so many bystanders that share the rest; what may be wrong.

    `slack` bystanders may be labelled wrongly with the target right, `missed` with it wrong.
    """

    mass: Fraction
    others: int
    slack: int
    missed: int


def _case(at: At) -> _Case:
    match at.law.name:
        case "single":
            return _Case(Fraction(1), 0, 0, -1)
        case "uniform":
            total = 1 << at.d
            allowed = formulas.floor(at.alpha * total)
            return _Case(Fraction(1, total), total - 1, min(allowed, total - 1), allowed - 1)
        case "bystanders":
            others = int(at.law.s)
        case _:
            others = 1
    slack = formulas.floor(at.alpha * others / (1 - at.alpha))
    return _Case(at.alpha, others, min(slack, others), -1)


def _proper(law: Callable[[At, _Case], Ball]) -> Callable[[At], Ball]:
    """Return a law of a learner that answers with points: all may be accurate."""

    def route(at: At) -> Ball:
        case = _case(at)
        # A wrong point errs on the target and on itself.
        return ball(1) if case.missed >= 1 else law(at, case)

    return route


def _erm(at: At, case: _Case) -> Ball:
    """Return 1 - (1-a)^m (1 - E[1/unseen]): the target is seen, or guessed."""
    if case.mass == 1:
        return ball(1)
    return formulas.unseen(at, _guess(at, case.others), case.mass)


def _guess(at: At, others: int) -> Ball:
    """Return E[1 / (T - J)], J how many of the bystanders m draws hit.

    Pr[J = j] = C(s, j) sum_i (-1)^i C(j, i) ((j-i)/s)^m.
    """
    if others == 1:
        return 1 / points(at.d, 1)
    if others > _CROWD_MOST:
        raise Uncertified(f"more than {_CROWD_MOST} bystanders are counted in floats alone")
    powers = [ball(Fraction(r, others)) ** at.m for r in range(others + 1)]
    total, choose = ball(0), 1
    for j in range(others + 1):
        onto, sign, inner = ball(0), 1, 1
        for i in range(j + 1):
            onto += sign * inner * powers[j - i]
            sign, inner = -sign, inner * (j - i) // (i + 1)
        total += choose * onto / points(at.d, j)
        choose = choose * (others - j) // (j + 1)
    return total


def _exponential(at: At, case: _Case) -> Ball:
    if case.others == 0:
        return formulas.single_mechanism(at, points(at.d, 1))
    return formulas.mechanism(at, case.mass, points(at.d, 2))


def _margin(at: At, case: _Case) -> Ball:
    return formulas.vote_law(at, case.mass, power_of_two(at.d))


def _seen(at: At, case: _Case) -> Ball:
    total = power_of_two(at.d)
    return formulas.lump_law(at, case.mass, total, 1 / total)


def _permute_and_flip(at: At, case: _Case) -> Ball:
    """Return E[(1-w) I0 + w I1] (theory of the margin learner, section 3)."""
    if case.others == 0:
        return _accepted(points(at.d), formulas.decay(at.epsilon, at.m))
    w = formulas.decay(at.epsilon, at.m)

    def law(k: int) -> Ball:
        q = formulas.decay(at.epsilon, k)
        alone = _accepted(points(at.d, 1), q)
        # I1 = (1 - J) / ((n+1) q), J = I0 with one more rival.
        beside = (1 - _accepted(points(at.d), q)) / (points(at.d, 1) * q)
        return (1 - w) * alone + w * beside

    return binomial_mean(at.m, case.mass, law, at.bits)


def _accepted(count: Ball, q: Ball) -> Ball:
    """Return (1 - (1-q)^c) / (c q), at most 1."""
    if q == 1:
        return 1 / count
    return -(count * (-q).log1p()).expm1() / (count * q)


# --- Hypotheses that are no points --------------------------------------------------------------


def _kept(at: At, alpha: Fraction) -> Ball:
    """Return alpha/4 times f(eps, ln 4), the rate at which Algorithm A3 keeps an example."""
    quarter, grow = ball(alpha / 4), ball(at.epsilon).exp()
    if grow >= 4:
        return quarter
    return quarter * (grow - 1) / (3 + grow * 3 / 4)


def _noisy(at: At, flip: Fraction, *, sure: bool) -> Ball:
    """Return (1 - alpha/8) ((1-q) seen + q missed) after flips of that rate.

    With `sure` the target itself is right whenever it was found.
    """
    case, rate = _case(at), ball(flip)
    hit = at_most(case.slack, case.others, rate, at.bits)
    miss = at_most(case.missed, case.others, rate, at.bits)
    found = hit if sure else (1 - rate) * hit + rate * miss
    lost = rate * hit + (1 - rate) * miss
    q = (1 - ball(case.mass) * _kept(at, at.alpha)) ** at.m
    return ball(1 - at.alpha / 8) * ((1 - q) * found + q * lost)


def _noise(at: At) -> Ball:
    return _noisy(at, at.alpha / 8, sure=False)


def _pseudorandom(at: At) -> Ball:
    return _noisy(at, at.alpha / 4, sure=True)


def _hash(at: At) -> Ball:
    """Return the law at t = ceil(log2(4/(alpha beta))), where point 1 may share the bucket."""
    case, wanted = _case(at), 4 / (at.alpha * at.beta)
    bits = next(t for t in range(1, 5000) if 1 << t >= wanted)
    if case.others == 0:
        return formulas.single_mechanism(at, points(bits, 1))
    apart = formulas.mechanism(at, case.mass, points(bits, 2))
    share = power_of_two(-bits)
    if case.slack < 1:
        return (1 - share) * apart

    def together(k: int) -> Ball:
        gain = (-ball(at.epsilon * (2 * k - at.m) / 2)).exp()
        return formulas.against(points(bits, 1) * gain)

    return (1 - share) * apart + share * binomial_mean(at.m, case.mass, together, at.bits)


def _everywhere(
    name: str, route: Callable[[At], Ball], *laws: str
) -> dict[tuple[str, str], Callable[[At], Ball]]:
    return {(name, law): route for law in laws}


_FEW, _ALL = ("hard", "single"), ("hard", "single", "bystanders", "uniform")

ROUTES = Routes(
    success=(
        _everywhere("erm", _proper(_erm), *_ALL)
        | _everywhere("exponential", _proper(_exponential), *_FEW)
        | _everywhere("noise", _noise, *_ALL)
        | _everywhere("noise-pseudorandom", _pseudorandom, *_ALL)
        | _everywhere("hash", _hash, *_FEW)
        | _everywhere("margin", _proper(_margin), *_ALL)
        | _everywhere("permute-and-flip", _proper(_permute_and_flip), *_FEW)
        | _everywhere("seen", _proper(_seen), *_ALL)
    ),
    limits=LIMITS,
    excess=EXCESS,
)
