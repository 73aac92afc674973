"""The exponential mechanism over the cuts that the visible points allow: privacy for labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Setting, Source
from privsc_core.concepts.laws import averaged
from privsc_core.concepts.style import CYAN, Style
from privsc_core.concepts.threshold.hypotheses import Cut
from privsc_core.concepts.threshold.learners.common import ByLabels
from privsc_core.concepts.threshold.order import Order
from privsc_core.concepts.trace import choice

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Ranks"]


@dataclass(frozen=True)
class Ranks(ByLabels):
    """CH11's learner for label privacy, with every cut of the sample as a candidate."""

    name: ClassVar[str] = "ranks"
    title: ClassVar[str] = "All cuts (labels private)"
    source: ClassVar[Source] = Source("CH11", "Figure 3, with all cuts of the sample for its cover")
    summary: ClassVar[str] = (
        "The exponential mechanism over the m + 1 thresholds at the points of the sample, by their "
        "mistakes: only the labels are protected."
    )
    style: ClassVar[Style] = CYAN

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def candidates(self, m: int, alpha: float) -> NDArray[np.int64]:
        """Return how many points lie before each cut."""
        del alpha
        return np.arange(m + 1)

    def _weighed(
        self, sample: Sample, epsilon: float, alpha: float
    ) -> tuple[Order, NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the sample in order, the candidates, their mistakes and log weights."""
        order = Order.of(sample)
        candidates = self.candidates(order.size, alpha)
        mistakes = order.mistakes(candidates)
        return order, candidates, mistakes, -self.score_rate(epsilon) * (mistakes - mistakes.min())

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
        """Draw a cut, in O(m log m)."""
        del beta
        order, candidates, mistakes, weights = self._weighed(sample, epsilon, alpha)
        pick, best = draw(weights, rng)
        if recorder is not None:
            found = choice(
                name=lambda row: f"behind {candidates[row]:,} points", members=lambda _: "1",
                scores=mistakes.astype(np.float64), log_weights=weights, best=best, drawn=pick,
                target=None, what="cuts",
            )  # fmt: skip
            recorder.mechanism(
                found,
                "The points are public. A candidate puts the threshold behind the first k of them; "
                "its score is its number of mistakes.",
                epsilon=epsilon,
            )
        return Cut(order.cut(int(candidates[pick])), sample.d)

    def release(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, coins: Coins
    ) -> Hypothesis:
        """Draw a cut."""
        del beta
        order, candidates, mistakes, _ = self._weighed(sample, epsilon, alpha)
        return Cut(order.cut(int(candidates[coins.exponential(mistakes.tolist())])), sample.d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del beta, public
        order, candidates, _, weights = self._weighed(sample, epsilon, alpha)
        found: dict[Hashable, float] = dict.fromkeys(range(1, sample.domain_size + 2), 0.0)
        for k, share in zip(candidates.tolist(), probabilities(weights).tolist(), strict=True):
            found[order.cut(k)] += share
        return found

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over how many points lie left of z.

        With J of m there and q = e^{-eps/2}, cut k has weight q^{|k - J|}, and it is accurate iff
        enough points lie within mass alpha. Summed over k, with r = 1 - 2 alpha (1 - q):
        (1 + q - r^{m-J} - q r^J) / (1 + q - q^{J+1} - q^{m-J+1}).
        """
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        speed = 0.5 * setting.epsilon
        slow = -np.log1p(2.0 * setting.alpha * np.expm1(-speed))
        return averaged(setting, 0.5, (speed, slow), _odds, rate=slow)


def _odds(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    speed: NDArray[np.float64],
    slow: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the odds against success: all terms are differences without cancellation."""
    q = np.exp(-speed)
    missed = np.exp(-slow * right) * -np.expm1(-speed - right * (speed - slow))
    missed = missed + q * np.exp(-slow * left) * -np.expm1(-left * (speed - slow))
    hit = -np.expm1(-slow * right) - q * np.expm1(-slow * left)
    return np.asarray(missed / np.maximum(hit, 1e-300))
