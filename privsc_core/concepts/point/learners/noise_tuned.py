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
from privsc_core.concepts.style import AMBER, Style

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
    style: ClassVar[Style] = AMBER

    def tuning(self, d: int, alpha: float) -> Profile:
        """Return the profile of `tuned_for` at this d."""
        return self.tuned_for.profile(d=d, alpha=alpha)

    def rates(
        self, epsilon: NDArray[np.float64], alpha: float, beta: float, profile: Profile | None
    ) -> Rates:
        """Return the best rates for the profile (for `tuned_for` where none is given)."""
        if profile is None:
            profile = self.tuned_for.profile(d=16, alpha=alpha)
        values, inverse = np.unique(epsilon, return_inverse=True)
        flip = np.array(_best_flips(tuple(values.tolist()), profile, beta))
        return _rates(flip[inverse].reshape(epsilon.shape), epsilon)


def _rates(flip: NDArray[np.float64], epsilon: NDArray[np.float64]) -> Rates:
    # keep/(1-keep) = (e^eps - 1) mu/(1-mu), written so that a huge eps does not overflow.
    odds = np.exp(np.minimum(epsilon, 700.0)) - 1.0
    odds = np.where(epsilon < 1e-3, np.expm1(np.minimum(epsilon, 1.0)), odds)
    odds = np.maximum(odds, 1e-290)  # below, a keep rate is zero for any sample size
    return Rates(flip, flip / (1.0 - flip), 1.0 / (1.0 + (1.0 - flip) / (flip * odds)))


@lru_cache(maxsize=1024)
def _best_flips(epsilons: tuple[float, ...], profile: Profile, beta: float) -> list[float]:
    """Return for each epsilon the flip rate that minimises the (real-valued) least m."""
    epsilon = np.array(epsilons)[:, None]
    rows = np.arange(len(epsilons))
    low = np.full(epsilon.shape, math.log(1e-12))
    high = np.full(epsilon.shape, math.log(0.5))
    share = np.linspace(0.0, 1.0, _GRID)
    best = np.empty(len(epsilons))
    for _ in range(_ROUNDS):
        grid = low + share * (high - low)
        at = np.argmin(_needed(np.exp(grid), epsilon, profile, beta), axis=1)
        best = np.exp(grid[rows, at])
        low = grid[rows, np.maximum(at - 1, 0)][:, None]
        high = grid[rows, np.minimum(at + 1, _GRID - 1)][:, None]
    found: list[float] = np.minimum(best, math.nextafter(0.5, 0.0)).tolist()
    return found


def _needed(
    flip: NDArray[np.float64], epsilon: NDArray[np.float64], profile: Profile, beta: float
) -> NDArray[np.float64]:
    rates = _rates(np.minimum(flip, 0.499999), epsilon)
    seen, missed = point_accuracy(profile, rates.flip)
    goal = (1.0 - beta) / (1.0 - rates.fail)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        absent = (seen - goal) / (seen - missed)
        needed = np.log(np.clip(absent, 0.0, 1.0)) / np.log1p(-profile.mass * rates.keep)
    needed = np.where(missed >= goal, 1.0, needed)
    return np.where(np.isnan(needed) | (seen < goal), np.inf, needed)
