"""The numbers of conjunctions that have a certified route."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import at_least, ball, least_of
from privsc_core.certify.formulas import floor, points
from privsc_core.certify.routes import (
    Routes,
    allowed,
    converse_on_spikes,
    few_wrong,
    few_wrong_halving,
    mechanism_on_spikes,
    share_of,
)
from privsc_core.certify.sums import binomial_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from privsc_core.certify.balls import At, Ball


def _literals(at: At) -> int:
    """Return how many bits the target has: their share of d, rounded."""
    return floor(Fraction(str(at.law.share)) * at.d + Fraction(1, 2))


def _erm_spikes(at: At) -> Ball:
    """Return Pr[at most r of the d - s literals that the target has not are never told]."""
    others = at.d - _literals(at)
    if others <= allowed(at):
        return ball(1)
    share = share_of(at) * Fraction(others, at.d)
    return few_wrong_halving(at.m, others, share, lambda: ball(0), allowed(at), at.bits, coin=1)


def _noisy(at: At) -> tuple[Ball, Callable[[int], Ball]]:
    """Return the chance to drop a bit that no example contradicts, and to keep one by their number."""
    threshold = at.alpha * at.m / (2 * at.d)

    def tail(x: Fraction) -> Ball:
        """Return the chance that the noise is above x >= 0."""
        return ball(-x * at.epsilon / at.d).exp() / 2

    def kept(count: int) -> Ball:
        return tail(count - threshold) if count > threshold else 1 - tail(threshold - count)

    return tail(threshold), kept


def _queries_laplace(at: At) -> Ball:
    """Return 1 - d max(1 - F(theta), E F(theta - K)), at least 0, for noise of scale at least 1."""
    if at.epsilon > at.d:
        return ball(0)
    dropped, kept = _noisy(at)
    often = binomial_mean(at.m, at.alpha / at.d, kept, at.bits)
    return at_least(least_of(1 - at.d * dropped, 1 - at.d * often), 0)


def _sq_laplace_spikes(at: At) -> Ball:
    """Return Pr[at most r wrong] of s literals that noise drops and d - s other bits that it keeps."""
    literals = _literals(at)
    others, most = at.d - literals, allowed(at)
    share = share_of(at) * Fraction(others, at.d)
    dropped, kept = _noisy(at)
    total = ball(0)
    for wrong in range(min(literals, most) + 1):
        left = most - wrong
        few = ball(1) if left >= others else few_wrong(at.m, others, share, kept, left, at.bits)
        chance = dropped**wrong * (1 - dropped) ** (literals - wrong)
        total += math.comb(literals, wrong) * chance * few
    return total


def _untold(at: At) -> Ball:
    """Return 1 - d (1 - alpha/d)^m, at least 0."""
    return 1 - least_of(at.d * ball(1 - at.alpha / at.d) ** at.m, 1)


def _of_class(at: At) -> Ball:
    return formulas.promise_of_class(at, points(at.d, 1))


ROUTES = Routes(
    success={
        ("erm", "spikes"): _erm_spikes,
        ("exponential", "spikes"): mechanism_on_spikes,
        ("sq-laplace", "spikes"): _sq_laplace_spikes,
    },
    limits={
        "finite-class": _of_class,
        "untold": _untold,
        "converse-spikes": converse_on_spikes,
        "vc": lambda at: formulas.shattered(at, at.d),
        "queries-laplace": _queries_laplace,
    },
    without={
        "sq-gauss": "its noise is the least by a search in floating point",
        "queries-gauss": "its noise is the least by a search in floating point",
    },
)
