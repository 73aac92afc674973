"""What even learners without privacy need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privsc_core.concepts.generic.nonprivate import NonprivateBound

__all__ = ["Nonprivate"]


@dataclass(frozen=True)
class Nonprivate(NonprivateBound):
    """Two neighbouring thresholds cannot be told apart until the point between is seen."""

    derivation: ClassVar[str] = (
        "The concepts $c_i$ and $c_{i+1}$, $i \\ge 2$, differ on point $i$ only. Put mass "
        "$\\alpha$ on $i$ and the rest on point 1, which both label 1.\n\n"
        "While $i$ is unseen, which happens with probability $(1-\\alpha)^m$, the samples are "
        "equal, and an output is accurate for at most one of the two: some target fails with "
        "probability at least $\\frac12 (1-\\alpha)^m$."
    )
