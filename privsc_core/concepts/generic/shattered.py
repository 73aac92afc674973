"""What private learners need by VC dimension: one shattered point at a time."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Source, Whom
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.shared.cube import ShatteredDistribution
from privsc_core.numerics.binomial import binomial_expectation, of_count
from privsc_core.numerics.decimals import ceiling, decimal
from privsc_core.numerics.logspace import each

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Demand, Distribution, Learner, Setting


# Of the numbers of wrong points the next one tried is larger by such a part, and by one at least. Each
# is a bound, and which are tried depends on nothing else: so the best never falls as v grows.
_PARTS = 32


class ShatteredBound(SearchBound):
    """E[(1 - delta_K)^+ / (1 + e^{eps K})] <= (1-beta) r/v' + beta, K ~ Bin(m, alpha/(r+1)), always.

    That is for all v' <= v and all r with alpha v' < r + 1. Of the v' that an r allows the largest says
    most, and K is the same for all: so r alone is gone through.

    A class says how many points it shatters *beside a base*: for every labelling of the v points a
    concept, all of which agree on one further point. Without a base the bound is false. A class whose
    VC dimension is v + 1 has one: any of the points that it shatters.

    It is proved for the worst of the distributions that it speaks of, which moves with every
    parameter. A class names in `shown_on` the family that they belong to; on its other members every
    learner may do better.
    """

    name = "vc"
    title = "VC bound, private"
    legend = "Impossible for every private learner, on the worst distribution"
    without: ClassVar[tuple[str, ...]] = ()
    kind = "lower"
    source = Source(
        "ours",
        "group privacy, one shattered point at a time",
        "Ehrenfeucht, Haussler, Kearns and Valiant 1989, the lower bound by the VC dimension without privacy",
    )
    statement = (
        r"\max_{v' \le v,\;r \ge \lfloor\alpha v'\rfloor}\,"
        r"\Bigl(\mathbb{E}\Bigl[\frac{(1-\delta_K)^+}{1+e^{\varepsilon K}}\Bigr]"
        r"-(1-\beta)\frac{r}{v'}-\beta\Bigr) \le 0,"
        r"\quad K \sim \mathrm{Bin}\Bigl(m, \frac{\alpha}{r+1}\Bigr)"
    )
    derivation = (
        "The class shatters $v$ points, with concepts that all agree on one further point, the base. So it shatters "
        "any $v' \\le v$ of them, with the same base. Put mass $a/v'$ on each of the $v'$ points and the rest on the "
        "base. Flip the label that the target gives to one of them. Then $K \\sim \\mathrm{Bin}(m, a/v')$ examples "
        "change, and by group privacy, with $\\delta_k = \\delta\\frac{e^{k\\varepsilon}-1}{e^\\varepsilon-1}$, a "
        "learner errs there with probability at least $\\frac{(1-\\delta_K)^+}{1+e^{\\varepsilon K}}$ on average "
        "over both targets. So its expected error on the $v'$ points is at least $a$ times the mean of this, "
        "averaged over all targets. But suppose that error at most $\\alpha$ leaves at most $r$ of these points "
        "wrong. Then success with probability $1-\\beta$ makes the expected error at most $(1-\\beta)\\frac{a}{v'} r "
        "+ \\beta a$: $a$ cancels. The rarest points for which $r+1$ wrong ones are too many have $a/v'$ just above "
        "$\\frac{\\alpha}{r+1}$. As $a \\le 1$, $r$ is at least $\\lfloor\\alpha v'\\rfloor$. $\\square$\n\n"
        "For every $r$ the largest $v'$ gives the strongest bound. From $r = v/2$ on the inequality excludes "
        f"nothing. All $r$ up to {2 * _PARTS} are tried; from there on each next one is larger by a {_PARTS}nd part."
    )
    applies_to = "every private learner, proper or not"
    whom = Whom(privacy=("pure", "approximate"))
    validity = "for α < 1/2"

    @abstractmethod
    def shattered(self, d: int, /) -> int:
        """Return how many points are shattered beside a base."""

    def passed(self, learner: Learner, distribution: Distribution) -> bool:
        """Return whether a learner may do better on a distribution: each may where it is not the worst."""
        return self.binds(learner) and distribution.name in self.shown_on

    def guess(self, at: Cell) -> float:
        """Return where a flipped label has changed about log(1/beta) / eps examples."""
        rare = max(0.2 * self.shattered(at.d), 1.0)
        return rare / at.alpha * max(math.log(1.0 / at.beta), 1.0) / min(at.epsilon, 1.0)

    def note(self, at: Cell) -> str:
        """Return that nothing is said where every second point may be wrong."""
        return "says nothing for alpha >= 1/2" if at.alpha >= 0.5 else ""

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure, on the worst of the distributions."""
        if setting.alpha >= 0.5:
            return np.zeros(setting.shape)
        points = each(self.shattered, setting.d)
        most = (points - 1.0) // 2.0  # a share of 1/2 is what a coin errs on
        tried = _tried(int(most.max()))
        alpha = decimal(setting.alpha)
        allowed = np.array([ceiling((r + 1) / alpha) - 1.0 for r in tried])
        # All values of r at once, along an axis of their own.
        ones = (1,) * len(setting.shape)
        wrong, allowed = np.array(tried, np.float64).reshape(-1, *ones), allowed.reshape(-1, *ones)
        mean = binomial_expectation(
            setting.m, setting.alpha / (wrong + 1.0), (setting.epsilon,),
            of_count(lambda k, loss: odds_of_flip(k, loss, setting.delta)),
            rate=math.inf, log_tail=setting.log_tail,
        )  # fmt: skip
        share = np.where(wrong <= most, wrong / np.minimum(points, allowed), 0.5)
        return np.asarray(np.maximum((mean - share) / (1.0 - share), 0.0).max(axis=0))


@lru_cache(maxsize=64)
def _tried(most: int) -> tuple[int, ...]:
    """Return the numbers r of wrong points that are tried, from 0 to at most `most`."""
    found, r = [], 0
    while r <= most:
        found.append(r)
        r += max(1, r // _PARTS)
    return tuple(found)


def odds_of_flip(
    count: NDArray[np.float64], epsilon: NDArray[np.float64], delta: float
) -> NDArray[np.float64]:
    """Return (1 - delta_k)^+ / (1 + e^{eps k}): how often a label is wrong that k examples tell.

    Parameters
    ----------
    count, epsilon : ndarray
        k and epsilon, broadcast.
    delta : float
        delta_k = delta (e^{k eps} - 1) / (e^eps - 1), by group privacy.
    """
    grown = np.exp(np.minimum(epsilon * count, 700.0))
    lost = delta * (grown - 1.0) / np.expm1(np.minimum(epsilon, 700.0)) if delta else 0.0
    return np.asarray(np.maximum(1.0 - lost, 0.0) / (1.0 + grown))


# --- What any private learner needs to get most of d shattered points right ----------------------


_HALF = 0.5


def spikes_proof(shattered: str) -> str:
    """Return the proof, after a sentence on which points are shattered and where all agree."""
    return (
        f"{shattered} Flip one bit of the target: $K \\sim \\mathrm"
        "{Bin}(m, a/d)$ labels change, and by group privacy, with $\\delta_k = "
        "\\delta\\frac{e^{k\\varepsilon}-1}{e^\\varepsilon-1}$, the learner errs on this bit with probability at "
        "least $\\frac{(1-\\delta_K)^+}{1+e^{\\varepsilon K}}$ on average over both targets. So the expected error "
        "is at least $a$ times the mean of this. But a learner of error at most $(a/d)\\,r$ with probability "
        "$1-\\beta$ has expected error at most $(1-\\beta)(a/d)\\,r + \\beta a$: $a$ cancels. With $a = \\tfrac12$ "
        "the error is at most $\\alpha$ iff at most $r = \\lfloor 2\\alpha d\\rfloor$ bits are wrong. $\\square$\n\n"
        "**The exponential mechanism has the least expected error possible, but for $\\varepsilon/2$ in place of "
        "$\\varepsilon$.**"
    )


class SpikesConverse(SearchBound):
    """E[(1 - delta_K) / (1 + e^{eps K})] <= (1-beta) r/d + beta on spikes of mass 1/2.

    A class says by `spikes_proof` which points are shattered, and whether it is proved or shown there.
    """

    name = "converse-spikes"
    title = "Lower bound on spikes"
    legend = "Impossible for every private learner"
    shaded = True
    without = ()
    kind = "lower"
    source = Source(
        "ours",
        "group privacy, one shattered point at a time",
        "Ehrenfeucht, Haussler, Kearns and Valiant 1989, the lower bound by the VC dimension without privacy",
    )
    statement = (
        r"\mathbb{E}\Bigl[\frac{(1-\delta_K)^+}{1+e^{\varepsilon K}}\Bigr] \le (1-\beta)\frac{r}{d}+\beta,"
        r"\quad K \sim \mathrm{Bin}\Bigl(m, \frac{1}{2d}\Bigr),\; r = \lfloor 2\alpha d\rfloor"
    )
    applies_to = "every private learner, proper or not"
    whom = Whom(privacy=("pure", "approximate"))
    validity = "for α < 1/2"
    falls_with_d = (
        "the share of the d spikes that may be wrong, floor(2 alpha d) / d, jumps up with d"
    )

    def reaches(self, distribution: Distribution, _at: Cell) -> bool:
        """Return whether the spikes have mass 1/2."""
        return isinstance(distribution, ShatteredDistribution) and distribution.a == _HALF

    def eases(self, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since how many bits may be wrong is a whole number that d moves.
        """
        return wanted != "d"

    def at_best(self, wanted: Demand) -> Callable[[Cell, Cell, int], float] | None:
        """Return, for d, a limit on `over`: the fewest bits, where as many may be wrong as of the most."""

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
