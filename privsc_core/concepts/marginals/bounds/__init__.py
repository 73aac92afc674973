"""The bounds for marginals."""

from privsc_core.concepts.marginals.bounds import lower, upper

__all__ = ["BOUNDS"]

BOUNDS = (*lower.BOUNDS, *upper.BOUNDS)
