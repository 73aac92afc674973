"""INTERVAL_d: learning a threshold on a domain of 2^d points (BBKN13, Section 5)."""

from privsc_core.concepts.contracts import ConceptClass, numbered
from privsc_core.concepts.interval.cascade import Cascade
from privsc_core.concepts.interval.distributions import Band, Hard, Threshold, Uniform
from privsc_core.concepts.interval.learners import (
    Atoms,
    Erm,
    Exponential,
    Generic,
    Noise,
    Search,
    Tree,
    Tree2,
    Tree3,
)

__all__ = ["INTERVAL"]

INTERVAL = ConceptClass(
    package=__name__,
    name="interval",
    title="Thresholds on 2ᵈ points",
    symbol="INTERVAL_d",
    definition=(
        r"$\mathrm{INTERVAL}_d = \{c_1, \dots, c_{T+1}\}$: the threshold $c_j$ labels the points $x < j$ of the "
        r"domain $\{1, \dots, T\}$, $T = 2^d$, with 1 and the others with 0 (BBKN13, Definition 5.1)."
    ),
    learners=(
        Erm(),
        Exponential(),
        Noise(),
        Atoms(),
        Search(),
        Tree(),
        Tree2(),
        Tree3(),
        Generic(),
    ),
    distributions=(Hard(), Band(), Uniform(), Cascade()),
    notation=numbered(
        "the j of c_j, which labels the points below j with 1", lambda j, _: Threshold(j), more=1
    ),
)
