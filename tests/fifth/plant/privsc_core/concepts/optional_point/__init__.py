"""Points, and the concept that labels every point 0."""

from privsc_core.concepts.contracts import ConceptClass
from privsc_core.concepts.optional_point.learners import Hash
from privsc_core.concepts.point.distributions import Single

__all__ = ["OPTIONAL_POINT"]

OPTIONAL_POINT = ConceptClass(
    package=__name__,
    name="optional-point",
    title="Optional points",
    symbol="OPTPOINT_d",
    definition=r"$\mathrm{POINT}_d \cup \{0\}$: the points, and the concept without any.",
    learners=(Hash(),),
    distributions=(Single(),),
)
