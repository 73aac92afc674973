"""Expectations over binomial counts, with a proof of what is left out."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.certify.balls import Uncertified, at_least, ball, hull, power_of_two, products

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from privsc_core.certify.balls import Ball

__all__ = ["at_most", "binomial_mean", "chance_of", "product_mean", "two_counts_mean"]

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


def two_counts_mean(
    m: int,
    one: Fraction,
    two: Fraction,
    kernel: Callable[[int, int], Ball],
    bits: int,
) -> Ball:
    """Return E[kernel(K, L)] for the counts of two kinds of examples, of masses one and two.

    `kernel` has values in [0, 1]; as in `binomial_mean`.
    """
    other = two / (1 - one)

    def inner(k: int) -> Ball:
        return binomial_mean(m - k, other, lambda n: kernel(k, n), bits, most=_INNER_MOST)

    return binomial_mean(m, one, inner, bits, most=_INNER_MOST)


_INNER_MOST, _BITS = 250, 100


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
    """Return the counts that are added up; a guess in floats, as the tails are proved."""
    rare = math.log(2.0) * bits + 5.0
    spread = math.sqrt(2.0 * m * p * (1.0 - p) * rare) + rare
    return max(0, math.floor(m * p - spread)), min(m, math.ceil(m * p + spread))


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
