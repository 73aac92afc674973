"""The numbers of POINT_d that have a certified route: learners' laws and bounds.

Every route is written from the formula of the theory in ball arithmetic and calls none of the
learners' code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, sqrt
from typing import TYPE_CHECKING, TypeAlias

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, at_least, ball, hull, least_of, power_of_two
from privsc_core.certify.formulas import Part, ceiling, floor, points, sign_of_least
from privsc_core.certify.routes import Routes
from privsc_core.certify.sums import at_most, binomial_mean, expected_share

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from privsc_core.certify.balls import At, Ball
    from privsc_core.certify.routes import Route


# --- The bounds for POINT_d that have a certified route, from the inequalities of the theory -----


if TYPE_CHECKING:
    Bucket: TypeAlias = tuple[int, Fraction, Fraction]
    Shares: TypeAlias = tuple[Fraction, Fraction]


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


# --- The route of the learner of points that takes unlabelled examples as well -------------------


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
    """Return the chance of the target by permute-and-flip: the mean of the integral of (1 - xp)^R (1 - xq) over [0, 1].

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


# Counting distinct bystanders is a sum of so many terms, squared.
_CROWD_MOST = 256
# An integral for each count takes milliseconds.
_INTEGRALS_MOST = 250


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


def _proper_law(law: Callable[[At, _Case], Ball]) -> Callable[[At], Ball]:
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


def _margin_law(at: At, case: _Case) -> Ball:
    return formulas.vote_law(at, case.mass, power_of_two(at.d))


def _seen_law(at: At, case: _Case) -> Ball:
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


def _kept_law(at: At, alpha: Fraction) -> Ball:
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
    q = (1 - ball(case.mass) * _kept_law(at, at.alpha)) ** at.m
    return ball(1 - at.alpha / 8) * ((1 - q) * found + q * lost)


def _noise(at: At) -> Ball:
    return _noisy(at, at.alpha / 8, sure=False)


def _pseudorandom(at: At) -> Ball:
    return _noisy(at, at.alpha / 4, sure=True)


def _representation_law(at: At) -> Ball:
    """Return the law of law 3: k random sets of s out of 2T points, two of which matter.

    Averaged over the draw: p = d (1 + floor(2/alpha)), k = ceil(8e p^2/d), s = round(4pT/k).
    """
    if 2 * at.alpha >= 1:
        raise Uncertified("the class needs alpha < 1/2")
    copies = at.d * (1 + formulas.floor(2 / at.alpha))
    sets = formulas.ceiling(8 * ball(1).exp() * copies**2 / at.d)
    members = min(max(1, ((8 * copies << at.d) + sets) // (2 * sets)), 2 << at.d)
    whole = points(at.d + 1)
    one = ball(members) / whole
    both = one * (ball(members - 1) / (whole - 1))
    if at.law.name == "single":
        missed = formulas.decay(at.epsilon, at.m)
        return expected_share(sets, one, [(1 - one, missed)], at.bits)

    def law(k: int) -> Ball:
        crowd, missed = formulas.decay(at.epsilon, at.m - k), formulas.decay(at.epsilon, k)
        others = [(both, crowd), (one - both, crowd * missed), (1 - 2 * one + both, missed)]
        return expected_share(sets, one - both, others, at.bits)

    return binomial_mean(at.m, at.alpha, law, at.bits, most=_INTEGRALS_MOST)


def _boosted(at: At) -> Ball:
    """Return law 4, boosted: N runs at alpha/8, and a choice on min(24 ln(3/beta^2)/(eps alpha), m/2).

    A run that declines counts as wrong everywhere.
    """
    if 2 * at.alpha >= 1:
        raise Uncertified("the learner needs alpha < 1/2")
    runs = next(n for n in range(5000) if Fraction(5, 4) ** n >= 5 / at.beta)
    wanted = formulas.ceiling(24 * ball(3 / at.beta**2).log() / ball(at.epsilon * at.alpha))
    fresh, case, inner = min(wanted, at.m // 2), _case(at), at.alpha / 8
    flip = ball(inner / 8)
    absent = (1 - ball(case.mass) * _kept_law(at, inner)) ** ((at.m - fresh) // runs)
    hit = (1 - absent) * (1 - flip) + absent * flip
    if case.others == 0:
        good = (1 - flip) * hit
        bad = [(1 - good, formulas.decay(at.epsilon, fresh))]
        return expected_share(runs, good, bad, at.bits)
    # Not declined, with point 1 right; then the target right or wrong; or point 1 alone wrong.
    kept = (1 - flip) * (1 - flip)
    first, second, third = kept * hit, kept * (1 - hit), (1 - flip) * flip * hit

    def law(k: int) -> Ball:
        missed, crowd = formulas.decay(at.epsilon, k), formulas.decay(at.epsilon, fresh - k)
        rest = 1 - first - second - third
        others = [(second, missed), (third, crowd), (rest, missed * crowd)]
        return expected_share(runs, first, others, at.bits)

    return binomial_mean(fresh, case.mass, law, at.bits, most=_INTEGRALS_MOST)


def _hash_law(at: At) -> Ball:
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


# Digits of the failure rate, and how near to a tie its rounding is not told.
_DIGITS, _TIE = 4, 1e-3
_RATES, _STEPS = 128, 60


def _tuned(at: At) -> Ball:
    """Return (1-phi) ((1-q) seen + q missed), q = (1 - a p)^m, at the rate phi that needs fewest samples.

    The flip rate is phi/(1+phi), and p/(1-p) = (e^eps - 1) phi. The best phi is looked for with many
    digits and rounded to four: that it is the best is no part of the proof.
    """
    if 2 * at.beta >= 1:
        raise Uncertified("from beta = 1/2 on two rates are looked for")
    case = _case(at)
    grow = ball(at.epsilon).expm1()

    def law(fail: Ball) -> tuple[Ball, Ball, Ball]:
        flip, keep = fail / (1 + fail), fail * grow / (1 + fail * grow)
        hit, miss = (at_most(x, case.others, flip, at.bits) for x in (case.slack, case.missed))
        found, lost = (1 - flip) * hit + flip * miss, flip * hit + (1 - flip) * miss
        return found, lost, (-ball(case.mass) * keep).log1p()

    def needed(fail: Ball) -> Ball | None:
        """Return the samples, at least 1; None where no number of them is enough."""
        found, lost, rate = law(fail)
        goal = (1 - ball(at.beta)) / (1 - fail)
        if lost >= goal:
            return ball(1)
        room = (found - goal) / (found - lost)
        return at_least((room.log() / rate).mid(), 1) if room > 0 and rate < 0 else None

    fail = _rounded(_flattest(at, needed))
    found, lost, rate = law(ball(fail))
    return (1 - ball(fail)) * (found - (at.m * rate).exp() * (found - lost))


def _flattest(at: At, needed: Callable[[Ball], Ball | None]) -> Ball:
    """Return the rate below beta at which fewest are needed: by a grid of its log, and golden section."""
    low = least_of(-12 * ball(10).log(), ball(at.beta).log() - 12).mid()
    step = (ball(at.beta).log() - low).mid() / _RATES
    found = [needed((low + i * step).exp().mid()) for i in range(_RATES)]
    known = [(value, i) for i, value in enumerate(found) if value is not None]
    if not known or found[0] == 1:
        return low.exp()
    value, i = min(known, key=lambda pair: float(pair[0].log()))
    if value == 1:
        raise Uncertified("one sample is enough at several rates")
    share = (ball(5).sqrt().mid() - 1) / 2
    left, right = low + max(i - 1, 0) * step, low + (i + 1) * step
    for _ in range(_STEPS):
        one, two = (right - share * (right - left)).mid(), (left + share * (right - left)).mid()
        first, second = needed(one.exp().mid()), needed(two.exp().mid())
        if second is None or (first is not None and first < second):
            right = two
        else:
            left = one
    return ((left + right) / 2).exp().mid()


def _rounded(rate: Ball) -> Fraction:
    """Return the rate, rounded to so many digits as the learner has; refuse what is near a tie."""
    # At a power of ten both of its neighbours give the same.
    tens = math.floor(float((rate.log() / ball(10).log()).mid()))
    unit = Fraction(10) ** (tens + 1 - _DIGITS)
    scaled = float((rate.mid() / ball(unit)).mid())
    whole, part = math.floor(scaled), scaled % 1
    if abs(part - 0.5) < _TIE:
        raise Uncertified("the best rate is too near to a tie of its rounding")
    return (whole + (part > 0.5)) * unit


def _generic(at: At, case: _Case) -> Ball:
    return generic(at, case.mass, flip=False)


def _flip(at: At, case: _Case) -> Ball:
    return generic(at, case.mass, flip=True)


def _everywhere(
    name: str, route: Callable[[At], Ball], *laws: str
) -> dict[tuple[str, str], Callable[[At], Ball]]:
    return {(name, law): route for law in laws}


_FEW, _ALL = ("hard", "single"), ("hard", "single", "bystanders", "uniform")

ROUTES = Routes(
    success=(
        _everywhere("erm", _proper_law(_erm), *_ALL)
        | _everywhere("exponential", _proper_law(_exponential), *_FEW)
        | _everywhere("representation", _representation_law, *_FEW)
        | _everywhere("noise", _noise, *_ALL)
        | _everywhere("noise-tuned", _tuned, *_ALL)
        | _everywhere("noise-boosted", _boosted, *_FEW)
        | _everywhere("noise-pseudorandom", _pseudorandom, *_ALL)
        | _everywhere("hash", _hash_law, *_FEW)
        | _everywhere("margin", _proper_law(_margin_law), *_ALL)
        | _everywhere("permute-and-flip", _proper_law(_permute_and_flip), *_FEW)
        | _everywhere("seen", _proper_law(_seen_law), *_ALL)
        | {
            ("generic", "hard"): _proper_law(_generic),
            ("generic-flip", "hard"): _proper_law(_flip),
        }
    ),
    limits=LIMITS,
    excess=EXCESS,
    without=WITHOUT,
)
