"""The same class without the logarithm: no d at all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.inequalities import least_at_rate, shifted_rate
from privsc_core.numerics.decimals import decimal, floor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Constants, Kind, Learner, Setting

__all__ = ["RepresentationBound"]


@dataclass(frozen=True)
class RepresentationBound(Bound):
    """16 e (1 + floor(4/alpha)) r^m <= beta."""

    name: ClassVar[str] = "representation"
    title: ClassVar[str] = "Representation without d"
    legend: ClassVar[str] = (
        "Guaranteed: a selected representation, 4/α (the learner runs a random one, 2/α)"
    )
    source: ClassVar[Source] = Source("ours", "sharpens BBKN13, Theorem 4.2")
    kind: ClassVar[Kind] = "upper"
    constants: ClassVar[Constants] = "sharp"
    statement: ClassVar[str] = r"16e\,\bigl(1+\lfloor 4/\alpha\rfloor\bigr)\,r^m \le \beta"
    derivation: ClassVar[str] = (
        "Select a class as in Lemma 4.1 with $p = d(1+\\lfloor 4/\\alpha\\rfloor)$. The masses of "
        "the $p$ sets through $j$, without $j$, sum to less than $d$, so fewer than "
        "$2d/\\alpha < p/2$ of them have error above $\\alpha' = \\alpha/2$: more than $p/2$ are "
        "good.\n\n"
        "With $N$ good sets in place of one, the inequality between arithmetic and harmonic "
        "mean on their weights divides the bound by $N$, and $|H_d|/N \\le 16e\\,p/d = "
        "16e(1+\\lfloor 4/\\alpha\\rfloor)$. The $\\log d$ of Theorem 4.2 comes from the union "
        "bound alone: the paper's own class already gives $O(1)$ samples. $r$ is that of "
        "Theorem 4.2; the construction takes $d \\ge 16$. $\\square$"
    )
    applies_to: ClassVar[str] = (
        "the small-representation learner over a selected class built with p = d(1+⌊4/α⌋); the one that "
        "runs draws a class with p = d(1+⌊2/α⌋) and does not select"
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
        rate = shifted_rate(epsilon, alpha, alpha / 2.0)
        least = least_at_rate(_log_factor(alpha) - math.log(beta), rate)
        per = floor(4 / decimal(alpha)), floor(2 / decimal(alpha))
        note = "for a selected class, p = d(1+{}); the learner runs a random one, p = d(1+{})"
        return BoundValue(least, note=note.format(*per))

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the guaranteed success probability (0 where d is below 16)."""
        flat = setting.epsilon.ravel().tolist()
        rate = [shifted_rate(e, setting.alpha, setting.alpha / 2.0) for e in flat]
        failure = _log_factor(setting.alpha) - np.reshape(rate, setting.epsilon.shape) * setting.m
        promised = np.where(setting.d >= 16, -np.expm1(np.minimum(failure, 0.0)), 0.0)
        return np.broadcast_to(promised, setting.shape)


def _log_factor(alpha: float) -> float:
    return math.log(16.0 * math.e * (1 + floor(4 / decimal(alpha))))
