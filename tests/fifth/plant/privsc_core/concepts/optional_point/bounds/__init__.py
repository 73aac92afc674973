"""The bounds for points and the empty concept."""

from privsc_core.concepts.optional_point.bounds.finite_class import FiniteClass

__all__ = ["FiniteClass"]
