"""The lower bound for marginals: copies of one row among equal ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.boxes import Boxes
from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.inequalities import log_odds, packing_failure, packing_limit
from privsc_core.numerics.decimals import decimal, floor
from privsc_core.numerics.logspace import each, log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["BOUNDS", "Packing"]


class Packing(SearchBound):
    """1 / (1 + (2^d - 1) e^{-eps k}) must reach 1 - beta, k = floor(alpha m) + 1.

    It says that some table of the family fails: for a single one a mechanism may just know it.
    """

    name = "packing"
    title = "Packing bound"
    legend = "Impossible for every ε-DP mechanism: some table fails"
    headline = True
    source = Source("ours", "a packing of tables, after BBKN13, Theorem 7.2")
    kind = "lower"
    constants = "sharp"
    statement = (
        r"\frac{1}{1+(2^d-1)\,e^{-\varepsilon k}} \ge 1-\beta,\quad k = \lfloor\alpha m\rfloor+1"
    )
    derivation = (
        "Fix a row $r$. For each of the $2^d$ rows $z$ let $D_z$ have $k=\\lfloor\\alpha m\\rfloor+1 \\le m$ "
        "rows $z$ and $m-k$ rows $r$. Any two of these tables differ in $k$ rows.\n\n"
        "Two rows $z \\ne z'$ differ in an attribute $j$, whose mean is $2k/m > 2\\alpha$ apart on $D_z$ and "
        "$D_{z'}$: no release is within $\\alpha$ of both. So the sets of good releases are disjoint, and "
        "with $p_z$ the probability of a good one on $D_z$, privacy gives "
        "$p_z + e^{-\\varepsilon k}\\sum_{z' \\ne z} p_{z'} \\le 1$. The average over the tables is at most "
        "$1/(1+(2^d-1)e^{-\\varepsilon k})$, and some table does no better. $\\square$\n\n"
        "It grows like $d/(\\varepsilon\\alpha)$ and lies far below what Laplace noise needs: we know of "
        "nothing better with constants."
    )
    applies_to = (
        "every purely private mechanism that has every answer within α on every table, whatever it "
        "outputs"
    )
    shown_on = ("largest",)
    packs = True

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this mechanism."""
        return learner.privacy == "pure"

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
            way_out="Nothing can be merged: a box holds every release that is good for its table, "
            "whatever its form. With δ > 0 the debt has an end, and the bound falls.",
        )  # fmt: skip

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability, averaged over the family."""
        return packing_limit(*self._at(setting))

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return 1 minus it."""
        return packing_failure(*self._at(setting))

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


BOUNDS = (Packing(),)
