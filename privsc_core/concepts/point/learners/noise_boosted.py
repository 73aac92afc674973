"""The noise learner boosted to any confidence (BBKN13, Claim 4.5)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.point.laws import by_profile
from privsc_core.concepts.point.learners.noise import Noise, paper_rates
from privsc_core.concepts.shared.hypotheses import FAILURE
from privsc_core.concepts.shared.laws import from_smaller
from privsc_core.concepts.shared.trace import choice
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import binomial_expectation
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.expectations import expected_rest, expected_share
from privsc_core.numerics.logspace import draw, each

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder

_Share = Callable[..., "NDArray[np.float64]"]


def run_count(beta: float) -> int:
    """Return N = ceil(log_{5/4}(5 / beta)), decided exactly at whole logarithms."""
    target = 5 / decimal(beta)
    guess = max(math.ceil(math.log(5.0 / beta) / math.log(1.25)) - 1, 0)
    while Fraction(5, 4) ** guess < target:
        guess += 1
    return guess


def run_samples(epsilon: float, alpha: float) -> int:
    """Return ceil(384 ln 4 / (eps (alpha/8)^2)), the samples of one run at accuracy alpha/8."""
    return math.ceil(384.0 * math.log(4.0) / (epsilon * (alpha / 8.0) ** 2))


def selection_samples(epsilon: float, alpha: float, beta: float) -> int:
    """Return ceil(24 ln(3 / beta^2) / (eps alpha)), the fresh samples of the selection."""
    return math.ceil(24.0 * (math.log(3.0) - 2.0 * math.log(beta)) / (epsilon * alpha))


@dataclass(frozen=True)
class NoiseBoosted(Learner):
    """N runs on disjoint samples at accuracy alpha/8, then a private choice among them.

    Of m samples the selection gets the paper's number, but at most half; the runs share the
    rest evenly. A run that returns ⊥ counts as wrong everywhere.

    Attributes
    ----------
    runs : int or None
        N; by default the paper's. The audit uses 2.
    """

    runs: int | None = None

    name = "noise-boosted"
    title = "Independent noise, boosted"
    source = Source("BBKN13", "Claim 4.5")
    summary = (
        "Runs the noise learner N times on disjoint samples at accuracy α/8. Then it picks one of the results "
        "privately on a fresh sample."
    )
    privacy = "pure"
    proper = False
    efficient = False
    laws = {"hard": "exact", "single": "exact"}
    reads = ("alpha", "beta")
    unmoved = {"": {"d": "neither the thinning nor the flips depend on the size of the domain"}}
    tiny = Cell(d=1, m=4, epsilon=0.5, alpha=0.4, beta=0.2)
    enumerated = "It makes 2 runs here, so that all outcomes can be listed."

    def log_ones(self, at: Cell) -> float:
        """Return log2 of the points of one run, whose answer is picked."""
        return at.d + math.log2(at.alpha / 64.0)

    def split(self, m: int, epsilon: float, alpha: float, beta: float) -> tuple[int, int, int]:
        """Return (number of runs, samples of each run, samples of the selection)."""
        runs = self.runs or run_count(beta)
        selection = min(selection_samples(epsilon, alpha, beta), m // 2)
        return runs, (m - selection) // runs, selection

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Run N noise learners, then the exponential mechanism on their fresh mistakes."""
        _check(at.alpha)
        runs, each, selection = self.split(sample.size, at.epsilon, at.alpha, at.beta)
        inner = Noise()
        found = [
            inner.run(sample.subset(slice(r * each, (r + 1) * each)), replace(at, alpha=at.alpha / 8.0), rng)
            for r in range(runs)
        ]  # fmt: skip
        fresh = sample.subset(slice(runs * each, runs * each + selection))
        mistakes = np.array([_mistakes(hypothesis, fresh) for hypothesis in found])
        weights = -0.5 * at.epsilon * mistakes
        pick, best = draw(weights, rng)
        if recorder is not None:
            declined = [hypothesis is FAILURE for hypothesis in found]
            recorder.step(
                "The runs",
                f"{runs} noise learners run on {each:,} examples each, at accuracy α/8, so that "
                f"they flip values with probability {at.alpha / 64:.4g}. {sum(declined)} of them "
                "returned ⊥.",
            )
            recorder.mechanism(
                choice(
                    name=lambda row: f"run {row + 1}" + (": ⊥" if declined[row] else ""),
                    members=lambda _: "1",
                    scores=mistakes.astype(np.float64),
                    log_weights=weights,
                    best=best,
                    drawn=pick,
                    target=None,
                    what="runs",
                ),
                f"The score of a run is the number of mistakes of its hypothesis on {selection:,} fresh examples.",
                epsilon=at.epsilon,
            )
        return found[pick]

    def audited(self) -> NoiseBoosted:
        """Return the learner with two runs, so that every outcome can be enumerated."""
        return NoiseBoosted(runs=2)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of ⊥ (None) and of every label vector."""
        _check(at.alpha)
        runs, each, selection = self.split(sample.size, at.epsilon, at.alpha, at.beta)
        fresh = sample.subset(slice(runs * each, runs * each + selection))
        weight: dict[Hashable, float] = {None: math.exp(-0.5 * at.epsilon * selection)}
        inner = Noise()
        chances = [
            inner.output_distribution(sample.subset(slice(r * each, (r + 1) * each)), replace(at, alpha=at.alpha / 8.0))
            for r in range(runs)
        ]  # fmt: skip
        for labels in chances[0]:
            if isinstance(labels, tuple):
                wrong = sum(
                    labels[fresh.points[i] - 1] != y
                    for i, y in zip(fresh.index.tolist(), fresh.labels.tolist(), strict=True)
                )
                weight[labels] = math.exp(-0.5 * at.epsilon * wrong)
        result: dict[Hashable, float] = dict.fromkeys(chances[0], 0.0)
        for r, mine in enumerate(chances):
            rivals = _total_weight(chances[:r] + chances[r + 1 :], weight)
            for output, chance in mine.items():
                own = weight[output]
                share = sum(p * own / (own + total) for total, p in rivals.items())
                result[output] += chance * share
        return result

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since its runs, and the examples that choose among them, are whole numbers.
        """
        return wanted == "d" and super().eases(distribution, wanted)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law."""
        _check(setting.alpha)
        return by_profile(distribution, setting, self._law)

    def _law(self, profile: Profile, setting: Setting) -> Estimate:
        alpha, decay = setting.alpha, -0.5 * setting.epsilon
        runs = self.runs or run_count(setting.beta)
        most = each(lambda loss: selection_samples(loss, alpha, setting.beta), setting.epsilon)
        selection = np.minimum(most.astype(np.int64), setting.m // 2)
        rates = paper_rates(setting.epsilon, alpha / 8.0)
        seen = (setting.m - selection) // runs
        absent = np.exp(seen * np.log1p(-profile.mass * rates.keep))
        hit = (1.0 - absent) * (1.0 - rates.flip) + absent * rates.flip
        members = np.array(float(runs))
        if profile.others == 0:
            good = (1.0 - rates.fail) * hit
            groups = members, good, [1.0 - good], [np.exp(decay * selection)]
            return from_smaller(
                setting, lambda: expected_share(*groups), lambda: expected_rest(*groups)
            )
        kept = (1.0 - rates.fail) * (1.0 - rates.flip)
        shares = kept * hit, kept * (1.0 - hit), (1.0 - rates.fail) * rates.flip * hit

        def mean(share: _Share) -> NDArray[np.float64]:
            def kernel(
                hits: NDArray[np.float64], rest: NDArray[np.float64] | float, *at: Any
            ) -> NDArray[np.float64]:
                first, second, third, slope = at
                weights = [
                    np.exp(slope * hits),
                    np.exp(slope * rest),
                    np.exp(slope * (hits + rest)),
                ]
                other = 1.0 - (first + second + third)
                return share(members, first, [second, third, other], weights)

            columns = *shares, decay
            return binomial_expectation(
                selection, profile.mass, columns, kernel, rate=-decay, log_tail=setting.log_tail
            )

        return from_smaller(setting, lambda: mean(expected_share), lambda: mean(expected_rest))


def _check(alpha: float) -> None:
    if alpha >= 0.5:
        raise InputError("alpha", "must be in (0, 1/2) for the learner noise-boosted", alpha)


def _mistakes(hypothesis: Hypothesis, fresh: Sample) -> int:
    if hypothesis is FAILURE:
        return fresh.size
    positive, negative = fresh.tallies()
    return sum(
        int(lost) if hypothesis.predict(point) else int(kept)
        for point, kept, lost in zip(fresh.points, positive, negative, strict=True)
    )


def _total_weight(
    chances: list[Mapping[Hashable, float]], weight: Mapping[Hashable, float]
) -> dict[float, float]:
    """Return the distribution of the sum of the weights of one output of each run."""
    totals: dict[float, float] = {0.0: 1.0}
    for outputs in chances:
        one: defaultdict[float, float] = defaultdict(float)
        for output, chance in outputs.items():
            one[weight[output]] += chance
        moved: defaultdict[float, float] = defaultdict(float)
        for total, p in totals.items():
            for w, q in one.items():
                moved[total + w] += p * q
        totals = dict(moved)
    return totals
