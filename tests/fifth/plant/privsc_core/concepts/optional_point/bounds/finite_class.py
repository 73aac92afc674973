"""The sharp upper bound for the exponential mechanism over points and the empty concept."""

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
        "As for POINT, with $T$ wrong concepts: a concept of error above $\\alpha$ is chosen with "
        "probability at most $(1-\\alpha(1-e^{-\\varepsilon/2}))^m$. $\\square$"
    )
    applies_to: ClassVar[str] = "the exponential mechanism over points and the empty concept"
    mechanism: ClassVar[str] = "hash"
