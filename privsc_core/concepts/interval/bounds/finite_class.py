"""The sharp upper bound for the exponential mechanism over INTERVAL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privsc_core.concepts.generic.mechanism import FiniteClassBound

__all__ = ["FiniteClass"]


@dataclass(frozen=True)
class FiniteClass(FiniteClassBound):
    """T (1 - alpha (1 - e^{-eps/2}))^m <= beta."""

    statement: ClassVar[str] = r"T\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation: ClassVar[str] = (
        "The target has weight 1. A concept of error above $\\alpha$ is chosen with "
        "probability at most its own weight $e^{-\\varepsilon M/2}$, where its number of "
        "mistakes $M$ dominates $\\mathrm{Bin}(m,\\alpha)$; so with probability at most "
        "$\\mathbb{E}\\,e^{-\\varepsilon M/2} \\le (1-\\alpha(1-e^{-\\varepsilon/2}))^m$. Add up "
        "over the at most $T$ such concepts of the $T+1$. $\\square$\n\n"
        "Holds for every distribution and target."
    )
    applies_to: ClassVar[str] = "the exponential mechanism over INTERVAL"
    fewer: ClassVar[int] = 0
