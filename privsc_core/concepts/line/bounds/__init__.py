"""The bounds for lines."""

from privsc_core.concepts.line.bounds.blind import BlindGuess
from privsc_core.concepts.line.bounds.hash_line import HashLineBound
from privsc_core.concepts.line.bounds.lower import Littlestone, Nonprivate, Packing, Theorem53
from privsc_core.concepts.line.bounds.paper import Theorem61
from privsc_core.concepts.line.bounds.upper import FiniteClass
from privsc_core.concepts.line.bounds.vote import VoteBound

__all__ = ["BOUNDS"]

BOUNDS = (
    Nonprivate(),
    Littlestone(),
    BlindGuess(),
    Packing(),
    Theorem53(),
    FiniteClass(),
    HashLineBound(),
    VoteBound(),
    Theorem61(),
)
