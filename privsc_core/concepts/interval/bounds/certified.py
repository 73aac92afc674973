"""The bounds for INTERVAL_d that have a certified route, from the inequalities of the theory."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, at_least, ball, hull, least_of
from privsc_core.certify.formulas import points
from privsc_core.certify.sums import TERMS_MOST, binomial_mean, chance_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privsc_core.certify.balls import At, Ball
    from privsc_core.certify.routes import Route

__all__ = ["EXCESS", "LIMITS", "WITHOUT", "tree_scale"]


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


def tree_scale(at: At) -> tuple[Ball, int]:
    """Return C = (d+1) max(1, (e^{eps/2} - 1)/delta), and u, the least with C/(C + e^{eps u/2} - 1) <= beta/2."""
    if not 0 < 2 * at.delta < 1:
        raise Uncertified("the learner needs a delta in (0, 1/2)")
    rate = ball(at.epsilon / 2)
    lump = (at.d + 1) * at_least(rate.expm1() / ball(at.delta), 1)
    return lump, formulas.ceiling((lump * ball(2 / at.beta - 1)).log1p() / rate)


def _tree(at: At) -> Ball:
    """Return 1 - C/(C+g) - 2 (d+1) E[(e^{eps (v-X)/2} - 1)^+]/(C+g), X ~ Bin(m, alpha), at least 0."""
    lump, enough = tree_scale(at)
    most, rate = 3 * enough - 1, ball(at.epsilon / 2)
    if min(most, at.m) > TERMS_MOST:
        raise Uncertified(f"it would take more than {TERMS_MOST:,} terms")
    total = lump + (rate * enough).expm1()
    mean, mass = ball(0), ball(at.alpha)
    chance, odds = chance_of(at.m, mass, 0), mass / (1 - mass)
    for x in range(min(most, at.m + 1)):
        mean += chance * (rate * (most - x)).expm1()
        chance = chance * (at.m - x) / (x + 1) * odds
    return at_least(1 - (lump + 2 * (at.d + 1) * mean) / total, 0)


LIMITS: Mapping[str, Route] = {
    "nonprivate": lambda at: formulas.unseen(at, ball(1) / 2),
    "labels": lambda at: formulas.halfway(at, at.alpha, ball(1)),
    "packing": _packing,
    "packing-two": _packing_two,
    "packing-delta": _packing_slack,
    "finite-class": lambda at: formulas.promise_of_class(at, points(at.d)),
    "tree": _tree,
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
