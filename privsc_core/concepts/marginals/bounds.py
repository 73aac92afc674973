"""The bounds for marginals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source, Whom
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.marginals.distributions import pairs
from privsc_core.concepts.marginals.laws import deviation, turned
from privsc_core.concepts.marginals.learners import Projected
from privsc_core.concepts.shared.boxes import Boxes
from privsc_core.concepts.shared.inequalities import log_odds, packing_limit
from privsc_core.numerics.decimals import decimal, floor
from privsc_core.numerics.logspace import each, log_domain_scalar
from privsc_core.numerics.tails import gaussian_parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Demand, Setting


# --- The lower bound for marginals: copies of one row among equal ones ---------------------------


class Packing(SearchBound):
    """1 / (1 + (2^d - 1) e^{-eps k}) must reach 1 - beta, k = floor(alpha m) + 1.

    It says that some table of the family fails: for a single one a mechanism may just know it.
    """

    name = "packing"
    title = "Packing bound"
    legend = "Impossible for every ε-DP mechanism, on some table"
    shaded = True
    source = Source("ours", "a packing of tables, after BBKN13, Theorem 7.2")
    kind = "lower"
    statement = (
        r"\frac{1}{1+(2^d-1)\,e^{-\varepsilon k}} \ge 1-\beta,\quad k = \lfloor\alpha m\rfloor+1"
    )
    derivation = (
        "Fix a row $r$. For each of the $2^d$ rows $z$ let $D_z$ have $k=\\lfloor\\alpha m\\rfloor+1 \\le m$ rows "
        "$z$ and $m-k$ rows $r$. Any two of these tables differ in $k$ rows.\n\n"
        "Two rows $z \\ne z'$ differ in an attribute $j$, whose mean is $2k/m > 2\\alpha$ apart on $D_z$ and "
        "$D_{z'}$: no release is within $\\alpha$ of both. So the sets of good releases are disjoint, and with $p_z$ "
        "the probability of a good one on $D_z$, privacy gives $p_z + e^{-\\varepsilon k}\\sum_{z' \\n"
        "e z} p_{z'} \\le 1$. The average over the tables is at most $1/(1+(2^d-1)e^{-\\varepsilon k})$, and on some "
        "table the mechanism is no better than the average. $\\square$\n\n"
        "The bound grows like $d/(\\varepsilon\\alpha)$, far more slowly than what Laplace noise needs. We know of "
        "no better bound with constants."
    )
    applies_to = (
        "every purely private mechanism that on every table has every answer within α, whatever "
        "form its output has"
    )
    applies_briefly = "every purely private mechanism right within α on all tables"
    whom = Whom(privacy=("pure",))
    shown_on = ("largest",)
    packs = True

    def guess(self, at: Cell) -> float:
        """Return about how many rows it takes."""
        changed = (log_domain_scalar(at.d, 1) - log_odds(at.beta)) / at.epsilon
        return max(changed / at.alpha, 1.0)

    def boxes(self, at: Cell) -> Boxes | None:
        """Return the sets of good releases; always k rows differ."""
        alpha = at.alpha
        return Boxes(
            log_rivals=log_domain_scalar(at.d, 1), share=alpha,
            counts=lambda m: (int(_changed(np.array(m), alpha)), np.ones(1)),
            law=f"K = ⌊{alpha:g} m⌋ + 1, always", one="table", many="tables", unit="rows",
            way_out="No boxes can be merged: a box contains every release that is good for its table, whatever form "
                    "the release has. With δ > 0 the argument fails.",
        )  # fmt: skip

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability, averaged over the family."""
        return packing_limit(*self._at(setting))

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return 1 minus it."""
        return packing_limit(*self._at(setting), lost=True)

    def _at(
        self, setting: Setting
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], float, NDArray[np.float64]]:
        rivals = each(lambda d: log_domain_scalar(int(d), 1), setting.d)
        return _changed(setting.m, setting.alpha), rivals, 1.0, setting.epsilon


def _changed(m: NDArray[np.int64], alpha: float) -> NDArray[np.int64]:
    """Return floor(alpha m) + 1, exact for an alpha that was typed as a decimal."""
    exact = decimal(alpha)
    return np.array([floor(exact * k) + 1 for k in m.ravel().tolist()], dtype=np.int64).reshape(
        m.shape
    )


_LOWER = (Packing(),)


# --- The upper bounds for marginals: what the projection guarantees on every table ---------------


_ROOT = ("clusters", "chain", "uniform", "copies")


class Projection(SearchBound):
    """sqrt(2 sigma sqrt(D) / (D - 1)) + sigma sqrt(2 ln(1 / beta) / P) <= alpha."""

    name = "projection"
    title = "Projection, every table"
    legend = "Guaranteed on every table: projected"
    shaded = True
    source = Source("ours", "after V17, Theorem 7.7, with constants")
    without = ()
    kind = "upper"
    statement = (
        r"\sqrt{\frac{2\sigma\sqrt{D}}{D-1}}+\sigma\sqrt{\frac{2\ln(1/\beta)}{P}} \le \alpha,\quad "
        r"D=d+1,\;P=\tfrac{D(D-1)}{2},\;\sigma=\tfrac{2}{m}\sqrt{\lfloor D^2/4\rfloor}\,s(\varepsilon,\delta)"
    )
    derivation = (
        "Let $y$ be the true answers and $w=\\sigma g$ the noise, with $g$ standard normal in $P$ dimensions. Let "
        "$\\hat y$ be the point nearest to $y+w$ in the elliptope, the set of all correlation matrices. As the "
        "elliptope is convex and holds $y$, $\\langle y+w-\\hat y,\\,y-\\hat y\\rangle \\le 0$, that is $\\|\\hat "
        "y-y\\|^2 \\le \\langle w,\\hat y-y\\rangle$.\n\n"
        "Here $\\mathbb{E}\\langle w,y\\rangle = 0$, and $\\langle g,z\\rangle = \\frac12\\mathrm{tr}(GZ) \\le "
        "\\frac{D}{2}\\lambda_{\\max}(G)$ for every correlation matrix $Z$, where $G$ is the symmetric matrix of $g$ "
        "with zeros on the diagonal. Also $\\mathbb{E}\\,\\lambda_{\\max}(G) \\le 2\\sqrt D$ (Gaussian comparison; a "
        "random diagonal would only raise it). So the mean square error is at most $\\sigma D^{3/2}/P = "
        "2\\sigma\\sqrt D/(D-1)$ on average, and its root is on average at most the root of this (Jensen).\n\n"
        "A projection does not increase distances, so the root mean square error changes by at most "
        "$\\sigma\\|g-g'\\|/\\sqrt P$ when $g$ becomes $g'$. By Gaussian concentration it exceeds its mean by $t$ "
        "with probability at most $e^{-t^2P/(2\\sigma^2)}$. $\\square$\n\n"
        "The first term is smaller than $\\sigma$, the noise alone, only if $\\sigma > 2\\sqrt D/(D-1)$, that is, "
        "for $\\alpha$ above about $2/\\sqrt d$. The projection is never worse than noise alone."
    )
    applies_to = "the projected mechanism, in root mean square, on every table"
    whom = Whom("projected")
    promised_on = _ROOT
    only_on = "tables whose error is measured in root mean square"

    def eases(self, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since the noise of few answers grows more slowly than their number.
        """
        return wanted != "d"

    def guess(self, at: Cell) -> float:
        """Return about how many rows it takes: where the first term alone is alpha."""
        size = at.d + 1
        sigma = at.alpha**2 * at.d / (2.0 * math.sqrt(size))
        slack = Projected().at(at.delta).delta
        spread = gaussian_parameter(at.epsilon, slack)
        return max(2.0 * math.sqrt(float(turned(np.array(at.d)))) / (spread * sigma), 1.0)

    def note(self, _at: Cell) -> str:
        """Return what else is known: noise alone has a law of its own."""
        return "never more than Gaussian noise alone takes"

    def _exponent(self, setting: Setting) -> NDArray[np.float64]:
        """Return t^2 P / (2 sigma^2), 0 where the mean is above alpha already."""
        slack = Projected().at(setting.delta).delta
        sigma = deviation(setting.m, setting.d, setting.epsilon, slack)
        many = each(lambda d: float(pairs(int(d))), setting.d)
        mean = np.sqrt(2.0 * sigma * np.sqrt(setting.d + 1) / setting.d)
        spare = np.maximum(setting.alpha - mean, 0.0) / sigma
        return np.broadcast_to(np.minimum(spare, 1e150) ** 2 * many / 2.0, setting.shape)

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the success probability that is promised."""
        return np.asarray(-np.expm1(-self._exponent(setting)))

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest probability of failure."""
        return np.asarray(np.exp(-self._exponent(setting)))


class Theorem77(Bound):
    """m = O~(sqrt(d log(1/delta)) / (eps alpha^2)) for t = 2."""

    name = "theorem-7.7"
    title = "Theorem 7.7"
    source = Source("V17", "Theorem 7.7, t = 2 (Dwork, Nikolov, Talwar)")
    kind = "upper"
    constants = "rate"
    statement = (
        r"\alpha = \left(\frac{\tilde O(d^{t/4})\,\sqrt{\log(1/\delta)}}{\varepsilon m}\right)^{1/2},\quad "
        r"t \text{ even}"
    )
    derivation = (
        "The mechanism adds Gaussian noise to all $t$-way marginals, and then takes the nearest point of a set that "
        "contains all possible answers. One can optimise over this set in polynomial time (for $t = 2$ by "
        "Grothendieck's inequality). The theorem has no constants, so it gives no number. **Projection, every "
        "table** has them; the elliptope, which it uses, lies inside the set of the paper."
    )
    applies_to = "the projected mechanism"
    whom = Whom("projected")
    promised_on = _ROOT
    only_on = "tables whose error is measured in root mean square"

    def least(self, _at: Cell) -> BoundValue:
        """Refuse a number: the paper gives only a rate."""
        return BoundValue(
            None, "a rate without a constant: sqrt(d log(1/delta)) / (epsilon alpha^2)"
        )


_UPPER = (Projection(), Theorem77())


BOUNDS = (*_LOWER, *_UPPER)
