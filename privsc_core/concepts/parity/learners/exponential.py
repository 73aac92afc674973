"""The exponential mechanism over all 2^d parities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.inequalities import mechanism_rate
from privsc_core.concepts.laws import by_d, exact, rao_blackwell
from privsc_core.concepts.parity.certificate import by_rank
from privsc_core.concepts.parity.distributions import Spikes
from privsc_core.concepts.parity.hypotheses import Parity
from privsc_core.concepts.parity.spikes_law import spikes_law
from privsc_core.concepts.style import BLUE, Style
from privsc_core.concepts.trace import choice
from privsc_core.errors import InputError
from privsc_core.numerics.logspace import log_domain_scalar
from privsc_core.numerics.walsh import walsh

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["RUN_MOST", "Exponential"]

RUN_MOST = 18  # bits: 2^18 concepts are gone through
# Up to so many bits the law is averaged over drawn samples where the certificate is wide.
_DRAWN_MOST = 8
# A certificate so narrow is a number; of up to so many bits only one of no width is.
_NARROW, _NOTHING, _TINY = 1e-4, 1e-13, 3


@dataclass(frozen=True)
class Exponential(Learner):
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
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = False
    laws: ClassVar[Mapping[str, Method]] = {"uniform": "rao-blackwell", "spikes": "exact"}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric: ClassVar[bool] = True
    record_keys: ClassVar[tuple[str, ...]] = ("r",)
    style: ClassVar[Style] = BLUE
    caveat: ClassVar[str] = (
        "where no simulation is possible, on uniform above d = 8, the curve is proved from below and its "
        "band ends at what is proved from above: at most 0.018 more, 0.0001 at d = 16 and ε = 0.5"
    )

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
        """Draw a parity, in O(m + d 2^d)."""
        del alpha, beta
        mistakes = _mistakes(sample)
        weights = np.asarray(-self.score_rate(epsilon) * mistakes, dtype=np.float64)
        pick, best = draw(weights, rng)
        if recorder is not None:
            found = choice(
                name=lambda r: recorder.name_of(r + 1), members=lambda _: "1",
                scores=mistakes.astype(np.float64), log_weights=weights, best=best, drawn=pick,
                target=None if recorder.target is None else recorder.target - 1, what="parities",
            )  # fmt: skip
            recorder.mechanism(
                found,
                "The score of a parity is its number of mistakes on the sample; a parity is named by "
                "the bits that it adds up. One Walsh-Hadamard transform counts them for all "
                f"{mistakes.size:,}.",
                epsilon=epsilon,
            )
        return Parity(1 + pick, sample.d)

    def release(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, coins: Coins
    ) -> Hypothesis:
        """Draw a parity."""
        del epsilon, alpha, beta
        return Parity(1 + coins.exponential(_mistakes(sample).tolist()), sample.d)

    def check_shown(self, *, d: int, alpha: float, beta: float) -> None:
        """Refuse a d at which nobody goes through all parities."""
        del alpha, beta
        _check(d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del alpha, beta, public
        chances = probabilities(-self.score_rate(epsilon) * _mistakes(sample))
        return dict(enumerate(chances.tolist(), start=1))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact on `spikes`, where bits are chosen apart; else by its certificate."""
        if isinstance(distribution, Spikes):
            return spikes_law(
                distribution, setting, lambda m: m,
                lambda k, epsilon: 1.0 / (1.0 + np.exp(np.minimum(k * self.score_rate(epsilon), 700.0))),
            )  # fmt: skip
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        return by_d(setting, self._certified)

    def _certified(self, d: int, setting: Setting) -> Estimate:
        """Return the law at one d: the certificate, or drawn samples where it is wide and d small."""
        least, most, missed = by_rank(setting.m, d, 0.5 * setting.epsilon)
        wide = most - least > (_NOTHING if d <= _TINY else _NARROW)
        if not wide.any():
            return exact(least, setting, missed)
        value, high = least.copy(), np.where(wide, most, least)
        low = value.copy()
        if d <= _DRAWN_MOST:
            part = replace(
                setting, m=setting.m[wide], d=setting.d[wide], epsilon=setting.epsilon[wide]
            )
            drawn = rao_blackwell(part, lambda *at: _wrong_of_all(d, *at), self._given)
            # The guarantee on this distribution holds for every draw.
            lost = log_domain_scalar(d, 1) - mechanism_rate(part.epsilon, 0.5) * part.m
            promised = np.maximum(-np.expm1(lost), 0.0)
            for to, found in ((value, drawn.value), (low, drawn.low), (high, drawn.high)):
                to[wide] = np.maximum(found, promised)
        return Estimate(value, low, high, "rao-blackwell")

    def _given(self, _: int, epsilon: float, wrong: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of success given the wrong labels of all r, the target's first."""
        return np.asarray(1.0 / np.exp(-self.score_rate(epsilon) * wrong).sum(axis=1))


def _wrong_of_all(
    d: int, m: int, trials: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], ...]:
    """Return on how many of m uniform points each r differs from the target, for many samples."""
    counts = rng.multinomial(m, np.full(1 << d, 0.5**d), size=trials)
    return (((m - walsh(counts)) // 2).astype(np.float64),)


def _check(d: int) -> None:
    if d > RUN_MOST:
        raise InputError("d", f"must be at most {RUN_MOST} to go through all 2^d parities", d)


def _mistakes(sample: Sample) -> NDArray[np.int64]:
    """Return the number of mistakes of every parity, by r."""
    _check(sample.d)
    positive, negative = sample.tallies()
    signs = np.zeros(sample.domain_size, dtype=np.int64)
    signs[np.array(sample.points) - 1] = negative - positive
    return np.asarray((sample.size - walsh(signs)) // 2)
