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

# Shares of the targets that may be heavy wrong answers: a first grid, and refinements of it.
_GRID, _FINER, _ROUNDS = 49, 9, 2
# Shares below this part of beta are counted as if they always failed: a curve shows no less.
_LEAST = 2e-9
# Log odds that are hardly too little.
_JUST = 1e-9
_SPLIT, _PARTS, _DEEPEST = 8, 24, 1e-9


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
        return found if found is None or found < 0.0 or _covers(at, m) else -_JUST

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


def _scanned(
    m: NDArray[np.int64],
    log_t: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    setting: Setting,
    floor: float,
) -> NDArray[np.float64]:
    """Return the largest value of a grid that is refined around it twice.

    With f the share of bad answers and a = alpha - (1 - alpha)/(fT - 1), the expectation falls in a
    at a rate of at most m/(1 - alpha), as one vote lowers 1 - F by a factor e^-eps at most. So f
    times it rises from f = (m + 3)/T on: the grid ends there, and begins where a = 0.
    """
    last = np.minimum(np.log(-np.expm1(-log_t)), np.log(m + 3.0) - log_t)
    first = np.minimum(np.maximum(-math.log(setting.alpha) - log_t, floor), last)
    best = np.zeros(m.shape)
    low, high, points = first, last, _GRID
    for _ in range(1 + _ROUNDS):
        steps = np.linspace(0.0, 1.0, points)
        grid = low[:, None] + (high - low)[:, None] * steps
        value = np.exp(grid) * _lost(
            m[:, None], _mass(grid, log_t[:, None], setting.alpha), log_t[:, None],
            epsilon[:, None], setting.log_tail,
        )  # fmt: skip
        top = value.argmax(axis=1)
        best = np.maximum(best, value.max(axis=1))
        rows = np.arange(m.size)
        low = grid[rows, np.maximum(top - 1, 0)]
        high = grid[rows, np.minimum(top + 1, points - 1)]
        points = _FINER
    return best


def _checked(at: Cell, found: BoundValue) -> BoundValue:
    """Return the number, or a larger one that is good for all masses between those scanned."""
    m = found.m
    while m is not None and not _covers(at, m):
        m += 1
    return BoundValue(m, found.reason, found.note)


def _covers(at: Cell, m: int) -> bool:
    """Tell whether no mass of the target fails more often than beta.

    Between two masses the failure is at most the larger share times the larger expectation, that
    of the smaller mass; intervals for which this is too much are split.
    """
    setting = at.at(m)
    log_t = np.array(log_domain_scalar(at.d))
    last = math.log(-math.expm1(-float(log_t)))
    first = min(math.log(at.beta), last)
    edges = np.linspace(first, last, _PARTS + 1)
    low, high = edges[:-1], edges[1:]
    goal = math.log(at.beta) + 1e-12
    while low.size:
        lost = _lost(
            np.array([m]), _mass(low, log_t, at.alpha), log_t[None], np.array([at.epsilon]),
            setting.log_tail,
        )  # fmt: skip
        with np.errstate(divide="ignore"):
            log_lost = np.log(lost)
        if (low + log_lost > goal).any():
            return False
        open_ = high + log_lost > goal
        low, high = low[open_], high[open_]
        if low.size and float((high - low).max()) < _DEEPEST:
            return False
        steps = np.linspace(0.0, 1.0, _SPLIT + 1)
        edges = low[:, None] + (high - low)[:, None] * steps
        low, high = edges[:, :-1].ravel(), edges[:, 1:].ravel()
    return True
