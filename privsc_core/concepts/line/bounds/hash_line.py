"""What the hashed lines guarantee, for every distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.line.hashes import design
from privsc_core.concepts.line.plane import LARGEST, Modulus

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Demand, Learner, Setting

__all__ = ["HashLineBound"]

# Of so many bits two heights share a bucket more rarely than any alpha times beta.
_BITS_ENOUGH = 128
_TOO_SMALL = "says nothing: p is too small for a hash of so many bits"


@dataclass(frozen=True)
class HashLineBound(Bound):
    """2^-t / alpha' + p 2^t r^m <= beta, for the best t, alpha' and eps'."""

    modulus: Modulus = LARGEST

    name = "hash-line"
    title = "Hashed lines"
    legend = "Guaranteed: hashed lines"
    source = Source("ours", "the route of FX14, Section 3.1, on lines")
    kind = "upper"
    constants = "sharp"
    statement = (
        r"\frac{2^{-t}}{\alpha'} + p\,2^t r^m \le \beta,\quad r = 1-\alpha(1-e^{-\varepsilon'/2})"
        r"+\alpha'(e^{\varepsilon'/2}-1),\quad 2^t \le \tfrac p2,\ \alpha' \le \alpha,\ "
        r"\varepsilon' \le \varepsilon"
    )
    derivation = (
        "Two heights share a bucket of $g$ with probability at most $2^{-t}$, so the hypothesis with the "
        "target's slope and bucket, which errs on other parallels of its bucket only, has error at most "
        "$2^{-t}$ on average over $g$: by Markov's inequality above $\\alpha'$ with probability at most "
        "$2^{-t}/\\alpha'$. If it is not, take a hypothesis of error above $\\alpha$ that makes $\\Delta$ mistakes "
        "more. It is drawn with probability at most $\\min\\{1, e^{-\\varepsilon\\Delta/2}\\} \\le "
        "e^{-\\varepsilon'\\Delta/2}$, for every $\\varepsilon' \\le \\varepsilon$; this changes by a factor of "
        "mean at most $r$ with every example, and there are at most $p\\,2^t$ such hypotheses. $\\square$\n\n"
        "Reported for the best $t$, $\\alpha'$ and $\\varepsilon'$ of a grid; the learner takes that $t$. It "
        "grows like $2\\ln p/(\\varepsilon\\alpha)$ for small $\\varepsilon$, **half of what lines "
        "themselves take**, twice what no pure learner can do without; below 16 bits of p the constants "
        "eat that up, and the finite class says less."
    )
    applies_to = "the learner hash-line, on every distribution"
    validity = "where 2^(-t)/α is below β for some t up to ⌊log₂ p⌋-1"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "hash-line"

    def eases(self, wanted: Demand) -> bool:
        """Tell that the bits of a hash, whole, are limited by p."""
        return wanted != "d"

    def at_best(self, wanted: Demand) -> Callable[[Cell, Cell, int], float] | None:
        """Return of d its own number where no hash needs as many bits as p has: then more of p is worse."""

        def most(hard: Cell, easy: Cell, m: int) -> float:
            if easy.d < _BITS_ENOUGH and easy.d != hard.d:
                return math.inf
            found = self.over(easy, m)
            return -math.inf if found is None else found

        return most if wanted == "d" else None

    def least(self, at: Cell) -> BoundValue:
        """Return the least m that the best design needs."""
        found = design(self.modulus, at.d, at.epsilon, at.alpha, at.beta)
        if not found.promises:
            return BoundValue(None, _TOO_SMALL)
        return BoundValue(
            max(math.ceil(found.least(at.beta)), 1), note=f"with hashes of t = {found.bits} bits"
        )

    def limit(self, setting: Setting) -> NDArray[np.float64] | None:
        """Return the success probability that is promised."""
        shape = setting.shape
        m, d, epsilon = (
            np.broadcast_to(x, shape).ravel() for x in (setting.m, setting.d, setting.epsilon)
        )
        value = np.zeros(m.size)
        for i, (size, bits, loss) in enumerate(
            zip(m.tolist(), d.tolist(), epsilon.tolist(), strict=True)
        ):
            found = design(self.modulus, bits, loss, setting.alpha, setting.beta)
            if found.promises:
                lost = found.missed + math.exp(min(found.log_bad - found.rate * size, 0.0))
                value[i] = max(1.0 - lost, 0.0)
        return value.reshape(shape)
