"""The numbers of POINT_d that have a certified route: learners' laws; bounds in `bounds/certified`.

Every route is written from the formula of the theory in ball arithmetic and calls none of the
learners' code.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, at_least, ball, least_of, power_of_two
from privsc_core.certify.formulas import points
from privsc_core.certify.routes import Routes
from privsc_core.certify.shares import expected_share
from privsc_core.certify.sums import at_most, binomial_mean
from privsc_core.concepts.point.bounds.certified import EXCESS, LIMITS, WITHOUT
from privsc_core.concepts.point.learners.certified import generic

if TYPE_CHECKING:
    from collections.abc import Callable

    from privsc_core.certify.balls import At, Ball

__all__ = ["ROUTES"]

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


def _representation(at: At) -> Ball:
    """Return the law of law 3: k random sets of s out of 2T points, of which two points matter.

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
    absent = (1 - ball(case.mass) * _kept(at, inner)) ** ((at.m - fresh) // runs)
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
    tens = floor(float((rate.log() / ball(10).log()).mid()))
    unit = Fraction(10) ** (tens + 1 - _DIGITS)
    scaled = float((rate.mid() / ball(unit)).mid())
    whole, part = floor(scaled), scaled % 1
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
        _everywhere("erm", _proper(_erm), *_ALL)
        | _everywhere("exponential", _proper(_exponential), *_FEW)
        | _everywhere("representation", _representation, *_FEW)
        | _everywhere("noise", _noise, *_ALL)
        | _everywhere("noise-tuned", _tuned, *_ALL)
        | _everywhere("noise-boosted", _boosted, *_FEW)
        | _everywhere("noise-pseudorandom", _pseudorandom, *_ALL)
        | _everywhere("hash", _hash, *_FEW)
        | _everywhere("margin", _proper(_margin), *_ALL)
        | _everywhere("permute-and-flip", _proper(_permute_and_flip), *_FEW)
        | _everywhere("seen", _proper(_seen), *_ALL)
        | {("generic", "hard"): _proper(_generic), ("generic-flip", "hard"): _proper(_flip)}
    ),
    limits=LIMITS,
    excess=EXCESS,
    without=WITHOUT,
)
