"""The lower bound of the paper with the factor 1/alpha."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.inequalities import SEARCH_LIMIT, log_odds
from privsc_core.numerics.decimals import complement
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Constants, Kind, Learner

__all__ = ["Lemma39"]


@dataclass(frozen=True)
class Lemma39(Bound):
    """(2^d - 2) e^{-4 eps alpha m} (1-Gamma) <= Gamma, Gamma = beta + e^{-alpha m/3}."""

    name: ClassVar[str] = "lemma-3.9"
    headline: ClassVar[bool] = True
    title: ClassVar[str] = "Lemma 3.9"
    source: ClassVar[Source] = Source("BBKN13", "Lemma 3.9, as in the proof")
    kind: ClassVar[Kind] = "lower"
    constants: ClassVar[Constants] = "paper"
    statement: ClassVar[str] = (
        r"(2^d-2)\,e^{-4\varepsilon\alpha m}\,(1-\Gamma) \le \Gamma,\quad \Gamma=\beta+e^{-\alpha m/3}"
    )
    derivation: ClassVar[str] = (
        "With mass $\\alpha$ on the target, all but a fraction $e^{-\\alpha m/3}$ of the "
        "samples have at most $2\\alpha m$ rare examples (Chernoff), so two good samples "
        "differ in at most $4\\alpha m$ places; group privacy then gives the inequality.\n\n"
        "Where $\\Gamma \\ge 1$ it says nothing. An $m$ that violates it is impossible, and so "
        "is every smaller $m$, because a learner may ignore samples: the bound is one more "
        "than the largest violating $m$.\n\n"
        "The paper takes mass exactly $\\alpha$ and then needs an error above $\\alpha$; read "
        "the mass as just above $\\alpha$."
    )
    applies_to: ClassVar[str] = "every proper, purely private learner"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.proper and learner.privacy == "pure"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del delta
        rivals = log_domain_scalar(d, 2)
        if rivals == -math.inf:
            return BoundValue(1, note="says nothing at d = 1: there are no rivals")
        rate = 4.0 * epsilon * alpha
        # From above, m <- (log rivals + log((1-Gamma)/Gamma)) / rate falls to the largest
        # crossing, because (1-Gamma)/Gamma increases with m.
        m = (rivals - log_odds(beta)) / rate
        for _ in range(_ITERATIONS):
            odds = _log_odds(beta, alpha, max(m, 0.0))
            if odds == math.inf or m < 1.0:
                return BoundValue(1, note="no number of samples violates the inequality")
            lower = (rivals - odds) / rate
            if m - lower <= 1e-12 * m:
                break
            m = lower
        if m > SEARCH_LIMIT:
            return BoundValue(None, f"more than {SEARCH_LIMIT:.0e} samples: not searched further")
        return BoundValue(_largest_violating(math.ceil(m) + 1, rivals, rate, alpha, beta) + 1)


# Reached only when the crossing is a tangent; the scan below then finishes the job.
_ITERATIONS = 10_000


def _largest_violating(start: int, rivals: float, rate: float, alpha: float, beta: float) -> int:
    for m in range(start, 0, -1):
        odds = _log_odds(beta, alpha, m)
        if odds == math.inf:
            return 0
        if rivals - rate * m > odds:
            return m
    return 0


def _log_odds(beta: float, alpha: float, m: float) -> float:
    """Return log(Gamma / (1 - Gamma)) for Gamma = beta + e^{-alpha m/3}; inf from Gamma = 1 on."""
    few = math.exp(-alpha * m / 3.0)
    rest = complement(beta) - few
    return math.log(beta + few) - math.log(rest) if rest > 0.0 else math.inf
