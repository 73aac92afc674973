"""Half-spaces through the centre of a sphere, and private labels (CH11)."""

from dataclasses import replace

from privsc_core.concepts.contracts import ConceptClass, Notation
from privsc_core.concepts.halfspace.distributions import BandIn, BandOut, Circle, Sphere, Uniform
from privsc_core.concepts.halfspace.hypotheses import coordinates, dimension, half_space
from privsc_core.concepts.halfspace.learners import Arcs, Averaging, Density, Erm, Mean, OnNet
from privsc_core.parameters import parameter

__all__ = ["HALFSPACE", "OnNet"]

_SIZE = replace(
    parameter("d"), symbol="n", short="dimension",
    meaning="dimension n of the space; the data are directions",
    default=3, ends=("fewer dimensions", "more"),
)  # fmt: skip

HALFSPACE = ConceptClass(
    package=__name__,
    name="halfspace",
    title="Half-spaces",
    symbol="HALFSPACES",
    definition=(
        r"The half-space $h_w$ labels a point $x$ of the unit sphere in $n$ dimensions with 1 if $\langle w, "
        r"x\rangle \ge 0$, and with 0 if not; the unit vector $w$ is its normal. If $x$ is uniform, the error of "
        r"$h_w$ is the angle between $w$ and the normal of the target, divided by 180° (CH11, Section 3.2)."
    ),
    learners=(Erm(), Arcs(), Density(), Averaging(), Mean(), OnNet()),
    distributions=(Circle(), Uniform(), Sphere(), BandIn(), BandOut()),
    criterion=(
        "Adjacent samples differ by **replacing** one labelled example. For learners that "
        "protect only the labels, they differ by **flipping** one label, and the points are "
        "equal. A learner succeeds when "
        "its error is at most α."
    ),
    size=_SIZE,
    notation=Notation(
        point="a unit vector of n numbers",
        concept="w, a normal: n numbers, not all 0",
        read=half_space,
        shape=lambda bits: (dimension(bits),),
        points=coordinates,
        size=dimension,
        functions=False,
    ),
    called=(),
)
