"""The upper bounds for data release: the Laplace histogram, and what the paper cites."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.inequalities import SEARCH_LIMIT
from privsc_core.concepts.release.laws import all_light, log_half_sum
from privsc_core.numerics.decimals import decimal, floor
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Demand, Learner, Setting

__all__ = ["BOUNDS", "LaplaceBound", "Theorem71"]


@dataclass(frozen=True)
class LaplaceBound(SearchBound):
    """(1-u)^{T-b} (1-2u)^b >= 1-beta, u = e^{-eps alpha m/2}/2, b = floor(1/(2 alpha)).

    Parameters
    ----------
    lost : float
        As of the mechanism: the probability with which a count of exactly alpha m is lost
        below the threshold.

    Notes
    -----
    With the threshold at alpha m (lost = 1/2) no number of entries is enough for every
    database: one that has a count of exactly alpha m fails half of the time, always. So the
    bound then covers `single`, `hard` and all databases without a count in
    [alpha m, 2 alpha m); with a lower threshold (lost < 1/2) it covers every database.
    """

    lost: float = 0.5

    name = "laplace"
    title = "Laplace histogram"
    legend = "Guaranteed: Laplace histogram"
    headline = True
    source = Source("ours", "exact law of the histogram, worst case")
    kind = "upper"
    constants = "sharp"
    statement = (
        r"(1-u)^{T-b}\,(1-2u)^{b} \ge 1-\beta,\quad u=\tfrac12 e^{-\varepsilon\alpha m/2},"
        r"\; b=\lfloor 1/(2\alpha)\rfloor"
    )
    derivation = (
        "Let $n_j$ be the counts and $u=\\Pr[L\\ge\\alpha m]=\\frac12e^{-\\varepsilon\\alpha m/2}$ "
        "for the noise $L$. A point with $n_j<\\alpha m$ fails only if $L\\ge\\alpha m$: "
        "if $L\\le-\\alpha m$, the noisy count is negative and released as 0, which is right. A "
        "point with $n_j\\ge 2\\alpha m$ fails if $|L|\\ge\\alpha m$, with probability $2u$, "
        "and being lost below the threshold $\\alpha m$ is part of that. There are at most "
        "$b=\\lfloor 1/(2\\alpha)\\rfloor$ such points, and the noises are independent. "
        "$\\square$\n\n"
        "This covers every database without a count from $\\alpha m$ to $2\\alpha m$. On `hard` "
        "the rest $m-\\lceil 3\\alpha m\\rceil$ may lie there when $\\frac15\\le\\alpha\\le\\frac14$: "
        "then it is lost with probability at most $\\frac12 e^{-\\varepsilon((1-4\\alpha)m-1)/2}$, "
        "which is taken into account. On `single` the same when $\\alpha>\\frac12$.\n\n"
        "**Not every database**: a count of exactly $\\alpha m$ is lost with probability "
        "$\\frac12$ however large $m$ is. The public threshold $\\alpha m-\\frac{2}{\\varepsilon}"
        "\\ln\\frac1{2p}$ loses it with probability $p$ only. With it *every* database succeeds "
        "with probability at least $(1-u)^{T-b}(1-u-\\max(u,p))^{b}$, $b=\\lfloor "
        "1/\\alpha\\rfloor$, at the price of $1/(2p)$ times as many empty points in the release."
    )
    applies_to = (
        "the Laplace histogram, on `single`, on `hard` and on every database without a count from αm "
        "up to 2αm"
    )

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this mechanism."""
        return learner.name == "laplace"

    def eases(self, wanted: Demand) -> bool:
        """Tell that the threshold grows with alpha."""
        return wanted != "alpha"

    def guess(self, at: Cell) -> float:
        """Return where T noises are rarely that large."""
        return 2.0 * (log_domain_scalar(at.d) - math.log(at.beta)) / (at.epsilon * at.alpha)

    def beyond(self, at: Cell) -> str:
        """Return how much is promised at last."""
        most = float(self.success(at.at(SEARCH_LIMIT)))
        return f"promises no more than {most:.6g}: a count is at the threshold"

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the success probability that is promised on every covered database."""
        return np.broadcast_to(np.exp(self._log_promise(setting)), setting.shape)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the most that may fail."""
        return np.broadcast_to(-np.expm1(self._log_promise(setting)), setting.shape)

    def _log_promise(self, setting: Setting) -> NDArray[np.float64]:
        """Return the log of the least success probability of the covered databases.

        It grows with m.
        """
        m, d, exact = setting.m, setting.d, decimal(setting.alpha)
        rate = 0.5 * setting.epsilon
        x = rate * setting.alpha * m

        def product(number: int, *margins: NDArray[np.float64]) -> NDArray[np.float64]:
            """Return log success with heavy counts that far (times the rate) above the threshold."""
            points = np.where(d < 62, np.minimum(number, 1 << np.minimum(d, 62)), number)
            total = all_light(d, points, -x - math.log(2.0))
            each = [log_half_sum(x, np.minimum(x, y)) for y in margins]
            return total + (points * each[0] if len(each) == 1 else sum(each))

        with np.errstate(divide="ignore"):
            if self.lost < 0.5:
                spare = np.asarray(-math.log(2.0 * self.lost))
                return np.asarray(product(floor(1 / exact), spare))
            worst = np.minimum(
                product(floor(1 / (2 * exact)), x), product(1, rate * float(1 - exact) * m)
            )
            if 3 * exact <= 1 and 4 * exact <= 1:
                rest = np.maximum(float(1 - 4 * exact) * m - 1.0, 0.0)
                worst = np.minimum(worst, product(2, x, rate * rest))
            return np.asarray(worst)


class Theorem71(Bound):
    """O(d VCDIM log(1/alpha) / (alpha^3 eps) + log(1/beta) / (eps alpha)), VCDIM = 1."""

    name = "theorem-7.1"
    title = "Theorem 7.1"
    source = Source("BBKN13", "Theorem 7.1 (Blum, Ligett, Roth 2008)")
    kind = "upper"
    constants = "rate"
    statement = (
        r"m = O\Bigl(\frac{d\cdot\mathrm{VCDIM}(C)\,\log(1/\alpha)}{\alpha^3\varepsilon}"
        r"+\frac{\log(1/\beta)}{\varepsilon\alpha}\Bigr)"
    )
    derivation = (
        "The exponential mechanism over synthetic databases. For any class, a random sample of "
        "$O(\\mathrm{VCDIM}(C)\\log(1/\\alpha)/\\alpha^2)$ entries of the database keeps all "
        "queries within $\\alpha/2$; so there are $T^{O(\\mathrm{VCDIM}(C) "
        "\\log(1/\\alpha)/\\alpha^2)}$ candidates of which one is good, and the mechanism finds "
        "one that is nearly as good once $\\varepsilon\\alpha m$ passes their logarithm.\n\n"
        "$\\mathrm{VCDIM}(\\mathrm{POINT}_d)=1$. The theorem has no constants, so it has no "
        "number. For points a histogram does far better, "
        "$O((d+\\log(1/\\beta))/(\\varepsilon\\alpha))$: all queries together change by two."
    )
    applies_to = "the exponential mechanism over synthetic databases"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this mechanism."""
        return learner.name == "blr"

    def least(self, _at: Cell) -> BoundValue:
        """Refuse a number: the paper gives only a rate."""
        return BoundValue(
            None, "a rate without a constant: d log(1/alpha) / (alpha^3 epsilon) + ..."
        )


BOUNDS = (LaplaceBound(), Theorem71())
