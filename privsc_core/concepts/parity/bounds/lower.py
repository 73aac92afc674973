"""The lower bounds for parities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.generic.shattered import ShatteredBound, odds_of_flip
from privsc_core.concepts.parity.certificate import between
from privsc_core.concepts.parity.distributions import Spikes
from privsc_core.numerics.binomial import binomial_expectation, of_count
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.logspace import each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Distribution, Learner, Setting

__all__ = ["Converse", "OnSpikes", "Shattered"]

_HALF = 0.5


class Converse(SearchBound):
    """success <= E[1 / W_eps] <= min(1/mu + Var/mu^2, R(m, d)) on the uniform distribution."""

    name = "converse"
    title = "Converse on uniform"
    legend = "Impossible for every proper ε-DP learner"
    headline = True
    source = Source("ours", "all pairs of targets share the sample points")
    kind = "lower"
    constants = "sharp"
    statement = (
        r"\min\Bigl(\frac1\mu+\frac{\mathrm{Var}}{\mu^2},\,R(m,d)\Bigr) \ge 1-\beta,\quad "
        r"\mu = 1+(2^d-1)\Bigl(\frac{1+e^{-\varepsilon}}{2}\Bigr)^{m}"
    )
    derivation = (
        "Fix the sample points, the rows of a matrix $X$, and let the labels be those of target $i$. "
        "The samples of two targets differ in $|X(r_i+r_j)|$ labels, so with $G_j$ the answers that are "
        "good for $j$, disjoint, $P_i(G_j) \\ge e^{-\\varepsilon|X(r_i+r_j)|}P_j(G_j)$. Summed over $j$, "
        "$1 \\ge \\sum_j e^{-\\varepsilon|X(r_i+r_j)|}P_j(G_j)$; and summed over $i$, the average success is at most "
        "$1/W_\\varepsilon(X)$, $W_e = \\sum_v e^{-e|Xv|}$. **The exponential mechanism reaches "
        "the same with $\\varepsilon/2$ for $\\varepsilon$.**\n\n"
        "Any two of the vectors $Xv$, $v \\neq 0$, are independent: $W$ has mean $\\mu$ and variance "
        "$(2^d-1)\\bigl[(\\tfrac{1+e^{-2e}}2)^m - (\\tfrac{1+e^{-e}}2)^{2m}\\bigr]$, and from $W \\ge 1$ follows "
        "$\\mathbb{E}\\tfrac1W \\le \\tfrac1\\mu + \\tfrac{\\mathrm{Var}}{\\mu^2}$. Also "
        "$W \\ge 2^{d-\\mathrm{rank}X}$, so $\\mathbb{E}\\tfrac1W \\le R(m,d) = \\mathbb{E}\\,2^{-(d-\\mathrm{rank})}$, "
        "what Gaussian elimination without privacy reaches. $\\square$\n\n"
        "For improper learners the sets are disjoint for $\\alpha < 1/4$, and the bound is the same."
    )
    applies_to = "every proper, purely private learner (for α < 1/4 every other one too)"
    validity = "for α < 1/2"
    proved_on = ("uniform",)

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.proper and learner.privacy == "pure"

    def guess(self, at: Cell) -> float:
        """Return where mu is 2."""
        return at.d * math.log(2.0) / (math.log(2.0) - math.log1p(math.exp(-at.epsilon))) + 1.0

    def note(self, at: Cell) -> str:
        """Return that nothing is said where every parity is accurate."""
        return "says nothing for alpha >= 1/2" if at.alpha >= 0.5 else ""

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner, averaged over targets."""
        if setting.alpha >= 0.5:
            return np.ones(setting.shape)
        return between(setting.m, setting.d, setting.epsilon).high

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        if setting.alpha >= 0.5:
            return np.zeros(setting.shape)
        return between(setting.m, setting.d, setting.epsilon).least_missed


class OnSpikes(SearchBound):
    """E[(1 - delta_K) / (1 + e^{eps K})] <= (1-beta) r/d + beta on spikes of mass 1/2."""

    name = "converse-spikes"
    title = "Converse on spikes"
    legend = "Impossible for every private learner"
    headline = True
    kind = "lower"
    constants = "sharp"
    source = Source("ours", "group privacy, one shattered point at a time")
    statement = (
        r"\mathbb{E}\Bigl[\frac{(1-\delta_K)^+}{1+e^{\varepsilon K}}\Bigr] \le (1-\beta)\frac{r}{d}+\beta,"
        r"\quad K \sim \mathrm{Bin}\Bigl(m, \frac{1}{2d}\Bigr),\; r = \lfloor 2\alpha d\rfloor"
    )
    derivation = (
        "The $d$ points with a single one are shattered, and all parities agree on the point without ones. "
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
    applies_to = "every private learner, proper or not"
    validity = "for α < 1/2"
    proved_on = ("spikes",)

    def reaches(self, distribution: Distribution, _at: Cell) -> bool:
        """Tell whether the spikes have mass 1/2."""
        return isinstance(distribution, Spikes) and distribution.a == _HALF

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.privacy in {"pure", "approximate"}

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
            rate=1.0, log_tail=setting.log_tail,
        )  # fmt: skip
        wrong = each(lambda d: math.floor(2 * decimal(setting.alpha) * d), setting.d)
        share = wrong / setting.d
        return np.clip((mean - share) / (1.0 - share), 0.0, 1.0)


class Shattered(ShatteredBound):
    """The d points with a single one, beside the point without ones."""

    shown_on = ("spikes",)

    def shattered(self, d: int) -> int:
        """Return d."""
        return d
