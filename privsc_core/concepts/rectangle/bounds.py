"""The bounds for rectangles."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Source, Whom
from privsc_core.concepts.generic.labels import ByLabels
from privsc_core.concepts.generic.packing import PackingBound
from privsc_core.concepts.generic.rate import FiniteClassBound
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.shared.inequalities import packing_limit
from privsc_core.numerics.binomial import binomial_span, binomial_window
from privsc_core.numerics.expectations import by_halves, reach

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Setting


# --- The packing of rectangles -------------------------------------------------------------------


class Packing(PackingBound):
    """The packing converse with all rectangles around the centre."""

    name = "packing"
    source = Source("ours", "the packing of points (BBKN13, Lemma 3.9), with rectangles")
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,8\alpha)}\Bigl[\frac{1}{1+(n-1)\,e^{-\varepsilon K}}\Bigr] \ge "
        r"1-\beta,\qquad n = \bigl(\tfrac T2-2\bigr)^2\bigl(\tfrac T2-1\bigr)^2"
    )
    derivation = (
        "Take the distribution hard8, with each of $n$ rectangles around the centre as its target. These rectangles "
        "have at least one place inside and one outside of every side. The centre keeps mass $1-8\\alpha$, and the "
        "eight points move with the sides. The only accurate rectangle is the target. Samples of two targets can be "
        "coupled so that they differ in at most the $K \\sim \\mathrm{Bin}(m,8\\alpha)$ examples that are not at the "
        "centre. By privacy the average success $\\bar p$ given $K$ satisfies $\\bar p\\,(1+(n-1)e^{-\\varepsilon "
        "K}) \\le 1$; average over $K$. $\\square$\n\n"
        "With unlabelled examples it is a bound on **all** people, labelled or not, as the points alone tell the "
        "targets apart."
    )
    validity = "for α ≤ 1/8 and d ≥ 3"
    proved_on = ("hard8",)

    def log_rivals(self, d: int) -> float:
        """Return log(n - 1)."""
        if d < 3:
            return -math.inf
        half = (d - 1) * math.log(2.0)
        log_n = 4.0 * half + 2.0 * (math.log1p(-(2.0 ** (2 - d))) + math.log1p(-(2.0 ** (1 - d))))
        return log_n + math.log(-math.expm1(-log_n))

    def mass(self, alpha: float) -> float:
        """Return the mass beside the centre."""
        return 8.0 * alpha


# --- What four rare points cost that are shattered together, with privacy and without ------------
#
# They bind every learner, with any number of unlabelled examples.


_POINTS = 4
_MOST = 1.0 / _POINTS
# Beyond so many examples on the four points the mean of the product is bounded by that of the means.
_COUNTED_MOST = 4_000
_SETTING = (
    "The middles of the four edges inside the target have mass just over $\\alpha$ each, and the "
    "centre has label 1. Every subset of the four is cut out by one of 16 rectangles. A "
    "hypothesis that errs on one of the four fails. "
)


class _Shattered(SearchBound):
    """What both share: a limit on the success averaged over the 16 targets."""

    kind = "lower"
    validity = "for α ≤ 1/4 and d ≥ 3"
    proved_on = ("hard8",)

    def note(self, at: Cell) -> str:
        """Return that nothing is said, where `success` is 1 for every m."""
        if at.alpha > _MOST:
            return "says nothing for alpha > 1/4: four points cannot have that much mass"
        return f"says nothing at d = {at.d}: the board is too small" if at.d < 3 else ""

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        if setting.alpha > _MOST:
            return np.zeros(setting.shape)
        return np.where(setting.d < 3, 0.0, self.lost(setting))

    @abstractmethod
    def lost(self, setting: Setting, /) -> NDArray[np.float64]:
        """Return the failure where the board is large enough, of the setting's shape."""


class Unseen(_Shattered):
    """E[2^-U] must reach 1 - beta, U the number of the four points that are not seen."""

    without = ("epsilon", "delta")
    name = "nonprivate"
    title = "Without privacy, any learner"
    legend = "Impossible for every learner, even without privacy"
    source = Source(
        "ours",
        "theory of PAC learning: the label of an unseen shattered point is a fair coin",
        "Ehrenfeucht, Haussler, Kearns and Valiant 1989, the lower bound by the VC dimension without privacy",
    )
    on_demand = True
    dash = "dashdot"
    applies_to = "every learner, private or not"
    whom = Whom()
    statement = r"\sum_{j=0}^{4} \binom 4j \bigl(-\tfrac12\bigr)^j (1-j\alpha)^m \ge 1-\beta"
    derivation = (
        _SETTING
        + "On average over the targets the label of an unseen point is a fair coin, whatever the learner does. So "
        "success is at most $\\mathbb{E}\\,2^{-U}$ where $U$ of the four points are unseen. Now $2^{-U} = \\prod_i "
        "(1-\\tfrac12[i\\text{ unseen}])$, and any $j$ of them are unseen with probability $(1-j\\alpha)^m$. "
        "$\\square$"
    )

    def guess(self, at: Cell) -> float:
        """Return where two beta of the samples miss a point."""
        return max(math.log(_POINTS / (2.0 * at.beta)), 1.0) / at.alpha

    def lost(self, setting: Setting) -> NDArray[np.float64]:
        """Return the alternating sum."""
        total = np.zeros(setting.shape)
        for j in range(_POINTS, 0, -1):
            rest = 1.0 - j * setting.alpha
            missed = np.exp(setting.m * math.log(rest)) if rest > 0.0 else 0.0
            total = total - math.comb(_POINTS, j) * (-0.5) ** j * missed
        return total


class Labels(_Shattered, ByLabels):
    """E of the product of 1 / (1 + e^{-eps K_i}) over the four points must reach 1 - beta."""

    source = Source(
        "ours",
        "a packing over the labels of shattered points",
        "CH11, lower bounds for learners that protect only the labels",
    )
    statement = (
        r"\mathbb{E}\prod_{i=1}^{4}\frac{1}{1+e^{-\varepsilon K_i}} \ge 1-\beta,\qquad "
        r"(K_i) \sim \mathrm{Multinomial}(m; \alpha,\alpha,\alpha,\alpha)"
    )
    derivation = (
        _SETTING
        + "Fix the points of the sample, and let the labels be those of target $b$, one of 16. Samples of $b$ and "
        "$b'$ differ in $d(b,b') = \\sum_{b_i \\n"
        "e b'_i} K_i$ labels, so the answers $G_b$ that are good for $b$ have $\\Pr_b[G_{b'}] \\ge e^{-\\varepsilon "
        "d(b,b')} \\Pr_{b'}[G_{b'}]$. The sets $G_b$ are disjoint. Summed over $b$ and $b'$, the average success is "
        "at most $1/\\sum_{b'} e^{-\\varepsilon d(b,b')}$, which factorises over the points. $\\square$\n\n"
        "The bound is valid, but no learner attains it. It needs pure privacy. It does not apply to learners that "
        "choose which labels to ask for."
    )

    def guess(self, at: Cell) -> float:
        """Return where every point carries about log(4 / beta) / epsilon examples."""
        return (math.log(_POINTS / at.beta) / at.epsilon + 2.0) / at.alpha

    def lost(self, setting: Setting) -> NDArray[np.float64]:
        """Return the mean of 1 minus the product, by halves of halves of the counts."""
        share, tail = _POINTS * setting.alpha, setting.log_tail
        m, epsilon = np.broadcast_arrays(setting.m, setting.epsilon)
        found = np.empty(m.shape)
        for loss in np.unique(epsilon).tolist():
            here = epsilon == loss
            sizes = m[here]
            low, high = binomial_span(sizes, share, tail)
            if high > _COUNTED_MOST:
                # Multinomial counts are negatively associated: the mean of the product is at most the
                # product of the means.
                one = packing_limit(
                    sizes, np.zeros(()), setting.alpha, np.asarray(loss), tail, lost=True
                )
                found[here] = -np.expm1(_POINTS * np.log1p(-one))
                continue
            table = _four(loss, low, high, tail)
            values = []
            for size in sizes.tolist():
                first, weights = binomial_window(size, share, tail)
                values.append(weights @ table[first - low :][: weights.size])
            found[here] = values
        return np.broadcast_to(found, setting.shape)


@lru_cache(maxsize=64)
def _four(epsilon: float, low: int, high: int, tail: float) -> NDArray[np.float64]:
    """Return the means of 1 minus the product, for low to high examples on the four points."""
    least, most = reach(low, high, tail)

    def lost(
        count: NDArray[np.intp], start: int, table: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        if table is not None:
            return np.asarray(table[count - start])
        return np.asarray(1.0 / (1.0 + np.exp(np.minimum(epsilon * count, 700.0))))

    def level(
        low: int, high: int, start: int, table: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        def values(count: NDArray[np.intp], rest: NDArray[np.intp]) -> NDArray[np.float64]:
            one, two = lost(count, start, table), lost(rest, start, table)
            return np.asarray(one + (1.0 - one) * two)[None]

        return np.asarray(by_halves(low, high, tail, values)[0])

    pair = level(least, most, 0, None)
    return level(low, high, least, pair)


# --- The upper bound for rectangles --------------------------------------------------------------


class FiniteClass(FiniteClassBound):
    """(T (T+1) / 2)^2 (1 - alpha (1 - e^{-eps/2}))^m <= beta, for every distribution."""

    statement = (
        r"\Bigl(\tfrac{T(T+1)}{2}\Bigr)^2\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    )
    derivation = (
        "A rectangle of error above $\\alpha$ is chosen with probability at most "
        "$\\mathbb{E}\\,e^{-\\varepsilon\\,\\mathrm{mistakes}/2} \\le "
        "(1-\\alpha(1-e^{-\\varepsilon/2}))^m$, as the target makes no mistake. With the empty one there "
        "are $(T(T+1)/2)^2 + 1$ rectangles, $T = 2^d$. $\\square$"
    )
    applies_to = "the exponential mechanism, on every distribution"

    def log_wrong(self, d: int) -> float:
        """Return the log of the number of rectangles other than the target."""
        once = math.log(2.0)
        return 2.0 * (2.0 * d * once + math.log1p(0.5**d) - once)


BOUNDS = (Unseen(), Labels(), Packing(), FiniteClass())
