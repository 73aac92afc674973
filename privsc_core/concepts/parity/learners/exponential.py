"""The exponential mechanism over all 2^d parities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Estimate, Setting, Source, TinyInstance
from privsc_core.concepts.inequalities import mechanism_rate
from privsc_core.concepts.laws import by_d, exact, narrowed, rao_blackwell
from privsc_core.concepts.over_all import OverAll
from privsc_core.concepts.parity.certificate import by_rank
from privsc_core.concepts.parity.distributions import Noisy, Spikes
from privsc_core.concepts.parity.hypotheses import Parity
from privsc_core.concepts.parity.noisy_certificate import with_noise
from privsc_core.numerics.logspace import log_domain_scalar
from privsc_core.numerics.occupancy import uniform_counts
from privsc_core.numerics.walsh import walsh

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Method
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample

__all__ = ["Exponential"]

# Up to so many bits the law is averaged over drawn samples where the certificate is wide.
_DRAWN_MOST = 8
# Nothing is drawn where the certificate is so narrow; of up to so many bits only where it has no width.
_NARROW, _NOTHING, _TINY = 1e-4, 1e-13, 3


@dataclass(frozen=True)
class Exponential(OverAll):
    """Pick r with probability proportional to exp(-eps * mistakes / 2).

    Notes
    -----
    The mistakes of all r are (m - walsh(sum of (-1)^y at the examples)) / 2: O(m + d 2^d).
    """

    name: ClassVar[str] = "exponential"
    title: ClassVar[str] = "Exponential mechanism"
    source: ClassVar[Source] = Source("V17", "Theorem 8.3; the law is ours")
    summary: ClassVar[str] = (
        "Picks every parity with probability proportional to exp(-ε · mistakes / 2); it goes through "
        "all 2^d of them."
    )
    laws: ClassVar[Mapping[str, Method]] = {
        "uniform": "rao-blackwell", "spikes": "exact", "noisy": "rao-blackwell",
    }  # fmt: skip
    foretold: ClassVar[Mapping[str, float]] = {"uniform": 2.0, "noisy": 2.0}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys: ClassVar[tuple[str, ...]] = ("r",)
    what: ClassVar[str] = "parities"
    counting: ClassVar[str] = (
        "a parity is named by the bits that it adds up. One Walsh-Hadamard transform counts them for "
        "all"
    )
    caveat: ClassVar[str] = (
        "where no simulation is possible, above d = 8 off spikes, the curve is proved from below and its "
        "band ends at what is proved from above: at most 0.018 more, with wrong labels 0.06 up to ε = 2 "
        "and 0.27 beyond; 0.0001 at d = 16 and ε = 0.5"
    )

    def concept(self, number: int, d: int) -> Hypothesis:
        """Return a parity by its number."""
        return Parity(number, d)

    def count(self, sample: Sample) -> NDArray[np.int64]:
        """Return the number of mistakes of every parity, by r."""
        positive, negative = sample.tallies()
        signs = np.zeros(sample.domain_size, dtype=np.int64)
        signs[np.array(sample.points) - 1] = negative - positive
        return np.asarray((sample.size - walsh(signs)) // 2)

    def roughly(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return it for others that are wrong on half of the points, but on `spikes`."""
        if not isinstance(distribution, Spikes):
            setting = replace(setting, alpha=0.5)
        return super().roughly(distribution, setting)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact on `spikes`, where bits are chosen apart; else by its certificate."""
        if isinstance(distribution, Spikes):
            return self.on_spikes(distribution, setting)
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        eta = distribution.eta if isinstance(distribution, Noisy) else 0.0
        return by_d(setting, partial(self._certified, eta=eta))

    def _certified(self, d: int, setting: Setting, eta: float = 0.0) -> Estimate:
        """Return the law at one d: the certificate, or drawn samples where it is wide and d small."""
        if eta:
            least, most, missed = with_noise(
                setting.m, d, 0.5 * setting.epsilon, eta, setting.log_tail
            )
        else:
            least, most, missed = by_rank(setting.m, d, 0.5 * setting.epsilon)
        wide = most - least > (_NOTHING if d <= _TINY else _NARROW)
        if (most - least).max() <= _NOTHING:
            return exact(least, setting, missed)
        if d > _DRAWN_MOST or not wide.any():
            return Estimate(least, least, most, "bracketed", missed)
        part = replace(setting, m=setting.m[wide], d=setting.d[wide], epsilon=setting.epsilon[wide])
        drawn = rao_blackwell(part, lambda *at: _wrong_of_all(d, *at, eta=eta), self._given)
        low = least
        if not eta:  # The guarantee on this distribution.
            lost = log_domain_scalar(d, 1) - mechanism_rate(setting.epsilon, 0.5) * setting.m
            low = np.where(wide, np.clip(-np.expm1(lost), least, most), least)
        proved = Estimate(least, low, np.where(wide, most, least), "rao-blackwell")
        return narrowed(proved, wide, drawn)

    def _given(self, _: int, epsilon: float, wrong: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of success given the wrong labels of all r, the target's first."""
        rate = self.score_rate(epsilon)
        # Further off no weight is a float.
        behind = np.minimum(wrong - wrong.min(axis=1, keepdims=True), 800.0 / rate)
        weights = np.exp(-rate * behind)
        return np.asarray(weights[:, 0] / weights.sum(axis=1))


def _wrong_of_all(
    d: int, m: int, trials: int, rng: np.random.Generator, *, eta: float = 0.0
) -> tuple[NDArray[np.float64], ...]:
    """Return the mistakes of every r, by its difference from the target, on m uniform points."""
    counts = uniform_counts(m, 1 << d, trials, rng)
    if eta:
        counts = counts - 2 * rng.binomial(counts, eta)
    return (((m - walsh(counts)) // 2).astype(np.float64),)
