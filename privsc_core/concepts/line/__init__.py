"""Line_p: the lines of the plane over the whole numbers modulo a prime p (FX14, Sections 5, 6)."""

from dataclasses import replace

from privsc_core.concepts.contracts import ConceptClass, Notation, whole_numbers
from privsc_core.concepts.line.distributions import Anchor, Mixture, Pair, Spread
from privsc_core.concepts.line.learners import Erm, Exponential, HashLine, Vote
from privsc_core.concepts.line.plane import Modulus
from privsc_core.parameters import parameter

__all__ = ["LINE", "modulo"]

_SIZE = replace(
    parameter("d"), short="bits of the prime",
    meaning="bits of p, d = log2 p: p is the largest prime up to 2^d, if none is given, and the plane has p² points",
)  # fmt: skip


def modulo(text: str) -> ConceptClass:
    """Return the class at a given prime p, whatever d is, or at the ``largest`` up to 2^d.

    Raises
    ------
    InputError
        For any other text.
    """
    modulus = Modulus.of(text)
    return ConceptClass(
        package=__name__,
        name=f"line({text})" if modulus.given else "line",
        title="Lines modulo p",
        symbol="LINE_p",
        definition=(
            r"The concept $c_{a,b}$ labels the points $(x, y)$ of the line $y = ax+b$ modulo $p$ with 1 and all "
            r"others with 0. Coordinates and coefficients are whole numbers from 0 to $p-1$; $p$ is prime, the "
            r"largest up to $2^d$ if none is given (FX14, Section 5)."
        ),
        learners=(
            Erm(modulus),
            Exponential(modulus),
            HashLine(modulus=modulus),
            Vote(modulus=modulus),
        ),
        distributions=(Spread(modulus), Anchor(modulus), Pair(modulus), Mixture(modulus)),
        variant=modulo,
        member=modulus,
        size=_SIZE,
        notation=Notation(
            point="a pair (x, y) of whole numbers from 0 to p-1",
            concept="the pair (a, b) of c_{a,b}",
            read=lambda pair, bits: modulus.plane(bits).line(pair),
            shape=lambda _: (2,),
            points=lambda points, bits: whole_numbers(
                [divmod(point - 1, modulus.plane(bits).p) for point in points], bits
            ),
            size=lambda bits: bits // 2,
        ),
        called=(("p", modulus.log2),),
    )


LINE = modulo("largest")
