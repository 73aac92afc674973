"""The bounds for POINT_d that have a certified route, from the inequalities of the theory."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, TypeAlias

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, at_least, ball, hull, least_of
from privsc_core.certify.extremes import Part, sign_of_least
from privsc_core.certify.formulas import ceiling, floor, points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privsc_core.certify.balls import At, Ball
    from privsc_core.certify.routes import Route

    Bucket: TypeAlias = tuple[int, Fraction, Fraction]
    Shares: TypeAlias = tuple[Fraction, Fraction]

__all__ = ["EXCESS", "LIMITS", "WITHOUT"]


def _nonprivate(at: At) -> Ball:
    return formulas.unseen(at, ball(Fraction(1, 2))) if at.d >= 2 else ball(1)


def _proper(at: At) -> Ball:
    return formulas.unseen(at, 1 / points(at.d, 1))


def _from_sixteen(at: At) -> None:
    if at.d < 16:
        raise Uncertified("the proof of Lemma 4.1 needs d >= 16")


def _representation(at: At) -> Ball:
    """Return 1 - 16 e (1 + floor(4/alpha)) r^m."""
    _from_sixteen(at)
    rate = formulas.shifted_rate(at.epsilon, at.alpha, at.alpha / 2)
    factor = 16 * ball(1).exp() * (1 + floor(4 / at.alpha))
    return 1 - least_of(factor * (-at.m * rate).exp(), 1)


def _theorem_42(at: At) -> Ball:
    """Return log(beta) - log((|H_d| - 1) r^m), |H_d| = ceil(8 e p^2/d), p = d (1 + floor(2/alpha))."""
    _from_sixteen(at)
    sets = ceiling(8 * ball(1).exp() * at.d * (1 + floor(2 / at.alpha)) ** 2)
    rate = formulas.shifted_rate(at.epsilon, at.alpha, at.alpha / 2)
    return ball(at.beta).log() - ball(sets - 1).log() + at.m * rate


def _lemma_39(at: At) -> Ball:
    """Return log(Gamma/(1-Gamma)) - log((2^d-2) e^{-4 eps alpha m}), Gamma = beta + e^{-alpha m/3}.

    As a function of m its negative is concave where Gamma < 1: what violates the inequality is an
    interval, and at least 0 at m and below 0 at m - 1 means that m - 1 is its end.
    """
    if at.d < 2:
        return ball(1)
    gamma = ball(at.beta) + (-ball(at.alpha * at.m / 3)).exp()
    if gamma >= 1:
        return ball(1)
    odds = (gamma / (1 - gamma)).log()
    return odds - points(at.d, 2).log() + ball(4 * at.epsilon * at.alpha * at.m)


def _claim_45(at: At) -> Ball:
    """Return m minus the number of samples of Claim 4.5, as in the proof."""
    runs = next(n for n in range(5000) if Fraction(5, 4) ** n >= 5 / at.beta)
    failure = at.beta / 5 + (1 + runs) * at.beta**2 / 3 + runs * at.beta**6 / 27
    if at.epsilon >= 1 or at.alpha >= Fraction(1, 2) or failure > at.beta:
        raise Uncertified("the proof does not reach this setting")
    one = ceiling(384 * ball(4).log() / ball(at.epsilon * (at.alpha / 8) ** 2))
    last = ceiling(24 * ball(3 / at.beta**2).log() / ball(at.epsilon * at.alpha))
    return ball(at.m - runs * one - last)


def _seen(at: At) -> Ball:
    """Return 1 - max(share at a1, C r(a*)^m), a* = (alpha T - 1)/(T - 1), C r(a1)^m = 1."""
    total = points(at.d)
    size = formulas.lump_size(at, total)
    kink = at_least((ball(at.alpha) * total - 1) / (total - 1), 0)
    at_kink = least_of(size * (-at.m * formulas.rate_of(at.epsilon, kink)).exp(), 1)
    first = -(-size.log() / at.m).expm1() / -(-ball(at.epsilon / 2)).expm1()
    if first >= kink:
        return 1 - at_least(at_kink, 1)
    share = least_of((1 - first) / ((ball(at.alpha) - first) * total), 1)
    if not first < kink:
        share = hull(share, ball(1))
    return 1 - at_least(at_kink, share)


def _between(low: Fraction, high: Fraction) -> Fraction:
    """Return a number about their geometric mean; which one is no part of any proof."""
    ratio = high / low
    middle = low * Fraction(sqrt(ratio)).limit_denominator(1 << 40)
    return middle if low < middle < high else (low + high) / 2


# So many intervals are split; those of the second cost an expectation each.
_SPLITS, _MEANS = 20_000, 600


def _hash(at: At) -> Ball:
    """Return 1 - min (2^-t/alpha' + (2^t - 1) r^m) / beta over all t and alpha' in (0, alpha).

    The first term falls in alpha', and the second grows: the ends of an interval bound their sum.
    Beyond some t the second alone is too much, even at alpha' = 0; below 2^-t/beta the first is.
    """
    beta = ball(at.beta)
    bare = (-at.m * formulas.rate_of(at.epsilon, at.alpha)).exp()

    def others(bits: int, good: Fraction) -> Ball:
        rate = formulas.shifted_rate(at.epsilon, at.alpha, good)
        return ((1 << bits) - 1) * (-at.m * rate).exp()

    def part(bits: int, low: Fraction, high: Fraction) -> Part[Bucket]:
        shared, rest = ball(Fraction(1, 1 << bits)), others(bits, low)
        value = (shared / ball(low) + rest) / beta - 1
        return Part((bits, low, high), value, (shared / ball(high) + rest) / beta - 1)

    def halves(piece: Bucket) -> tuple[Part[Bucket], ...]:
        bits, low, high = piece
        middle = _between(low, high)
        return part(bits, low, middle), part(bits, middle, high)

    parts = []
    bits = floor(1 / (at.alpha * at.beta)).bit_length()
    while not ((1 << bits) - 1) * bare > beta:
        parts.append(part(bits, 1 / (at.beta * (1 << bits)), at.alpha))
        bits += 1
        if len(parts) > _SPLITS:
            raise Uncertified("there are too many numbers of bits to try")
    # Where there is none, one bit more than is useful shows by how much it fails.
    parts = parts or [part(bits, 1 / (at.beta * (1 << bits)), at.alpha)]
    return -sign_of_least(parts, halves, at.bits, _SPLITS)


def _margin(at: At) -> Ball:
    """Return 1 - max f E[1 - F(u_K)] / beta over the shares f = min(1 - 1/T, (1-a)/((alpha-a) T)).

    K ~ Bin(m, a), and a = alpha - (1-alpha)/(f T - 1) grows with f, the expectation falls: the ends
    of an interval bound their product. Shares below beta cannot fail too often. The expectation
    falls in a at a rate of at most m/(1-alpha), as one vote lowers 1 - F by a factor of at most
    e^-eps, and a in f at (1-alpha) T/(f T - 1)^2: from f = (m+2)/T on the product grows, and the
    last share speaks for them all.
    """
    total = 1 << at.d
    if total * at.alpha * at.beta <= 1:
        raise Uncertified("the bound needs T > 1/(alpha beta)")
    n, beta = points(at.d), ball(at.beta)

    def lost(mass: Ball) -> Ball:
        """Return E[1 - F]; of the law, 1 less it is (1 - F)(1 - 1/N)."""
        return (1 - formulas.vote_law(at, mass, n)) * n / (n - 1) if mass > 0 else ball(1)

    def part(low: Fraction, high: Fraction) -> Part[Shares]:
        mean = lost(ball(at.alpha) - ball((1 - at.alpha) / (low * total - 1)))
        return Part((low, high), 1 - ball(low) * mean / beta, 1 - ball(high) * mean / beta)

    def halves(piece: Shares) -> tuple[Part[Shares], ...]:
        low, high = piece
        middle = _between(low, high)
        return part(low, middle), part(middle, high)

    last = 1 - 1 / n
    # At a*, where all other targets are bad answers.
    star = (ball(at.alpha) * (n - 1) - 1) / (n - 2) if at.d > 1 else ball(0)
    end = 1 - last * lost(star) / beta
    parts: list[Part[Shares]] = [Part((at.beta, at.beta), end, end)]
    # Shares are told from one another where T is no longer than they are.
    if at.m + 2 > at.beta * total:
        high = min(Fraction(at.m + 2, total), Fraction(total - 1, total))
        if high > at.beta:
            parts.append(part(at.beta, high))
    return sign_of_least(parts, halves, at.bits, _MEANS)


LIMITS: Mapping[str, Route] = {
    "nonprivate": _nonprivate,
    "nonprivate-proper": _proper,
    "labels": lambda at: formulas.halfway(at, at.alpha, ball(1)) if at.d >= 2 else ball(1),
    "packing": lambda at: formulas.packing(at, at.alpha, points(at.d, 2)),
    "packing-two": lambda at: formulas.halfway(at, at.alpha, points(at.d, 2)),
    "packing-delta": lambda at: formulas.packing_slack(at, at.alpha, points(at.d, 1)),
    "finite-class": lambda at: formulas.promise_of_class(at, points(at.d, 1)),
    "representation": _representation,
    "seen": _seen,
}

EXCESS: Mapping[str, Route] = {
    "corollary-3.8": lambda at: formulas.minimal_class(at, points(at.d, 1)),
    "lemma-3.9": _lemma_39,
    "theorem-3.2": lambda at: formulas.pure_theorem(at, points(at.d)),
    "theorem-4.2": _theorem_42,
    "claim-4.5": _claim_45,
    "hash": _hash,
    "margin": _margin,
}

WITHOUT: Mapping[str, str] = {
    "hash": "its curve is drawn at a t and an α' that a search in floating point finds; its least m "
    "is over all of them, so leave m out",
    "margin": "its curve is drawn by a grid of the masses of the target; its least m is over all of "
    "them, so leave m out",
}
