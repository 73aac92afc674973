"""The non-private proper learner."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.interval.hypotheses import Threshold
from privsc_core.concepts.interval.laws import interval_law
from privsc_core.concepts.interval.segments import Segments
from privsc_core.concepts.interval.trace import choice_of_thresholds
from privsc_core.concepts.laws import exact
from privsc_core.concepts.style import GREY, Style
from privsc_core.numerics.logspace import each

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.interval.distributions import Hard
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Choice, Recorder

__all__ = ["Erm", "draw_threshold", "hard_success", "threshold_chances"]


@dataclass(frozen=True)
class Erm(Learner):
    """Fewest mistakes, ties broken uniformly: no privacy, and no dependence on d."""

    name: ClassVar[str] = "erm"
    title: ClassVar[str] = "Non-private"
    source: ClassVar[Source] = Source("BBKN13", "Theorem 2.4")
    summary: ClassVar[str] = (
        "Empirical risk minimisation: a uniformly random threshold among those with fewest "
        "mistakes, which is the gap between the labels when a threshold fits."
    )
    privacy: ClassVar[Privacy] = "none"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {
        "hard": "exact", "band": "rao-blackwell", "uniform": "rao-blackwell",
        "cascade": "rao-blackwell",
    }  # fmt: skip
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys: ClassVar[tuple[str, ...]] = ("j",)
    style: ClassVar[Style] = GREY
    symmetric: ClassVar[bool] = True

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
        """Return a concept with fewest mistakes, uniformly among them."""
        del epsilon, alpha, beta
        drawn, found = draw_threshold(sample, rng, recorder)
        if recorder is not None and found is not None:
            recorder.uniform_choice(
                found,
                "The fewest mistakes on the sample that a threshold makes: "
                f"{found.drawn.score:,.0f}.",
            )
        return drawn

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del epsilon, alpha, beta, public
        return threshold_chances(sample)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact on `hard`, elsewhere averaged over simulated samples."""
        return interval_law(distribution, setting, self._hard, lambda _: math.inf)

    def _hard(self, distribution: Hard, setting: Setting) -> Estimate:
        value, _, failure = hard_success(distribution, setting)
        return exact(value, setting, failure)


def draw_threshold(
    sample: Sample, rng: np.random.Generator, recorder: Recorder | None
) -> tuple[Threshold, Choice | None]:
    """Draw a threshold with fewest mistakes; for a recorder return also how it was chosen."""
    segments = Segments.of(sample)
    weights = segments.log_weights(math.inf)
    pick, best = draw(weights, rng)
    drawn = Threshold(segments.draw(pick, rng))
    if recorder is None:
        return drawn, None
    return drawn, choice_of_thresholds(recorder, segments, weights, best, sample.d)


def threshold_chances(sample: Sample) -> Mapping[Any, float]:
    """Return the probability of every threshold, for tiny domains."""
    segments = Segments.of(sample)
    shares = probabilities(segments.log_weights(math.inf)).tolist()
    return {
        first + i: share / length
        for first, length, share in zip(segments.first, segments.length, shares, strict=True)
        for i in range(length)
    }


def hard_success(
    distribution: Hard, setting: Setting
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return on `hard` the probabilities of the target, of c_1, and of all but the target.

    c_1 is the one other threshold that errs on point 1.

    With a point beside the step unseen, the threshold is a guess in the gap that remains.
    """
    m, a = setting.m.astype(np.float64), setting.alpha
    # Sizes beyond 2^1000 make every guess hopeless.
    bits = np.minimum(setting.d, 1000)
    j, size = each(lambda d: float(distribution.target(d)), bits), np.exp2(bits)
    right = size + 2.0 - j
    one, neither, only = (1.0 - a) ** m, (1.0 - 2.0 * a) ** m, a**m
    # Seen on one side only, or on none, the target is guessed; each term is positive.
    single = one - neither
    lucky = single / right + (single - only) / (j - 1.0) + only / j + neither / size
    unlucky = single * (1.0 - 1.0 / right) + (single - only) * (1.0 - 1.0 / (j - 1.0))
    unlucky = unlucky + only * (1.0 - 1.0 / j) + neither * (1.0 - 1.0 / size)
    seen = -np.expm1(m * math.log1p(-a)) - single
    return np.maximum(seen + lucky, 0.0), only / j, unlucky
