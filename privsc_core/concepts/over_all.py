"""The exponential mechanism over all 2^d concepts of a class whose concepts are sets of bits."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Learner, Setting
from privsc_core.concepts.cube import SpikesDistribution
from privsc_core.concepts.spikes_law import spikes_law
from privsc_core.concepts.style import BLUE, Style
from privsc_core.concepts.trace import choice
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Distribution, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["OverAll"]

_EVEN = 1.01  # odds that are about even: any bit may be wrong
_RUN_MOST = 18  # bits: 2^18 concepts are gone through


@dataclass(frozen=True)
class OverAll(Learner):
    """Pick a concept with probability proportional to exp(-eps * mistakes / 2).

    Attributes
    ----------
    what : str
        The concepts, in the plural.
    counting : str
        How concepts are named and their mistakes are counted, up to how many there are.
    """

    what: ClassVar[str]
    counting: ClassVar[str]
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = False
    symmetric: ClassVar[bool] = True
    style: ClassVar[Style] = BLUE

    @abstractmethod
    def concept(self, number: int, d: int) -> Hypothesis:
        """Return a concept by its number, from 1."""

    @abstractmethod
    def count(self, sample: Sample) -> NDArray[np.int64]:
        """Return the number of mistakes of every concept, by its number less 1."""

    def mistakes(self, sample: Sample) -> NDArray[np.int64]:
        """Return the same, and refuse what is too large."""
        self._check(sample.d)
        return self.count(sample)

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
        """Draw a concept."""
        del alpha, beta
        mistakes = self.mistakes(sample)
        weights = np.asarray(-self.score_rate(epsilon) * mistakes, dtype=np.float64)
        pick, best = draw(weights, rng)
        if recorder is not None:
            found = choice(
                name=lambda r: recorder.name_of(r + 1), members=lambda _: "1",
                scores=mistakes.astype(np.float64), log_weights=weights, best=best, drawn=pick,
                target=None if recorder.target is None else recorder.target - 1, what=self.what,
            )  # fmt: skip
            recorder.mechanism(
                found,
                f"The score is the number of mistakes on the sample; {self.counting} {mistakes.size:,}.",
                epsilon=epsilon,
            )
        return self.concept(1 + pick, sample.d)

    def release(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, coins: Coins
    ) -> Hypothesis:
        """Draw a concept."""
        del epsilon, alpha, beta
        return self.concept(1 + coins.exponential(self.mistakes(sample).tolist()), sample.d)

    def check_shown(self, *, d: int, alpha: float, beta: float) -> None:
        """Refuse a d at which nobody goes through all concepts."""
        del alpha, beta
        self._check(d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del alpha, beta, public
        chances = probabilities(-self.score_rate(epsilon) * self.mistakes(sample))
        return dict(enumerate(chances.tolist(), start=1))

    def roughly(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return where on spikes as many bits are wrong on average as may be; else as others do.

        How often a bit is seen, K, is about Poisson: E e^{-rate K} is e^{-(1 - e^-rate) E K}.
        """
        if not isinstance(distribution, SpikesDistribution):
            return super().roughly(distribution, setting)
        wrong = np.floor(setting.alpha * setting.d / distribution.a) + 0.5
        odds = np.maximum((setting.d + 1.0) / wrong - 1.0, _EVEN)
        seen = np.log(odds) / -np.expm1(-self.score_rate(1.0) * setting.epsilon)
        return np.asarray(np.maximum(setting.d / distribution.a * seen, 1.0))

    def on_spikes(self, distribution: SpikesDistribution, setting: Setting) -> Estimate:
        """Return the law on spikes, where the weights are a product over bits."""
        return spikes_law(
            distribution, setting, lambda m: m,
            lambda k, epsilon, _: 1.0 / (1.0 + np.exp(np.minimum(k * self.score_rate(epsilon), 700.0))),
        )  # fmt: skip

    def _check(self, d: int) -> None:
        if d > _RUN_MOST:
            wanted = f"must be at most {_RUN_MOST} to go through all 2^d {self.what}"
            raise InputError("d", wanted, d)
