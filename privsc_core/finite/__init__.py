"""The dimensions of a small concept class, given as a matrix of labels, and what they imply."""

from privsc_core.finite.families import ZOO
from privsc_core.finite.matrix import FiniteClass, from_code, from_matrix, from_text, to_code
from privsc_core.finite.ready import READY, ready
from privsc_core.finite.report import Dimensions, dimensions

__all__ = [
    "READY",
    "ZOO",
    "Dimensions",
    "FiniteClass",
    "dimensions",
    "from_code",
    "from_matrix",
    "from_text",
    "ready",
    "to_code",
]
