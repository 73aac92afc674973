"""The noisy count: privacy for labels at no price but a constant factor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Estimate, Setting, Source
from privsc_core.concepts.laws import exact
from privsc_core.concepts.style import GREEN, Style
from privsc_core.concepts.threshold.hypotheses import Cut
from privsc_core.concepts.threshold.learners.common import ByLabels
from privsc_core.concepts.threshold.order import Order

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["NoisyCount"]


@dataclass(frozen=True)
class NoisyCount(ByLabels):
    """Count the positive labels, add geometric noise, and put the cut behind so many points.

    Flipping a label moves the count by one, so two-sided geometric noise Pr[i] proportional to
    e^{-eps |i|} makes the count, and what follows from it and the points, eps-private for labels.
    """

    name: ClassVar[str] = "noisy-count"
    title: ClassVar[str] = "Noisy count (labels private)"
    source: ClassVar[Source] = Source("ours", "a noisy count among the visible points")
    summary: ClassVar[str] = (
        "Counts the examples with label 1, adds two-sided geometric noise, and puts the threshold "
        "behind as many of the sorted points: only the labels are protected."
    )
    style: ClassVar[Style] = GREEN

    def rate(self, epsilon: float) -> float:
        """Return by how much each step away from the true count lowers the log probability."""
        return epsilon

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
        """Return the threshold behind a noisy number of points."""
        del alpha, beta
        order = Order.of(sample)
        # The difference of two geometric variables, each an exponential one rounded down.
        up, down = np.floor(rng.standard_exponential(2) / self.rate(epsilon)).tolist()
        noise = int(min(max(up - down, -sample.size - 1.0), sample.size + 1.0))
        k = order.positives + noise
        if recorder is not None:
            recorder.step(
                "The count", f"{order.positives:,} of {order.size:,} examples have label 1."
            )
            recorder.step(
                "The noise",
                f"Drawn: {noise:+,}. Two-sided geometric noise: each step away from 0 is e^ε times "
                f"less likely. ε = {epsilon:g}. The noisy count is {k:,}.",
            )
            recorder.step(
                "The walk",
                f"The points are public. The threshold is put behind {min(max(k, 0), order.size):,} "
                f"of the {order.size:,} sorted points.",
            )
        return Cut(order.cut(k), sample.d)

    def release(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, coins: Coins
    ) -> Hypothesis:
        """Return the threshold behind a noisy number of points."""
        del epsilon, alpha, beta
        order = Order.of(sample)
        (k,) = coins.geometric([order.positives], sensitivity=1)
        return Cut(order.cut(k), sample.d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del alpha, beta, public
        order, q = Order.of(sample), math.exp(-self.rate(epsilon))
        found: dict[Hashable, float] = dict.fromkeys(range(1, sample.domain_size + 2), 0.0)
        found[order.cut(-1)] += q ** (order.positives + 1) / (1.0 + q)
        for k in range(order.size):
            found[order.cut(k)] += (1.0 - q) / (1.0 + q) * q ** abs(k - order.positives)
        found[order.cut(order.size)] += q ** (order.size - order.positives) / (1.0 + q)
        return found

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return 1 - (1 - alpha (1 - e^{-eps}))^m.

        Noise i >= 0 succeeds iff i + 1 points lie within mass alpha to the right of z, noise -i iff
        i lie within alpha to its left; both numbers are Bin(m, alpha).
        """
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        lost = setting.m * np.log1p(setting.alpha * np.expm1(-setting.epsilon))
        return exact(-np.expm1(lost), setting, np.exp(lost))
