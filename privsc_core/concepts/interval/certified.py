"""The numbers of INTERVAL_d that have a certified route: learners' laws; bounds in `bounds/certified`."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, ball, hull, power_of_two, standard_normal
from privsc_core.certify.formulas import points
from privsc_core.certify.routes import Routes
from privsc_core.certify.sums import least_count_mean, product_mean, two_counts_mean
from privsc_core.concepts.interval.bounds.certified import EXCESS, LIMITS, WITHOUT, tree_scale

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball

__all__ = ["ROUTES"]


def _step(at: At) -> int:
    """Return j of the target."""
    if at.law.goal == "middle":
        return 1 << (at.d - 1)
    return ((1 << (at.d - at.d % 2)) - 1) // 3


def _named(at: At) -> tuple[Ball, Ball]:
    """Return the probabilities that a random consistent threshold is the target, and that it is c_1.

    Theory, section 5, law 7; c_1 is consistent only where point j alone was seen.
    """
    j, m = _step(at), at.m
    one, none = ball(1 - at.alpha) ** m, ball(1 - 2 * at.alpha) ** m
    only = ball(at.alpha) ** m
    lucky = (one - none) / (points(at.d, -2) - j) + (one - none - only) / ball(j - 1)
    lucky += only / j + none / points(at.d)
    return 1 - 2 * one + none + lucky, only / j


def _erm(at: At) -> Ball:
    return _named(at)[0]


def _noise(at: At) -> Ball:
    """Return the chance that three values come through flips at rate alpha/8.

    Those of the two points at the step and, unless its mass is at most alpha, that of point 1.
    """
    right, first = _named(at)
    flip = ball(at.alpha / 8)
    forgiven = 1 - 2 * at.alpha <= at.alpha
    kept, lost = (ball(1), ball(1)) if forgiven else (1 - flip, flip)
    beside = (1 - right - first) * flip * kept
    return (1 - flip) * (right * (1 - flip) * kept + beside + first * flip * lost)


def _exponential(at: At) -> Ball:
    """Return E[1/(1 + (j-2) e^{-eps L/2} + (T+1-j) e^{-eps R/2} + e^{-eps (m-R)/2})]."""
    j = _step(at)
    left, right = ball(j - 2), points(at.d, j - 1)
    decay = lru_cache(None)(lambda k: formulas.decay(at.epsilon, k))

    def law(k: int, n: int) -> Ball:
        return formulas.against(left * decay(k) + right * decay(n) + decay(at.m - n))

    return two_counts_mean(at.m, at.alpha, at.alpha, law, at.bits)


def _atoms(at: At) -> Ball:
    """Return the mean of the lump's law at min(L, R), among T + 1 answers of which one is good."""
    answers = points(at.d, -1)
    size = formulas.lump_size(at, answers)

    def law(k: int) -> Ball:
        return formulas.lump_share(at, k, size, 1 / answers)

    return least_count_mean(at.m, at.alpha, at.alpha, law, at.bits)


def _atoms_spread(at: At) -> Ball:
    """Return the same where some thresholds beside the target are accurate, on a band and the domain.

    A point lies with probability lam among the w of the band, of which ceil(w/2) lie left of the
    step, else anywhere: o points beside the step have mass lam min(o, near)/w + (1 - lam) o/T.
    """
    if at.d > _BITS_MOST:
        raise Uncertified(f"accurate thresholds are counted up to d = {_BITS_MOST}")
    (width, share), total, j = at.law.band(at.d), 1 << at.d, _step(at)
    near, sides = ((width + 1) // 2, width // 2), (j - 1, total + 1 - j)
    good, masses = 1, []
    for close, side in zip(near, sides, strict=True):

        def mass(offset: int, most: int = close) -> Fraction:
            inside = share * Fraction(min(offset, most), width) if width else 0
            return Fraction(inside + (1 - share) * Fraction(offset, total))

        low, high = 0, side
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if mass(middle) <= at.alpha else (low, middle - 1)
        good += low
        masses.append(mass(1))
    answers = points(at.d, -1)
    if good == total + 1:
        return ball(1)
    size = formulas.lump_size(at, answers)
    left, right = masses
    return least_count_mean(
        at.m, left, right, lambda k: formulas.lump_share(at, k, size, good / answers), at.bits
    )


def _atoms_cascade(at: At) -> Ball:
    """Return the same with mass 1/(2(d-2)) on every j - 2^i and j - 1 + 2^i.

    A threshold errs on the offsets up to its own: on r of one side below 2^r.
    """
    scales = at.d - 2
    reached = formulas.floor(2 * scales * at.alpha)
    if reached >= scales:
        return ball(1)
    answers, mass = points(at.d, -1), Fraction(1, 2 * scales)
    good = (power_of_two(reached + 1) - 1) / answers
    size = formulas.lump_size(at, answers)
    return least_count_mean(
        at.m, mass, mass, lambda k: formulas.lump_share(at, k, size, good), at.bits
    )


# Up to so many bits accurate thresholds are counted.
_BITS_MOST = 4096


def _search(at: At) -> Ball:
    """Return E[Phi(K/sigma)^r Phi(L/sigma)^(d+1-r)], sigma = 2 sqrt(d+1)/mu, r the one bits of j - 1."""
    if not 0 < 2 * at.delta < 1:
        raise Uncertified("the learner needs a delta in (0, 1/2)")
    mu = _gaussian(ball(at.epsilon), ball(at.delta))
    ones = (_step(at) - 1).bit_count()
    normal = lru_cache(None)(lambda k: standard_normal(k * mu / (2 * ball(at.d + 1).sqrt())))
    return product_mean(
        at.m,
        at.alpha,
        lambda k: normal(k) ** ones,
        lambda k: normal(k) ** (at.d + 1 - ones),
        at.bits,
    )


def _gaussian(epsilon: Ball, delta: Ball) -> Ball:
    """Return the mu with delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), which grows with mu.

    Its log is halved between where the sign is proved, as long as the arithmetic tells it.
    """
    low, high = ball(_LOGS[0]), ball(_LOGS[1])
    for _ in range(_HALVINGS):
        middle = ((low + high) / 2).mid()
        mu = middle.exp()
        slack = standard_normal(mu / 2 - epsilon / mu)
        slack -= epsilon.exp() * standard_normal(-mu / 2 - epsilon / mu)
        if slack < delta:
            low = middle
        elif slack > delta:
            high = middle
        else:
            break
    return hull(low, high).exp()


# Between these is the log of mu, and so often it is halved.
_LOGS, _HALVINGS = (-700, 400), 400


def _tree(at: At) -> Ball:
    """Return E[(w_j + C/(T+1)) / (C + sum of w)], w = e^{eps s/2} - 1, over j and its ancestors t.

    With K, L examples on j - 1 and j: s(j) = min(K/2, L/2, v), s(t) = min(K/2, L/2, v - E), E = K
    for t < j and L for t > j; where the cell of a node begins at 0 there is no K/2, where it ends at
    2T no L/2.
    """
    lump, enough = tree_scale(at)
    most, rate, j = 3 * enough - 1, ball(at.epsilon / 4), _step(at)
    own = (j & -j).bit_length() - 1
    bits = f"{j:b}".zfill(at.d + 1)[::-1]
    top, gap = j.bit_length() - 1, bits.rfind("0")
    kinds = Counter(
        (bits[level] == "1", level >= top, level >= gap) for level in range(own + 1, at.d + 1)
    )

    # Scores are whole numbers of halves.
    @lru_cache(None)
    def weight(halves: int) -> Ball:
        return (rate * halves).expm1()

    lucky = lump / points(at.d, -1)
    # What there is no K/2 or no L/2 for takes as if there were this many.
    free = 2 * most
    groups = [
        (below, free if at_zero else 0, free if at_top else 0, number)
        for (below, at_zero, at_top), number in kinds.items()
    ]

    def law(k: int, n: int) -> Ball:
        mine = weight(min(free, free if own >= top else k, free if own >= gap else n))
        total = lump + mine
        for below, zero, above, number in groups:
            room = free - 2 * (k if below else n)
            if room > 0 and (score := min(room, zero or k, above or n)):
                total += number * weight(score)
        return (mine + lucky) / total

    return two_counts_mean(at.m, at.alpha, at.alpha, law, at.bits)


ROUTES = Routes(
    success={
        ("erm", "hard"): _erm,
        ("exponential", "hard"): _exponential,
        ("noise", "hard"): _noise,
        ("atoms", "hard"): _atoms,
        ("atoms", "band"): _atoms_spread,
        ("atoms", "uniform"): _atoms_spread,
        ("atoms", "cascade"): _atoms_cascade,
        ("search", "hard"): _search,
        ("tree", "hard"): _tree,
    },
    limits=LIMITS,
    excess=EXCESS,
    without=WITHOUT,
)
