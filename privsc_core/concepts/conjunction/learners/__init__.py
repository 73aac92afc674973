"""The learners of conjunctions, one file each."""

from privsc_core.concepts.conjunction.learners.erm import Erm
from privsc_core.concepts.conjunction.learners.exponential import Exponential

__all__ = ["Erm", "Exponential"]
