"""The bounds for lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts.line.bounds.blind import BlindGuess
from privsc_core.concepts.line.bounds.hash_line import HashLineBound
from privsc_core.concepts.line.bounds.lower import Littlestone, Nonprivate, Packing, Theorem53
from privsc_core.concepts.line.bounds.paper import Theorem61
from privsc_core.concepts.line.bounds.upper import FiniteClass
from privsc_core.concepts.line.bounds.vote import VoteBound

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
