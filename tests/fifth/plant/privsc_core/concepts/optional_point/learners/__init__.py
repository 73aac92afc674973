"""The learners of points and the empty concept."""

from privsc_core.concepts.optional_point.learners.hashing import Hash

__all__ = ["Hash"]
