"""Independent noise with rates chosen for one distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.point.distributions import Hard, PointDistribution
from privsc_core.concepts.point.learners.noise import NoiseFamily, Rates, point_accuracy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.point.distributions import Profile

__all__ = ["NoiseTuned"]

_GRID = 129
_ROUNDS = 5


@dataclass(frozen=True)
class NoiseTuned(NoiseFamily):
    """The family at the flip rate that needs fewest samples on one distribution.

    For a flip rate mu the largest useful failure rate is mu/(1-mu): less would cost privacy,
    more would only fail more often. That leaves one number to choose.

    Attributes
    ----------
    tuned_for : PointDistribution
        The distribution that `run` is tuned to. `success` tunes to the one it is asked about.
    """

    tuned_for: PointDistribution = field(default_factory=Hard)

    name: ClassVar[str] = "noise-tuned"
    title: ClassVar[str] = "Independent noise, tuned"
    source: ClassVar[Source] = Source("ours", "the rates of BBKN13, Section 4.2, optimised")
    summary: ClassVar[str] = (
        "The independent-noise learner with flip and failure rates chosen to need fewest "
        "samples on the chosen distribution."
    )
    caveat: ClassVar[str] = (
        "Tuned to one distribution: private for every sample, but no PAC guarantee for others."
    )

    def rates(
        self, epsilon: NDArray[np.float64], alpha: float, beta: float, profile: Profile | None
    ) -> Rates:
        """Return the best rates for the profile (for `tuned_for` where none is given)."""
        if profile is None:
            profile = self.tuned_for.profile(d=16, alpha=alpha)
        flip = np.empty(epsilon.shape)
        flat = flip.reshape(-1)
        for position, value in enumerate(epsilon.ravel().tolist()):
            flat[position] = _best_flip(value, profile, beta)
        return _rates(flip, epsilon)


def _rates(flip: NDArray[np.float64], epsilon: NDArray[np.float64]) -> Rates:
    # keep/(1-keep) = (e^eps - 1) mu/(1-mu), written so that a huge eps does not overflow.
    odds = np.exp(np.minimum(epsilon, 700.0)) - 1.0
    odds = np.where(epsilon < 1e-3, np.expm1(np.minimum(epsilon, 1.0)), odds)
    return Rates(flip, flip / (1.0 - flip), 1.0 / (1.0 + (1.0 - flip) / (flip * odds)))


@lru_cache(maxsize=4096)
def _best_flip(epsilon: float, profile: Profile, beta: float) -> float:
    """Return the flip rate that minimises the (real-valued) least m."""
    low, high = np.log(1e-12), np.log(0.5)
    best = 0.0
    for _ in range(_ROUNDS):
        grid = np.linspace(low, high, _GRID)
        cost = _needed(np.exp(grid), epsilon, profile, beta)
        at = int(np.argmin(cost))
        best = float(np.exp(grid[at]))
        low, high = float(grid[max(at - 1, 0)]), float(grid[min(at + 1, _GRID - 1)])
    return min(best, math.nextafter(0.5, 0.0))


def _needed(
    flip: NDArray[np.float64], epsilon: float, profile: Profile, beta: float
) -> NDArray[np.float64]:
    rates = _rates(np.minimum(flip, 0.499999), np.full(flip.shape, epsilon))
    seen, missed = point_accuracy(profile, rates.flip)
    goal = (1.0 - beta) / (1.0 - rates.fail)
    with np.errstate(divide="ignore", invalid="ignore"):
        absent = (seen - goal) / (seen - missed)
        needed = np.log(np.clip(absent, 0.0, 1.0)) / np.log1p(-profile.mass * rates.keep)
    needed = np.where(missed >= goal, 1.0, needed)
    return np.where(np.isnan(needed) | (seen < goal), np.inf, needed)
