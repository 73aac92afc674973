"""The packing converse, the sharp lower bound for proper private learners."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.packing import PackingBound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Setting

__all__ = ["Packing"]


@dataclass(frozen=True)
class Packing(PackingBound):
    """E[1 / (1 + (T-3) e^{-eps K})], K ~ Bin(m, 2 alpha), must reach 1 - beta."""

    name: ClassVar[str] = "packing"
    source: ClassVar[Source] = Source("ours", "the packing converse on the hard distribution")
    statement: ClassVar[str] = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,2\alpha)}\Bigl[\frac{1}{1+(T-3)\,e^{-\varepsilon K}}\Bigr] \ge 1-\beta"
    )
    derivation: ClassVar[str] = (
        "Let the target $c_j$ range over $j = 3, \\dots, T$, with mass $\\alpha$ on each of the "
        "points $j-1$ and $j$ and the rest on point 1. Among thresholds only $c_j$ is accurate, "
        "so the sets of good outputs are disjoint.\n\n"
        "Draw the positions of the $K$ rare examples first, and which are left ones, and share "
        "them: the samples of two targets then differ in at most $K$ examples. As for points, "
        "privacy gives $\\bar p\\,(1+(n-1)e^{-\\varepsilon K}) \\le 1$ for the average over the "
        "$n = T-2$ targets; then average over $K \\sim \\mathrm{Bin}(m, 2\\alpha)$. $\\square$"
    )
    fewer: ClassVar[int] = 3

    def mass(self, alpha: float) -> float:
        """Return the mass of the two points beside the step."""
        return 2.0 * alpha

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner, averaged over targets."""
        # At d = 1 there are T - 2 = 0 targets.
        value = super().limit(replace(setting, d=np.maximum(setting.d, 2)))
        return np.where(setting.d < 2, 1.0, value)
