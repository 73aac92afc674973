"""The bounds for POINT_d."""

from privsc_core.concepts.point.bounds import lower, upper
from privsc_core.concepts.point.bounds.hashing import HashBound
from privsc_core.concepts.point.bounds.margin import MarginBound
from privsc_core.concepts.point.bounds.seen import SeenBound

__all__ = ["BOUNDS"]

BOUNDS = (*lower.BOUNDS, *upper.BOUNDS, HashBound(), MarginBound(), SeenBound())
