"""The proper private learner: the exponential mechanism over the images, all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy import special

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.laws import averaged, exact
from privsc_core.concepts.point.hypotheses import Point
from privsc_core.concepts.point.laws import by_profile, lump_odds
from privsc_core.concepts.point.trace import mistakes_of_points
from privsc_core.concepts.pseudorandom.generator import (
    COUNTED,
    ENUMERABLE,
    SQUARE_ROOT,
    SeedLength,
    image,
    images,
)
from privsc_core.concepts.style import BLUE, Style
from privsc_core.concepts.trace import Choice, choice, summed
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import of_count
from privsc_core.numerics.logspace import each
from privsc_core.numerics.text import raised, whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder
    from privsc_core.numerics.binomial_pairs import Kernel

__all__ = ["ExponentialProper", "enumerate_images"]

_BITS_MOST = 40_000_000  # of all images of a run that is shown


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
    record_keys: ClassVar[tuple[str, ...]] = ("point",)
    style: ClassVar[Style] = BLUE
    symmetric: ClassVar[bool] = True
    caveat: ClassVar[str] = "Takes time 2^l; above 2^16 images are counted up to collisions."

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def log_ones(self, *, d: int, epsilon: float, alpha: float, beta: float) -> float:
        """Return that of one point."""
        del d, epsilon, alpha, beta
        return 0.0

    def run(
        self,
        sample: Sample,
        *,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
        recorder: Recorder | None = None,
    ) -> Hypothesis:
        """Enumerate the images, score them, draw one; time and memory 2^l."""
        del alpha, beta
        length = self.seeds.bits(sample.d)
        points = enumerate_images(length, sample.d)
        weights = self._log_weights(sample, points, epsilon)
        pick, best = draw(weights, rng)
        if recorder is not None:
            positives = int(sample.labels.sum())
            recorder.step(
                "The class",
                f"All 2{raised(length)} seeds are tried: {len(points):,} distinct images. That "
                "takes time 2ˡ and needs no data.",
            )
            recorder.mechanism(
                _choice_of_images(recorder, sample, points, weights, best),
                "The score of an image is its number of mistakes on the sample. Images that were "
                f"not drawn all make {positives:,}.",
                epsilon=epsilon,
            )
        return Point(points[pick])

    def release(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, coins: Coins
    ) -> Hypothesis:
        """Enumerate the images and draw one."""
        del epsilon, alpha, beta
        points = enumerate_images(self.seeds.bits(sample.d), sample.d)
        *seen, unseen = mistakes_of_points(sample).astype(np.int64).tolist()
        known = dict(zip(sample.points, seen, strict=True))
        return Point(points[coins.exponential([known.get(point, unseen) for point in points])])

    def check_shown(self, *, d: int, alpha: float, beta: float) -> None:
        """Refuse a class whose images are not listed in a moment."""
        del alpha, beta
        length = self.seeds.bits(d)
        if length > COUNTED or d << length > _BITS_MOST:
            requirement = f"must leave at most 2^{COUNTED} images that can be listed in a moment"
            raise InputError("d", requirement, f"2^{length} images of {whole(d, d)} bits")

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
        return by_profile(distribution, setting, lambda profile, s: _law(profile, s, self.seeds))

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


def _choice_of_images(
    recorder: Recorder,
    sample: Sample,
    points: tuple[int, ...],
    weights: NDArray[np.float64],
    best: NDArray[np.float64],
) -> Choice:
    seen = dict(zip(sample.points, mistakes_of_points(sample).tolist(), strict=False))
    own = [place for place, x in enumerate(points) if x in seen]
    rest = np.ones(len(points), dtype=np.bool_)
    rest[own] = False
    others = f"{int(rest.sum()):,}"
    rows = {points[place]: row for row, place in enumerate(own)}
    scores = [seen[points[place]] for place in own]
    if rest.any():
        scores.append(float(sample.labels.sum()))
    return choice(
        name=lambda row: (
            recorder.name_of(points[own[row]]) if row < len(own) else f"{others} other images"
        ),
        members=lambda row: "1" if row < len(own) else others,
        scores=scores,
        log_weights=summed(weights, own, rest),
        best=summed(best, own, rest, best=True),
        drawn=rows.get(points[int(np.argmax(best))], len(own)),
        target=recorder.row_of_target(rows, len(own) if rest.any() else None),
        what="images",
    )


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


def _law(profile: Profile, setting: Setting, seeds: SeedLength) -> Estimate:
    # n - 1 rivals; none at all when the target is the only image.
    log_rivals = each(lambda d: images(seeds.bits(d), d).log_others, setting.d)
    first = each(lambda d: images(seeds.bits(d), d).first, setting.d) > 0.0
    if profile.others == 0:
        # On one point alone point 1, where it is an image, is a rival like the others.
        lump = np.where(first, np.logaddexp(log_rivals, 0.0), log_rivals)
        exponent = lump - 0.5 * setting.epsilon * setting.m
        return exact(special.expit(-exponent), setting, special.expit(exponent))
    if not first.any():
        odds: Kernel = of_count(_without_first)
        columns: tuple[NDArray[np.float64], ...] = (log_rivals, setting.epsilon)
    else:
        odds, columns = _odds, (log_rivals, setting.epsilon, first.astype(np.float64))
    return averaged(setting, profile.mass, columns, odds, rate=0.5 * setting.epsilon)


def _odds(
    count: NDArray[np.float64],
    rest: NDArray[np.float64] | float,
    log_rivals: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    first: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the odds against the target: its rivals and, where it is an image, point 1."""
    found = lump_odds(count, math.inf, log_rivals, epsilon)
    if not (isinstance(rest, float) and math.isinf(rest)):
        found += first * np.exp(-0.5 * epsilon * (count + rest)[:1])
    return found


def _without_first(
    count: NDArray[np.float64],
    log_rivals: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Point 1 is no image: only the rivals, which miss the positives."""
    return lump_odds(count, math.inf, log_rivals, epsilon)
