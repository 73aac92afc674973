"""PARITY_d: sums modulo 2, learned privately by linear equations (V17, KLNRS11)."""

from dataclasses import replace

from privsc_core.concepts.contracts import ConceptClass, numbered
from privsc_core.concepts.parity.distributions import Noisy, Parity, Spikes, Uniform
from privsc_core.concepts.parity.learners import Elimination, EliminationKlnrs, Erm, Exponential
from privsc_core.parameters import parameter

__all__ = ["PARITY"]

_SIZE = replace(parameter("d"), default=16)

PARITY = ConceptClass(
    package=__name__,
    name="parity",
    title="Parities",
    symbol="PARITY_d",
    definition=(
        r"The parity $c_r(x) = \langle r, x\rangle \bmod 2$ adds up, modulo 2, the bits of $x \in \{0,1\}^d$ that $r "
        r"\in \{0,1\}^d$ picks. There are $2^d$ parities; their VC dimension is $d$ (V17, Section 8.2)."
    ),
    learners=(Erm(), Exponential(), Elimination(), EliminationKlnrs()),
    distributions=(Uniform(), Spikes(), Noisy()),
    criterion=(
        "Adjacent samples differ by **replacing** one labelled example. A learner succeeds when its "
        "error is at most α."
    ),
    size=_SIZE,
    notation=numbered("1 plus the number whose bits are r, the first bit the lowest", Parity),
)
