"""What a class declares: which of its numbers have a certified route."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from privsc_core.certify.balls import (
    Uncertified,
    ball,
    hull,
    least_of,
    on_circle,
    polynomial,
    power_of_two,
    working,
)
from privsc_core.certify.formulas import decay, flipped, floor
from privsc_core.certify.sums import binomial_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from privsc_core.certify.balls import At, Ball


if TYPE_CHECKING:
    Route: TypeAlias = Callable[[At], Ball]


@dataclass(frozen=True, eq=False)
class Routes:
    """Independent computations in balls, by name; what is missing is not certified.

    A route takes an exact setting (`balls.At`) and may refuse by `balls.Uncertified`. It is written
    from the formula and calls no floating-point code.

    Attributes
    ----------
    success : mapping of (learner, distribution) to Route
        The probability of success.
    limits : mapping of bound to Route
        The success that the bound allows or promises at m.
    excess : mapping of bound to Route
        Of bounds whose number of samples comes from another inequality: at least 0 where m
        satisfies it, below 0 elsewhere.
    without : mapping of learner or bound to str
        Why something of it cannot have a route; said where none is found.
    """

    success: Mapping[tuple[str, str], Route] = field(default_factory=dict)
    limits: Mapping[str, Route] = field(default_factory=dict)
    excess: Mapping[str, Route] = field(default_factory=dict)
    without: Mapping[str, str] = field(default_factory=dict)

    def certifies(self, bound: str) -> bool:
        """Return whether the number of samples of a bound has a route."""
        return bound in self.limits or bound in self.excess


# --- How many of d kinds are wrong, where each errs by how often it was seen ---------------------
#
# Of m examples the b-th kind gets K_b, multinomial with a/d each; given these, kinds are wrong
# independently, with probability rho(K_b). Both routes give Pr[at most r are wrong].


_TERMS_MOST = 5_000_000


def few_wrong_halving(
    m: int,
    d: int,
    share: Fraction,
    left: Callable[[], Ball],
    most: int,
    bits: int,
    *,
    coin: int = 2,
) -> Ball:
    """Return Pr[at most `most` of d kinds are wrong] for rho(k) = s^k / 2, or s^k with `coin` 1.

    Parameters
    ----------
    m, d : int
    share : Fraction
        a, of the examples that are of one of the kinds.
    left : callable
        Returns s, in [0, 1]; called where there are bits enough.
    most, bits : int

    Notes
    -----
    That l given kinds are wrong has probability x_l = 2^-l (1 - a (1 - s) l / d)^m. By inclusion and
    exclusion Pr[W > r] is the sum over l > r of (-1)^{l-r-1} C(l-1, r) C(d, l) x_l, whose terms may
    be as large as 2^d: so many bits more.
    """
    if most >= d:
        return ball(1)
    with working(bits + d + 4 * d.bit_length() + 4 * m.bit_length() + 64):
        lost = ball(share / d) * (1 - left())
        total, wrong, chosen = ball(0), math.comb(d, most + 1), 1
        for kinds in range(most + 1, d + 1):
            term = chosen * wrong * (1 - kinds * lost) ** m / coin**kinds
            total += -term if (kinds - most - 1) % 2 else term
            wrong = wrong * (d - kinds) // (kinds + 1)
            chosen = chosen * kinds // (kinds - most)
        return 1 - total


def few_wrong(
    m: int, d: int, share: Fraction, rho: Callable[[int], Ball], most: int, bits: int
) -> Ball:
    """Return Pr[at most `most` of d kinds are wrong] for any rho in [0, 1].

    Notes
    -----
    It is the coefficient of w^m in f(w) = e^{(1-a) w} sum_j C(d, j) B(w)^j G(w)^{d-j}, over that of
    e^w, with B(w) the sum of (a w / d)^k rho(k) / k! and G = e^{a w / d} - B. At N nodes of the circle
    |w| = m the trapezoid rule takes with it the coefficients of w^{m + j N}, each at most e^w's:
    Poisson weights, which are bounded. Of a node f is at most e^{-(1-a) m (1 - cos)} of what it is on
    the axis, so that far ones are left out.
    """
    if most >= d:
        return ball(1)
    loss = math.log(2.0) * bits + 15.0 + math.log(m)
    nodes = math.ceil(loss + math.sqrt(loss * loss + 2.0 * loss * m))
    mean, rest = ball(share * m / d), ball((1 - share) * m)
    weights, first, outside = _weights(float(share * m / d), mean, rho, bits + 8 * d.bit_length())
    every = polynomial(weights)
    choose, chosen = [1], 1
    for j in range(most):
        chosen = chosen * (d - j) // (j + 1)
        choose.append(chosen)
    pick = polynomial(choose)
    # What e^w gives at w = m, from the axis: e^-m m^m / m!.
    whole = (m * ball(m).log() - m - ball(m + 1).lgamma()).exp()
    total, enough = ball(0), power_of_two(-bits) / m
    for node in range(nodes // 2 + 1):
        turn = Fraction(node, nodes)
        at = on_circle(turn)
        lost = 1 - at.real
        twice = 1 if node in {0, nodes - node} else 2
        size = (-rest * lost).exp() / (whole * nodes)
        if size < enough:
            # All further ones are smaller still.
            some = size * (nodes - 2 * node + 1)
            total += hull(-some, some)
            break
        if (node + 1) * (len(weights) + most) > _TERMS_MOST:
            raise Uncertified(f"it would take more than {_TERMS_MOST:,} terms")
        bad = every(at) * on_circle(first * turn % 1) + hull(-outside, outside)
        every_one = (mean * (at - 1)).exp()
        value = (rest * (at - 1)).exp() * _both(every_one - bad, bad, pick, d)
        total += twice * (value * on_circle(-m * turn % 1)).real / (whole * nodes)
    return total + hull(ball(0), _aliased(m, nodes)) * hull(ball(-1), ball(1))


def _both(good: Any, bad: Any, pick: Callable[[Any], Any], d: int) -> Any:
    return pick(bad / good) * good**d


def _weights(
    middle: float, mean: Ball, rho: Callable[[int], Ball], bits: int
) -> tuple[list[Ball], int, Ball]:
    """Return Poisson weights times rho from the first count that matters on; that; what is left."""
    rare = math.log(2.0) * bits + 5.0
    spread = math.sqrt(2.0 * middle * rare)
    first, last = max(0, math.floor(middle - spread)), math.ceil(middle + spread + 2.0 * rare)
    if last - first > _TERMS_MOST:
        raise Uncertified(f"it would take more than {_TERMS_MOST:,} terms")
    chance = (first * mean.log() - mean - ball(first + 1).lgamma()).exp()
    below = ball(0)
    if first:  # each count further down has at most first / mean of the one above
        ratio = ball(first) / mean
        below = chance * ratio / (1 - ratio)
    found = []
    for k in range(first, last + 1):
        found.append(chance * rho(k))
        chance = chance * mean / (k + 1)
    return found, first, below + chance / (1 - mean / (last + 2))


def _aliased(m: int, nodes: int) -> Ball:
    """Return at least the sum of Poisson weights of mean m at m + j nodes, j not 0, over that at m."""
    logs = nodes * ball(m).log() + ball(m + 1).lgamma() - ball(m + nodes + 1).lgamma()
    found = 2 * logs.exp()  # every further one is at most half
    below = m // nodes
    if below:
        logs = -nodes * ball(m).log() + ball(m + 1).lgamma() - ball(m - nodes + 1).lgamma()
        found += below * logs.exp()
    return found


# --- The distribution `spikes` of a class, whose kinds are bits


def share_of(at: At) -> Fraction:
    """Return a as the decimal that was typed."""
    return Fraction(str(at.law.a))


def allowed(at: At) -> int:
    """Return how many wrong bits have mass at most alpha."""
    return floor(at.alpha * at.d / share_of(at))


def mechanism_on_spikes(at: At) -> Ball:
    """Return the law where a bit that was seen k times is wrong with 1 / (1 + e^{eps k / 2})."""

    def rho(k: int) -> Ball:
        small = decay(at.epsilon, k)
        return small / (1 + small)

    return few_wrong(at.m, at.d, share_of(at), rho, allowed(at), at.bits)


def converse_on_spikes(at: At) -> Ball:
    """Return (1 - E[(1 - delta_K)^+ / (1 + e^{eps K})]) / (1 - r/d), at most 1.

    K ~ Bin(m, 1/(2d)), delta_k = delta (e^{k eps} - 1) / (e^eps - 1), r = floor(2 alpha d).
    """
    if 2 * at.alpha >= 1:
        return ball(1)
    share = Fraction(floor(2 * at.alpha * at.d), at.d)
    wrong = binomial_mean(at.m, Fraction(1, 2 * at.d), flipped(at), at.bits)
    return least_of((1 - wrong) / ball(1 - share), 1)
