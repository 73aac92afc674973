"""Thresholds on [0, 1] under smooth distributions, and private labels (CH11)."""

from dataclasses import replace

from privsc_core.concepts.contracts import ConceptClass, Notation
from privsc_core.concepts.threshold.distributions import (
    FINE,
    Around,
    Reference,
    Uniform,
    Window,
    cut_of,
)
from privsc_core.concepts.threshold.learners import (
    Density,
    Erm,
    NoisyCount,
    OnNet,
    Ranks,
    RanksCoarse,
)
from privsc_core.parameters import parameter

__all__ = ["THRESHOLD", "Around", "Density", "OnNet", "knowing"]

_SIZE = replace(
    parameter("d"), symbol="b", short="bits of resolution",
    meaning="bits of resolution, b = log2 κ: the density of the data is at most κ times that of "
            "the uniform distribution",
    default=16, ends=("smoother", "more concentrated"),
)  # fmt: skip


def knowing(text: str) -> ConceptClass:
    """Return the class with learners that know a reference of r bits: r, ``half`` or ``all``.

    Raises
    ------
    InputError
        For any other text.
    """
    reference = Reference.of(text)
    name = "threshold"
    return ConceptClass(
        package=__name__,
        name=f"{name}({text})" if reference.told else name,
        title="Thresholds on [0, 1]",
        symbol="THRESHOLDS",
        definition=(
            r"The threshold $h_s$, with $s$ in $[0,1]$, labels the points $x < s$ with 1 and the others with 0. The "
            r"data have $b$ bits of resolution: no set has more than $\kappa = 2^b$ times its probability under a "
            r"reference, at first the uniform distribution. Thus all points may lie in a stretch of length $2^{-b}$ "
            r"($\kappa$-smooth; CH11, Section 3)."
        ),
        learners=(Erm(), Density(reference), OnNet(), NoisyCount(), Ranks(), RanksCoarse()),
        distributions=(Window(), Uniform()),
        variant=knowing,
        member=reference,
        criterion=(
            "Adjacent samples differ by **replacing** one labelled example. For learners that "
            "protect only the labels, they differ by **flipping** one label, and the points are "
            "equal. A learner "
            "succeeds when its error is at most α."
        ),
        size=_SIZE,
        notation=Notation(
            point=f"a whole number x from 1 to 2^bits, bits = b + {FINE}: the x-th of so many equal parts of [0, 1]",
            concept="s, a number from 0 to 1, or the first whole number that is labelled 0",
            read=cut_of,
            size=lambda bits: max(bits - FINE, 1),
            functions=False,
        ),
        called=(("kappa", float),),
    )


THRESHOLD = knowing("0")
