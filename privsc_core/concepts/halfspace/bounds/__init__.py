"""The bounds for half-spaces."""

from privsc_core.concepts.halfspace.bounds.lower import CirclePacking, Packing, Pair, Theorem12
from privsc_core.concepts.halfspace.bounds.upper import Arcs, Density, Simple

__all__ = ["BOUNDS"]

BOUNDS = (
    Pair(), Packing(), CirclePacking(), Theorem12(), Density(), Simple(), Arcs(),
)  # fmt: skip
