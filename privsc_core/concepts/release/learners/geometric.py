"""The geometric histogram: the Laplace histogram in whole numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.release.entries import entries, entries_scalar, spare
from privsc_core.concepts.release.learners.histogram import Histogram
from privsc_core.concepts.style import PURPLE, Style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Setting

__all__ = ["Geometric"]


@dataclass(frozen=True)
class Geometric(Histogram):
    """Two-sided geometric noise of ratio e^(-eps/2) on all counts, threshold ceil(alpha m)."""

    name: ClassVar[str] = "geometric"
    title: ClassVar[str] = "Geometric histogram"
    source: ClassVar[Source] = Source(
        "ours", "the noise of Ghosh, Roughgarden, Sundararajan 2009, with a threshold"
    )
    summary: ClassVar[str] = (
        "Adds a whole number k with probability proportional to exp(-ε|k|/2) to the count of "
        "every point and releases the counts that reach αm, the rest as 0."
    )
    caveat: ClassVar[str] = (
        "A count of exactly αm is lost below the threshold nearly half of the time, whatever m is: for a "
        "small β no m is enough for every database. The numbers are for the one that is shown."
    )
    style: ClassVar[Style] = PURPLE
    enumerated: ClassVar[str] = "Released counts from m on count as m, which hides no loss."

    def threshold(self, m: int, *, epsilon: float, alpha: float) -> int:
        """Return the least count that is released; 0 itself needs no release."""
        rate = np.asarray(self.rate(epsilon))
        return max(entries_scalar(1, alpha, m) - int(self._drop(rate)), 1)

    def noisy(
        self, counts: NDArray[np.int64], rate: float, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return the counts with noise: the difference of two geometric numbers."""
        chance = -math.expm1(-rate)
        plus, minus = rng.geometric(chance, size=(2, len(counts)))
        return np.asarray(counts + plus - minus, dtype=np.int64)

    def noisy_by(self, coins: Coins, counts: list[int]) -> Sequence[float]:
        """Return the counts with noise: an entry that is replaced moves two of them by one."""
        return coins.geometric(counts, sensitivity=2)

    def log_survival(self, tau: float, rate: float) -> float:
        """Return the log probability that the noise alone reaches the threshold."""
        return -rate * tau - math.log1p(math.exp(-rate))

    def surviving(
        self, tau: float, number: int, rate: float, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return noise that reached the threshold: from there on it is geometric."""
        steps = rng.geometric(-math.expm1(-rate), size=number) - 1
        return np.asarray(int(tau) + steps, dtype=np.int64)

    def cell(self, count: int, m: int, tau: float, rate: float) -> dict[float, float]:
        """Return the law of one released count; m stands for m and more."""
        edges = [*range(int(tau), max(m, int(tau)) + 1)]
        reach = [_at_least(edge - count, rate) for edge in edges]
        law: dict[float, float] = {0: 1.0 - reach[0]}
        law |= {e: _exactly(e - count, rate) for e in edges[:-1]}
        return law | {edges[-1]: reach[-1]}

    def log_tail(self, setting: Setting) -> NDArray[np.float64]:
        """Return log Pr[noise >= alpha m]."""
        rate = self.rate(setting.epsilon)
        reach = entries(1, setting.alpha, setting.m)
        return np.asarray(-rate * reach - np.log1p(np.exp(-rate)))

    def rest(self, setting: Setting) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ends of the rest of `hard` whose distance to ceil(alpha m) never falls with m.

        It is `spare` or one less, which is what the law looks at; `spare` never falls.
        """
        far = entries(1, setting.alpha, setting.m) + spare(setting.alpha, setting.m)
        return np.asarray(far - 1.0), np.asarray(far, dtype=np.float64)

    def log_heavy(
        self, count: NDArray[np.int64] | NDArray[np.float64], setting: Setting
    ) -> NDArray[np.float64]:
        """Return log Pr[-alpha m < noise < alpha m, noise >= tau - count].

        With k = ceil(alpha m) the noise may fall by less than s = min(k, count - tau + 1), so
        this is 1 - (q^k + q^s) / (1 + q), written without cancellation.
        """
        rate = np.asarray(self.rate(setting.epsilon))
        reach = entries(1, setting.alpha, setting.m)
        tau = np.maximum(reach - self._drop(rate), 1)
        down = np.clip(count - tau, 0, reach - 1)
        q = np.exp(-rate)
        lost = (np.exp(-rate * reach) + q * np.exp(-rate * down)) / (1.0 + q)
        direct = np.log(-np.expm1(-rate * reach) - q * np.expm1(-rate * down)) - np.log1p(q)
        few = lost < 0.5
        return np.where(few, np.log1p(-np.where(few, lost, 0.0)), direct)

    def _drop(self, rate: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return how far the threshold is below ceil(alpha m).

        The most with which a count at ceil(alpha m) is lost with probability at least as
        small as stated: q^(drop + 1) / (1 + q) <= lost.
        """
        steps = np.ceil(-np.log(self.lost * (1.0 + np.exp(-rate))) / rate - 1e-12)
        return np.asarray(np.maximum(steps - 1, 0), dtype=np.int64)


def _at_least(value: int, rate: float) -> float:
    """Return Pr[L >= value] for Pr[L = l] = (1 - q) / (1 + q) q^|l|, q = e^-rate."""
    tail = math.exp(-rate * max(value, 1 - value)) / (1.0 + math.exp(-rate))
    return tail if value >= 1 else 1.0 - tail


def _exactly(value: int, rate: float) -> float:
    return math.tanh(0.5 * rate) * math.exp(-rate * abs(value))
