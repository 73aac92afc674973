"""CONJUNCTION_d: monotone conjunctions, by statistical queries and by all concepts (V17, KLNRS11)."""

from dataclasses import replace

from privsc_core.concepts.conjunction.distributions import Conjunction, Spikes
from privsc_core.concepts.conjunction.laws import Product
from privsc_core.concepts.conjunction.learners import Erm, Exponential, SqGauss, SqLaplace
from privsc_core.concepts.contracts import ConceptClass, numbered
from privsc_core.parameters import parameter

__all__ = ["CONJUNCTION"]

CONJUNCTION = ConceptClass(
    package=__name__,
    name="conjunction",
    title="Conjunctions",
    symbol="CONJUNCTION_d",
    definition=(
        r"The conjunction $c_S(x) = \bigwedge_{j \in S} x_j$, for a set $S$ of positions, is 1 if all bits $x_j$ of "
        r"$x \in \{0,1\}^d$ with $j \in S$ are 1, and 0 if not. There are $2^d$ conjunctions; their VC dimension is "
        r"$d$."
    ),
    learners=(Erm(), Exponential(), SqLaplace(), SqGauss()),
    distributions=(Spikes(), Product()),
    criterion=(
        "Adjacent samples differ by **replacing** one labelled example. A learner succeeds when its "
        "error is at most α."
    ),
    size=replace(parameter("d"), default=16),
    notation=numbered("1 plus the number whose bits are S, the first bit the lowest", Conjunction),
)
