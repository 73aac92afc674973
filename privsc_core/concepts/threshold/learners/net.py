"""The exponential mechanism over a net: CH11's learner for smooth crowds."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Setting, Source
from privsc_core.concepts.sample import uniform_below
from privsc_core.concepts.style import BROWN, Style
from privsc_core.concepts.threshold.hypotheses import Cut
from privsc_core.concepts.threshold.laws import weighing_law
from privsc_core.concepts.threshold.learners.common import Weighing
from privsc_core.concepts.threshold.line import FINE
from privsc_core.concepts.threshold.net import Net
from privsc_core.concepts.threshold.order import Order
from privsc_core.concepts.trace import choice
from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["OnNet"]


@dataclass(frozen=True)
class OnNet(Weighing):
    """Pick one of N evenly spaced thresholds, by their mistakes.

    N = ceil(2 kappa' / alpha), where kappa' is a guess of kappa. The paper gets it from m, by a
    constant that it does not state.

    Attributes
    ----------
    guess : int or None
        log2 of kappa'; None for b, the truth.
    """

    guess: int | None = None

    name: ClassVar[str] = "net"
    title: ClassVar[str] = "Exponential mechanism over a net"
    source: ClassVar[Source] = Source("CH11", "Figure 2")
    summary: ClassVar[str] = (
        "Cuts [0, 1] into 2κ/α parts, and draws one of their middles by its mistakes: whole examples "
        "are protected, and κ must be known."
    )
    reads: ClassVar[tuple[str, ...]] = ("d", "alpha")
    style: ClassVar[Style] = BROWN

    def net(self, bits: int, alpha: float) -> Net:
        """Return the net for points of so many bits: drawn ones have more than b."""
        b = bits - FINE if bits > FINE else bits
        return Net.of(b if self.guess is None else self.guess, alpha)

    def _apart(
        self, sample: Sample, alpha: float
    ) -> tuple[Net, list[int], list[int], NDArray[np.int64]]:
        """Return the net, where the points cut it, how many thresholds lie between, their mistakes."""
        order, net = Order.of(sample), self.net(sample.d, alpha)
        places = [0, *(net.before(x, sample.d) for x in order.points), net.size]
        counts = [b - a for a, b in itertools.pairwise(places)]
        return net, places, counts, order.mistakes(np.concatenate(([0], order.until)))

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
        """Draw a threshold of the net, in O(m log m)."""
        del beta
        net, places, counts, mistakes = self._apart(sample, alpha)
        masses = _logs(counts)
        weights = masses - self.score_rate(epsilon) * (mistakes - mistakes.min())
        pick, best = draw(weights, rng)
        if recorder is not None:
            found = choice(
                name=lambda row: f"behind {row:,} points", members=lambda row: whole(counts[row], sample.d),
                scores=mistakes.astype(np.float64), log_weights=weights, best=best, drawn=pick,
                target=None, what="thresholds of the net",
            )  # fmt: skip
            recorder.mechanism(
                found,
                f"The net has {whole(net.size, sample.d)} thresholds. Between neighbouring points of the "
                "sample all of them make the same mistakes.",
                epsilon=epsilon,
            )
        i = places[pick] + 1 + uniform_below(rng, counts[pick])
        return Cut(net.cut(i, sample.d), sample.d)

    def release(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, coins: Coins
    ) -> Hypothesis:
        """Draw a threshold of the net."""
        del epsilon, beta
        net, places, counts, mistakes = self._apart(sample, alpha)
        pick = coins.exponential(mistakes.tolist(), counts)
        i = places[pick] + 1 + uniform_below(coins, counts[pick])
        return Cut(net.cut(i, sample.d), sample.d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every labelling of a tiny domain."""
        del beta, public
        order, net = Order.of(sample), self.net(sample.d, alpha)
        size = sample.domain_size
        places = [0, *(net.before(x, sample.d) for x in range(1, size + 1)), net.size]
        row = np.searchsorted(np.array(order.points), np.arange(1, size + 1), side="left")
        row = np.append(row, len(order.points))
        mistakes = order.mistakes(np.concatenate(([0], order.until)))[row]
        weights = _logs([b - a for a, b in itertools.pairwise(places)])
        weights = weights - self.score_rate(epsilon) * mistakes
        return dict(enumerate(probabilities(weights).tolist(), start=1))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over simulated samples."""
        return weighing_law(
            distribution, setting,
            lambda crowd, b, alpha: self.net(b + FINE, alpha).scale(crowd, alpha), self.score_rate,
        )  # fmt: skip


def _logs(counts: list[int]) -> NDArray[np.float64]:
    return np.array([math.log(count) if count else -math.inf for count in counts])
