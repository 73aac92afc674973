"""The numbers of thresholds on [0, 1] that have a certified route."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, ball
from privsc_core.certify.routes import Routes
from privsc_core.certify.sums import binomial_mean

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball

__all__ = ["ROUTES"]


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


def _pair(at: At) -> Ball:
    if 4 * at.alpha >= 1:
        return ball(1)
    return formulas.packing(at, 2 * at.alpha, ball(1))


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


_LAWS = {
    "erm": formulas.unseen,
    "noisy-count": _noisy_count,
    "ranks": _ranks,
    "ranks-coarse": _ranks_coarse,
}

ROUTES = Routes(
    success={(name, law): route for name, route in _LAWS.items() for law in ("window", "uniform")},
    limits={"pair": _pair, "noisy-count": _noisy_count},
    excess={"theorem-5": _theorem_5, "theorem-27": _theorem_27},
)
