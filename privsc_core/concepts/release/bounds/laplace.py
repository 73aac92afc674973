"""The upper bound by the Laplace histogram."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.inequalities import SEARCH_LIMIT, least_allowed
from privsc_core.concepts.release.laws import all_light, log_half_sum
from privsc_core.numerics.decimals import decimal, floor
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Constants, Kind, Learner, Setting

__all__ = ["LaplaceBound"]


@dataclass(frozen=True)
class LaplaceBound(Bound):
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

    name: ClassVar[str] = "laplace"
    title: ClassVar[str] = "Laplace histogram"
    legend: ClassVar[str] = "Guaranteed: Laplace histogram"
    headline: ClassVar[bool] = True
    source: ClassVar[Source] = Source("ours", "exact law of the histogram, worst case")
    kind: ClassVar[Kind] = "upper"
    constants: ClassVar[Constants] = "sharp"
    statement: ClassVar[str] = (
        r"(1-u)^{T-b}\,(1-2u)^{b} \ge 1-\beta,\quad u=\tfrac12 e^{-\varepsilon\alpha m/2},"
        r"\; b=\lfloor 1/(2\alpha)\rfloor"
    )
    derivation: ClassVar[str] = (
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
    applies_to: ClassVar[str] = (
        "the Laplace histogram, on `single`, on `hard` and on every database without a count from αm "
        "up to 2αm"
    )

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this mechanism."""
        return learner.name == "laplace"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of entries at one setting."""
        del delta

        def log_promise(m: int) -> float:
            return float(self._log_promise(np.array(m), np.array(d), np.array(epsilon), alpha))

        least = least_allowed(
            beta,
            lambda m, _: math.exp(log_promise(m)),
            lambda m, _: -math.expm1(log_promise(m)),
            guess=2.0 * (log_domain_scalar(d) - math.log(beta)) / (epsilon * alpha),
        )
        if least is not None:
            return BoundValue(least)
        return BoundValue(
            None,
            f"promises no more than {math.exp(log_promise(SEARCH_LIMIT)):.6g}: a count is at the "
            "threshold",
        )

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the success probability that is promised on every covered database."""
        found = self._log_promise(setting.m, setting.d, setting.epsilon, setting.alpha)
        return np.broadcast_to(np.exp(found), setting.shape)

    def _log_promise(
        self, m: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64], alpha: float
    ) -> NDArray[np.float64]:
        """Return the log of the least success probability of the covered databases.

        It grows with m.
        """
        exact, rate = decimal(alpha), 0.5 * epsilon
        x = rate * alpha * m

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
