"""The learners of conjunctions, one file each."""

from privsc_core.concepts.conjunction.learners.erm import Erm
from privsc_core.concepts.conjunction.learners.exponential import Exponential
from privsc_core.concepts.conjunction.learners.queries import SqGauss, SqLaplace

__all__ = ["Erm", "Exponential", "SqGauss", "SqLaplace"]
