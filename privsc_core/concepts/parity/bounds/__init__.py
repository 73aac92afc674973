"""The bounds for parities."""

from privsc_core.concepts.parity.bounds.lower import Converse, OnSpikes
from privsc_core.concepts.parity.bounds.upper import FiniteClass, OnUniform

__all__ = ["BOUNDS"]

BOUNDS = (Converse(), OnSpikes(), OnUniform(), FiniteClass())
