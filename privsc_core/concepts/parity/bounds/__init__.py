"""The bounds for parities."""

from privsc_core.concepts.parity.bounds.lower import Converse, OnSpikes, Shattered
from privsc_core.concepts.parity.bounds.upper import FiniteClass, OnUniform

__all__ = ["BOUNDS"]

BOUNDS = (Converse(), OnSpikes(), Shattered(), OnUniform(), FiniteClass())
