"""CONJUNCTION_d: monotone conjunctions, by statistical queries and by all concepts (V17, KLNRS11)."""

from dataclasses import replace

from privsc_core.concepts.conjunction.distributions import Spikes
from privsc_core.concepts.conjunction.laws import Product
from privsc_core.concepts.conjunction.learners import Erm, Exponential, SqGauss, SqLaplace
from privsc_core.concepts.contracts import ConceptClass
from privsc_core.parameters import parameter

__all__ = ["CONJUNCTION"]

CONJUNCTION = ConceptClass(
    package=__name__,
    name="conjunction",
    title="Conjunctions",
    symbol="CONJUNCTION_d",
    definition=(
        r"$\{c_S : S \subseteq \{1,\dots,d\}\}$ with $c_S(x) = \bigwedge_{j \in S} x_j$: 1 where all bits of "
        r"$x$ that $S$ picks are 1. $|C| = 2^d$, VC dimension $d$."
    ),
    learners=(Erm(), Exponential(), SqLaplace(), SqGauss()),
    distributions=(Spikes(), Product()),
    criterion=(
        "Adjacent samples differ by **replacing** one labelled example. A learner succeeds when its "
        "error is at most α."
    ),
    size=replace(parameter("d"), default=16),
)
