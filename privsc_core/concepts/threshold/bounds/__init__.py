"""The bounds for thresholds on [0, 1]."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts.threshold.bounds.littlestone import LittlestoneEntropy
from privsc_core.concepts.threshold.bounds.lower import Packing, PackingTwo, Pair, Theorem5
from privsc_core.concepts.threshold.bounds.paper import (
    Theorem8,
    Theorem8Ours,
    Theorem9,
    Theorem9Ours,
)
from privsc_core.concepts.threshold.bounds.upper import Density, NoisyCount

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Bound
    from privsc_core.concepts.threshold.reference import Reference

__all__ = ["bounds_of"]


def bounds_of(reference: Reference) -> tuple[Bound, ...]:
    """Return the bounds, for learners that know a reference."""
    return (
        Pair(), Packing(), PackingTwo(), LittlestoneEntropy(), Theorem5(), Density(reference),
        NoisyCount(), Theorem8Ours(), Theorem9Ours(), Theorem8(), Theorem9(),
    )  # fmt: skip
