"""The Laplace histogram."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.release.laws import laplace_cell, log_half_sum
from privsc_core.concepts.release.learners.histogram import Histogram
from privsc_core.concepts.style import BLUE, Style
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Setting

__all__ = ["Laplace"]

# A few times what a float loses of a number below 1.
_ROUNDING = 1e-15


@dataclass(frozen=True)
class Laplace(Histogram):
    """Noise Lap(2 / eps) on all counts, threshold alpha m.

    Notes
    -----
    The floats that computers draw in place of real noise are not quite private (Mironov
    2012): the numbers shown are those of the real-valued mechanism. The geometric histogram
    has no such gap.
    """

    name: ClassVar[str] = "laplace"
    title: ClassVar[str] = "Laplace histogram"
    source: ClassVar[Source] = Source(
        "ours", "the histogram of Dwork, McSherry, Nissim, Smith 2006, with a threshold"
    )
    summary: ClassVar[str] = (
        "Adds noise Lap(2/ε) to the count of every point and releases the counts that reach "
        "αm, the rest as 0."
    )
    caveat: ClassVar[str] = (
        "A count of exactly αm is lost below the threshold half of the time, whatever m is: for a "
        "small β no m is enough for every database. The numbers are for the one that is shown."
    )
    style: ClassVar[Style] = BLUE
    enumerated: ClassVar[str] = (
        "Released counts are rounded down to whole numbers, which hides no loss."
    )

    def slack(self, epsilon: float) -> float:
        """Return how far the threshold is below alpha m."""
        return -math.log(2.0 * self.lost) / self.rate(epsilon)

    def threshold(self, m: int, *, epsilon: float, alpha: float) -> float:
        """Return the least count that is released."""
        return max(alpha * m - self.slack(epsilon), 0.0)

    def noisy(
        self, counts: NDArray[np.int64], rate: float, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return the counts with noise."""
        return counts + rng.laplace(0.0, 1.0 / rate, size=len(counts))

    def noisy_by(self, coins: Coins, counts: list[int]) -> Sequence[float]:
        """Return the counts with noise: an entry that is replaced moves two of them by one."""
        return coins.laplace(counts, sensitivity=2)

    def log_survival(self, tau: float, rate: float) -> float:
        """Return the log probability that the noise alone reaches the threshold."""
        return -rate * tau - math.log(2.0)

    def surviving(
        self, tau: float, number: int, rate: float, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return noise that reached the threshold: from there on it is exponential."""
        return tau + rng.exponential(1.0 / rate, size=number)

    def cell(self, count: int, m: int, tau: float, rate: float) -> dict[float, float]:
        """Return the law of one released count in bins between whole numbers."""
        return laplace_cell(count, [tau, *(e for e in range(1, m + 1) if e > tau)], rate)

    def log_tail(self, setting: Setting) -> NDArray[np.float64]:
        """Return log Pr[noise >= alpha m]."""
        return np.asarray(-self.rate(setting.epsilon) * setting.alpha * setting.m - math.log(2.0))

    def rest(self, setting: Setting) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ends of the rest of `hard` whose distance to alpha m never falls with m.

        The rest is (1 - 3 alpha) m rounded down. It passes alpha m by at most (1 - 4 alpha) m,
        and by more than that minus 1; and by what is lost as alpha m is rounded.
        """
        far = float(1 - 4 * decimal(setting.alpha)) * setting.m + setting.alpha * setting.m
        rounding = _ROUNDING * setting.m
        return far - 1.0 - rounding, far + rounding

    def log_heavy(
        self, count: NDArray[np.int64] | NDArray[np.float64], setting: Setting
    ) -> NDArray[np.float64]:
        """Return log Pr[-alpha m < noise < alpha m, noise >= tau - count]."""
        rate, reach = self.rate(setting.epsilon), setting.alpha * setting.m
        tau = np.maximum(reach + math.log(2.0 * self.lost) / rate, 0.0)
        up = rate * reach
        down = np.clip(rate * (count - tau), 0.0, up)
        return log_half_sum(up, down)
