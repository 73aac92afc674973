"""The learners of pseudorandom points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.point.distributions import Point
from privsc_core.concepts.point.laws import by_profile, lump_odds
from privsc_core.concepts.point.learners.exponential import Exponential
from privsc_core.concepts.point.learners.margin import Margin as MarginOfPoints
from privsc_core.concepts.point.trace import mistakes_of_points
from privsc_core.concepts.pseudorandom.generator import (
    COUNTED,
    ENUMERABLE,
    SQUARE_ROOT,
    SeedLength,
    image,
    images,
)
from privsc_core.concepts.shared.choosing import NonPrivate
from privsc_core.concepts.shared.laws import averaged, exact
from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.concepts.shared.trace import Choice, choice, summed
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import of_count
from privsc_core.numerics.logspace import draw, each, probabilities
from privsc_core.numerics.text import raised, whole

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import NoiseSource
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder
    from privsc_core.concepts.shared.votes import Named
    from privsc_core.numerics.binomial import Kernel


# --- The non-private learner, which is efficient: it asks the generator for one image ------------


@dataclass(frozen=True)
class Erm(NonPrivate):
    """Name the positive point; without one, the image of a random seed."""

    seeds: SeedLength = SQUARE_ROOT

    source = Source("BBKN13", "Remark 6.2")
    summary = (
        "Answers with the point whose examples with label 1 most outnumber its examples with label 0. If there is "
        "none, it answers with the image of a random seed."
    )
    proper = False
    laws = {"hard": "exact", "single": "exact"}
    unmoved = {"single": {"d": "a single example shows the target"}}
    tiny = Cell(d=3, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("point",)
    one_point = True
    caveat = "Outputs a concept of the class whenever one fits the sample."

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Return the positive point, or the image of a random seed."""
        best = _best(sample)
        if recorder is not None:
            recorder.step("The choice", _told(sample, best))
        if best:
            return Point(best[int(rng.integers(len(best)))])
        length = self.seeds.bits(sample.d)
        return Point(image(uniform_below(rng, 1 << length), length, sample.d))

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        chances: dict[Hashable, float] = dict.fromkeys(range(1, sample.domain_size + 1), 0.0)
        best = _best(sample)
        length = self.seeds.bits(sample.d)
        outputs = best or [image(seed, length, sample.d) for seed in range(1 << length)]
        for point in outputs:
            chances[point] += 1.0 / len(outputs)
        return chances

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law: the target is seen, or its seed is guessed."""

        def law(profile: Profile, part: Setting) -> Estimate:
            d, place = np.unique(part.d, return_inverse=True)
            guess = np.exp([images(self.seeds.bits(int(b)), int(b)).log_guess for b in d])
            lucky = guess[place].reshape(part.d.shape)
            with np.errstate(divide="ignore"):
                log_missed = part.m * np.log1p(-profile.mass)
            missed = np.exp(log_missed)
            return exact(missed * lucky - np.expm1(log_missed), part, missed * (1.0 - lucky))

        return by_profile(distribution, setting, law)


def _told(sample: Sample, best: list[int]) -> str:
    if not best:
        return "No example has label 1, so a random seed is drawn, and its image is the answer."
    positive, negative = sample.tallies()
    top = int((positive - negative).max())
    if len(best) > 1:
        return f"{len(best)} points are tied at {top:,}: one of them at random."
    return f"At one point label 1 most outnumbers label 0, by {top:,} examples: this point is the answer."


def _best(sample: Sample) -> list[int]:
    """Return the points with the most positive examples beyond negative ones, at least one."""
    positive, negative = sample.tallies()
    gain = positive - negative
    top = int(gain.max())
    return (
        [p for p, g in zip(sample.points, gain.tolist(), strict=True) if g == top]
        if top > 0
        else []
    )


# --- The proper private learner: the exponential mechanism over the images, all of them ----------


_BITS_MOST = 40_000_000  # of all images of a run that is shown


@dataclass(frozen=True)
class ExponentialProper(Learner):
    """Pick an image c_{G(r)} with probability proportional to exp(-eps * mistakes / 2).

    Notes
    -----
    Really enumerates the 2^l seeds, and drops seeds with an image that came before.
    """

    seeds: SeedLength = SQUARE_ROOT

    name = "exponential-proper"
    title = "Inefficient: images only"
    source = Source("BBKN13", "Theorem 6.1, with Theorem 3.2")
    summary = (
        "The exponential mechanism over the images of the generator. It enumerates all 2^l seeds."
    )
    privacy = "pure"
    proper = True
    efficient = False
    laws = {"hard": "exact", "single": "exact"}
    tiny = Cell(d=3, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("point",)
    one_point = True
    symmetric = True
    caveat = (
        "Takes time 2^l. Above 2^16 seeds the number of distinct images is replaced by its "
        "expectation."
    )

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Enumerate the images, score them, draw one; time and memory 2^l."""
        length = self.seeds.bits(sample.d)
        points = enumerate_images(length, sample.d)
        weights = self._log_weights(sample, points, at.epsilon)
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
                "The score of an image is its number of mistakes on the sample. All images that are not in the "
                f"sample make {positives:,}.",
                epsilon=at.epsilon,
            )
        return Point(points[pick])

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Enumerate the images and draw one."""
        points = enumerate_images(self.seeds.bits(sample.d), sample.d)
        *seen, unseen = mistakes_of_points(sample).astype(np.int64).tolist()
        known = dict(zip(sample.points, seen, strict=True))
        return Point(points[noise.exponential([known.get(point, unseen) for point in points])])

    def check_shown(self, at: Cell) -> None:
        """Refuse a class whose images are not listed in a moment."""
        length = self.seeds.bits(at.d)
        if length > COUNTED or at.d << length > _BITS_MOST:
            requirement = f"must leave at most 2^{COUNTED} images that can be listed in a moment"
            raise InputError("d", requirement, f"2^{length} images of {whole(at.d, at.d)} bits")

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        points = enumerate_images(self.seeds.bits(sample.d), sample.d)
        chances = probabilities(self._log_weights(sample, points, at.epsilon)).tolist()
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


# --- The efficient private learner: the exponential mechanism over all points, images or not -----


@dataclass(frozen=True)
class ExponentialRelaxed(Exponential):
    """The learner of POINT_d as it is: it never looks at the generator."""

    name = "exponential-relaxed"
    title = "Efficient: any point"
    source = Source("BBKN13", "Theorem 6.1, with Lemma 3.4")
    summary = (
        "The exponential mechanism over all points of the domain, in time O(m). It may output a "
        "point that is no image of the generator."
    )
    proper = False
    laws = {"hard": "exact", "single": "exact"}


# --- The margin learner over the images: who is named by votes, or else a random image -----------


@dataclass(frozen=True)
class Margin(MarginOfPoints):
    """Name an image by its votes after tax, or else a random one.

    Notes
    -----
    The random image is uniform over the *distinct* images: all 2^l seeds are enumerated. A
    positive example at a point that is no image is an abstention.
    """

    seeds: SeedLength = SQUARE_ROOT

    title = "Margin learner, images only"
    summary = (
        "Every positive example is a vote for its image. From the votes of each of the n images it subtracts half of "
        "all votes beyond the first log((n+1)/2)/ε. An image with a larger remainder is more likely. With the "
        "remaining probability the answer is a uniformly random image. The learner enumerates all 2^l seeds."
    )
    efficient = False
    laws = {"hard": "exact", "single": "exact"}
    tiny = Cell(d=3, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    caveat = (
        "With at most 1/(αβ) images nothing is guaranteed, and at α = β = 0.1 it is no PAC learner up to 2⁶ images. "
        "For without votes it answers with a random image, whose mass may be large. Takes time 2^l. Above 2^16 seeds "
        "the number of distinct images is replaced by its expectation."
    )

    def log_candidates(self, d: int) -> float:
        """Return the log of the number of distinct images."""
        known = images(self.seeds.bits(d), d)
        return float(np.logaddexp(known.log_distinct, 0.0)) if known.first else known.log_distinct

    def votes(self, sample: Sample) -> NDArray[np.int64]:
        """Return the votes of the seen points; what is no image has none."""
        there = set(self.candidates(sample.d))
        mine = np.array([point in there for point in sample.points], dtype=np.int64)
        return sample.tallies()[0] * mine

    def guess(self, d: int, rng: np.random.Generator) -> int:
        """Return a uniformly random image, seen or not."""
        points = enumerate_images(self.seeds.bits(d), d)
        return points[int(rng.integers(len(points)))]

    def candidates(self, d: int) -> Collection[int]:
        """Return the distinct images."""
        return enumerate_images(self.seeds.bits(d), d)

    def check_shown(self, at: Cell) -> None:
        """Refuse a class whose images are not listed in a moment."""
        ExponentialProper(self.seeds).check_shown(at)

    def chosen(
        self, recorder: Recorder, sample: Sample, votes: NDArray[np.int64], found: Named, drawn: int
    ) -> Choice:
        """Return the votes and the probabilities, all other images as one row."""
        there = self.candidates(sample.d)
        known = set(there)
        own = [i for i, point in enumerate(sample.points) if point in known]
        rows = {sample.points[i]: row for row, i in enumerate(own)}
        others = len(there) - len(own)
        lucky = found.log_guess - math.log(len(there))
        with np.errstate(divide="ignore"):
            weights = np.logaddexp(np.log(found.chances[own]), lucky).tolist()
        scores = votes[own].astype(np.float64).tolist()
        if others:
            weights.append(lucky + math.log(others))
            scores.append(0.0)
        return choice(
            name=lambda row: (
                recorder.name_of(sample.points[own[row]])
                if row < len(own)
                else f"{others:,} other images"
            ),
            members=lambda row: "1" if row < len(own) else f"{others:,}",
            scores=scores, log_weights=weights, best=None, drawn=rows.get(drawn, len(own)),
            target=recorder.row_of_target(rows, len(own) if others else None), score="votes",
            what="images",
        )  # fmt: skip
