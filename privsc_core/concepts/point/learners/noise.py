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
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.point.distributions import Hard, PointDistribution
from privsc_core.concepts.point.laws import by_profile
from privsc_core.concepts.point.trace import thinned
from privsc_core.concepts.shared.hypotheses import FAILURE, Hypothesis, Noisy
from privsc_core.concepts.shared.laws import exact
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import complement, decimal
from privsc_core.numerics.tails import binomial_above, binomial_at_most
from privsc_core.numerics.text import chance

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


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

    source = Source("BBKN13", "Algorithms A1 and A2, Lemma 4.4")
    privacy = "pure"
    proper = False
    efficient = False
    laws = dict.fromkeys(("hard", "single", "bystanders", "uniform"), "exact")
    reads: ClassVar[tuple[str, ...]] = ("alpha",)
    unmoved = {"": {"d": "neither the thinning nor the flips depend on the size of the domain"}}
    tiny = Cell(d=2, m=3, epsilon=0.5, alpha=0.4, beta=0.2)
    symmetric = True

    @abstractmethod
    def rates(
        self, epsilon: NDArray[np.float64], alpha: float, beta: float, profile: Profile | None
    ) -> Rates:
        """Return the rates; `profile` is the distribution that they may be tuned to."""

    def log_ones(self, at: Cell) -> float:
        """Return log2 of the points that flips label 1."""
        rates = self.rates(np.array(at.epsilon), at.alpha, at.beta, self.tuning(at.d, at.alpha))
        return at.d + math.log2(float(rates.flip))

    def tuning(self, d: int, alpha: float) -> Profile | None:
        """Return the profile that `run` is tuned to, if to any."""
        return None

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Thin the sample, learn the point and flip; O(m) time, values drawn when asked."""
        rates = self.rates(np.array(at.epsilon), at.alpha, at.beta, self.tuning(sample.d, at.alpha))
        flip = float(rates.flip)
        j = self.thinned_outcome(sample, rates, rng, recorder)
        if j is None:
            return FAILURE
        if recorder is not None:
            hidden = "the point" if j else "that nothing was found"
            recorder.step(
                "The noise",
                f"Every value of the domain is flipped independently with probability {flip:.4g}: {hidden} is hidden "
                "among the flips. A value is drawn only when it is needed.",
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
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of ⊥ (None) and of every label vector."""
        rates = self.rates(np.array(at.epsilon), at.alpha, at.beta, self.tuning(sample.d, at.alpha))
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
        """Return whether demanding less never takes more examples; it may, since the noise grows with alpha."""
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
        f"Every example is kept, independently, with probability {chance(float(np.log(keep)))} ({int(kept.sum()):,} "
        f"of {sample.size:,} were). So every single example is most likely dropped.",
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

    name = "noise"
    title = "Independent noise"
    summary = (
        "Learns the point from a few kept examples, then flips the hypothesis at every point of "
        "the domain with probability α/8. The number of examples that it needs does not depend "
        "on d."
    )
    looser_costs = "its noise grows with alpha"
    caveat = (
        "However large m is, its success probability on the hard distribution is at most (1-α/8)³, or (1-α/8)² for α "
        "≥ 1/2. Claim 4.5 boosts it to any confidence."
    )

    def rates(
        self, epsilon: NDArray[np.float64], alpha: float, beta: float, profile: Profile | None
    ) -> Rates:
        """Return the paper's rates."""
        return paper_rates(epsilon, alpha)


# --- Independent noise with rates chosen for one distribution ------------------------------------


_GRID = 129
_ROUNDS = 5
# Where two rates are searched: each on so many values, and once more often.
_GRID_OF_TWO = 33
# Of a failure rate: about the best one the number of samples is flat, to within 1e-8 of itself.
_DIGITS = 4


@dataclass(frozen=True)
class NoiseTuned(NoiseFamily):
    """The family at the rates that need fewest samples on one distribution.

    The keep rate depends on the larger of (1-mu)/mu and 1/phi. So a failure rate phi above
    mu/(1-mu) would only fail more often; below it phi alone decides the keep rate, for every flip
    rate mu from phi/(1+phi) to 1/2. Where a missed target fails, success is (1-phi) times the
    probability of good bystanders, which falls with mu, times (1-q)(1-mu) + q mu, q the
    probability that the target is lost. For q <= 1/2 that falls with mu too; for q >= 1/2 it is at
    most 1/2. So below beta = 1/2 the least flip rate is the best (also where a missed target does
    not fail: then it alone suffices), and one number is left to choose, to four digits. From beta = 1/2 on both
    are searched: on `hard`, coins alone are right a quarter of the time, without any example.

    Attributes
    ----------
    tuned_for : PointDistribution
        The distribution that `run` is tuned to. `success` tunes to the one it is asked about.
    """

    tuned_for: PointDistribution = field(default_factory=Hard)

    name = "noise-tuned"
    title = "Independent noise, tuned"
    source = Source("ours", "the rates of BBKN13, Section 4.2, optimised")
    summary = (
        "The independent-noise learner, with the flip and failure rates that need the fewest "
        "examples on the chosen distribution."
    )
    derivation = (
        r"Let $\phi$ be the probability of declining, $\mu$ that of a flip and $p$ that of keeping an example. "
        r"Take two samples that differ in one example, and fix which of the others are kept. Let $D_0$ be the law "
        r"of the answer if that example is not kept, and $D_1$ if it is. The answer has the law $(1-p) D_0 + p "
        r"D_1$, and $D_0$ is the law on both sides."
        "\n\n"
        r"One example more can turn “nothing found” into a point, which changes one label: a vector of labels "
        r"becomes at most $(1-\mu)/\mu$ times as likely. Or it contradicts what was found: then the learner "
        r"declines, which has probability at least $\phi$ under $D_0$. So the losses are at most $\varepsilon$ if "
        r"$\frac{p}{1-p}\max(\frac{1-\mu}{\mu}, \frac{1}{\phi}) \le e^{\varepsilon}-1$, and $p$ is the largest "
        r"such number. This holds at all rates."
        "\n\n"
        r"Among all rates those are taken that need the fewest examples on the chosen distribution. For $\beta < "
        r"\frac12$ that is the least flip rate, $\mu = \phi/(1+\phi)$: success is $1-\phi$ times factors that fall "
        r"as $\mu$ grows. One rate is then left to search. $\square$"
    )
    caveat = (
        "The rates of this learner are tuned to one distribution. It is private on every sample, but nothing is "
        "guaranteed on other distributions."
    )
    reads = ("alpha", "beta")
    unmoved = {
        **NoiseFamily.unmoved,
        "single": {
            "alpha": "its rates are tuned to the distribution, which is the same for every α"
        },
    }

    def tuning(self, d: int, alpha: float) -> Profile:
        """Return the profile of `tuned_for` at this d."""
        return self.tuned_for.profile(d=d, alpha=alpha)

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since the rates are the best ones for the least m, not for any m.
        """
        return wanted == "d" and super().eases(distribution, wanted)

    def rates(
        self, epsilon: NDArray[np.float64], alpha: float, beta: float, profile: Profile | None
    ) -> Rates:
        """Return the best rates for the profile (for `tuned_for` where none is given)."""
        if profile is None:
            profile = self.tuned_for.profile(d=16, alpha=alpha)
        values, inverse = np.unique(epsilon, return_inverse=True)
        best = np.array(_best(tuple(values.tolist()), profile, beta))[inverse]
        fail, share = best.reshape(*epsilon.shape, 2).transpose(-1, *range(epsilon.ndim))
        return _rates(fail, share, epsilon)


def _rates(
    fail: NDArray[np.float64], share: NDArray[np.float64], epsilon: NDArray[np.float64]
) -> Rates:
    """Return the rates for a failure rate, and how far the flip rate is from its least to 1/2."""
    return Rates(_flip(fail, share), fail, _keep(fail, epsilon))


def _flip(fail: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    least = fail / (1.0 + fail)
    return least + share * (0.5 - least)


def _keep(fail: NDArray[np.float64], epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
    # keep/(1-keep) = (e^eps - 1) phi, written so that a huge eps does not overflow.
    odds = np.exp(np.minimum(epsilon, 700.0)) - 1.0
    odds = np.where(epsilon < 1e-3, np.expm1(np.minimum(epsilon, 1.0)), odds)
    odds = np.maximum(odds, 1e-290)  # below, a keep rate is zero for any sample size
    kept = fail * odds
    return kept / (1.0 + kept)


@lru_cache(maxsize=1024)
def _best(epsilons: tuple[float, ...], profile: Profile, beta: float) -> list[tuple[float, float]]:
    """Return for each epsilon the rates that minimise the (real-valued) least m.

    As a failure rate and how far the flip rate is from its least to 1/2, see `_rates`.
    """
    both = beta >= 0.5
    number = _GRID_OF_TWO if both else _GRID
    least = min(math.log(1e-12), math.log(beta) - 12.0)
    found = []
    chances: dict[tuple[float, ...], _Chances] = {}  # the first grids are the same for all
    for epsilon in epsilons:
        fails, shares = (least, math.log(_MOST)), (0.0, 1.0 if both else 0.0)
        for _ in range(_ROUNDS + both):
            tried = np.linspace(*fails, number)
            spread = np.linspace(*shares, number if both else 1)
            grid = (*fails, *shares)
            if grid not in chances:
                chances[grid] = _chances(np.exp(tried)[:, None], spread, profile, beta)
            needed = _needed(chances[grid], np.array(epsilon), profile)
            at, aside = np.unravel_index(int(needed.argmin()), needed.shape)
            fails, shares = _around(tried, int(at)), _around(spread, int(aside))
        found.append((_short(math.exp(tried[at])), float(spread[aside])))
    return found


def _short(rate: float) -> float:
    """Return a rate of few digits: what a search finds beyond them is no more than its rounding."""
    return min(float(f"{rate:.{_DIGITS - 1}e}"), _MOST)


# Just below 1: to fail always is no learner.
_MOST = math.nextafter(1.0, 0.0)


def _around(grid: NDArray[np.float64], at: int) -> tuple[float, float]:
    return float(grid[max(at - 1, 0)]), float(grid[min(at + 1, grid.size - 1)])


@dataclass(frozen=True, slots=True, eq=False)
class _Chances:
    """What a grid of failure and flip rates means for success, whatever the keep rate."""

    fail: NDArray[np.float64]
    absent: NDArray[np.float64]  # how often the target may be missed
    always: NDArray[np.bool_]  # whether it may be missed always
    never: NDArray[np.bool_]  # whether no sample is enough


def _chances(
    fail: NDArray[np.float64], share: NDArray[np.float64], profile: Profile, beta: float
) -> _Chances:
    flip = _flip(fail, share)
    seen, missed = point_accuracy(profile, flip)
    goal = complement(beta) / (1.0 - fail)
    if beta < 0.5:
        # By what may fail besides, 1 - goal, and what does: right for a tiny beta.
        lacking, _ = point_accuracy(profile, flip, wrong=True)
        room = (beta - fail) / (1.0 - fail) - lacking
    else:
        room = seen - goal
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        absent = room / (seen - missed)
    # At a flip rate of 1/2 nothing is learned, and seen may be below missed by an ulp.
    never = (room < 0.0) & (missed < goal)
    return _Chances(fail, np.clip(absent, 0.0, 1.0), missed >= goal, never)


def _needed(
    chances: _Chances, epsilon: NDArray[np.float64], profile: Profile
) -> NDArray[np.float64]:
    keep = _keep(chances.fail, epsilon)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        needed = np.log(chances.absent) / np.log1p(-profile.mass * keep)
    # Less than one sample is still the better the less it is: the best rates are then no edge of what is
    # enough, from which rounding would fall.
    needed = np.where(chances.always, 0.0, needed)
    return np.where(np.isnan(needed) | chances.never, np.inf, needed)


# --- The efficient noise learner: a short keyed function in place of 2^d coins -------------------


_DIGEST = 8


@dataclass(frozen=True, slots=True)
class Keyed(Hypothesis):
    """h(x) = 1 iff the first 64 bits of keyed BLAKE2b of x are below bias * 2^64."""

    key: bytes
    threshold: int
    d: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        text = (point - 1).to_bytes((self.d + 7) // 8, "big")
        digest = blake2b(text, key=self.key, digest_size=_DIGEST).digest()
        return int(int.from_bytes(digest, "big") < self.threshold)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is: a key and a bias, and how heavy it is."""
        bias = self.threshold / 2.0 ** (8 * _DIGEST)
        return (
            f"keyed BLAKE2b, key {self.key.hex()}, 1 on a share {bias:g} of the domain "
            f"(about {bias:g} · 2^{self.d} points)"
        )

    @property
    def parameters(self) -> dict[str, str]:
        """The key in hexadecimal and the threshold, as exact texts."""
        return {"key": self.key.hex(), "threshold": str(self.threshold)}


@dataclass(frozen=True)
class NoisePseudorandom(NoiseFamily):
    """A4 and A5 of Section 4.2.1, thinned as in Lemma 4.4.

    Attributes
    ----------
    key_bits : int
        Length of the key. The audit uses a short one, so that every key can be enumerated.
    """

    key_bits: int = 128

    name = "noise-pseudorandom"
    title = "Independent noise, efficient"
    source = Source("BBKN13", "Algorithms A4 and A5, Theorem 4.8")
    summary = (
        "Replaces the random flips by a keyed pseudorandom function that is 1 at the learned "
        "point and on about αT/4 others. The hypothesis takes only a few bytes."
    )
    efficient = True
    looser_costs = "its noise grows with alpha"
    caveat = (
        "The success probability is computed as if the keyed function were random. Privacy assumes that Pr_key[h(j) "
        "= 1] ≥ α/8 at every point j. However large m is, its success probability on the hard distribution is at "
        "most (1-α/8)(1-α/4), or (1-α/8) for α ≥ 1/2."
    )
    outputs = "keys"
    enumerated = "Keys have 8 bits here, so that all can be listed."
    shown_m = 2
    record_keys = ("key", "threshold")

    def rates(
        self, epsilon: NDArray[np.float64], alpha: float, beta: float, profile: Profile | None
    ) -> Rates:
        """Return the paper's rates; here `flip` is the bias alpha/4 of the function."""
        paper = paper_rates(epsilon, alpha)
        return Rates(np.full(epsilon.shape, alpha / 4.0), paper.fail, paper.keep)

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Thin, learn the point, then draw keys until the function is 1 there; O(m) time."""
        rates = self.rates(np.array(at.epsilon), at.alpha, at.beta, None)
        j = self.thinned_outcome(sample, rates, rng, recorder)
        if j is None:
            return FAILURE
        if recorder is not None:
            recorder.step(
                "The noise",
                f"A keyed pseudorandom function that is 1 on about a share {float(rates.flip):.4g} "
                "of the domain. "
                + ("Keys are drawn until it is 1 at the point." if j else "The first key will do."),
            )
        threshold = _threshold(at.alpha)
        while True:
            key = rng.bytes((self.key_bits + 7) // 8)
            hypothesis = Keyed(key, threshold, sample.d)
            if j == 0 or hypothesis.predict(j) == 1:
                return hypothesis

    def audited(self) -> NoisePseudorandom:
        """Return the learner with a key space small enough to enumerate."""
        return NoisePseudorandom(key_bits=8)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of ⊥ (None) and of every key, for short keys."""
        if self.key_bits > 12:
            raise InputError("key_bits", "must be at most 12 to enumerate keys", self.key_bits)
        rates = self.rates(np.array(at.epsilon), at.alpha, at.beta, None)
        fail = float(rates.fail)
        inner = outcomes(sample, float(rates.keep))
        keys = _key_space(self.key_bits)
        result: dict[Hashable, float] = {None: fail + (1.0 - fail) * inner.pop(None, 0.0)}
        result |= dict.fromkeys(keys, 0.0)
        for j, part in inner.items():
            fitting = [
                key for key in keys
                if j == 0 or Keyed(key, _threshold(at.alpha), sample.d).predict(j or 0)
            ]  # fmt: skip
            for key in fitting:
                result[key] += (1.0 - fail) * part / len(fitting)
        return result

    def output_name(self, output: Hashable) -> str:
        """Return a key in hexadecimal."""
        return f"key {output.hex()}" if isinstance(output, bytes) else super().output_name(output)

    def _law(self, profile: Profile, setting: Setting) -> Estimate:
        rates = self.rates(setting.epsilon, setting.alpha, setting.beta, profile)
        hit = binomial_at_most(profile.slack, profile.others, rates.flip)
        miss = binomial_at_most(profile.slack_missed, profile.others, rates.flip)
        absent = np.exp(setting.m * np.log1p(-profile.mass * rates.keep))
        blind = rates.flip * hit + (1.0 - rates.flip) * miss
        return exact((1.0 - rates.fail) * ((1.0 - absent) * hit + absent * blind), setting)


def _threshold(alpha: float) -> int:
    bias = decimal(alpha) / 4
    return int(bias * (1 << (8 * _DIGEST)))


def _key_space(bits: int) -> list[bytes]:
    return [value.to_bytes((bits + 7) // 8, "big") for value in range(1 << bits)]
