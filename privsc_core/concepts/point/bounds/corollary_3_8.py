"""The first lower bound of the paper, by an alpha-minimal class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.minimal import MinimalClassBound
from privsc_core.concepts.point.bounds.packing import Packing

if TYPE_CHECKING:
    from privsc_core.concepts.generic.packing import PackingBound

__all__ = ["Corollary38"]


@dataclass(frozen=True)
class Corollary38(MinimalClassBound):
    """(T-1) e^{-eps m} (1-beta) <= beta."""

    name: ClassVar[str] = "corollary-3.8"
    title: ClassVar[str] = "Corollary 3.8"
    source: ClassVar[Source] = Source("BBKN13", "Theorem 3.6, Proposition 3.7, Corollary 3.8")
    statement: ClassVar[str] = r"(T-1)\,e^{-\varepsilon m}\,(1-\beta) \le \beta"
    derivation: ClassVar[str] = (
        "POINT is $\\alpha$-minimal for itself: with all mass on $i$ only $c_i$ is accurate. "
        "Any two databases differ in at most $m$ examples, so on $D_i$ the learner outputs "
        "each of the $T-1$ other concepts with probability at least $e^{-\\varepsilon "
        "m}(1-\\beta)$, and all of them together with probability at most $\\beta$."
    )
    fewer: ClassVar[int] = 1
    worst_on: ClassVar[tuple[str, ...]] = ("hard", "single")
    on_hard: ClassVar[PackingBound] = Packing()
