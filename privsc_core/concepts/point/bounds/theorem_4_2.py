"""The upper bound by a small representation, growing as log d."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.inequalities import least_at_rate, shifted_rate
from privsc_core.concepts.point.learners.representation import class_size

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Constants, Kind, Learner

__all__ = ["Theorem42"]


@dataclass(frozen=True)
class Theorem42(Bound):
    """(|H_d| - 1) r^m <= beta over the class of Lemma 4.1."""

    name: ClassVar[str] = "theorem-4.2"
    title: ClassVar[str] = "Theorem 4.2"
    source: ClassVar[Source] = Source(
        "BBKN13",
        "Lemma 4.1 and Theorem 4.2; size of the class as in the proof, number of samples ours",
    )
    kind: ClassVar[Kind] = "upper"
    constants: ClassVar[Constants] = "paper"
    completed: ClassVar[str] = "the number of samples"
    statement: ClassVar[str] = (
        r"(|H_d|-1)\,r^m \le \beta,\quad |H_d|=\Bigl\lceil \tfrac{8e\,p^2}{d}\Bigr\rceil,\ p=d\bigl(1+\lfloor 2/\alpha\rfloor\bigr)"
    )
    derivation: ClassVar[str] = (
        "Lemma 4.1 shows that a good class exists: a random one is good with positive "
        "probability, and it is **selected**. The learner that runs draws a class of the same size "
        "and takes it as it is, so its curve is not what is guaranteed here.\n\n"
        "The class of Lemma 4.1 at accuracy $\\alpha/2$ holds, for every target and "
        "distribution, a set of error at most $\\alpha' = \\alpha/2$. Against it, a set of "
        "error above $\\alpha$ is chosen with probability at most $r^m$ with $r = "
        "1-\\alpha(1-e^{-\\varepsilon'/2})+\\alpha'(e^{\\varepsilon'/2}-1)$, where $\\varepsilon' "
        "= \\min(\\varepsilon, \\log 2)$ is the best privacy loss to spend.\n\n"
        "The proof of Lemma 4.1 takes $d \\ge 16$. Where $|H_d| \\ge T$ the class is no smaller "
        "than POINT itself and the bound has no point."
    )
    applies_to: ClassVar[str] = (
        "the small-representation learner over a selected class; the one that runs draws a class of "
        "that size and does not select"
    )

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "representation"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del delta
        if d < 16:
            return BoundValue(None, "the proof of Lemma 4.1 needs d >= 16")
        size = class_size(d, alpha)
        factor = math.log(size.sets - 1) - math.log(beta)
        least = least_at_rate(factor, shifted_rate(epsilon, alpha, alpha / 2.0))
        if size.sets >= 1 << d:
            return BoundValue(
                least, note=f"vacuous: the class is no smaller than POINT itself; {_WHICH}"
            )
        return BoundValue(least, note=_WHICH)


_WHICH = "for a selected class; the learner runs a random one of that size"
