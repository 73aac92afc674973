"""The paper's lower bound for proper private learners of intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.minimal import MinimalClassBound
from privsc_core.concepts.interval.bounds.packing import Packing

if TYPE_CHECKING:
    from privsc_core.concepts.generic.packing import PackingBound

__all__ = ["Lemma52"]


@dataclass(frozen=True)
class Lemma52(MinimalClassBound):
    """T e^{-eps m} (1-beta) <= beta."""

    name: ClassVar[str] = "lemma-5.2"
    headline: ClassVar[bool] = True
    title: ClassVar[str] = "Lemma 5.2"
    source: ClassVar[Source] = Source("BBKN13", "Theorem 3.6, Lemma 5.2")
    statement: ClassVar[str] = r"T\,e^{-\varepsilon m}\,(1-\beta) \le \beta"
    derivation: ClassVar[str] = (
        "INTERVAL is $\\alpha$-minimal for itself when $\\alpha < \\frac12$: with half of the "
        "mass on each side of the step only $c_j$ is accurate. Any two databases differ in at "
        "most $m$ examples, so on $D_j$ the learner outputs each of the $T$ other concepts with "
        "probability at least $e^{-\\varepsilon m}(1-\\beta)$, and all of them together with "
        "probability at most $\\beta$.\n\n"
        "The paper states it as $\\Omega((d + (1/\\beta))/\\varepsilon)$, a slip for "
        "$\\log(1/\\beta)$."
    )
    fewer: ClassVar[int] = 0
    below: ClassVar[float] = 0.5
    on_hard: ClassVar[PackingBound] = Packing()
