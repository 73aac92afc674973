"""The non-private learner, which is efficient: it asks the generator for one image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.laws import exact
from privsc_core.concepts.point.hypotheses import Point
from privsc_core.concepts.point.laws import by_profile
from privsc_core.concepts.pseudorandom.generator import SQUARE_ROOT, SeedLength, image, images
from privsc_core.concepts.sample import uniform_below
from privsc_core.concepts.style import GREY, Style

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Erm"]


@dataclass(frozen=True)
class Erm(Learner):
    """Name the positive point; without one, the image of a random seed."""

    seeds: SeedLength = SQUARE_ROOT

    name: ClassVar[str] = "erm"
    title: ClassVar[str] = "Non-private"
    source: ClassVar[Source] = Source("BBKN13", "Remark 6.2")
    summary: ClassVar[str] = (
        "Names the point that was seen with label 1 most often beyond label 0, or else the image "
        "of a random seed."
    )
    privacy: ClassVar[Privacy] = "none"
    proper: ClassVar[bool] = False
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {"hard": "exact", "single": "exact"}
    unmoved: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "single": {"d": "a single example shows the target"},
    }
    tiny: ClassVar[TinyInstance] = TinyInstance(d=3, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys: ClassVar[tuple[str, ...]] = ("point",)
    style: ClassVar[Style] = GREY
    symmetric: ClassVar[bool] = True
    caveat: ClassVar[str] = "Outputs a concept of the class whenever one fits the sample."

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
        """Return the positive point, or the image of a random seed."""
        del epsilon, alpha, beta
        best = _best(sample)
        if recorder is not None:
            recorder.step("The choice", _told(sample, best))
        if best:
            return Point(best[int(rng.integers(len(best)))])
        length = self.seeds.bits(sample.d)
        return Point(image(uniform_below(rng, 1 << length), length, sample.d))

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del epsilon, alpha, beta, public
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
        return "No example has label 1, so a seed is drawn, and its image is named."
    positive, negative = sample.tallies()
    top = int((positive - negative).max())
    if len(best) > 1:
        return f"{len(best)} points are tied at {top:,}: one of them at random."
    return f"Label 1 was seen most often beyond label 0 at one point, {top:,} times: it is named."


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
