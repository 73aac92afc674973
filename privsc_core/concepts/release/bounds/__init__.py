"""The bounds for data release."""

from privsc_core.concepts.release.bounds import lower, upper

__all__ = ["BOUNDS"]

BOUNDS = (*lower.BOUNDS, *upper.BOUNDS)
