"""A class of one's own, given as a matrix of labels: a family whose members are all finite classes."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from functools import lru_cache

from privsc_core.concepts.contracts import ConceptClass
from privsc_core.concepts.contracts.notation import Notation
from privsc_core.finite.concept.distributions import FIRST, Uniform, Weights, named, size_of
from privsc_core.finite.concept.learners import Erm, Exponential, PermuteAndFlip
from privsc_core.finite.matrix import FiniteClass, to_code
from privsc_core.finite.ready import class_of
from privsc_core.parameters import parameter

__all__ = ["FINITE", "of_matrix", "with_code"]


@lru_cache(maxsize=64)
def of_matrix(of: FiniteClass) -> ConceptClass:
    """Return the concept class of a matrix: ``finite(CODE)``, or with a digest where it is too large for a link."""
    code = (
        to_code(of)
        or f"{len(of)}x{of.points}-{hashlib.sha256(of.text().encode()).hexdigest()[:12]}"
    )
    bits = size_of(of)
    size = replace(
        parameter("d"), default=bits, page=(bits, bits), short="bits of a point",
        meaning="bits of a point; the class has the points of its matrix, whatever d is",
    )  # fmt: skip
    return ConceptClass(
        package=__name__,
        name="finite" if of == FIRST else f"finite({code})",
        title="A class of your own",
        symbol=f"C ({len(of):,} concepts on {of.points:,} points)",
        definition=(
            f"The class has {len(of):,} concepts on {of.points:,} points, given as a matrix: row $i$ holds the "
            "labels of all points by concept $i$."
        ),
        learners=(Erm(of), Exponential(of), PermuteAndFlip(of)),
        distributions=(Uniform(of), Weights(of)),
        criterion=(
            "Adjacent samples differ by **replacing** one labelled example. A learner succeeds when its error is at "
            "most α."
        ),
        variant=with_code,
        member=of,
        size=size,
        called=(("T", lambda _: math.log2(of.points)), ("n", lambda _: math.log2(len(of)))),
        notation=Notation(
            f"a whole number from 1 to {of.points}",
            f"the number of a row, from 1 to {len(of)}",
            lambda number, _: named(of, number),
            labels=lambda _: of.points,
        ),
    )


@lru_cache(maxsize=64)
def with_code(code: str | FiniteClass) -> ConceptClass:
    """Return the class that a link holds, or the one of a matrix.

    Raises
    ------
    InputError
        When the text is neither the word of a ready-made class nor a code; see `ready.class_of`.
    """
    return of_matrix(code if isinstance(code, FiniteClass) else class_of(code))


FINITE = of_matrix(FIRST)
