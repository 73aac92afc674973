"""The bounds for POINT_d."""

from privsc_core.concepts.point.bounds import lower, upper
from privsc_core.concepts.point.bounds.lower import MarginBound, SeenBound
from privsc_core.concepts.point.bounds.upper import HashBound

__all__ = ["BOUNDS"]

BOUNDS = (*lower.BOUNDS, *upper.BOUNDS, HashBound(), MarginBound(), SeenBound())
