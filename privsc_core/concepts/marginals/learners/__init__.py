"""The mechanisms for marginals, one file each."""

from privsc_core.concepts.marginals.learners.gauss import Gauss
from privsc_core.concepts.marginals.learners.laplace import Laplace
from privsc_core.concepts.marginals.learners.projected import Projected

__all__ = ["Gauss", "Laplace", "Projected"]
