"""The proper private learner: the exponential mechanism over all of INTERVAL_d."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.hypotheses import Concepts
from privsc_core.concepts.inequalities import roughly_allowed
from privsc_core.concepts.interval import batch
from privsc_core.concepts.interval.distributions import Hard
from privsc_core.concepts.interval.hypotheses import Threshold
from privsc_core.concepts.interval.laws import interval_law
from privsc_core.concepts.interval.segments import Segments
from privsc_core.concepts.interval.trace import choice_of_thresholds
from privsc_core.concepts.laws import exact
from privsc_core.concepts.rows import BITS_MOST
from privsc_core.concepts.style import BLUE, Style
from privsc_core.errors import InputError
from privsc_core.numerics.logspace import each
from privsc_core.numerics.trinomial import two_sided_shares
from privsc_core.numerics.trinomial_tails import two_sided_odds

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Exponential"]


@dataclass(frozen=True)
class Exponential(Learner):
    """Pick c_j with probability proportional to exp(-eps * mistakes / 2).

    Notes
    -----
    O(m log m) time at any d: between two neighbouring sample points every threshold makes the
    same mistakes, so the T + 1 concepts are at most m + 1 segments.
    """

    name: ClassVar[str] = "exponential"
    title: ClassVar[str] = "Exponential mechanism"
    source: ClassVar[Source] = Source("BBKN13", "Theorem 3.2, for INTERVAL_d")
    summary: ClassVar[str] = (
        "Picks every concept with probability proportional to exp(-ε · mistakes / 2)."
    )
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {
        "hard": "exact", "band": "rao-blackwell", "uniform": "rao-blackwell",
        "cascade": "rao-blackwell",
    }  # fmt: skip
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys: ClassVar[tuple[str, ...]] = ("j",)
    style: ClassVar[Style] = BLUE
    symmetric: ClassVar[bool] = True

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

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
        """Draw a concept, in O(m log m) for any d."""
        del alpha, beta
        segments = Segments.of(sample)
        weights = segments.log_weights(self.score_rate(epsilon))
        pick, best = draw(weights, rng)
        if recorder is not None:
            recorder.mechanism(
                choice_of_thresholds(recorder, segments, weights, best, sample.d),
                "The score of a threshold is its number of mistakes on the sample. Between "
                "neighbouring sample points it is constant, so that there are "
                f"{len(segments.first):,} segments to compare.",
                epsilon=epsilon,
            )
        return Threshold(segments.draw(pick, rng))

    def release(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, coins: Coins
    ) -> Hypothesis:
        """Draw a segment, then a concept of it."""
        del epsilon, alpha, beta
        segments = Segments.of(sample)
        pick = coins.exponential(segments.mistakes.tolist(), segments.length)
        return Threshold(segments.draw(pick, coins))

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
        return Concepts(
            batch.run_many(x, y, d=d, rate=self.score_rate(epsilon), rng=rng), Threshold
        )

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del alpha, beta, public
        segments = Segments.of(sample)
        shares = probabilities(segments.log_weights(self.score_rate(epsilon))).tolist()
        return {
            first + i: share / length
            for first, length, share in zip(segments.first, segments.length, shares, strict=True)
            for i in range(length)
        }

    def roughly(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return about where each of both sides fails with half of beta, on `hard`."""
        if not isinstance(distribution, Hard):
            return super().roughly(distribution, setting)
        others = each(lambda d: max(distribution.log_others(d)), setting.d)
        rate = self.score_rate(1.0) * setting.epsilon
        return roughly_allowed(0.5 * setting.beta, others, setting.alpha, rate)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact on `hard`, elsewhere averaged over simulated samples."""
        return interval_law(distribution, setting, self._hard, self.score_rate)

    def _hard(self, distribution: Hard, setting: Setting) -> Estimate:
        # j-2 thresholds miss the left point alone, T+1-j the right one.
        bits, place = np.unique(setting.d, return_inverse=True)
        others = np.array([distribution.log_others(d) for d in bits.tolist()])
        columns = np.broadcast_arrays(
            setting.m, *np.moveaxis(others[place.reshape(setting.d.shape)], -1, 0),
            self.score_rate(1.0) * setting.epsilon,
        )  # fmt: skip
        m, left, right, rate = (column.ravel() for column in columns)
        if not setting.extreme:
            found = two_sided_shares(m, setting.alpha, left, right, rate)
            return exact(found.reshape(setting.shape), setting)
        value, failure = np.empty((2, m.size))
        wanted: Literal["share", "rest"] = "rest" if setting.beta < 0.5 else "share"
        cells = zip(*(column.tolist() for column in (m, left, right, rate)), strict=True)
        for cell, (size, one, other, speed) in enumerate(cells):
            both = two_sided_odds(
                size, setting.alpha, one, other, speed, setting.log_tail, wanted=wanted
            )
            if both is None:
                requirement = (
                    f"must be less extreme for {self.name} on hard with m = {size} examples"
                )
                raise InputError("beta", requirement, setting.beta)
            value[cell], failure[cell] = both
        return exact(value.reshape(setting.shape), setting, failure.reshape(setting.shape))
