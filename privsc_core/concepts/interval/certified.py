"""The numbers of INTERVAL_d that have a certified route: learners' laws and bounds."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import (
    Uncertified,
    at_least,
    ball,
    hull,
    least_of,
    power_of_two,
    standard_normal,
)
from privsc_core.certify.formulas import points
from privsc_core.certify.routes import Routes
from privsc_core.certify.sums import (
    TERMS_MOST,
    binomial_mean,
    chance_of,
    least_count_mean,
    product_mean,
    two_counts_mean,
)
from privsc_core.concepts.interval.towers import Domain, digit_sizes, learner

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from privsc_core.certify.balls import At, Ball
    from privsc_core.certify.routes import Route


# -------------------------------------------------------------------------------------------------
# The bounds for INTERVAL_d that have a certified route, from the inequalities of the theory.


def _lemma_52(at: At) -> Ball:
    if 2 * at.alpha >= 1:
        raise Uncertified("the class is minimal for alpha < 1/2 alone")
    return formulas.minimal_class(at, points(at.d))


def _packing(at: At) -> Ball:
    return ball(1) if 2 * at.alpha > 1 else formulas.packing(at, 2 * at.alpha, points(at.d, 3))


def _packing_two(at: At) -> Ball:
    return ball(1) if 2 * at.alpha > 1 else formulas.halfway(at, 2 * at.alpha, points(at.d, 3))


def _packing_slack(at: At) -> Ball:
    if 2 * at.alpha > 1:
        return ball(1)
    return formulas.packing_slack(at, 2 * at.alpha, points(at.d, 2))


def _tower(at: At) -> Ball:
    """Return the least over b = 2^w of E min(1, pi_K(1/s) + pi_K'(1/b)), s - 1 = floor((d-2)/w).

    Bases are left out where one of the two terms alone is more than another base allows.
    """
    if 2 * at.alpha >= 1:
        return ball(1)
    epsilon, delta, alpha, beta = map(float, (at.epsilon, at.delta, at.alpha, at.beta))
    domain = Domain.of_bits(at.d)
    said = learner(domain, epsilon=epsilon, delta=delta, alpha=alpha, beta=beta)
    if said.steps > 1:
        raise Uncertified("more than one step says more here, and is bounded alone")
    found = []
    for bits in digit_sizes(domain, epsilon, delta):
        digits = (at.d - 2) // bits
        if digits > 0:
            terms = [formulas.walked(at, p) for p in (1 / ball(digits + 1), power_of_two(-bits))]
            alone = [binomial_mean(at.m, at.alpha, term, at.bits) for term in terms]
            found.append((at_least(*alone), terms))
    found.sort(key=lambda one: float(one[0].mid()))
    least = ball(1)
    for surely, (base, digit) in found:
        if not surely >= least:
            law = partial(_either, base, digit)
            least = least_of(two_counts_mean(at.m, at.alpha, at.alpha, law, at.bits), least)
    return least


def _either(base: Callable[[int], Ball], digit: Callable[[int], Ball], k: int, n: int) -> Ball:
    return least_of(base(k) + digit(n), 1)


def _quarter(at: At) -> Ball:
    """Return E min(1, q e^{eps K}) - (1 - beta), K ~ Bin(m, 4 alpha), q = 1 - 4^{-1/M}.

    M = ceil(2^{(1 - H2(7/16)) d}) - 1: so many messages are too few.
    """
    if 4 * at.alpha > 1:
        raise Uncertified("the corollary is used for alpha <= 1/4 alone")
    share = ball(7) / 16
    nats = ball(2).log() + share * share.log() + (1 - share) * (1 - share).log()
    most = (nats * at.d).exp()
    whole = most.ceil().unique_fmpz()
    fewer = ball(int(whole) - 1) if whole is not None else hull(most - 1, most)
    guess = ball(1) if fewer == 0 else -(-ball(4).log() / fewer).expm1()
    rate = ball(at.epsilon)

    def allowed(k: int) -> Ball:
        return ball(1) if rate * k > -guess.log() else least_of(guess * (rate * k).exp(), 1)

    return binomial_mean(at.m, 4 * at.alpha, allowed, at.bits) - ball(1 - at.beta)


# Up to so many levels all paths are tried.
_ALL = 64
# Chernoff bounds leave out e^-c of the counts.
_LEFT_OUT = (3, 10, 40, 120, 400)


def _littlestone(at: At) -> Ball:
    """Return min over l <= d and j > alpha l of E min(1, M / (1 + (2^l-1) e^{-eps K})) - (1 - beta).

    K ~ Bin(m, alpha l/j), M = sum_{i<j} C(l, i). Most pairs are left out, as a Chernoff bound shows
    that they allow more than another does.
    """
    if at.d > _ALL:
        raise Uncertified(
            f"beyond d = {_ALL} not all paths are tried, but those that a search finds"
        )
    rate = ball(at.epsilon)

    def allowed(length: int, good: int, k: int) -> Ball:
        total = 1 + ((1 << length) - 1) * (-rate * k).exp()
        return least_of(good / total, 1)

    pairs = []
    for length in range(1, at.d + 1):
        good = 0
        for j in range(1, length + 1):
            good += math.comb(length, j - 1)
            if j <= at.alpha * length:
                continue
            mass = at.alpha * length / j
            surely, mean = ball(0), ball(mass * at.m)
            for left in _LEFT_OUT:
                low = (mean - (2 * left * mean).sqrt()).floor().unique_fmpz()
                if low is not None and low > 0:
                    part = (1 - (-ball(left)).exp()) * allowed(length, good, int(low))
                    surely = at_least(part, surely)
            surely = at_least(surely, allowed(length, good, 0))
            pairs.append((surely, mass, length, good))
    pairs.sort(key=lambda pair: float(pair[0].mid()))
    least = ball(1)
    for surely, mass, length, good in pairs:
        if surely >= least:
            continue
        table = lru_cache(None)(lambda k, of=length, m=good: allowed(of, m, k))
        least = least_of(binomial_mean(at.m, mass, table, at.bits), least)
    return least - ball(1 - at.beta)


def tree_scale(at: At, depth: int = 1) -> tuple[Ball, int, int, int]:
    """Return C = k max(1, (e^{eps/2} - 1)/delta), k, u and v of a tree of some depth.

    u is the least with C/(C + e^{eps u/2} - 1) <= beta/2, k = d + 1 at depth 1; each further depth has the
    levels of the one before as positions.
    """
    if not 0 < 2 * at.delta < 1:
        raise Uncertified("the learner needs a delta in (0, 1/2)")
    most, levels = at.d + 1, at.d + 1
    for stage in range(1, depth):
        levels = 1 + (levels - 1).bit_length()
        most = 2**stage * (levels - 1) + 3 ** (stage - 1)
    rate = ball(at.epsilon / 2)
    lump = most * at_least(rate.expm1() / ball(at.delta), 1)
    enough = formulas.ceiling((lump * ball(2 / at.beta - 1)).log1p() / rate)
    return lump, most, enough, (2**depth + 1) * enough - 2 ** (depth - 1)


def _tree(at: At, depth: int = 1) -> Ball:
    """Return 1 - C/(C+g) - 2 k E[(e^{eps (v-X)/2} - 1)^+]/(C+g), X ~ Bin(m, alpha), at least 0."""
    lump, candidates, enough, most = tree_scale(at, depth)
    rate = ball(at.epsilon / 2)
    if min(most, at.m) > TERMS_MOST:
        raise Uncertified(f"it would take more than {TERMS_MOST:,} terms")
    total = lump + (rate * enough).expm1()
    mean, mass = ball(0), ball(at.alpha)
    chance, odds = chance_of(at.m, mass, 0), mass / (1 - mass)
    for x in range(min(most, at.m + 1)):
        mean += chance * (rate * (most - x)).expm1()
        chance = chance * (at.m - x) / (x + 1) * odds
    return at_least(1 - (lump + 2 * candidates * mean) / total, 0)


LIMITS: Mapping[str, Route] = {
    "nonprivate": lambda at: formulas.unseen(at, ball(1) / 2),
    "labels": lambda at: formulas.halfway(at, at.alpha, ball(1)),
    "packing": _packing,
    "packing-two": _packing_two,
    "packing-delta": _packing_slack,
    "tower": _tower,
    "finite-class": lambda at: formulas.promise_of_class(at, points(at.d)),
    "tree": _tree,
    "tree-2": lambda at: _tree(at, 2),
    "tree-3": lambda at: _tree(at, 3),
}

EXCESS: Mapping[str, Route] = {
    "lemma-5.2": _lemma_52,
    "theorem-3.2": lambda at: formulas.pure_theorem(at, points(at.d, -1)),
    "corollary-4.3": _quarter,
    "littlestone": _littlestone,
}

WITHOUT: Mapping[str, str] = {
    "littlestone": "its curve is drawn by paths that a search in floating point finds; its least m "
    "is over all of them, so leave m out",
    "littlestone-entropy": "it is the best of a grid of s and δ' that a search in floating point "
    "refines: any of them is a bound, and none is the best to twelve digits",
}


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
    """Return the mean of the lump's law at min(L, R), with one good among T + 1 answers."""
    answers = points(at.d, -1)
    size = formulas.lump_size(at, answers)

    def law(k: int) -> Ball:
        return formulas.lump_share(at, k, size, 1 / answers)

    return least_count_mean(at.m, at.alpha, at.alpha, law, at.bits)


def _atoms_spread(at: At) -> Ball:
    """Return the law of `atoms` where thresholds beside the target are accurate: a band, the domain.

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
    """Return the law of `atoms` with mass 1/(2(d-2)) on every j - 2^i and j - 1 + 2^i.

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


def _tree_law(at: At) -> Ball:
    """Return E[(w_j + C/(T+1)) / (C + sum of w)], w = e^{eps s/2} - 1, over j and its ancestors t.

    With K, L examples on j - 1 and j: s(j) = min(K/2, L/2, v), s(t) = min(K/2, L/2, v - E), E = K
    for t < j and L for t > j; where the cell of a node begins at 0 there is no K/2, where it ends at
    2T no L/2.
    """
    lump, _, _, most = tree_scale(at)
    rate, j = ball(at.epsilon / 4), _step(at)
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


# From so many bits on what a random threshold adds is less than a certificate shows.
_NO_LUCK = 48


def _tree_2_law(at: At) -> Ball:
    """Return E[w_j / (C + sum of w)] at depth 2, where j alternates.

    With K, L examples on j - 1 and j and M = min(K, L), j is a candidate where M > theta, with score
    min(M - theta, M/2, v). The cell (0, 2^(i+1)) of the second tree leads to the level l = 2^(i-1): with h
    the highest one bit of j to both ends of a cell of margin M/2 if l <= h, else to the right end of
    one of margin L/2. The margin above is M - theta, from 2^i > h on L - theta, and from 2^i > d on none.
    """
    if at.law.goal == "middle" or at.d < _NO_LUCK:
        raise Uncertified(f"the sum is written out for the alternating target and d >= {_NO_LUCK}")
    lump, _, enough, most = tree_scale(at, 2)
    rate, centre, top = ball(at.epsilon / 4), 3 * enough - 1, at.d - 2 - at.d % 2
    kinds = Counter(
        ((2**i > top) + (2**i > at.d), 2 ** (i - 1) > top) for i in range(1, at.d.bit_length() + 1)
    )

    # Scores are whole numbers of halves.
    @lru_cache(None)
    def weight(halves: int) -> Ball:
        return (rate * halves).expm1()

    lucky = 1 / points(at.d, -1)

    def law(k: int, n: int) -> Ball:
        least = min(k, n)
        if least <= centre:
            return hull(ball(0), lucky)
        total = lump + (mine := weight(min(2 * (least - centre), least, 2 * most)))
        above = (2 * (least - centre), 2 * (n - centre), 2 * most)
        for (far, beyond), number in kinds.items():
            cell = min(above[far], n if beyond else least)
            for errs in (n,) if beyond else (k, n):
                if (score := min(cell, 2 * (most - errs))) > 0:
                    total += number * weight(score)
        return (mine + lump * lucky) / total

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
        ("tree", "hard"): _tree_law,
        ("tree-2", "hard"): _tree_2_law,
    },
    limits=LIMITS,
    excess=EXCESS,
    without=WITHOUT,
)
