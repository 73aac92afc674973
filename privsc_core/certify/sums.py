"""Expectations over binomial counts, with a proof of what is left out."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from privsc_core.certify.balls import (
    Uncertified,
    at_least,
    ball,
    hull,
    least_of,
    power_of_two,
    products,
    quadrature,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from privsc_core.certify.balls import Ball


# So many terms take seconds.
TERMS_MOST = 200_000


def binomial_mean(
    m: int,
    mass: Ball | Fraction,
    kernel: Callable[[int], Ball],
    bits: int,
    *,
    most: int = TERMS_MOST,
) -> Ball:
    """Return E[kernel(K)], K ~ Bin(m, mass).

    Parameters
    ----------
    m : int
        How many are drawn.
    mass : Ball or Fraction
        In [0, 1].
    kernel : callable
        With values in [0, 1]: what lies outside of a window of counts adds at most its chance,
        which the ball of the result includes.
    bits : int
        The window leaves out about 2^-bits.
    most : int
        How many counts may be added up.

    Notes
    -----
    Below the mean the chances of counts k - 1, k - 2, ... fall at least by the ratio of the first
    two, likewise above: geometric series bound the tails.
    """
    p = ball(mass) if isinstance(mass, Fraction) else mass
    if p == 0:
        return kernel(0)
    if p == 1:
        return kernel(m)
    first, last = _window(m, float(p.mid()), bits)
    # By so many bits for all, so that a check with more bits does not refuse.
    if _width(m, float(p.mid())) > most:
        raise Uncertified(f"it would take more than {most:,} terms")
    total, chance, left = ball(0), ball(0), ball(0)
    for k, chance in _chances(m, p, first, last):
        if k == first:
            left = _tail(chance, first * (1 - p), (m - first + 1) * p)
        total += chance * kernel(k)
    right = _tail(chance, (m - last) * p, (last + 1) * (1 - p))
    return total + hull(ball(0), left + right)


def avoiding_mean(
    m: int, mass: Fraction, kernel: Callable[[int], Ball], beta: Fraction, bits: int
) -> Ball:
    """Return the sum of kernel(k) min(Pr[K = k], max(0, Pr[K <= k] - beta)), K ~ Bin(m, mass).

    What has the smallest counts, beta of it, is left out; `kernel` has values in [0, 1].
    """
    p = ball(mass)
    if p == 1:
        return kernel(m) * ball(1 - beta)
    first, last = _window(m, float(mass), bits)
    if _width(m, float(mass)) > TERMS_MOST:
        raise Uncertified(f"it would take more than {TERMS_MOST:,} terms")
    total, chance, left, below = ball(0), ball(0), ball(0), ball(0)
    for k, chance in _chances(m, p, first, last):
        if k == first:
            left = hull(ball(0), _tail(chance, first * (1 - p), (m - first + 1) * p))
            below = left - ball(beta)
        below += chance
        total += kernel(k) * least_of(at_least(below, 0), chance)
    right = _tail(chance, (m - last) * p, (last + 1) * (1 - p))
    return total + left + hull(ball(0), right)


def two_counts_mean(
    m: int,
    one: Fraction,
    two: Fraction,
    kernel: Callable[[int, int], Ball],
    bits: int,
) -> Ball:
    """Return E[kernel(K, L)] for the counts of two kinds of examples, of masses one and two.

    `kernel` has values in [0, 1]; as in `binomial_mean`. Beside a rare K fewer L are added up.
    """
    p, other = ball(one), two / (1 - one)
    first, last = _window(m, float(p.mid()), bits)
    if _width(m, float(p.mid())) > _PAIRS_MOST or _width(m, float(other)) > _PAIRS_MOST:
        raise Uncertified(f"it would take more than {_PAIRS_MOST:,} terms squared")
    total, outside = ball(0), ball(1)
    for k, chance in _chances(m, p, first, last):
        enough = max(bits + 10 - _zeros(chance), 1)
        # What the inner window leaves out is in its ball.
        total += chance * binomial_mean(m - k, other, partial(kernel, k), enough)
        outside -= chance
    return total + hull(ball(0), at_least(outside, 0))


def least_count_mean(
    m: int, one: Fraction, two: Fraction, kernel: Callable[[int], Ball], bits: int
) -> Ball:
    """Return E[kernel(min(K, L))] for the counts of two kinds of examples, of masses one and two.

    `kernel` has values in [0, 1].

    Notes
    -----
    Pr[min = s] = Pr[K = s] Pr[L >= s | K = s] + Pr[L = s] Pr[K > s | L = s]. Given that s of m
    examples are of the one kind those of the other are binomial in m - s, and both tails follow from
    those of s - 1 by one chance each.
    """
    if one == 0 or two == 0:
        return kernel(0)
    if one + two == 1:
        return binomial_mean(m, one, lambda k: kernel(min(k, m - k)), bits)
    starts = [_window(m, float(mass), bits) for mass in (one, two)]
    first, last = (min(ends) for ends in zip(*starts, strict=True))
    last = min(last, m // 2)
    if last - first > TERMS_MOST:
        raise Uncertified(f"it would take more than {TERMS_MOST:,} terms")
    kinds = [
        _Tails(m, ball(a), ball(b / (1 - a)), first, bits) for a, b in ((one, two), (two, one))
    ]
    total, outside = ball(0), ball(1)
    for s in range(first, last + 1):
        this, that = kinds
        chance = this.own * this.tail + that.own * (that.tail - that.here)
        total += chance * kernel(s)
        outside -= chance
        for kind in kinds:
            kind.step()
    return total + hull(ball(0), at_least(outside, 0))


class _Tails:
    """Of s examples of a kind: their chance, and given them those of n = s and n >= s of the other."""

    def __init__(self, m: int, mass: Ball, other: Ball, s: int, bits: int) -> None:
        self.m, self.s, self.other = m, s, other
        self.odds, self.others = mass / (1 - mass), other / (1 - other)
        self.own = chance_of(m, mass, s)
        self.here = chance_of(m - s, other, s) if m >= 2 * s else ball(0)
        self.tail = 1 - at_most(s - 1, m - s, other, bits + 10)

    def step(self) -> None:
        """Go on to s + 1."""
        rest, s = self.m - self.s, self.s
        self.own = self.own * rest / (s + 1) * self.odds
        if rest == 0:
            self.here = self.tail = ball(0)
        else:
            # From n >= s among `rest` to n >= s among one less, and from there to n >= s + 1.
            fewer = self.here * (rest - s) / rest / (1 - self.other)
            self.tail = self.tail - self.here * s / rest - fewer
            self.here = fewer * max(rest - 1 - s, 0) / (s + 1) * self.others
        self.s += 1


# A pair takes some microseconds.
_PAIRS_MOST, _BITS = 500, 100


def _zeros(chance: Ball) -> int:
    """Return about how many bits behind the point are 0."""
    mantissa, exponent = (int(part) for part in chance.mid().man_exp())
    return max(-(mantissa.bit_length() + exponent), 0) if mantissa else 0


def product_mean(
    m: int, mass: Fraction, one: Callable[[int], Ball], two: Callable[[int], Ball], bits: int
) -> Ball:
    """Return E[one(K) two(L)] for the counts of two kinds of examples, each of this mass.

    `one` and `two` have values in [0, 1].

    Notes
    -----
    The chance of (K, L) is that of two independent Poisson counts of mean m mass, times a function
    of K + L: one product of polynomials does for all pairs. What a window of counts leaves out is at
    most twice the chance of one count outside.
    """
    p, mean, other = ball(mass), ball(m * mass), ball(1 - 2 * mass)
    first, last = _window(m, float(p.mid()), bits)
    if _width(m, float(p.mid())) > _PRODUCT_MOST:
        raise Uncertified(f"it would take more than {_PRODUCT_MOST:,} terms squared")
    outside = ball(1)
    for _, chance in _chances(m, p, first, last):
        outside -= chance
    alone = (first * mean.log() - mean - ball(first + 1).lgamma()).exp()
    weights = []
    for k in range(first, last + 1):
        weights.append(alone)
        alone = alone * mean / (k + 1)
    sums = products(
        [weight * one(k) for k, weight in enumerate(weights, first)],
        [weight * two(k) for k, weight in enumerate(weights, first)],
    )
    total = ball(0)
    for count, found in enumerate(sums, 2 * first):
        if count <= m:
            falling = ball(m + 1).lgamma() - ball(m - count + 1).lgamma() - count * ball(m).log()
            total += found * (falling + 2 * mean).exp() * other ** (m - count)
    return total + hull(ball(0), 2 * at_least(outside, 0))


_PRODUCT_MOST = 4000


def chance_of(m: int, p: Ball, k: int) -> Ball:
    """Return Pr[Bin(m, p) = k], for p in (0, 1)."""
    if k == 0:
        return (1 - p) ** m
    if k == m:
        return p**m
    logs = ball(m + 1).lgamma() - ball(k + 1).lgamma() - ball(m - k + 1).lgamma()
    return (logs + k * p.log() + (m - k) * (-p).log1p()).exp()


def at_most(k: int, n: int, p: Ball, bits: int) -> Ball:
    """Return Pr[Bin(n, p) <= k]; n may have a million bits, where a Chernoff bound tells."""
    if k < 0:
        return ball(0)
    if k >= n:
        return ball(1)
    above = k + 1 > n * p.mid()
    share = ball(k + 1 if above else k) / n
    if (share > p if above else share < p) and not share <= 0:
        gap = share * (share / p).log()
        gap += (1 - share) * ((1 - share) / (1 - p)).log() if share < 1 else 0
        rare = (-n * gap).exp()
        if rare < power_of_two(-bits):
            tail = hull(ball(0), rare)
            return 1 - tail if above else tail
    if n.bit_length() > _SUMMED_BITS:
        raise Uncertified("a tail of so large a domain has no certificate")
    if above:
        return 1 - _summed(n, p, k + 1, bits)
    return _summed(n, 1 - p, n - k, bits)


_SUMMED_BITS = 64


def _summed(n: int, p: Ball, first: int, bits: int) -> Ball:
    """Return Pr[Bin(n, p) >= first], first about the mean or above."""
    total, chance, enough = ball(0), chance_of(n, p, first), power_of_two(-bits)
    odds = p / (1 - p)
    for k in range(first, n + 1):
        total += chance
        chance = chance * (n - k) / (k + 1) * odds
        rest = _tail(chance, (n - k - 1) * p, (k + 2) * (1 - p)) + chance
        if rest < enough:
            return total + hull(ball(0), rest)
        if k - first > TERMS_MOST:
            raise Uncertified(f"it would take more than {TERMS_MOST:,} terms")
    return total


def _window(m: int, p: float, bits: int) -> tuple[int, int]:
    """Return the counts that are added up; a guess in floats by Chernoff, as the tails are proved."""
    rare = math.log(2.0) * bits + 5.0
    middle = min(max(math.floor(m * p), 0), m)

    def beyond(k: int) -> bool:
        return k * _log(k, m * p) + (m - k) * _log(m - k, m * (1.0 - p)) > rare

    low, high = -1, middle
    while high - low > 1:
        k = (low + high) // 2
        low, high = (k, high) if beyond(k) else (low, k)
    first, low, high = max(low, 0), middle, m + 1
    while high - low > 1:
        k = (low + high) // 2
        low, high = (low, k) if beyond(k) else (k, high)
    return first, min(high, m)


def _log(count: int, mean: float) -> float:
    """Return log(count / mean), also near 1; 0 where it is multiplied by 0."""
    if count == 0:
        return 0.0
    return math.log1p((count - mean) / mean) if mean > 0.0 else math.inf


def _width(m: int, p: float) -> int:
    first, last = _window(m, p, _BITS)
    return last - first


def _chances(m: int, p: Ball, first: int, last: int) -> Iterator[tuple[int, Ball]]:
    odds = p / (1 - p)
    chance = chance_of(m, p, first)
    for k in range(first, last + 1):
        yield k, chance
        chance = chance * (m - k) / (k + 1) * odds


def _tail(chance: Ball, top: Ball, bottom: Ball) -> Ball:
    """Return chance * (r + r^2 + ...), r = top / bottom; 0 for r = 0, at most 1."""
    ratio = top / bottom
    if not ratio < 1:
        return ball(1)
    return chance * ratio / (1 - ratio)


# --- The expected share of one kind among weighed members, by an integral with a proof -----------


def expected_share(members: int, own: Ball, others: Sequence[tuple[Ball, Ball]], bits: int) -> Ball:
    """Return E[N / (N + sum N_j w_j)] for (N, N_1, ...) ~ Multinomial(members; own, p_1, ...).

    Parameters
    ----------
    members : int
    own : Ball
        The probability of the kind itself, of weight 1; N = 0 is a share of 0.
    others : sequence of (probability, weight)
        With weights in [0, 1]; the probabilities and `own` add up to 1.
    bits : int
        The integral is cut off where about 2^-bits is left.

    Notes
    -----
    1/S is the integral of e^{-tS} over t >= 0, so that the mean is that of
    members own e^{-t} (own e^{-t} + sum p_j e^{-t w_j})^{members - 1}. It is an entire function of t,
    and beyond t at most members own e^{-t}.
    """
    end = math.ceil((bits + members.bit_length()) * math.log(2.0))
    scale = members * own

    def integrand(t: Any, _analytic: bool) -> Any:  # noqa: FBT001 - as Arb calls it
        first = (-t).exp()
        total = own * first
        for probability, weight in others:
            total += probability * (-t * weight).exp()
        return scale * first * total ** (members - 1)

    found = quadrature(integrand, 0, end, bits)
    if not found.is_finite():
        raise Uncertified("an integral did not converge")
    rest = scale * (-ball(end)).exp()
    return found + hull(ball(0), rest.max(power_of_two(-bits)))
