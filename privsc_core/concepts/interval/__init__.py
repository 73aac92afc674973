"""INTERVAL_d: learning a threshold on a domain of 2^d points (BBKN13, Section 5)."""

from privsc_core.concepts.contracts import ConceptClass
from privsc_core.concepts.interval.cascade import Cascade
from privsc_core.concepts.interval.distributions import Band, Hard, Uniform
from privsc_core.concepts.interval.learners import (
    Atoms,
    Erm,
    Exponential,
    Generic,
    Noise,
    Search,
    Tree,
)

__all__ = ["INTERVAL"]

INTERVAL = ConceptClass(
    package=__name__,
    name="interval",
    title="Thresholds on 2ᵈ points",
    symbol="INTERVAL_d",
    definition=(
        r"$\mathrm{INTERVAL}_d = \{c_j : j \in [T+1]\}$, $T = 2^d$, with $c_j(x) = 1$ "
        r"iff $x < j$ (BBKN13, Definition 5.1)."
    ),
    learners=(Erm(), Exponential(), Noise(), Atoms(), Search(), Tree(), Generic()),
    distributions=(Hard(), Band(), Uniform(), Cascade()),
)
