"""The numbers of parities that have a certified route."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, at_least, ball, hull, least_of, power_of_two
from privsc_core.certify.formulas import ceiling, points
from privsc_core.certify.routes import (
    Routes,
    allowed,
    converse_on_spikes,
    few_wrong_halving,
    mechanism_on_spikes,
    share_of,
)
from privsc_core.certify.sums import binomial_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from privsc_core.certify.balls import At, Ball

    Share = Callable[[At], Ball]
    Count = Callable[[At], int]

_HALF = Fraction(1, 2)


def _learnable(at: At) -> None:
    if 2 * at.alpha >= 1:
        raise Uncertified("there is nothing to learn from alpha = 1/2 on")


# --- Equations ----------------------------------------------------------------------------------


def _solved(equations: int, d: int, bits: int) -> Ball:
    """Return R = E 2^{-(d - rank)} of a matrix of coins, by the law of its rank.

    Pr[rank = r] = 2^{-(m-r)(d-r)} phi(m) phi(d) / (phi(m-r) phi(d-r) phi(r)), phi(n) the product of
    1 - 2^-i for i up to n. With r = min(m, d) - e that is at most 42 2^{-e (e + |m-d|)}, as all phi are
    above 0.288.
    """
    least, apart = min(equations, d), abs(equations - d)
    whole = _phi(equations, bits) * _phi(d, bits)
    total = ball(0)
    for e in range(least + 1):
        if e * (e + apart) > bits + 8:
            total += hull(ball(0), power_of_two(6 - e * (e + apart) - (d - least) - e))
            break
        rank = least - e
        parts = _phi(equations - rank, bits) * _phi(d - rank, bits) * _phi(rank, bits)
        total += whole / parts * power_of_two(-e * (e + apart) - (d - rank))
    return total


def _phi(n: int, bits: int) -> Ball:
    """Return the product of 1 - 2^-i for i = 1, ..., n; of large n all further ones are bounded."""
    table = _products(bits)
    most = len(table) - 1
    return table[n] if n <= most else table[most] * hull(1 - power_of_two(-most), ball(1))


@lru_cache(maxsize=16)
def _products(bits: int) -> list[Ball]:
    found = [ball(1)]
    for i in range(1, bits + 9):
        found.append(found[-1] * (1 - power_of_two(-i)))
    return found


def _erm_uniform(at: At) -> Ball:
    _learnable(at)
    return _solved(at.m, at.d, at.bits)


# --- Elimination: its part, what it declines and its blocks -----------------------------------


def _kept(at: At) -> Ball:
    """Return tanh(eps/2) = -(e^{-eps} - 1) / (1 + e^{-eps})."""
    lost = (-ball(at.epsilon)).expm1()
    return -lost / (2 + lost)


def _kept_klnrs(at: At) -> Ball:
    return least_of(ball(at.epsilon / 4), _kept(at))


def _declined(at: At) -> Ball:
    """Return (1 - p) / (3 - p)."""
    p = _kept(at)
    return (1 - p) / (3 - p)


def _blocks(at: At) -> int:
    """Return the least N >= 2 with phi^N + phi^(N+1) <= beta."""
    declined = _declined(at)
    return max(2, ceiling((ball(at.beta) / (1 + declined)).log() / declined.log()))


def _blocks_klnrs(at: At) -> int:
    """Return the least N >= 1 with 2^-N + 2^-(N+1) <= beta."""
    many = 1
    while 2 * at.beta * (1 << many) < 3:
        many += 1
    return many


def _elimination(kept: Share, declined: Share, blocks: Count) -> dict[str, Callable[[At], Ball]]:
    def uniform(at: At) -> Ball:
        """Return (1 - phi^N) E R(K, d) + phi^N 2^-d, K ~ Bin(m // N, p)."""
        _learnable(at)
        many = blocks(at)
        silent = declined(at) ** many
        solved = binomial_mean(at.m // many, kept(at), lambda k: _solved(k, at.d, at.bits), at.bits)
        return (1 - silent) * solved + silent * power_of_two(-at.d)

    def spikes(at: At) -> Ball:
        """Return the law with the chance of few wrong bits: a bit that was not kept is a coin."""
        many, most = blocks(at), allowed(at)
        silent = declined(at) ** many

        def few(m: int) -> Ball:
            share = share_of(at)
            return few_wrong_halving(m, at.d, share, lambda: 1 - kept(at), most, at.bits)

        return (1 - silent) * few(at.m // many) + silent * few(0)

    def noisy(at: At) -> Ball:
        many = blocks(at)
        return _noisy(at, at.m // many, kept(at), declined(at), many)

    return {"uniform": uniform, "spikes": spikes, "noisy": noisy}


# --- Wrong labels -------------------------------------------------------------------------------


def _noisy(at: At, size: int, kept: Ball, declined: Ball, many: int) -> Ball:
    """Return win (1 + none + ... + none^(N-1)) + none^N 2^-d of N blocks of so many examples.

    With K ~ Bin(size, p) equations win = (1 - phi) E (1-eta)^K R(K, d), and none, the chance of no
    answer, is phi + (1 - phi) E (1 - (1-eta)^K) (1 - (2^d R(K, d) - 1) / (2^K - 1)).
    """
    _learnable(at)
    right = 1 - ball(Fraction(str(at.law.eta)))

    def unsolved(k: int) -> Ball:
        if not k:
            return ball(0)
        fits = (power_of_two(at.d) * _solved(k, at.d, at.bits) - 1) / points(k, 1)
        return (1 - right**k) * (1 - fits)

    def mean(of: Callable[[int], Ball]) -> Ball:
        return binomial_mean(size, kept, of, at.bits)

    win = (1 - declined) * mean(lambda k: right**k * _solved(k, at.d, at.bits))
    none = declined + (1 - declined) * mean(unsolved)
    found, silent = ball(0), ball(1)
    for _ in range(many):  # powers of what may be 0 are no numbers
        found += silent * win
        silent *= none
    return found + silent * power_of_two(-at.d)


def _erm_noisy(at: At) -> Ball:
    return _noisy(at, at.m, ball(1), ball(0), 1)


# --- Spikes ---------------------------------------------------------------------------------------


def _erm_spikes(at: At) -> Ball:
    """Return the law where a bit is a coin unless it was seen."""
    return few_wrong_halving(at.m, at.d, share_of(at), lambda: ball(0), allowed(at), at.bits)


# --- Bounds ---------------------------------------------------------------------------------------


def _of_class(at: At) -> Ball:
    return formulas.promise_of_class(at, points(at.d, 1))


def _on_uniform(at: At) -> Ball:
    """Return the law with the error of every wrong parity, 1/2, in place of alpha."""
    if 2 * at.alpha >= 1:
        raise Uncertified("the bound needs alpha < 1/2")
    return _of_class(replace(at, alpha=_HALF))


def _converse(at: At) -> Ball:
    """Return min(1/mu + Var/mu^2, R(m, d)), mu and Var of the sum of e^{-eps |Xv|} over all v."""
    if 2 * at.alpha >= 1:
        return ball(1)
    rivals = points(at.d, 1)
    once, twice = (((1 + (-ball(rate)).exp()) / 2) for rate in (at.epsilon, 2 * at.epsilon))
    mu = 1 + rivals * once**at.m
    variance = at_least(rivals * (twice**at.m - once ** (2 * at.m)), 0)
    return least_of(1 / mu + variance / mu**2, _solved(at.m, at.d, at.bits))


_OF_BLOCKS = {
    "elimination": _elimination(_kept, _declined, _blocks),
    "elimination-klnrs": _elimination(_kept_klnrs, lambda _: ball(_HALF), _blocks_klnrs),
}

ROUTES = Routes(
    success={
        ("erm", "uniform"): _erm_uniform,
        ("erm", "spikes"): _erm_spikes,
        ("erm", "noisy"): _erm_noisy,
        ("exponential", "spikes"): mechanism_on_spikes,
        **{(name, law): route for name, laws in _OF_BLOCKS.items() for law, route in laws.items()},
    },
    limits={
        "finite-class": _of_class,
        "exponential": _on_uniform,
        "converse": _converse,
        "converse-spikes": converse_on_spikes,
        "vc": lambda at: formulas.shattered(at, at.d),
    },
)
