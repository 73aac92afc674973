"""The proper private learner: the exponential mechanism over the images, all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy import special

from privsc_core.concepts.choice import choose, probabilities
from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.laws import averaged, by_d, exact
from privsc_core.concepts.point.hypotheses import Point
from privsc_core.concepts.point.laws import by_profile, lump_odds
from privsc_core.concepts.pseudorandom.generator import (
    ENUMERABLE,
    SQUARE_ROOT,
    SeedLength,
    image,
    images,
)
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.sample import Sample

__all__ = ["ExponentialProper", "enumerate_images"]


@dataclass(frozen=True)
class ExponentialProper(Learner):
    """Pick an image c_{G(r)} with probability proportional to exp(-eps * mistakes / 2).

    Notes
    -----
    Really enumerates the 2^l seeds, and drops seeds with an image that came before.
    """

    seeds: SeedLength = SQUARE_ROOT

    name: ClassVar[str] = "exponential-proper"
    title: ClassVar[str] = "Inefficient: images only"
    source: ClassVar[Source] = Source("BBKN13", "Theorem 6.1, with Theorem 3.2")
    summary: ClassVar[str] = (
        "The exponential mechanism over the images of the generator: it enumerates all 2^l seeds."
    )
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = False
    laws: ClassVar[Mapping[str, Method]] = {"hard": "exact", "single": "exact"}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=3, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    caveat: ClassVar[str] = "Takes time 2^l; above 2^16 images are counted up to collisions."

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def run(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, rng: np.random.Generator
    ) -> Hypothesis:
        """Enumerate the images, score them, draw one; time and memory 2^l."""
        del alpha, beta
        points = enumerate_images(self.seeds.bits(sample.d), sample.d)
        return Point(points[choose(self._log_weights(sample, points, epsilon), rng)])

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del alpha, beta, public
        points = enumerate_images(self.seeds.bits(sample.d), sample.d)
        chances = probabilities(self._log_weights(sample, points, epsilon)).tolist()
        known = dict(zip(points, chances, strict=True))
        return {j: known.get(j, 0.0) for j in range(1, sample.domain_size + 1)}

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law: that of points, with the images for rivals."""
        return by_d(
            setting,
            lambda d, part: by_profile(
                distribution, part, lambda profile, s: _law(profile, s, self.seeds.bits(d), d)
            ),
        )

    def _log_weights(
        self, sample: Sample, points: tuple[int, ...], epsilon: float
    ) -> NDArray[np.float64]:
        """Return log weights, relative to an image that the sample does not have."""
        positive, negative = sample.tallies()
        gain = dict(zip(sample.points, (positive - negative).tolist(), strict=True))
        found = np.zeros(len(points))
        for place, point in enumerate(points):
            if point in gain:
                found[place] = gain[point]
        return self.score_rate(epsilon) * found


@lru_cache(maxsize=2)
def enumerate_images(length: int, d: int) -> tuple[int, ...]:
    """Return the distinct images, in the order of their first seeds.

    Raises
    ------
    InputError
        When there are too many seeds.
    """
    if length > ENUMERABLE:
        requirement = f"must leave seeds of at most {ENUMERABLE} bits to enumerate"
        raise InputError("d", requirement, f"{length} bits")
    return tuple(dict.fromkeys(image(seed, length, d) for seed in range(1 << length)))


def _law(profile: Profile, setting: Setting, length: int, d: int) -> Estimate:
    known = images(length, d)
    # n - 1 rivals; none at all when the target is the only image.
    log_rivals = known.log_others
    columns = (np.array(log_rivals), setting.epsilon)
    if profile.others == 0:
        # On one point alone point 1, where it is an image, is a rival like the others.
        lump = np.logaddexp(log_rivals, 0.0) if known.first else log_rivals
        exponent = lump - 0.5 * setting.epsilon * setting.m
        return exact(special.expit(-exponent), setting, special.expit(exponent))
    return averaged(
        setting, profile.mass, columns, lump_odds if known.first else _without_first,
        rate=0.5 * setting.epsilon,
    )  # fmt: skip


def _without_first(
    count: NDArray[np.float64],
    rest: NDArray[np.float64] | float,
    log_rivals: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Point 1 is no image: only the rivals, which miss the positives."""
    del rest
    return lump_odds(count, math.inf, log_rivals, epsilon)
