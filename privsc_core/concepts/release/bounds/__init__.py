"""The bounds for the data release of POINT_d, one file each."""

from privsc_core.concepts.release.bounds.laplace import LaplaceBound
from privsc_core.concepts.release.bounds.packing import Packing
from privsc_core.concepts.release.bounds.theorem_7_1 import Theorem71
from privsc_core.concepts.release.bounds.theorem_7_2 import Theorem72

__all__ = ["LaplaceBound", "Packing", "Theorem71", "Theorem72"]
