"""The bounds for rectangles."""

from privsc_core.concepts.rectangle.bounds.lower import Packing
from privsc_core.concepts.rectangle.bounds.shattered import Labels, Unseen
from privsc_core.concepts.rectangle.bounds.upper import FiniteClass

__all__ = ["BOUNDS"]

BOUNDS = (Unseen(), Labels(), Packing(), FiniteClass())
