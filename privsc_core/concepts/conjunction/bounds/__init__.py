"""The bounds for conjunctions."""

from privsc_core.concepts.conjunction.bounds.lower import OnSpikes, Shattered
from privsc_core.concepts.conjunction.bounds.queries import QueriesGauss, QueriesLaplace
from privsc_core.concepts.conjunction.bounds.upper import FiniteClass, Untold

__all__ = ["BOUNDS"]

BOUNDS = (OnSpikes(), Shattered(), FiniteClass(), Untold(), QueriesLaplace(), QueriesGauss())
