"""Gaussian noise on every answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.laws import exact, exact_log
from privsc_core.concepts.marginals.distributions import Largest
from privsc_core.concepts.marginals.laws import deviation, log_within, within_root
from privsc_core.concepts.marginals.learners.additive import Additive
from privsc_core.concepts.slack import WithSlack
from privsc_core.concepts.style import BLUE, Style

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import (
        Demand,
        Distribution,
        Estimate,
        Method,
        Privacy,
        Setting,
    )
    from privsc_core.concepts.marginals.distributions import Table

__all__ = ["Gauss"]


@dataclass(frozen=True)
class Gauss(WithSlack, Additive):
    """Noise of the least private standard deviation on every answer.

    Parameters
    ----------
    delta : float
        The privacy slack, in (0, 1/2).
    """

    delta: float = 1e-6

    name: ClassVar[str] = "gauss"
    title: ClassVar[str] = "Gaussian noise"
    source: ClassVar[Source] = Source(
        "V17", "Theorem 2.7, with the noise of Balle and Wang 2018 and the exact sensitivity, ours"
    )
    summary: ClassVar[str] = (
        "Adds Gaussian noise to every answer: all of them together need it to grow with d only, for "
        "a slack δ."
    )
    privacy: ClassVar[Privacy] = "approximate"
    laws: ClassVar[Mapping[str, Method]] = {
        "clusters": "exact", "chain": "exact", "uniform": "exact", "copies": "exact",
        "largest": "exact",
    }  # fmt: skip
    caveat: ClassVar[str] = (
        "Private only up to δ: lower bounds for pure privacy do not bind it. Where δ is 0 it uses its own "
        "default, 10⁻⁶."
    )
    style: ClassVar[Style] = BLUE
    of_scale: ClassVar[str] = "(2/m)√⌊D²/4⌋ · s(ε, δ)"

    def at(self, delta: float) -> Self:
        """Return the mechanism for a privacy slack; at 0, which it cannot have, itself."""
        return super().at(delta) if delta > 0.0 else self

    def scale(
        self, n: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return sigma."""
        return deviation(n, d, epsilon, self.delta)

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Tell that for few answers a mean of more squares may fluctuate by less than the noise grows."""
        return (wanted != "d" or isinstance(distribution, Largest)) and super().eases(
            distribution, wanted
        )

    def below(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance that noise of scale 1 is at most x."""
        return np.asarray(special.ndtr(x))

    def noise(self, number: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return draws of noise of scale 1."""
        return rng.normal(size=number)

    def on_largest(self, setting: Setting) -> Estimate:
        """Return erf(alpha / (sigma sqrt 2))^P."""
        at = self.at(setting.delta)
        ratio = setting.alpha / at.scale(setting.m, setting.d, setting.epsilon)
        outside = math.log(2.0) + special.log_ndtr(-np.minimum(ratio, 1e150))
        return exact_log(log_within(setting.d, outside), setting)

    def on_root(self, distribution: Table, setting: Setting) -> Estimate:
        """Return Pr[chi^2_P <= P alpha^2 / sigma^2]: the same on every table."""
        del distribution
        at = self.at(setting.delta)
        ratio = setting.alpha / at.scale(setting.m, setting.d, setting.epsilon)
        return exact(*_placed(within_root(setting.d, ratio), setting))


def _placed(
    both: tuple[NDArray[np.float64], NDArray[np.float64]], setting: Setting
) -> tuple[NDArray[np.float64], Setting, NDArray[np.float64]]:
    return both[0], setting, both[1]
