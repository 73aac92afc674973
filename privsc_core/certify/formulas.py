"""The formulas that several classes share, once more in balls; none knows a class."""

from __future__ import annotations

import heapq
import math
from fractions import Fraction
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from privsc_core.certify.balls import (
    Uncertified,
    at_least,
    ball,
    hull,
    least_of,
    power_of_two,
    whole_below,
)
from privsc_core.certify.sums import TERMS_MOST, binomial_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from privsc_core.certify.balls import At, Ball


def decay(epsilon: Fraction, count: int) -> Ball:
    """Return e^{-eps count / 2}."""
    return (-ball(epsilon * count / 2)).exp()


def against(odds: Ball) -> Ball:
    """Return 1 / (1 + odds)."""
    return 1 / (1 + odds)


# --- Learners -----------------------------------------------------------------------------------


def mechanism(at: At, mass: Fraction, wrong: Ball, *, one: bool = True) -> Ball:
    """Return E[1 / (1 + wrong e^{-eps K/2} + e^{-eps m/2})], K ~ Bin(m, mass).

    The exponential mechanism, where `wrong` hypotheses miss the rare examples, and, with `one`,
    one hypothesis misses all.
    """
    last = decay(at.epsilon, at.m) if one else ball(0)
    return binomial_mean(
        at.m, mass, lambda k: against(wrong * decay(at.epsilon, k) + last), at.bits
    )


def single_mechanism(at: At, wrong: Ball) -> Ball:
    """Return 1 / (1 + wrong e^{-eps m/2}): all examples tell the target."""
    return against(wrong * decay(at.epsilon, at.m))


def vote_law(at: At, mass: Fraction | Ball, candidates: Ball) -> Ball:
    """Return E[p_K], K ~ Bin(m, mass), of the margin learner among N candidates.

    With u = min(k, (k + p0)/2), p0 = log((N+1)/2)/eps, u1 = log(N + 1/2)/eps it is
    p_k = F(u) + (1 - F(u))/N, where F(u) = (e^{eps u} - 1)/(2N) up to u1 and
    1 - (1/2 + 1/(4N)) e^{-eps (u - u1)} from there on.
    """
    n, epsilon = candidates, ball(at.epsilon)
    free, turn = ((n + 1) / 2).log(), (n + ball(1) / 2).log()

    def law(k: int) -> Ball:
        x = least_of(epsilon * k, (epsilon * k + free) / 2)
        # At the turn they agree. Far beyond it the first is not needed, and huge.
        low = ((x.exp() if x < turn + 1 else 3 * n) - 1) / (2 * n)
        high = 1 - (ball(1) / 2 + 1 / (4 * n)) * (turn - x).exp()
        named = low if x <= turn else high if x >= turn else hull(low, high)
        return named + (1 - named) / n

    return binomial_mean(at.m, mass, law, at.bits)


def lump_size(at: At, answers: Ball) -> Ball:
    """Return C = max(1, 1 / (1/N + delta / (e^{eps/2} - 1))) for N answers."""
    if at.delta == 0:
        return answers
    slack = ball(at.delta) / ball(at.epsilon / 2).expm1()
    return at_least(1 / (1 / answers + slack), 1)


def lump_law(at: At, mass: Fraction, answers: Ball, good: Ball) -> Ball:
    """Return E[(C g + e^{eps K/2} - 1) / (C + e^{eps K/2} - 1)], K ~ Bin(m, mass).

    A choice by the weights C/N + e^{eps n/2} - 1, where a share g of the N answers is good and the
    sample speaks for one of these alone.
    """
    size = lump_size(at, answers)
    return binomial_mean(at.m, mass, lambda k: lump_share(at, k, size, good), at.bits)


def lump_share(at: At, k: int, size: Ball, good: Ball) -> Ball:
    """Return (C g + e^{eps k/2} - 1) / (C + e^{eps k/2} - 1)."""
    # In units of e^{eps k/2}, which may be huge.
    small = decay(at.epsilon, k)
    own = 1 - small
    return (size * good * small + own) / (size * small + own)


# --- Limits on success --------------------------------------------------------------------------


def packing(at: At, mass: Fraction, rivals: Ball, count: int | None = None) -> Ball:
    """Return E[1 / (1 + rivals e^{-eps K})]; K ~ Bin(m, mass), or a fixed count."""
    if rivals <= 0:
        return ball(1)

    def limit(k: int) -> Ball:
        return against(rivals * (-ball(at.epsilon * k)).exp())

    return limit(count) if count is not None else binomial_mean(at.m, mass, limit, at.bits)


def halfway(at: At, mass: Fraction, rivals: Ball, count: int | None = None) -> Ball:
    """Return E[1 - max_t 1 / (e^{eps t} + e^{eps (K-t)} / rivals)], t a whole number in [0, K]."""
    if rivals <= 0:
        return ball(1)
    epsilon = ball(at.epsilon)
    lead = rivals.log() / epsilon

    def limit(k: int) -> Ball:
        return 1 - best_share(at.epsilon, k, rivals, whole_below((k - lead) / 2))

    return limit(count) if count is not None else binomial_mean(at.m, mass, limit, at.bits)


def best_share(epsilon: Fraction, k: int, rivals: Ball, near: int) -> Ball:
    """Return max_t 1 / (e^{eps t} + e^{eps (k-t)} / rivals).

    The denominator is convex in a real t with its minimum in [near, near + 2): a whole t in [0, k]
    that is best is one of the three there, or an end.
    """
    t = min(max(near, 0), k)
    grow, here = ball(epsilon).exp(), ball(epsilon * t).exp()
    there = ball(epsilon * (k - t)).exp() / rivals
    best = 1 / (here + there)
    for _ in range(min(2, k - t)):
        here, there = here * grow, there / grow
        best = at_least(1 / (here + there), best)
    return best


def packing_slack(at: At, mass: Fraction, targets: Ball) -> Ball:
    """Return E[pi_K], `walked` from 1/targets."""
    if targets <= 1:
        return ball(1)
    if at.m > TERMS_MOST:
        raise Uncertified(f"it would take more than {TERMS_MOST:,} terms")
    return binomial_mean(at.m, mass, walked(at, 1 / targets), at.bits)


def walked(at: At, start: Ball) -> Callable[[int], Ball]:
    """Return k -> pi_k: pi_0 = start, and a step is min(E p + delta, 1 - (1 - p - delta)/E, 1)."""
    grow, shrink = ball(at.epsilon).exp(), (-ball(at.epsilon)).exp()
    delta, walk = ball(at.delta), [start]

    def limit(k: int) -> Ball:
        while len(walk) <= k:
            p = walk[-1]
            step = least_of(grow * p + delta, 1 - shrink * (1 - p - delta))
            walk.append(least_of(step, 1))
        return walk[k]

    return limit


# --- Inequalities: at least 0 where m satisfies them --------------------------------------------


def rate_of(epsilon: Fraction, alpha: Fraction | Ball) -> Ball:
    """Return -log(1 - alpha (1 - e^{-eps/2}))."""
    share = ball(alpha) if isinstance(alpha, Fraction) else alpha
    return -(share * (-ball(epsilon / 2)).expm1()).log1p()


def shifted_rate(epsilon: Fraction, alpha: Fraction, good: Fraction) -> Ball:
    """Return -log(1 - alpha (1 - e^{-e/2}) + good (e^{e/2} - 1)), e = min(eps, log(alpha/good))."""
    spend = least_of(ball(epsilon), ball(alpha / good).log())
    lost = ball(alpha) * (-spend / 2).expm1() + ball(good) * (spend / 2).expm1()
    return -lost.log1p()


def promise_of_class(at: At, wrong: Ball) -> Ball:
    """Return 1 - wrong r^m, at least 0: what the finite-class bound promises."""
    return 1 - least_of(wrong * (-at.m * rate_of(at.epsilon, at.alpha)).exp(), 1)


def pure_theorem(at: At, size: Ball) -> Ball:
    """Return m - max(8, 4/eps)/alpha log(2 size/beta): Theorem 3.2 with our constants."""
    factor = max(Fraction(8), 4 / at.epsilon) / at.alpha
    return at.m - ball(factor) * (2 * size / ball(at.beta)).log()


def minimal_class(at: At, others: Ball, changed: int | None = None) -> Ball:
    """Return log(beta/(1-beta)) - log(others e^{-eps k}), k = m unless `changed` says otherwise."""
    k = at.m if changed is None else changed
    return ball(at.beta / (1 - at.beta)).log() - others.log() + ball(at.epsilon * k)


def unseen(at: At, guess: Ball | int = 0, mass: Fraction | None = None) -> Ball:
    """Return 1 - (1 - mass)^m (1 - guess): the rare example is seen, or the target is guessed."""
    missed = ball(1 - (at.alpha if mass is None else mass)) ** at.m
    return 1 - missed * (1 - guess)


def flipped(at: At) -> Callable[[int], Ball]:
    """Return k -> (1 - delta_k)^+ / (1 + e^{eps k}), delta_k = delta (e^{k eps} - 1) / (e^eps - 1)."""
    epsilon, delta = ball(at.epsilon), ball(at.delta)

    @lru_cache(maxsize=100_000)
    def kernel(k: int) -> Ball:
        kept = 1 - delta * (epsilon * k).expm1() / epsilon.expm1() if at.delta else ball(1)
        return at_least(kept, 0) / (1 + (epsilon * k).exp())

    return kernel


def shattered(at: At, v: int) -> Ball:
    """Return the least of 1 and (1 - E flipped(K)) / (1 - r/v'), K ~ Bin(m, alpha/(r+1)).

    Over r below v/2, each next one larger by a 32nd part, and by one at least; v' is the largest number
    with v' <= v and alpha v' < r + 1.
    """
    if 2 * at.alpha >= 1:
        return ball(1)
    kernel, best, r = flipped(at), ball(1), 0
    while 2 * r < v:
        some = min(v, math.ceil((r + 1) / at.alpha) - 1)
        wrong = binomial_mean(at.m, at.alpha / (r + 1), kernel, at.bits)
        best = least_of(best, (1 - wrong) / ball(1 - Fraction(r, some)))
        r += max(1, r // 32)
    return best


def points(d: int, fewer: int = 0) -> Ball:
    """Return 2^d - fewer."""
    return power_of_two(d) - fewer


def ceiling(x: Ball) -> int:
    """Return the least whole number that is at least x; refuse a ball that does not tell."""
    found = x.ceil().unique_fmpz()
    if found is None:
        raise Uncertified("a rounded number cannot be told from its neighbours")
    return int(found)


def floor(x: Fraction) -> int:
    """Return the largest whole number that is at most x."""
    return math.floor(x)


# --- The least value of a function over intervals, by halving them until its sign is proved ------


Piece = TypeVar("Piece")


class Part(NamedTuple, Generic[Piece]):
    """An interval, a value that the function has in it, and what it is at least in all of it."""

    piece: Piece
    value: Ball
    least: Ball


class _Halves(Protocol[Piece]):
    def __call__(self, piece: Piece, /) -> Iterable[Part[Piece]]: ...


def sign_of_least(
    parts: Iterable[Part[Piece]], halves: _Halves[Piece], bits: int, most: int
) -> Ball:
    """Return a ball that contains the least value, as narrow as its sign takes.

    Parameters
    ----------
    parts : iterable of Part
        All of the intervals.
    halves : callable
        Splits an interval.
    bits : int
        More bits make the ball narrower, never wider.
    most : int
        So many intervals may be split.
    """
    tick = count()
    known: list[tuple[float, int, Part[Piece]]] = []
    best: Ball | None = None

    def take(found: Iterable[Part[Piece]]) -> None:
        nonlocal best
        for part in found:
            best = part.value if best is None else least_of(part.value, best)
            heapq.heappush(known, (float(part.least.mid()), next(tick), part))

    take(parts)
    for _ in range(most):
        assert best is not None  # noqa: S101 - for mypy; there is an interval
        if best < 0 or known[0][2].least >= 0:
            return _between(_lowest(part.least for *_, part in known), best, bits)
        take(halves(heapq.heappop(known)[2].piece))
    raise Uncertified(f"{most:,} intervals do not tell its sign")


def _lowest(values: Iterable[Ball]) -> Ball:
    first, *others = values
    for value in others:
        first = least_of(value, first)
    return first


def _between(low: Ball, high: Ball, bits: int) -> Ball:
    """Return the hull with some room that shrinks with more bits: rounding may not widen it."""
    room = ball(1) / bits
    low, high = (
        (x * (1 - sign * room) if x >= 0 else x * (1 + sign * room))
        for x, sign in ((low, 1), (high, -1))
    )
    return hull(low, high)
