"""CH11's learner for label privacy as it stands there: few cuts, spread evenly over the ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Setting, Source, TinyInstance
from privsc_core.concepts.style import PURPLE, Style
from privsc_core.concepts.threshold.learners.ranks import Ranks
from privsc_core.concepts.threshold.learners.ranks_coarse.asked import gap
from privsc_core.concepts.threshold.learners.ranks_coarse.envelope import envelope
from privsc_core.concepts.threshold.learners.ranks_coarse.law import law
from privsc_core.concepts.threshold.learners.ranks_coarse.span import span
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate

__all__ = ["RanksCoarse"]


@dataclass(frozen=True)
class RanksCoarse(Ranks):
    """CH11's A_2: candidates at every g-th rank, a packing and a cover at the scale alpha / 4."""

    name: ClassVar[str] = "ranks-coarse"
    title: ClassVar[str] = "A₂: every g-th cut (labels private)"
    source: ClassVar[Source] = Source("CH11", "Figure 3")
    summary: ClassVar[str] = (
        "The exponential mechanism over every g-th of the m + 1 cuts, g = ⌊αm/4⌋ + 1, by their "
        "mistakes: only the labels are protected."
    )
    reads: ClassVar[tuple[str, ...]] = ("alpha",)
    style: ClassVar[Style] = PURPLE
    # So that g is 2, and the candidates are not all cuts.
    tiny: ClassVar[TinyInstance] = TinyInstance(d=1, m=7, epsilon=1.0, alpha=0.6, beta=0.2)

    def candidates(self, m: int, alpha: float) -> NDArray[np.int64]:
        """Return how many points lie before each cut."""
        return np.arange(0, m + 1, gap(m, decimal(alpha)))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over how many points lie left of z.

        With J of m there and q = e^{-eps/2}, cut k has weight q^{|k - J|}. It is accurate iff of
        the points on its side, m - J or J, each within mass alpha of z with probability 2 alpha,
        more than k - J, at least J - k are.
        """
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        return law(setting)

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Tell that success may fall: where g grows, or another cut comes in at k = m."""
        del distribution, alpha
        return False

    def span(
        self, distribution: Distribution, first: Setting, last: Setting
    ) -> tuple[Estimate, Estimate]:
        """Return what success is at least, and at most, for every m of an interval."""
        del distribution
        return span(first, last)

    def envelope(
        self, distribution: Distribution, first: Setting, last: Setting, *, upper: bool
    ) -> Estimate:
        """Return one end of `span`, or a closer one where that does not tell what suffices."""
        del distribution
        return envelope(first, last, upper=upper)
