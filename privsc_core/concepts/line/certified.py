"""The numbers of lines that have a certified route."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, at_least, ball, decided, least_of, whole_below
from privsc_core.certify.routes import Routes
from privsc_core.certify.sums import TERMS_MOST, binomial_mean
from privsc_core.concepts.line.plane import MOST

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball
    from privsc_core.concepts.line.plane import Modulus


def _size(modulus: Modulus, at: At) -> int:
    """Return p."""
    if modulus.bits(at.d) > MOST:
        raise Uncertified(f"the prime is looked for up to 2^{MOST}")
    return modulus.prime(at.d)


def _exists(at: At) -> None:
    if 2 * at.alpha >= 1:
        raise Uncertified("the distribution needs alpha < 1/2")


# --- Learners -------------------------------------------------------------------------------------


def _anchor(at: At) -> Ball:
    """Return 1 - (1-alpha)^m - alpha^m: both points are seen."""
    _exists(at)
    share = ball(at.alpha)
    return 1 - (1 - share) ** at.m - share**at.m


def _pair(at: At) -> Ball:
    """Return 1 - 2 (1-alpha)^m + (1-2 alpha)^m: both rare points are seen."""
    _exists(at)
    share = ball(at.alpha)
    return 1 - 2 * (1 - share) ** at.m + (1 - 2 * share) ** at.m


def _two_places(m: int, mass: Fraction, p: int) -> Ball:
    """Return the chance to see two of p places that share a mass evenly."""
    none = ball(1 - mass) ** m
    return 1 - none - p * (ball(1 - mass + mass / p) ** m - none)


def _spread(at: At) -> Ball:
    """Return the chance to see two places of the target, whose mass is alpha p / (p - 1)."""
    _exists(at)
    p = _size(at.law.modulus, at)
    return _two_places(at.m, at.alpha * p / (p - 1), p)


def _mixture(at: At) -> Ball:
    """Return the law with mass kappa; one place or none will do where it is so light."""
    _exists(at)
    p, mass = _size(at.law.modulus, at), Fraction(str(at.law.k))
    if mass <= at.alpha:
        return ball(1)
    if mass * (p - 1) <= at.alpha * p:
        return 1 - ball(1 - mass) ** at.m
    return _two_places(at.m, mass, p)


def _exponential_anchor(at: At) -> Ball:
    """Return E[1 / (1 + (p-1) e^{-eps K/2} + (p-1) e^{-eps (m-K)/2} + (p-1)^2 e^{-eps m/2})].

    K ~ Bin(m, alpha) examples are at the rare point. Through either point alone go p - 1 other lines,
    (p - 1)^2 through none.
    """
    _exists(at)
    others = _size(at.law.modulus, at) - 1
    none = others * others * formulas.decay(at.epsilon, at.m)

    def law(k: int) -> Ball:
        one = formulas.decay(at.epsilon, k) + formulas.decay(at.epsilon, at.m - k)
        return formulas.against(others * one + none)

    return binomial_mean(at.m, at.alpha, law, at.bits)


# --- Bounds ---------------------------------------------------------------------------------------


def _packing(modulus: Modulus, at: At) -> Ball:
    """Return the packing converse of the p^2 - p lines that miss (0, 1), of mass alpha p / (p - 1)."""
    p = _size(modulus, at)
    mass = at.alpha * p / (p - 1)
    return ball(1) if mass > 1 else formulas.packing(at, mass, ball(p * p - p - 1))


def _of_class(modulus: Modulus, at: At) -> Ball:
    return formulas.promise_of_class(at, ball(_size(modulus, at) ** 2 - 1))


def _vote(at: At) -> Ball:
    """Return 1 - min over theta' >= theta of Pr[n + Lap(2/eps) <= theta'] + C e^{-eps theta'/2}.

    n ~ Bin(N, g), N = m // t, t = ceil(2 / alpha), g = 1/2 - e^{-alpha t}, theta = 1 - log(2 delta) / h,
    h = eps/2, C = ((1 + eta (e^h - 1))^N - 1) / (2 eta (1 - e^{-h})), eta = (1 - alpha)^t.
    """
    if 2 * at.alpha >= 1 or not 0 < 2 * at.delta < 1:
        raise Uncertified("the bound needs alpha < 1/2 and delta in (0, 1/2)")
    block = -(-2 // at.alpha)
    votes = at.m // block
    if votes < 3:
        return ball(0)
    if votes > TERMS_MOST:
        raise Uncertified(f"it would take more than {TERMS_MOST:,} terms")
    half, bad = ball(at.epsilon / 2), ball(1 - at.alpha) ** block
    wrong = (1 + bad * half.expm1()) ** votes - 1
    wrong = wrong / (2 * bad * -(-half).expm1())
    return 1 - least_of(
        _least_level(
            _chances(votes, ball(1) / 2 - (-ball(at.alpha * block)).exp()),
            half,
            wrong,
            1 - ball(2 * at.delta).log() / half,
        ),
        1,
    )


def _as_printed(at: At) -> Ball:
    """Return m - k l 2^floor(log2(4 log(3/2) / alpha) + 24) - 16/(alpha eps) log(4k/beta), rounded up.

    k = ceil(log(2/beta) / log(4/3)) runs, l = ceil(max(12/eps log(8/delta) + 13, 72 log 16)) blocks.
    """
    if 2 * at.alpha >= 1 or at.delta == 0:
        raise Uncertified("the theorem needs alpha < 1/2 and a delta above 0")
    runs = formulas.ceiling(ball(2 / at.beta).log() / ball(Fraction(4, 3)).log())
    noise = ball(12 / at.epsilon) * ball(8 / at.delta).log() + 13
    blocks = formulas.ceiling(at_least(noise, 72 * ball(16).log()))
    size = whole_below((4 * ball(Fraction(3, 2)).log() / ball(at.alpha)).log() / ball(2).log())
    size += decided(4 * ball(Fraction(3, 2)).log() - ball(at.alpha) * ball(2) ** (size + 1))
    chosen = formulas.ceiling(ball(16 / (at.alpha * at.epsilon)) * (4 * runs / ball(at.beta)).log())
    return ball(at.m - (runs * blocks << (size + 24)) - chosen)


def _chances(votes: int, share: Ball) -> list[Ball]:
    """Return Pr[Bin(votes, share) = n] for all n."""
    odds = share / (1 - share)
    found = [(1 - share) ** votes]
    for n in range(votes):
        found.append(found[-1] * (votes - n) / (n + 1) * odds)
    return found


def _least_level(chances: list[Ball], half: Ball, wrong: Ball, least: Ball) -> Ball:
    """Return the least value over levels j + x, x in [0, 1), from `least` on; 1 if beyond all counts.

    It is D - A e^{-h x} / 2 + B e^{h x} / 2 + C e^{-h j} e^{-h x} with D, A and B the sums of the chances
    of n <= j, of those times e^{-h (j - n)} and of those of n > j times e^{-h (n - j)}. Times e^{h (j + x)}
    its derivative grows: it is 0 where B e^{2 h x} = 2 C e^{-h j} - A.
    """
    fall = (-half).exp()
    below, inside, above = [], [], [ball(0)]
    weighed = total = ball(0)
    for chance in chances:
        weighed, total = chance + fall * weighed, total + chance
        below.append(weighed)
        inside.append(total)
    for chance in reversed(chances[1:]):
        above.append(fall * (chance + above[-1]))
    above.reverse()

    def rest(j: int) -> Ball:
        """Return what B e^{2 h x} has to reach; beyond the last count B is 0."""
        return 2 * wrong * (-half * j).exp() - _at(below, j, fall)

    def value(j: int, x: Ball) -> Ball:
        last = len(chances) - 1
        up = above[j] if j <= last else ball(0)
        return inside[min(j, last)] + (up * (half * x).exp() + rest(j) * (-half * x).exp()) / 2

    first = whole_below(least)
    first += 1 if least >= first + 1 else 0
    x, last = least - first, len(chances) - 1
    up = above[first] if first <= last else ball(0)
    if decided(up * (2 * half * x).exp() - rest(first)):
        return value(first, x)
    if first >= last or not decided(above[last] - rest(last)):
        return ball(1)
    low, high = first, last
    while high - low > 1:
        middle = (low + high) // 2
        if decided(above[middle] - rest(middle)):
            high = middle
        else:
            low = middle
    return value(low, (rest(low) / above[low]).log() / (2 * half))


def _at(sums: list[Ball], j: int, fall: Ball) -> Ball:
    """Return a sum at j, beyond the last count too, where it only falls."""
    last = len(sums) - 1
    return sums[j] if j <= last else sums[last] * fall ** (j - last)


def routes_of(modulus: Modulus) -> Routes:
    """Return the routes, at these p."""
    return Routes(
        success={
            ("erm", "anchor"): _anchor,
            ("erm", "pair"): _pair,
            ("erm", "spread"): _spread,
            ("erm", "mixture"): _mixture,
            ("exponential", "anchor"): _exponential_anchor,
        },
        limits={
            "nonprivate": lambda at: formulas.unseen(at, ball(1) / 2),
            "littlestone": lambda at: formulas.packing(at, at.alpha, ball(1)),
            "packing": partial(_packing, modulus),
            "vote": _vote,
            "finite-class": partial(_of_class, modulus),
        },
        excess={"theorem-6.1": _as_printed},
        without={
            "hash-line": "its hash is the best of a grid of t, α' and ε' in floating point, and no formula says which",
            "blind-guess": "it is the best of a grid of mixtures, and no formula says which",
        },
    )
