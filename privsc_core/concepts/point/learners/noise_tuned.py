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
from privsc_core.numerics.decimals import complement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution
    from privsc_core.concepts.point.distributions import Profile

__all__ = ["NoiseTuned"]

_GRID = 129
_ROUNDS = 5
# Where two rates are searched: each on so many values, and once more often.
_GRID_OF_TWO = 33
# Of a failure rate: about the best one the number of samples is flat, to within 1e-8 of itself.
_DIGITS = 4


@dataclass(frozen=True)
class NoiseTuned(NoiseFamily):
    """The family at the rates that need fewest samples on one distribution.

    The keep rate depends on the larger of (1-mu)/mu and 1/phi. So a failure rate phi above
    mu/(1-mu) would only fail more often; below it phi alone decides the keep rate, for every flip
    rate mu from phi/(1+phi) to 1/2. Where a missed target fails, success is (1-phi) times the
    probability of good bystanders, which falls with mu, times (1-q)(1-mu) + q mu, q the
    probability that the target is lost. For q <= 1/2 that falls with mu too; for q >= 1/2 it is at
    most 1/2. So below beta = 1/2 the least flip rate is the best (also where a missed target does
    not fail: then it alone suffices), and one number is left to choose, to four digits. From beta = 1/2 on both
    are searched: on `hard`, coins alone are right a quarter of the time, without any example.

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
    reads: ClassVar[tuple[str, ...]] = ("alpha", "beta")
    unmoved: ClassVar[Mapping[str, Mapping[str, str]]] = {
        **NoiseFamily.unmoved,
        "single": {
            "alpha": "its rates are tuned to the distribution, which is the same for every α"
        },
    }
    style: ClassVar[Style] = AMBER

    def tuning(self, d: int, alpha: float) -> Profile:
        """Return the profile of `tuned_for` at this d."""
        return self.tuned_for.profile(d=d, alpha=alpha)

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Tell that the rates are the best ones for the least m, not for any m."""
        return wanted == "d" and super().eases(distribution, wanted)

    def rates(
        self, epsilon: NDArray[np.float64], alpha: float, beta: float, profile: Profile | None
    ) -> Rates:
        """Return the best rates for the profile (for `tuned_for` where none is given)."""
        if profile is None:
            profile = self.tuned_for.profile(d=16, alpha=alpha)
        values, inverse = np.unique(epsilon, return_inverse=True)
        best = np.array(_best(tuple(values.tolist()), profile, beta))[inverse]
        fail, share = best.reshape(*epsilon.shape, 2).transpose(-1, *range(epsilon.ndim))
        return _rates(fail, share, epsilon)


def _rates(
    fail: NDArray[np.float64], share: NDArray[np.float64], epsilon: NDArray[np.float64]
) -> Rates:
    """Return the rates for a failure rate, and how far the flip rate is from its least to 1/2."""
    return Rates(_flip(fail, share), fail, _keep(fail, epsilon))


def _flip(fail: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    least = fail / (1.0 + fail)
    return least + share * (0.5 - least)


def _keep(fail: NDArray[np.float64], epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
    # keep/(1-keep) = (e^eps - 1) phi, written so that a huge eps does not overflow.
    odds = np.exp(np.minimum(epsilon, 700.0)) - 1.0
    odds = np.where(epsilon < 1e-3, np.expm1(np.minimum(epsilon, 1.0)), odds)
    odds = np.maximum(odds, 1e-290)  # below, a keep rate is zero for any sample size
    kept = fail * odds
    return kept / (1.0 + kept)


@lru_cache(maxsize=1024)
def _best(epsilons: tuple[float, ...], profile: Profile, beta: float) -> list[tuple[float, float]]:
    """Return for each epsilon the rates that minimise the (real-valued) least m.

    As a failure rate and how far the flip rate is from its least to 1/2, see `_rates`.
    """
    both = beta >= 0.5
    number = _GRID_OF_TWO if both else _GRID
    least = min(math.log(1e-12), math.log(beta) - 12.0)
    found = []
    chances: dict[tuple[float, ...], _Chances] = {}  # the first grids are the same for all
    for epsilon in epsilons:
        fails, shares = (least, math.log(_MOST)), (0.0, 1.0 if both else 0.0)
        for _ in range(_ROUNDS + both):
            tried = np.linspace(*fails, number)
            spread = np.linspace(*shares, number if both else 1)
            grid = (*fails, *shares)
            if grid not in chances:
                chances[grid] = _chances(np.exp(tried)[:, None], spread, profile, beta)
            needed = _needed(chances[grid], np.array(epsilon), profile)
            at, aside = np.unravel_index(int(needed.argmin()), needed.shape)
            fails, shares = _around(tried, int(at)), _around(spread, int(aside))
        found.append((_short(math.exp(tried[at])), float(spread[aside])))
    return found


def _short(rate: float) -> float:
    """Return a rate of few digits: what a search finds beyond them is no more than its rounding."""
    return min(float(f"{rate:.{_DIGITS - 1}e}"), _MOST)


# Just below 1: to fail always is no learner.
_MOST = math.nextafter(1.0, 0.0)


def _around(grid: NDArray[np.float64], at: int) -> tuple[float, float]:
    return float(grid[max(at - 1, 0)]), float(grid[min(at + 1, grid.size - 1)])


@dataclass(frozen=True, slots=True, eq=False)
class _Chances:
    """What a grid of failure and flip rates means for success, whatever the keep rate."""

    fail: NDArray[np.float64]
    absent: NDArray[np.float64]  # how often the target may be missed
    always: NDArray[np.bool_]  # whether it may be missed always
    never: NDArray[np.bool_]  # whether no sample is enough


def _chances(
    fail: NDArray[np.float64], share: NDArray[np.float64], profile: Profile, beta: float
) -> _Chances:
    flip = _flip(fail, share)
    seen, missed = point_accuracy(profile, flip)
    goal = complement(beta) / (1.0 - fail)
    if beta < 0.5:
        # By what may fail besides, 1 - goal, and what does: right for a tiny beta.
        lacking, _ = point_accuracy(profile, flip, wrong=True)
        room = (beta - fail) / (1.0 - fail) - lacking
    else:
        room = seen - goal
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        absent = room / (seen - missed)
    # At a flip rate of 1/2 nothing is learned, and seen may be below missed by an ulp.
    never = (room < 0.0) & (missed < goal)
    return _Chances(fail, np.clip(absent, 0.0, 1.0), missed >= goal, never)


def _needed(
    chances: _Chances, epsilon: NDArray[np.float64], profile: Profile
) -> NDArray[np.float64]:
    keep = _keep(chances.fail, epsilon)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        needed = np.log(chances.absent) / np.log1p(-profile.mass * keep)
    # Less than one sample is still the better the less it is: the best rates are then no edge of what is
    # enough, from which rounding would fall.
    needed = np.where(chances.always, 0.0, needed)
    return np.where(np.isnan(needed) | chances.never, np.inf, needed)
