"""The lower bounds for conjunctions."""

from __future__ import annotations

from privsc_core.concepts.generic.spikes import SpikesConverse, spikes_proof

__all__ = ["OnSpikes"]


class OnSpikes(SpikesConverse):
    """The converse on spikes, on average over all 2^d targets.

    It is shown, not proved, for the one target of the picture: a learner that prefers long
    conjunctions does better on one of all bits.
    """

    derivation = spikes_proof(
        "The $d$ points with a single zero are shattered, and all conjunctions label the point of ones 1."
    )
    applies_to = "every private learner, proper or not, on average over all targets"
    shown_on = ("spikes",)
