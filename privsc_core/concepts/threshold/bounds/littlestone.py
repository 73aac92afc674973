"""The bound for every fully private learner, proper or not, that serves every smooth crowd."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.interval.bounds import entropy
from privsc_core.concepts.threshold.reference import UNIFORM, Reference

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Learner

__all__ = ["LittlestoneEntropy"]


class LittlestoneEntropy(entropy.LittlestoneEntropy):
    """That of the page Intervals at d = b, by entropy: a hypothesis may split a cell."""

    name = "littlestone-entropy"
    title = "Littlestone bound"
    legend = (
        "Impossible for every fully ε-DP learner, proper or not, that serves every κ-smooth crowd"
    )
    behind = False
    source = Source("ours", "FX14, Theorems 2.5 and 3.1, Corollary 4.3, in cells of [0, 1]")
    applies_to = "every fully ε-DP learner, proper or not, that serves every κ-smooth distribution"
    shown_on = ("window",)
    derivation = (
        "Cut $[0,1]$ into $2^b = \\kappa$ cells and smear every point of $\\mathrm{INTERVAL}_b$ over "
        "its cell: distributions on the points become $\\kappa$-smooth, and a learner for these learns "
        "$\\mathrm{INTERVAL}_b$. A hypothesis may label a cell in part; who asks it about a random point "
        "of the cell errs as often as it does, so that $\\gamma$ stays what it is. So the proof of the "
        "bound by entropy, which stands on the Intervals page, goes through with $d = b$. The sharper "
        "one there does not: it takes a hypothesis for right or wrong at a point, and half a cell is "
        "wrong by half under both labels.\n\n"
        "No finite number of examples does for every κ. The distribution that a learner fails on need "
        "not be the window."
    )

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        known: Reference = getattr(learner, "reference", UNIFORM)
        return learner.privacy == "pure" and not known.told
