"""The learners of parities, one file each."""

from privsc_core.concepts.parity.learners.elimination import Elimination, EliminationKlnrs
from privsc_core.concepts.parity.learners.erm import Erm
from privsc_core.concepts.parity.learners.exponential import Exponential

__all__ = ["Elimination", "EliminationKlnrs", "Erm", "Exponential"]
