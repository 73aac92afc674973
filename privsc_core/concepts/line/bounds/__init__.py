"""The bounds for lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts.line.bounds.blind import BlindGuess
from privsc_core.concepts.line.bounds.lower import (
    FiniteClass,
    Littlestone,
    Nonprivate,
    Packing,
    Theorem53,
    Theorem61,
)
from privsc_core.concepts.line.bounds.vote import HashLineBound, VoteBound

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Bound
    from privsc_core.concepts.line.plane import Modulus

__all__ = ["bounds_of"]


def bounds_of(modulus: Modulus) -> tuple[Bound, ...]:
    """Return the bounds at these p."""
    return (
        Nonprivate(),
        Littlestone(modulus),
        BlindGuess(modulus),
        Packing(modulus),
        Theorem53(modulus),
        FiniteClass(modulus),
        HashLineBound(modulus),
        VoteBound(),
        Theorem61(),
    )
