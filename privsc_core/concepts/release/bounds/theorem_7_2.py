"""The lower bound of the paper for data release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import BoundValue, Source
from privsc_core.concepts.release.bounds.family import FamilyBound
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Constants

__all__ = ["Theorem72"]


@dataclass(frozen=True)
class Theorem72(FamilyBound):
    """(T-1) e^{-eps ceil(3 alpha m)} (1-beta) <= beta.

    As every lower bound of data release it says that some database of the family fails.
    """

    name: ClassVar[str] = "theorem-7.2"
    title: ClassVar[str] = "Theorem 7.2"
    headline: ClassVar[bool] = True
    source: ClassVar[Source] = Source("BBKN13", "Theorem 7.2, as in the proof")
    constants: ClassVar[Constants] = "paper"
    statement: ClassVar[str] = r"(T-1)\,e^{-\varepsilon\lceil 3\alpha m\rceil}\,(1-\beta) \le \beta"
    derivation: ClassVar[str] = (
        "$D_i$ has $3\\alpha m$ entries $i$ and the rest 1; $D_1$ has only 1. No release is "
        "useful for two of them, so on $D_1$ the mechanism outputs a release that is useful for "
        "$D_i$, $i \\ne 1$, with probability at least $e^{-3\\varepsilon\\alpha m}(1-\\beta)$, "
        "and any of these with probability at most $\\beta$.\n\n"
        "Valid for $3\\alpha \\le 1$. The number of changed entries is rounded up, "
        "$\\lceil 3\\alpha m\\rceil$: the proof takes $3\\alpha m$ for a whole number. The paper "
        "states it as $m = \\Omega((d+\\log(1/\\beta))/(\\varepsilon\\alpha))$."
    )
    factor: ClassVar[int] = 3

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of entries at one setting."""
        del delta
        if 3 * decimal(alpha) > 1:
            return BoundValue(None, "the proof needs 3 alpha <= 1")
        return self.least(d, epsilon, alpha, beta)
