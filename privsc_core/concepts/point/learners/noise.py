"""The learners that hide a point in independent noise (BBKN13, Section 4.2).

One algorithm with three rates. With probability `fail` return ⊥. Keep each example with
probability `keep`; if the kept examples contradict every concept return ⊥. Otherwise take
the point seen with label 1 (or the all-zero function) and flip every value with probability
`flip`. It is eps-DP when keep/(1-keep) * max((1-flip)/flip, 1/fail) <= e^eps - 1.
"""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.hypotheses import FAILURE, Noisy
from privsc_core.concepts.laws import exact
from privsc_core.concepts.point.laws import by_profile
from privsc_core.concepts.point.trace import thinned
from privsc_core.concepts.style import BROWN, Style
from privsc_core.numerics.tails import binomial_above, binomial_at_most
from privsc_core.numerics.text import chance

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Noise", "NoiseFamily", "Rates", "inner_outcome", "paper_rates",
           "point_accuracy"]  # fmt: skip

_FIXED_EPSILON = math.log(4.0)


@dataclass(frozen=True, slots=True, eq=False)
class Rates:
    """The three rates of the family, as arrays that broadcast with epsilon."""

    flip: NDArray[np.float64]
    fail: NDArray[np.float64]
    keep: NDArray[np.float64]


def paper_rates(epsilon: NDArray[np.float64], alpha: float) -> Rates:
    """Return the rates of A3: A2 (ln 4-DP) on a sample thinned as in Lemma 4.4.

    From eps = ln 4 on, A2 itself is private enough and nothing is thinned; at ln 4 itself
    Lemma 4.4 would still drop half of the examples.
    """
    grow = np.expm1(np.minimum(epsilon, _FIXED_EPSILON))
    thin = np.where(epsilon >= _FIXED_EPSILON, 1.0, grow / (3.0 + 0.75 * (grow + 1.0)))
    rate = np.full(epsilon.shape, alpha / 8.0)
    return Rates(rate, rate, alpha / 4.0 * thin)


def inner_outcome(sample: Sample) -> int | None:
    """Return the positive point of a sample, 0 when there is none, None when it contradicts."""
    positive, negative = sample.tallies()
    hit = np.flatnonzero(positive)
    if len(hit) > 1 or ((positive > 0) & (negative > 0)).any():
        return None
    return sample.points[int(hit[0])] if len(hit) else 0


@dataclass(frozen=True)
class NoiseFamily(Learner):
    """The algorithm of the family; members differ in their rates."""

    source: ClassVar[Source] = Source("BBKN13", "Algorithms A1 and A2, Lemma 4.4")
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = False
    efficient: ClassVar[bool] = False
    laws: ClassVar[Mapping[str, Method]] = dict.fromkeys(
        ("hard", "single", "bystanders", "uniform"), "exact"
    )
    reads: ClassVar[tuple[str, ...]] = ("alpha",)
    unmoved: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "": {"d": "neither the thinning nor the flips depend on the size of the domain"},
    }
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=3, epsilon=0.5, alpha=0.4, beta=0.2)
    symmetric: ClassVar[bool] = True

    @abstractmethod
    def rates(
        self, epsilon: NDArray[np.float64], alpha: float, beta: float, profile: Profile | None
    ) -> Rates:
        """Return the rates; `profile` is the distribution that they may be tuned to."""

    def log_ones(self, *, d: int, epsilon: float, alpha: float, beta: float) -> float:
        """Return that of the flips."""
        rates = self.rates(np.array(epsilon), alpha, beta, self.tuning(d, alpha))
        return d + math.log2(float(rates.flip))

    def tuning(self, d: int, alpha: float) -> Profile | None:
        """Return the profile that `run` is tuned to, if to any."""
        del d, alpha
        return None

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
        """Thin the sample, learn the point and flip; O(m) time, values drawn when asked."""
        rates = self.rates(np.array(epsilon), alpha, beta, self.tuning(sample.d, alpha))
        flip = float(rates.flip)
        j = self.thinned_outcome(sample, rates, rng, recorder)
        if j is None:
            return FAILURE
        if recorder is not None:
            hidden = "the point" if j else "that nothing was found"
            recorder.step(
                "The noise",
                f"Every value of the domain is flipped independently with probability {flip:.4g}: "
                f"{hidden} is hidden among the flips. The values are drawn when they are asked for.",
            )
        return Noisy(lambda point: int(point == j), flip, rng)

    def thinned_outcome(
        self, sample: Sample, rates: Rates, rng: np.random.Generator, recorder: Recorder | None
    ) -> int | None:
        """Return the concept beneath the noise (0 for the all-zero function), or None for ⊥."""
        fail, keep = float(rates.fail), float(rates.keep)
        declined = rng.random() < fail
        if recorder is not None:
            recorder.step(
                "A first coin",
                f"With probability {fail:.4g} the learner declines to answer, whatever the data "
                f"are. {'It does now: ⊥.' if declined else 'Not this time.'}",
            )
        if declined:
            return None
        kept = rng.random(sample.size) < keep
        j = inner_outcome(sample.subset(kept))
        if recorder is not None:
            _tell_thinning(recorder, sample, kept, keep, j)
        return j

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of ⊥ (None) and of every label vector."""
        del public
        rates = self.rates(np.array(epsilon), alpha, beta, self.tuning(sample.d, alpha))
        fail, flip = float(rates.fail), float(rates.flip)
        inner = outcomes(sample, float(rates.keep))
        result: dict[Hashable, float] = {None: fail + (1.0 - fail) * inner.get(None, 0.0)}
        for labels in itertools.product((0, 1), repeat=sample.domain_size):
            total = 0.0
            for j, share in inner.items():
                if j is not None:
                    wrong = sum(y != (x == j) for x, y in enumerate(labels, start=1))
                    total += share * flip**wrong * (1.0 - flip) ** (len(labels) - wrong)
            result[labels] = (1.0 - fail) * total
        return result

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Tell that the noise grows with alpha."""
        return wanted != "alpha" and super().eases(distribution, wanted)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law."""
        return by_profile(distribution, setting, self._law)

    def _law(self, profile: Profile, setting: Setting) -> Estimate:
        rates = self.rates(setting.epsilon, setting.alpha, setting.beta, profile)
        seen, missed = point_accuracy(profile, rates.flip)
        lacking, _ = point_accuracy(profile, rates.flip, wrong=True)
        # At a huge epsilon every example is kept, and a target of mass 1 is never absent.
        with np.errstate(divide="ignore"):
            absent = np.exp(setting.m * np.log1p(-profile.mass * rates.keep))
        value = (1.0 - rates.fail) * ((1.0 - absent) * seen + absent * missed)
        failure = rates.fail + (1.0 - rates.fail) * (lacking + absent * (seen - missed))
        return exact(value, setting, failure)


def _tell_thinning(
    recorder: Recorder, sample: Sample, kept: NDArray[np.bool_], keep: float, j: int | None
) -> None:
    recorder.step(
        "Most examples are dropped",
        f"Every example is kept with probability {chance(float(np.log(keep)))} on its own: "
        f"{int(kept.sum()):,} of {sample.size:,} were. Whoever gave one example is most likely "
        "not looked at.",
        thinned(recorder, sample, kept),
    )
    if j is None:
        words = "The kept examples contradict every concept: ⊥."
    elif j:
        words = f"A kept example has label 1: its point, {recorder.name_of(j)}, is learned."
    else:
        words = "No kept example has label 1: the function that is 0 everywhere."
    recorder.step("The concept beneath", words)


def outcomes(sample: Sample, keep: float) -> dict[int | None, float]:
    """Return the exact distribution of `inner_outcome` on the thinned sample."""
    result: dict[int | None, float] = {}
    for chosen in itertools.product((False, True), repeat=sample.size):
        kept = sum(chosen)
        share = keep**kept * (1.0 - keep) ** (sample.size - kept)
        j = inner_outcome(sample.subset(np.array(chosen, dtype=np.bool_)))
        result[j] = result.get(j, 0.0) + share
    return result


def point_accuracy(
    profile: Profile, flip: NDArray[np.float64], *, wrong: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Pr[error <= alpha] after flipping c_target, and after flipping zero.

    With `wrong`, of error > alpha, computed without cancellation.
    """
    tail = binomial_above if wrong else binomial_at_most
    hit = tail(profile.slack, profile.others, flip)
    miss = tail(profile.slack_missed, profile.others, flip)
    return (1.0 - flip) * hit + flip * miss, flip * hit + (1.0 - flip) * miss


@dataclass(frozen=True)
class Noise(NoiseFamily):
    """A3 with the paper's rates: flip and fail alpha/8, keep alpha/4 times the thinning."""

    name: ClassVar[str] = "noise"
    title: ClassVar[str] = "Independent noise"
    summary: ClassVar[str] = (
        "Learns the point from a few kept examples, then flips every value of the domain with "
        "probability α/8; the number of samples does not depend on d."
    )
    looser_costs: ClassVar[str] = "its noise grows with alpha"
    caveat: ClassVar[str] = (
        "Its success probability is capped, on the hard distribution at (1-α/8)³, or at (1-α/8)² "
        "for α ≥ 1/2; Claim 4.5 boosts it to any confidence."
    )
    style: ClassVar[Style] = BROWN

    def rates(
        self, epsilon: NDArray[np.float64], alpha: float, beta: float, profile: Profile | None
    ) -> Rates:
        """Return the paper's rates."""
        del beta, profile
        return paper_rates(epsilon, alpha)
