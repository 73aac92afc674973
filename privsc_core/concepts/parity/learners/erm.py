"""The non-private learner."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.laws import exact
from privsc_core.concepts.parity.distributions import Noisy, Spikes
from privsc_core.concepts.parity.hypotheses import Parity
from privsc_core.concepts.parity.linear import System
from privsc_core.concepts.parity.noise import SPOILT, boosted, silent
from privsc_core.concepts.parity.rank import solved
from privsc_core.concepts.parity.trace import coin, reduced
from privsc_core.concepts.spikes_law import spikes_law
from privsc_core.concepts.style import GREY, Style

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Erm"]


@dataclass(frozen=True)
class Erm(Learner):
    """Gaussian elimination: a uniform solution of the equations, any r where there is none."""

    name: ClassVar[str] = "erm"
    title: ClassVar[str] = "Non-private"
    source: ClassVar[Source] = Source("KLNRS11", "the learner for parities, without the privacy")
    summary: ClassVar[str] = (
        "Gaussian elimination: every example is a linear equation for the target; one of the "
        "solutions at random."
    )
    privacy: ClassVar[Privacy] = "none"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {"uniform": "exact", "spikes": "exact", "noisy": "exact"}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric: ClassVar[bool] = True
    record_keys: ClassVar[tuple[str, ...]] = ("r",)
    style: ClassVar[Style] = GREY

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
        """Return a uniform solution."""
        del epsilon, alpha, beta
        found = System.of(sample)
        if recorder is not None:
            reduced(recorder, found, sample.size)
            coin(recorder, found)
        return Parity(1 + (found or System(sample.d, {})).draw(rng), sample.d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del epsilon, alpha, beta, public
        good = (System.of(sample) or System(sample.d, {})).solutions()
        return {j: (j - 1 in good) / len(good) for j in range(1, sample.domain_size + 1)}

    def roughly(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return it for so many independent examples as there are bits, at least."""
        return setting.d + super().roughly(distribution, setting)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return R(m, d) on `uniform`; on `spikes` an unseen bit is a coin."""
        if isinstance(distribution, Spikes):
            return spikes_law(
                distribution, setting, lambda m: m, lambda k, *_: np.where(k == 0.0, 0.5, 0.0)
            )
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        if isinstance(distribution, Noisy):
            return _noisy(distribution.eta, setting, setting.m, setting.m)
        found, missed = solved(setting.m, setting.d)
        return exact(found, setting, missed)

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Tell that with noisy labels more equations are soon without a solution."""
        del alpha
        return distribution.realizable

    def falls(self, distribution: Distribution, alpha: float) -> str:
        """Return why many examples are too many where labels are wrong."""
        del alpha
        return "" if distribution.realizable else SPOILT

    def span(
        self, distribution: Distribution, first: Setting, last: Setting
    ) -> tuple[Estimate, Estimate]:
        """Return the law with the rank of the fewest equations and the noise of the most; and reversed."""
        if not isinstance(distribution, Noisy):
            return super().span(distribution, first, last)
        eta = distribution.eta
        return _noisy(eta, first, first.m, last.m), _noisy(eta, last, last.m, first.m)


def _noisy(
    eta: float, setting: Setting, rank: NDArray[np.int64], wrong: NDArray[np.int64]
) -> Estimate:
    """Return the law with the equations of one m, the wrong labels among those of another."""
    right = np.exp(wrong * math.log1p(-eta)) * solved(rank, setting.d)[0]
    return exact(boosted(right, silent(rank, setting.d, eta), 1, setting.d), setting)
