"""What any private learner needs to get most of d shattered points right."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.cube import SpikesDistribution
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.generic.shattered import odds_of_flip
from privsc_core.numerics.binomial import binomial_expectation, of_count
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.logspace import each

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Demand, Distribution, Learner, Setting

__all__ = ["SpikesConverse", "spikes_proof"]

_HALF = 0.5


def spikes_proof(shattered: str) -> str:
    """Return the proof, after a sentence on which points are shattered and where all agree."""
    return (
        f"{shattered} "
        "Flip one bit of the target: $K \\sim \\mathrm{Bin}(m, a/d)$ labels change, and by group privacy, "
        "with $\\delta_k = \\delta\\frac{e^{k\\varepsilon}-1}{e^\\varepsilon-1}$, the learner errs on that "
        "bit with probability at least $\\frac{(1-\\delta_K)^+}{1+e^{\\varepsilon K}}$ on average over both "
        "targets. So the expected error is at least $a$ times the mean of this. But a learner of error at "
        "most $(a/d)\\,r$ with probability $1-\\beta$ has expected error at most "
        "$(1-\\beta)(a/d)\\,r + \\beta a$: $a$ cancels. With $a = \\tfrac12$ the error is at most "
        "$\\alpha$ iff at most $r = \\lfloor 2\\alpha d\\rfloor$ bits are wrong. $\\square$\n\n"
        "**The exponential mechanism has the least expected error possible, but for $\\varepsilon/2$ "
        "in place of $\\varepsilon$.**"
    )


class SpikesConverse(SearchBound):
    """E[(1 - delta_K) / (1 + e^{eps K})] <= (1-beta) r/d + beta on spikes of mass 1/2.

    A class says by `spikes_proof` which points are shattered, and whether it is proved or shown there.
    """

    name = "converse-spikes"
    title = "Converse on spikes"
    legend = "Impossible for every private learner"
    headline = True
    without = ()
    kind = "lower"
    constants = "sharp"
    source = Source("ours", "group privacy, one shattered point at a time")
    statement = (
        r"\mathbb{E}\Bigl[\frac{(1-\delta_K)^+}{1+e^{\varepsilon K}}\Bigr] \le (1-\beta)\frac{r}{d}+\beta,"
        r"\quad K \sim \mathrm{Bin}\Bigl(m, \frac{1}{2d}\Bigr),\; r = \lfloor 2\alpha d\rfloor"
    )
    applies_to = "every private learner, proper or not"
    validity = "for α < 1/2"
    falls_with_d = (
        "the share of the d spikes that may be wrong, floor(2 alpha d) / d, jumps up with d"
    )

    def reaches(self, distribution: Distribution, _at: Cell) -> bool:
        """Tell whether the spikes have mass 1/2."""
        return isinstance(distribution, SpikesDistribution) and distribution.a == _HALF

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.privacy in {"pure", "approximate"}

    def eases(self, wanted: Demand) -> bool:
        """Tell that how many bits may be wrong is a whole number that d moves."""
        return wanted != "d"

    def at_best(self, wanted: Demand) -> Callable[[Cell, Cell, int], float] | None:
        """Return of d what the fewest bits leave, of which as many may be wrong as of the most."""

        def most(hard: Cell, easy: Cell, m: int) -> float:
            wrong = _wrong(hard.d, easy.alpha)
            if 2 * wrong + 1 >= easy.d:
                return math.inf
            return self.over(replace(easy, alpha=0.5 * (wrong + 0.5) / easy.d), m) or 0.0

        return most if wanted == "d" else None

    def guess(self, at: Cell) -> float:
        """Return where the flipped bit carries about log(1/beta) / eps examples."""
        return 2.0 * at.d * max(math.log(1.0 / at.beta), 1.0) / min(at.epsilon, 1.0)

    def note(self, at: Cell) -> str:
        """Return that nothing is said where every bit may be wrong."""
        return "says nothing for alpha >= 1/2" if at.alpha >= _HALF else ""

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner, averaged over targets."""
        return 1.0 - self.failure(setting)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        if setting.alpha >= _HALF:
            return np.zeros(setting.shape)
        mean = binomial_expectation(
            setting.m, np.asarray(_HALF / setting.d), (setting.epsilon,),
            of_count(lambda k, loss: odds_of_flip(k, loss, setting.delta)),
            rate=math.inf, log_tail=setting.log_tail,
        )  # fmt: skip
        wrong = each(lambda d: _wrong(d, setting.alpha), setting.d)
        share = wrong / setting.d
        return np.clip((mean - share) / (1.0 - share), 0.0, 1.0)


def _wrong(d: int, alpha: float) -> int:
    """Return how many of d bits an accurate answer may have wrong."""
    return math.floor(2 * decimal(alpha) * d)
