"""The learners of rectangles, one file each."""

from privsc_core.concepts.rectangle.learners.erm import Erm
from privsc_core.concepts.rectangle.learners.exponential import Exponential
from privsc_core.concepts.rectangle.learners.generic import Generic

__all__ = ["Erm", "Exponential", "Generic"]
