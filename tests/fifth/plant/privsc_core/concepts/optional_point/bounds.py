"""The bounds for points and the empty concept."""

from privsc_core.concepts.contracts import Whom
from privsc_core.concepts.generic.rate import FiniteClassBound

__all__ = ["BOUNDS"]


class FiniteClass(FiniteClassBound):
    """T (1 - alpha (1 - e^{-eps/2}))^m <= beta."""

    statement = r"T\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation = (
        "As for POINT, with $T$ wrong concepts: a concept of error above $\\alpha$ is chosen with "
        "probability at most $(1-\\alpha(1-e^{-\\varepsilon/2}))^m$. $\\square$"
    )
    applies_to = "the exponential mechanism over points and the empty concept"
    whom = Whom("hash")


BOUNDS = (FiniteClass(),)
