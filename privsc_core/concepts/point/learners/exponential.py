"""The proper private learner: the exponential mechanism over all of POINT_d."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Estimate, Setting, Source, TinyInstance
from privsc_core.concepts.hypotheses import Concepts
from privsc_core.concepts.laws import averaged, certain, exact, rao_blackwell
from privsc_core.concepts.point import batch
from privsc_core.concepts.point.hypotheses import Point
from privsc_core.concepts.point.laws import by_profile, crowd, lump_odds
from privsc_core.concepts.point.learners.choosing import Choosing
from privsc_core.concepts.point.trace import choice_of_points, mistakes_of_points
from privsc_core.concepts.rows import BITS_MOST
from privsc_core.concepts.sample import uniform_point
from privsc_core.concepts.style import BLUE, Style
from privsc_core.numerics.logspace import log_domain, log_domain_scalar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Exponential"]


@dataclass(frozen=True)
class Exponential(Choosing):
    """Pick c_j with probability proportional to exp(-eps * mistakes / 2).

    Notes
    -----
    O(m) time at any d: every unseen point makes the same mistakes, so they are one lump. The
    paper's lump has 2^d - m points, which is right only when no point repeats; it is 2^d
    minus the number of distinct sample points.
    """

    name: ClassVar[str] = "exponential"
    title: ClassVar[str] = "Exponential mechanism"
    source: ClassVar[Source] = Source("BBKN13", "Lemma 3.4")
    summary: ClassVar[str] = (
        "Picks every concept with probability proportional to exp(-ε · mistakes / 2)."
    )
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {
        "hard": "exact", "single": "exact", "bystanders": "rao-blackwell",
        "uniform": "rao-blackwell",
    }  # fmt: skip
    foretold: ClassVar[Mapping[str, float]] = {"bystanders": 2.0}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys: ClassVar[tuple[str, ...]] = ("point",)
    style: ClassVar[Style] = BLUE
    symmetric: ClassVar[bool] = True

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def tell(
        self,
        recorder: Recorder,
        sample: Sample,
        weights: NDArray[np.float64],
        best: NDArray[np.float64],
        drawn: int,
        epsilon: float,
    ) -> None:
        """Tell how the point was drawn."""
        recorder.mechanism(
            choice_of_points(recorder, sample, weights, best, drawn),
            "The score of a concept is its number of mistakes on the sample. The points that "
            f"were not drawn all make the same: {int(sample.labels.sum()):,}, one on every "
            "example with label 1.",
            epsilon=epsilon,
        )

    def release(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, coins: Coins
    ) -> Hypothesis:
        """Draw a concept: a seen point, or any of the others together."""
        del epsilon, alpha, beta
        scores, seen = mistakes_of_points(sample).astype(np.int64).tolist(), len(sample.points)
        pick = coins.exponential(scores, [1] * seen + [sample.domain_size - seen])
        if pick < seen:
            return Point(sample.points[pick])
        return Point(uniform_point(coins, sample.d, frozenset(sample.points)))

    def _run_many(
        self,
        x: NDArray[np.integer],
        y: NDArray[np.uint8],
        *,
        d: int,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
    ) -> Sequence[Hypothesis]:
        """Draw a concept for every row together; one by one where points have too many bits."""
        if d > BITS_MOST:
            return super()._run_many(x, y, d=d, epsilon=epsilon, alpha=alpha, beta=beta, rng=rng)
        return Concepts(batch.run_many(x, y, d=d, rate=self.score_rate(epsilon), rng=rng), Point)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact with at most one bystander, else Rao-Blackwellised."""
        return by_profile(distribution, setting, _law)

    def log_weights(self, sample: Sample, epsilon: float) -> NDArray[np.float64]:
        """Return log weights of the seen points and, last, of all unseen points together.

        Relative to the weight of one unseen point, whose mistakes are all positive examples.
        """
        positive, negative = sample.tallies()
        weights = np.empty(len(sample.points) + 1)
        weights[:-1] = self.score_rate(epsilon) * (positive - negative)
        weights[-1] = log_domain_scalar(sample.d, len(sample.points))
        return weights


def _law(profile: Profile, setting: Setting) -> Estimate:
    if profile.every_concept_succeeds:
        return certain(setting)
    if profile.others == 0:
        lump = log_domain(setting.d, 1) - 0.5 * setting.epsilon * setting.m
        return exact(special.expit(-lump), setting, special.expit(lump))
    if profile.others == 1:
        return averaged(
            setting, profile.mass, (log_domain(setting.d, 2), setting.epsilon), lump_odds,
            rate=0.5 * setting.epsilon,
        )  # fmt: skip
    return _simulated(profile, setting)


def _simulated(profile: Profile, setting: Setting) -> Estimate:
    others = profile.others

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
        hits = rng.binomial(m, profile.mass, size=trials)
        return hits.astype(np.float64), crowd(m - hits, others, rng)

    def conditional(
        d: int, epsilon: float, hits: NDArray[np.float64], seen: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        # Relative to the rarest bystander, so that not every term can underflow.
        least = seen.min(axis=1)
        excess = np.exp(-0.5 * epsilon * (seen - least[:, None])).sum(axis=1)
        bystanders = np.log(excess) - 0.5 * epsilon * least
        lump = np.logaddexp(log_domain_scalar(d, 1 + others), bystanders)
        return np.asarray(1.0 / (1.0 + np.exp(np.minimum(lump - 0.5 * epsilon * hits, 709.0))))

    return rao_blackwell(setting, draw, conditional)
