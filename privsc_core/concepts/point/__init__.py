"""POINT_d: learning one point of a domain of 2^d (BBKN13, Sections 3 and 4)."""

from privsc_core.concepts.contracts import ConceptClass, numbered
from privsc_core.concepts.point.distributions import Bystanders, Hard, Point, Single, Uniform
from privsc_core.concepts.point.learners import (
    Erm,
    Exponential,
    Generic,
    GenericFlip,
    GenericStable,
    Hash,
    LabelBoost,
    Margin,
    Noise,
    NoiseBoosted,
    NoisePseudorandom,
    NoiseTuned,
    PermuteAndFlip,
    Representation,
    Seen,
)

__all__ = ["POINT"]

POINT = ConceptClass(
    package=__name__,
    name="point",
    title="Points",
    symbol="POINT_d",
    definition=(
        r"$\mathrm{POINT}_d = \{c_1, \dots, c_T\}$: the concept $c_j$ labels the point $j$ of the domain $\{1, "
        r"\dots, T\}$, $T = 2^d$, with 1 and all other points with 0 (BBKN13, Definition 3.3)."
    ),
    learners=(
        Erm(),
        Exponential(),
        Representation(),
        Noise(),
        NoiseTuned(),
        NoiseBoosted(),
        NoisePseudorandom(),
        Hash(),
        Margin(),
        PermuteAndFlip(),
        Seen(),
        Generic(),
        GenericFlip(),
        GenericStable(),
        LabelBoost(),
    ),
    distributions=(Hard(), Single(), Bystanders(), Uniform()),
    notation=numbered("the point j that c_j labels 1", lambda j, _: Point(j)),
)
