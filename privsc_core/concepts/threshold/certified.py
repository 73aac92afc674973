"""The numbers of thresholds on [0, 1] that have a certified route."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import (
    Uncertified,
    Undecided,
    at_least,
    ball,
    decided,
    hull,
    least_of,
)
from privsc_core.certify.formulas import ceiling, points
from privsc_core.certify.routes import Routes
from privsc_core.certify.sums import binomial_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from privsc_core.certify.balls import At, Ball
    from privsc_core.concepts.threshold.distributions import Reference

# Above so many a whole number is told from what is rounded up to it by an enclosure of both.
_MANY = 60


def _noisy_count(at: At) -> Ball:
    """Return 1 - (1 - alpha (1 - e^{-eps}))^m."""
    return 1 - (1 + ball(at.alpha) * (-ball(at.epsilon)).expm1()) ** at.m


def _ranks(at: At) -> Ball:
    """Return E[(1 + q - r^{m-J} - q r^J) / (1 + q - q^{J+1} - q^{m-J+1})], J ~ Bin(m, 1/2).

    q = e^{-eps/2} and r = 1 - 2 alpha (1 - q).
    """
    q = (-ball(at.epsilon / 2)).exp()
    r = 1 - 2 * ball(at.alpha) * (1 - q)

    def law(left: int) -> Ball:
        right = at.m - left
        return (1 + q - r**right - q * r**left) / (1 + q - q ** (left + 1) - q ** (right + 1))

    return binomial_mean(at.m, Fraction(1, 2), law, at.bits)


def _ranks_coarse(at: At) -> Ball:
    """Return E[sum w_k s_k / sum w_k] over k = 0, g, 2 g, ... <= m, J ~ Bin(m, 1/2).

    w_k = q^{|k - J|}, and s_k is the chance that of the points on the side of k, each in reach with
    probability 2 alpha, more than k - J are, for k < J at least J - k.
    """
    g = (at.alpha * at.m / 4).__floor__() + 1
    if at.m > _MOST:
        raise Uncertified(f"the sum over samples and cuts is certified up to m = {_MOST}")
    q, p = (-ball(at.epsilon / 2)).exp(), 2 * ball(at.alpha)
    weight = [ball(1)]
    for _ in range(at.m):
        weight.append(weight[-1] * q)

    def law(left: int) -> Ball:
        right = at.m - left
        ahead, behind = _exceeded(right, p), _exceeded(left, p)
        good, total = ball(0), ball(0)
        for k in range(0, at.m + 1, g):
            w = weight[abs(k - left)]
            total += w
            good += w * (ahead[k - left] if k >= left else behind[left - k - 1])
        return good / total

    return binomial_mean(at.m, Fraction(1, 2), law, at.bits)


_MOST = 1000


def _exceeded(n: int, p: Ball) -> list[Ball]:
    """Return Pr[Bin(n, p) > c] for c = 0, ..., n."""
    chance, found = p**n, [ball(0)]
    odds = (1 - p) / p
    for k in range(n, 0, -1):
        found.append(found[-1] + chance)
        chance = chance * k / (n - k + 1) * odds
    return found[::-1]


# --- Packings -------------------------------------------------------------------------------------


def _pair(at: At) -> Ball:
    if 4 * at.alpha >= 1:
        return ball(1)
    return formulas.packing(at, 2 * at.alpha, ball(1))


def _rounded_up(x: Ball, d: int) -> Ball:
    """Return ceil(x), x of about d bits."""
    return ball(ceiling(x)) if d <= _MANY else hull(x, x + 1)


def _width(at: At) -> tuple[Ball, Ball] | None:
    """Return n - 1 and p = 2 alpha + (1 - 2 alpha) v of the interval that excludes most.

    v is 2^{-i/4}, at most what the window leaves; n = ceil(v kappa / (2 alpha)). Judged by where
    (n - 1) E e^{-eps K} is (1 - beta) / beta or 1: (log(n - 1) + spare) / rate, whose derivative says
    that the best v is at least 2 alpha / (b + spare).
    """
    mass = 2 * at.alpha
    room = 1 - ball(mass) / (points(at.d, 1) + ball(mass))
    spare = at_least(ball((1 - at.beta) / at.beta).log(), 0)
    step, v, most = ball(2).root(4), ball(1), ball(0)
    best = None
    while True:
        v = v / step
        targets = v * points(at.d) / ball(mass)
        if targets <= 1 or v < ball(mass / 4) / (at.d + 1 + spare):
            return best
        if not decided(room - v):
            continue
        rivals, share = _rounded_up(targets, at.d) - 1, ball(mass) + ball(1 - mass) * v
        score = (rivals.log() + spare) / -(share * (-ball(at.epsilon)).expm1()).log1p()
        if score > most:
            best, most = (rivals, share), score
        elif not score <= most:
            raise Undecided("two intervals are too near to each other for the arithmetic to tell")


def _packed(limit: Callable[..., Ball]) -> Callable[[At], Ball]:
    def route(at: At) -> Ball:
        width = None if 2 * at.alpha >= 1 else _width(at)
        return ball(1) if width is None else limit(at, width[1], width[0])

    return route


def _theorem_5(at: At) -> Ball:
    """Return eps m - log(kappa/3 - 5/3), kappa = 2^b."""
    if 5 * at.alpha > 1 or 2 * at.beta >= 1 or at.d <= 3:
        raise Uncertified("the theorem does not reach this setting")
    return ball(at.epsilon * at.m) - (formulas.points(at.d, 5) / 3).log()


def _theorem_27(at: At) -> Ball:
    """Return alpha - ((sqrt(e) + sqrt(e + 4 A)) / 2)^2."""
    rare, cuts = -ball(at.beta).log(), -((-4 / at.alpha).__floor__())
    e = (8 * (1 + ball(2 * at.m).log()) + 4 * (ball(16).log() + rare)) / at.m
    share = ball(at.alpha / 4) + 2 * (ball(2 * cuts).log() + rare) / ball(at.epsilon * at.m)
    return ball(at.alpha) - (e.sqrt() + (e + 4 * share).sqrt()) ** 2 / 4


# --- Guarantees -----------------------------------------------------------------------------------


def _density(reference: Reference) -> Callable[[At], Ball]:
    def route(at: At) -> Ball:
        """Return 1 - the least failure over alpha', at least 0.

        With t = 1 - e^{-eps/2}, c = 1 - alpha t and y = alpha' t / c it is, for kappa > 1,
        kappa t c^{P-2} f(y) / (m + 1), P = m + 1, and else 2 c^{P-2} f(y) / ((m+1) (m+2)), P = m + 2;
        f(y) = ((1 + y)^P - 1) / y^2.
        """
        t = -(-ball(at.epsilon / 2)).expm1()
        c, free = 1 - ball(at.alpha) * t, at.d - reference.bits(at.d)
        power = at.m + (1 if free else 2)
        scale = points(free) * t if free else 2 / ball(at.m + 2)
        least = _least_quotient(power, ball(at.alpha) * t / c, at.bits)
        return 1 - least_of(scale * c ** (power - 2) * least / (at.m + 1), 1)

    return route


def _least_quotient(power: int, last: Ball, bits: int) -> Ball:
    """Return the least ((1 + y)^P - 1) / y^2 over y in (0, last].

    It is P / y plus powers of y with coefficients that are not negative: convex. So between two y
    where it falls and rises it lies above its tangent at the first.
    """

    def value(y: Ball) -> Ball:
        return ((1 + y) ** power - 1) / y**2

    def slope(y: Ball) -> Ball:
        return (power * y * (1 + y) ** (power - 1) - 2 * ((1 + y) ** power - 1)) / y**3

    rise = slope(last)
    if rise <= 0:
        return value(last)
    if not rise > 0:  # by the tangent at the end
        return hull(value(last), value(last) - abs(rise) * last)
    low, high = last.mid() / power, last.upper()
    while not slope(low) < 0:
        low = low / 2
    for _ in range(bits // 2 + 2 * power.bit_length() + 16):
        middle = (low + high).mid() / 2
        rise = slope(middle)
        if rise < 0:
            low = middle
        elif rise > 0:
            high = middle
        else:
            break
    return hull(value(low), value(low) + slope(low) * (high - low))


def _theorem(*terms: tuple[Callable[[At], Fraction], int, bool]) -> Callable[[At], Ball]:
    """Return the excess of m over the largest of terms: factor log(k |G| / beta) or log(k / beta).

    |G| = ceil(2 kappa / alpha).
    """

    def route(at: At) -> Ball:
        net = _rounded_up(2 * points(at.d) / ball(at.alpha), at.d).log()
        most = ball(0)
        for factor, k, of_net in terms:
            logs = ball(k / at.beta).log() + (net if of_net else 0)
            most = at_least(most, ball(factor(at)) * logs)
        return at.m - most

    return route


def _theorem_8(hoeffding: int) -> Callable[[At], Ball]:
    return _theorem(
        (lambda at: hoeffding / at.alpha**2, 4, True),
        (lambda at: 8 / (at.epsilon * at.alpha), 2, True),
    )


def _theorem_9(chernoff: int) -> Callable[[At], Ball]:
    return _theorem(
        (lambda at: chernoff / at.alpha, 4, True),
        (lambda at: Fraction(309, 100) / at.alpha, 4, False),
        (lambda at: Fraction(40, 3) / (at.epsilon * at.alpha), 2, True),
    )


_LAWS = {
    "erm": formulas.unseen,
    "noisy-count": _noisy_count,
    "ranks": _ranks,
    "ranks-coarse": _ranks_coarse,
}


def routes_of(reference: Reference) -> Routes:
    """Return the routes, for learners that know a reference."""
    return Routes(
        success={(name, on): law for name, law in _LAWS.items() for on in ("window", "uniform")},
        limits={
            "pair": _pair,
            "packing": _packed(formulas.packing),
            "packing-two": _packed(formulas.halfway),
            "noisy-count": _noisy_count,
            "density": _density(reference),
        },
        excess={
            "theorem-5": _theorem_5,
            "theorem-8": _theorem_8(32),
            "theorem-8-ours": _theorem_8(8),
            "theorem-9": _theorem_9(400),
            "theorem-9-ours": _theorem_9(200),
            "theorem-27": _theorem_27,
        },
        without={
            "littlestone-entropy": "it is the best of a grid of s and delta', and no formula says which"
        },
    )
