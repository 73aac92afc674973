"""The lower bounds for conjunctions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts.conjunction.distributions import Spikes
from privsc_core.concepts.generic.shattered import ShatteredBound
from privsc_core.concepts.generic.spikes import SpikesConverse, spikes_proof

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Cell, Distribution

__all__ = ["OnSpikes", "Shattered"]


class OnSpikes(SpikesConverse):
    """The converse on spikes, on average over all 2^d targets.

    For the one target of a picture it is shown where that has half of the bits: a learner that
    decides on every bit apart, by that bit's examples, errs there as often as on average (for an odd d
    this speaks of all bits but one). One that prefers long conjunctions does better on a long one.
    """

    derivation = spikes_proof(
        "The $d$ points with a single zero are shattered, and all conjunctions label the point of ones 1."
    )
    applies_to = "every private learner, on average over all targets"
    shown_on = ("spikes",)

    def reaches(self, distribution: Distribution, at: Cell) -> bool:
        """Tell whether the spikes have mass 1/2, and the target half of the bits, as far as d allows."""
        return (
            super().reaches(distribution, at)
            and isinstance(distribution, Spikes)
            and 0 < distribution.relevant(at.d) < at.d
            and abs(2 * distribution.relevant(at.d) - at.d) <= 1
        )


class Shattered(ShatteredBound):
    """The d points with a single zero, beside the point of ones."""

    shown_on = ("spikes",)

    def shattered(self, d: int) -> int:
        """Return d."""
        return d
