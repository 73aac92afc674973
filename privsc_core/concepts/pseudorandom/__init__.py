"""Pseudorandom points: images of a generator (BBKN13, Section 6)."""

from privsc_core.concepts.contracts import ConceptClass, numbered
from privsc_core.concepts.point.distributions import Point
from privsc_core.concepts.pseudorandom.distributions import Hard, Single
from privsc_core.concepts.pseudorandom.generator import SeedLength
from privsc_core.concepts.pseudorandom.learners import (
    Erm,
    ExponentialProper,
    ExponentialRelaxed,
    Margin,
)

__all__ = ["PSEUDORANDOM_POINT", "with_seeds"]


def with_seeds(text: str) -> ConceptClass:
    """Return the class with seeds of a length: ``sqrt``, ``log2``, ``4log`` or a number.

    Raises
    ------
    InputError
        For any other text.
    """
    seeds = SeedLength.of(text)
    name = "pseudorandom-point"
    return ConceptClass(
        package=__name__,
        name=name if text == "sqrt" else f"{name}({seeds.label})",
        title="Pseudorandom points",
        symbol="PRPOINT_d",
        definition=(
            r"The concept $c_j$ labels one of $2^d$ points, $j$, with 1 and all others with 0. Only images $j = "
            r"G(r)$ of seeds $r$ of $l$ bits can be targets: a generator $G$, here SHAKE-256, stretches $l$ bits to "
            r"$d$ pseudorandom ones (BBKN13, Section 6)."
        ),
        learners=(Erm(seeds), ExponentialRelaxed(), ExponentialProper(seeds), Margin(seeds)),
        distributions=(Hard(seeds), Single(seeds)),
        variant=with_seeds,
        member=seeds,
        notation=numbered("the point j that c_j labels 1", lambda j, _: Point(j)),
    )


PSEUDORANDOM_POINT = with_seeds("sqrt")
