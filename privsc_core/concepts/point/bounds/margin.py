"""The margin learner's guarantee, for every distribution and target."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import BoundValue, Source
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.votes import wrong
from privsc_core.numerics.binomial import binomial_expectation, of_count
from privsc_core.numerics.decimals import ceiling, decimal
from privsc_core.numerics.logspace import each, log_domain_scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["MarginBound"]

# Parts of the shares of targets that may be heavy wrong answers: at first, and of a part; the least
# part, on the log scale; and what of a failure a curve may miss.
_PARTS, _SPLIT, _DEEPEST, _MISSED = 24, 8, 1e-9, 1e-4
# Shares below this part of beta are counted as if they always failed: a curve shows no less.
_LEAST = 2e-9
# Log odds that are hardly too little.
_JUST = 1e-9


class MarginBound(SearchBound):
    """max over a of min(1 - 1/T, (1-a) / ((alpha-a) T)) E[1 - F(u_K)] <= beta."""

    name = "margin"
    title = "Margin learner"
    legend = "Guaranteed: margin learner"
    source = Source("ours", "every distribution, by the mass of the target")
    kind = "upper"
    constants = "sharp"
    statement = (
        r"\max_{0\le a\le\alpha}\;\min\Bigl(1-\frac1T,\ \frac{1-a}{(\alpha-a)\,T}\Bigr)\;"
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,a)}\bigl[1-F(u_K)\bigr] \le \beta,\qquad T > "
        r"\frac{1}{\alpha\beta}"
    )
    derivation = (
        "Let $i$ be the target and $a = D(i)$. Only $i$ gets votes, $K \\sim \\mathrm{Bin}(m, a)$ of "
        "them, so after tax $u_K = \\min(K, (K+p_0)/2)$ are left. With probability $1-F(u_K)$ the "
        "answer is a uniformly random point, and it is bad when it lies in "
        "$B = \\{j \\ne i : D(i)+D(j) > \\alpha\\}$:\n\n"
        "$$\\Pr[\\text{error} > \\alpha] = \\frac{|B|}{T}\\,\\mathbb{E}[1-F(u_K)].$$\n\n"
        "Never are there more than $T-1$ such points, and for $a < \\alpha$ fewer than "
        "$(1-a)/(\\alpha-a)$, as each has mass above $\\alpha-a$. More mass on the target only "
        "helps, so $a \\le \\alpha$ is enough. $\\square$\n\n"
        "The maximum is scanned, with the point $a^* = (\\alpha(T-1)-1)/(T-2)$ where the first term "
        "starts to bind; the number reported is checked on intervals of $a$ that leave none out. "
        "Where $T \\le 1/(\\alpha\\beta)$ it promises nothing: with no vote at all the random point "
        "may be a heavy wrong one."
    )
    applies_to = "the margin learner"
    validity = "for T > 1/(αβ)"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "margin"

    def guess(self, at: Cell) -> float:
        """Return where the closed form on the hard distribution suffices."""
        rate = -math.log1p(at.alpha * math.expm1(-0.5 * at.epsilon))
        wanted = 0.5 * (log_domain_scalar(at.d) - math.log(2.0)) - math.log(at.beta)
        return max(wanted, 1.0) / rate

    def silent(self, at: Cell) -> str:
        """Return why there is no guarantee where T <= 1 / (alpha beta)."""
        return _refused(at) if _small(at.d, at.alpha, at.beta) else ""

    def over(self, at: Cell, m: int) -> float | None:
        """Return the log odds, less than 0 where a mass between those scanned fails too often."""
        found = super().over(at, m)
        near = found is not None and 0.0 <= found <= 2.0 * _MISSED
        return -_JUST if near and not _covers(at, m) else found

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Search, and see that every a is good there."""
        return [_checked(at, found) for at, found in zip(cells, super().leasts(cells), strict=True)]

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return what is promised; nothing where T <= 1 / (alpha beta)."""
        return 1.0 - self.failure(setting)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest failure, over the masses of the target."""
        shape = setting.shape
        d, m = (np.broadcast_to(x, shape).ravel() for x in (setting.d, setting.m))
        epsilon = np.broadcast_to(setting.epsilon, shape).ravel()
        found = np.ones(d.shape)
        alpha, beta = setting.alpha, setting.beta
        small = each(lambda bits: _small(bits, alpha, beta), d) > 0.0
        log_t = each(log_domain_scalar, d)
        # Shares of at least (m + 3)/T cost the more the larger they are, see `_scanned`.
        floor = math.log(beta) + math.log(_LEAST)
        rising = np.log(m + 3.0) - log_t < floor
        for here, scan in ((~small & rising, False), (~small & ~rising, True)):
            if here.any():
                at = (m[here], log_t[here], epsilon[here], setting)
                found[here] = _at_star(*at)
                if scan:
                    found[here] = np.maximum(found[here], _scanned(*at, floor))
        found = np.where(small, 1.0, np.maximum(found, beta * _LEAST))
        return np.minimum(found, 1.0).reshape(shape)


def _small(d: int, alpha: float, beta: float) -> bool:
    """Tell whether T <= 1 / (alpha beta), for the decimals that were typed."""
    return (1 << d) * decimal(alpha) * decimal(beta) <= 1


def _refused(at: Cell) -> str:
    # Points of mass just above alpha, beside a target of mass 0: so many are always possible.
    heavy = ceiling(1 / decimal(at.alpha)) - 1
    fails = heavy > (1 << at.d) * decimal(at.beta)
    what = "no PAC learner here" if fails else "no guarantee here"
    return f"{what}: T ≤ 1/(αβ), and its random point may be a heavy wrong one"


def _mass(
    log_share: NDArray[np.float64], log_t: NDArray[np.float64], alpha: float
) -> NDArray[np.float64]:
    """Return the a with (1 - a) / ((alpha - a) T) = share: alpha - (1 - alpha) / (share T - 1)."""
    most = log_share + log_t
    return np.asarray(alpha + (1.0 - alpha) * np.exp(-most) / np.expm1(-most))


def _lost(
    m: NDArray[np.int64],
    mass: NDArray[np.float64],
    log_t: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    log_tail: float,
) -> NDArray[np.float64]:
    """Return E[1 - F(u_K)]; without a vote nobody is named."""
    safe = np.clip(mass, 1e-300, 1.0 - 1e-16)
    found = binomial_expectation(
        m, safe, (log_t, epsilon), of_count(wrong), rate=1.0, log_tail=log_tail
    )
    return np.where(mass > 0.0, found, 1.0)


def _at_star(
    m: NDArray[np.int64], log_t: NDArray[np.float64], epsilon: NDArray[np.float64], setting: Setting
) -> NDArray[np.float64]:
    """Return the failure at a*, where all other targets are bad answers."""
    last = np.log(-np.expm1(-log_t))
    mass = np.minimum(_mass(last, log_t, setting.alpha), setting.alpha)
    return _lost(m, mass, log_t, epsilon, setting.log_tail) * -np.expm1(-log_t)


def _between(
    m: NDArray[np.int64],
    edges: NDArray[np.float64],
    log_t: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    setting: Setting,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log failures at shares, a row each, and what none between neighbours exceeds.

    Between two shares the failure is at most the larger share times the larger expectation, that
    of the smaller mass. It is also at most the larger of the two failures plus f w^2 B / 8, where w
    is what lies between the masses: the second derivative of the expectation E in the mass is never
    below -B = -m^2 eps^2 e^(2 eps) E (1 - F falls the faster by eps^2 (1 - F) a vote at most, and
    at its kink the slower), so that E is at most its chord plus w^2 B / 8, and the share times the
    chord is convex in the share.
    """
    mass = _mass(edges, log_t, setting.alpha)
    with np.errstate(divide="ignore"):
        lost = np.log(_lost(m, mass, log_t, epsilon, setting.log_tail))
        width = np.log(np.maximum(np.diff(mass), 0.0))
    failure = edges + lost
    plain = edges[:, 1:] + lost[:, :-1]
    bend = 2.0 * (np.log(m) + np.log(epsilon) + epsilon + width) - math.log(8.0) + plain
    chord = np.logaddexp(np.maximum(failure[:, 1:], failure[:, :-1]), bend)
    return failure, np.minimum(plain, chord)


def _split(low: NDArray[np.float64], high: NDArray[np.float64], parts: int) -> NDArray[np.float64]:
    return np.asarray(low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, parts + 1))


def _scanned(
    m: NDArray[np.int64],
    log_t: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    setting: Setting,
    floor: float,
) -> NDArray[np.float64]:
    """Return the largest failure, less than it by a part of _MISSED at most.

    With f the share of bad answers and a = alpha - (1 - alpha)/(fT - 1), the expectation falls in a
    at a rate of at most m/(1 - alpha), as one vote lowers 1 - F by a factor e^-eps at most. So f
    times it rises from f = (m + 3)/T on: the shares end there, and begin where a = 0.
    """
    last = np.minimum(np.log(-np.expm1(-log_t)), np.log(m + 3.0) - log_t)
    first = np.minimum(np.maximum(-math.log(setting.alpha) - log_t, floor), last)
    best = np.full(m.shape, floor)
    cell, edges = np.arange(m.size), _split(first, last, _PARTS)
    while cell.size:
        failure, most = _between(
            m[cell][:, None], edges, log_t[cell][:, None], epsilon[cell][:, None], setting
        )
        np.maximum.at(best, cell, failure.max(axis=1))
        row, column = np.nonzero(
            (most > best[cell][:, None] + _MISSED) & (np.diff(edges) > _DEEPEST)
        )
        edges = _split(edges[row, column], edges[row, column + 1], _SPLIT)
        cell = cell[row]
    return np.asarray(np.exp(best))


def _checked(at: Cell, found: BoundValue) -> BoundValue:
    """Return the number, or a larger one that is good for all masses between those scanned."""
    if found.m is None or _covers(at, found.m):
        return found
    low, step = found.m, 1
    while not _covers(at, low + step):
        low, step = low + step, 2 * step
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _covers(at, middle) else (middle, high)
    return BoundValue(high, found.reason, found.note)


def _covers(at: Cell, m: int) -> bool:
    """Tell whether no mass of the target fails more often than beta, also between those seen."""
    setting = at.at(m)
    log_t = np.array([[log_domain_scalar(at.d)]])
    sizes, epsilon = np.array([[m]]), np.array([[at.epsilon]])
    last = math.log(-math.expm1(-log_t.item()))
    goal = math.log(at.beta) + 1e-12
    edges = _split(np.array([min(math.log(at.beta), last)]), np.array([last]), _PARTS)
    while edges.size:
        failure, most = _between(sizes, edges, log_t, epsilon, setting)
        open_ = most > goal
        if (failure > goal).any() or (np.diff(edges)[open_] < _DEEPEST).any():
            return False
        edges = _split(edges[:, :-1][open_], edges[:, 1:][open_], _SPLIT)
    return True
