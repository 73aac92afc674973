"""The numbers of INTERVAL_d that have a certified route: learners' laws; bounds in `bounds/certified`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import ball
from privsc_core.certify.formulas import points
from privsc_core.certify.routes import Routes
from privsc_core.certify.sums import two_counts_mean
from privsc_core.concepts.interval.bounds.certified import EXCESS, LIMITS, WITHOUT

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
    share = lru_cache(None)(lambda k: formulas.lump_share(at, k, size, 1 / answers))
    return two_counts_mean(at.m, at.alpha, at.alpha, lambda k, n: share(min(k, n)), at.bits)


ROUTES = Routes(
    success={
        ("erm", "hard"): _erm,
        ("exponential", "hard"): _exponential,
        ("noise", "hard"): _noise,
        ("atoms", "hard"): _atoms,
    },
    limits=LIMITS,
    excess=EXCESS,
    without=WITHOUT,
)
