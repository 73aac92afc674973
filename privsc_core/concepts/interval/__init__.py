"""INTERVAL_d: learning a threshold on a domain of 2^d points (BBKN13, Section 5)."""

from privsc_core.concepts.contracts import ConceptClass
from privsc_core.concepts.interval.bounds import BOUNDS
from privsc_core.concepts.interval.cascade import Cascade
from privsc_core.concepts.interval.certified import ROUTES
from privsc_core.concepts.interval.distributions import Band, Hard, Uniform
from privsc_core.concepts.interval.landscape import CONTEST, GAPS, LINES, SLACK_LINES
from privsc_core.concepts.interval.later import LATER
from privsc_core.concepts.interval.learners import (
    Atoms,
    Erm,
    Exponential,
    Generic,
    Noise,
    Search,
    Tree,
)
from privsc_core.concepts.interval.slips import SLIPS

__all__ = ["INTERVAL"]

INTERVAL = ConceptClass(
    name="interval",
    title="Intervals",
    symbol="INTERVAL_d",
    definition=(
        r"$\mathrm{INTERVAL}_d = \{c_j : j \in [T+1]\}$, $T = 2^d$, with $c_j(x) = 1$ "
        r"iff $x < j$ (BBKN13, Definition 5.1)."
    ),
    learners=(Erm(), Exponential(), Noise(), Atoms(), Search(), Tree(), Generic()),
    bounds=BOUNDS,
    distributions=(Hard(), Band(), Uniform(), Cascade()),
    lines=LINES,
    gaps=GAPS,
    slack_lines=SLACK_LINES,
    contest=CONTEST,
    slips=SLIPS,
    later=LATER,
    certified=ROUTES,
)
