"""Permute-and-flip: never worse than the exponential mechanism, and as private."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.point.distributions import Point
from privsc_core.concepts.point.laws import by_profile, crowd
from privsc_core.concepts.point.trace import choice_of_points, mistakes_of_points
from privsc_core.concepts.shared.laws import certain, exact, from_smaller, rao_blackwell
from privsc_core.concepts.shared.noise_source import LISTED_BITS
from privsc_core.concepts.shared.sample import uniform_point
from privsc_core.errors import InputError
from privsc_core.numerics import expectations
from privsc_core.numerics.binomial import binomial_expectation
from privsc_core.numerics.logspace import log_domain, log_domain_scalar

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import NoiseSource
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder
    from privsc_core.numerics.binomial import Kernel

# Above e^40 accepting unseen points no seen one is picked; numpy's counts end soon after.
_CROWD = 40.0
_RARE = 1e-9  # below it a binomial count is Poisson to that accuracy
_COUNTED = 1e9  # above it a count is normal to that accuracy


@dataclass(frozen=True)
class PermuteAndFlip(Learner):
    """Go through the concepts in random order, accept each with its chance, stop at the first.

    Notes
    -----
    The first of a random order among those that accept is a uniformly random one of them: every
    seen point tosses its own coin, of the unseen ones only the number that accept is drawn. O(m).
    """

    name = "permute-and-flip"
    title = "Permute-and-flip"
    source = Source("MS20", "Algorithm 1")
    summary = (
        "Goes through all concepts in random order and stops at a concept with probability "
        "exp(-ε · (its mistakes - the fewest mistakes) / 2)."
    )
    privacy = "pure"
    proper = True
    efficient = True
    laws = {
        "hard": "exact", "single": "exact", "bystanders": "rao-blackwell",
        "uniform": "rao-blackwell",
    }  # fmt: skip
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("point",)
    one_point = True
    symmetric = True

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Toss the coins of the seen points, count those of the others; O(m) for any d."""
        logs = self._log_accepts(sample, at.epsilon)
        accepts = np.flatnonzero(rng.random(logs.size - 1) < np.exp(logs[:-1]))
        crowd_size = _accepting(log_domain_scalar(sample.d, len(sample.points)), logs[-1], rng)
        pick = float(rng.random()) * (accepts.size + crowd_size)
        if pick < accepts.size:
            j = sample.points[int(accepts[int(pick)])]
        else:
            j = uniform_point(rng, sample.d, frozenset(sample.points))
        if recorder is not None:
            weights = logs.copy()
            weights[-1] += log_domain_scalar(sample.d, len(sample.points))
            shown = choice_of_points(recorder, sample, weights, None, j)
            fewest = int(mistakes_of_points(sample)[np.isfinite(weights)].min())
            recorder.step(
                "The scores",
                f"The score of a concept is its number of mistakes on the sample; the smallest is {fewest:,}.",
                shown,
            )
            recorder.step(
                "The coins",
                "Every concept accepts with probability exp(−ε · (mistakes − fewest) / 2): "
                f"{accepts.size:,} seen and {_about(crowd_size)} unseen points do.",
            )
            recorder.step(
                "The draw",
                "The answer is the first one, in a random order, that accepts: a uniformly random accepting concept.",
            )
        return Point(j)

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Draw a concept: all of them are listed.

        Raises
        ------
        InputError
            For too many to list.
        """
        if sample.d > LISTED_BITS:
            raise InputError(
                "d", f"must be at most {LISTED_BITS} to release by {self.name}", sample.d
            )
        *seen, unseen = mistakes_of_points(sample).astype(np.int64).tolist()
        scores = [unseen] * sample.domain_size
        for point, score in zip(sample.points, seen, strict=True):
            scores[point - 1] = score
        return Point(1 + noise.permute_and_flip(scores))

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        logs = self._log_accepts(sample, at.epsilon)
        known = dict(zip(sample.points, np.exp(logs[:-1]).tolist(), strict=True))
        rest = math.exp(logs[-1])
        numbers = range(1, sample.domain_size + 1)
        chances = expectations.first_accepted(np.array([known.get(j, rest) for j in numbers]))
        return dict(zip(numbers, chances.tolist(), strict=True))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact with at most one bystander, else Rao-Blackwellised."""
        return by_profile(distribution, setting, _law)

    @staticmethod
    def _log_accepts(sample: Sample, epsilon: float) -> NDArray[np.float64]:
        """Return the logs of the chances of the seen points and, last, of any unseen one."""
        mistakes = mistakes_of_points(sample)
        known = mistakes if sample.domain_size > len(sample.points) else mistakes[:-1]
        return np.asarray(np.minimum(-0.5 * epsilon * (mistakes - known.min()), 0.0))


def _accepting(log_unseen: float, log_accept: float, rng: np.random.Generator) -> float:
    """Return how many unseen points accept, in law."""
    log_mean = log_unseen + log_accept
    if log_unseen == -math.inf:
        return 0.0
    if log_accept >= 0.0 or log_mean > _CROWD:
        return math.exp(min(log_mean, 700.0))
    mean, accept = math.exp(log_mean), math.exp(log_accept)
    if accept < _RARE:
        return float(rng.poisson(mean))
    if mean > _COUNTED:
        return round(mean + math.sqrt(mean * (1.0 - accept)) * float(rng.standard_normal()))
    return float(rng.binomial(round(math.exp(log_unseen)), accept))


def _about(count: float) -> str:
    return f"{count:,.0f}" if count < 1e9 else f"about {count:.3g}"


# --- Laws ---------------------------------------------------------------------------------------


def _law(profile: Profile, setting: Setting) -> Estimate:
    if profile.every_concept_succeeds:
        return certain(setting)
    if profile.others == 0:
        log_q = -0.5 * setting.epsilon * setting.m
        log_t = log_domain(setting.d)
        return exact(expectations.reached(log_t, log_q), setting, expectations.missed(log_t, log_q))
    if profile.others == 1:
        columns = log_domain(setting.d, 1), log_domain(setting.d), setting.epsilon

        def mean(kernel: Kernel) -> NDArray[np.float64]:
            return binomial_expectation(
                setting.m, profile.mass, columns, kernel, rate=0.5 * setting.epsilon,
                log_tail=setting.log_tail,
            )  # fmt: skip

        return from_smaller(setting, lambda: mean(_reached), lambda: mean(_missed))
    return _simulated(profile, setting)


def _weight_of_bystander(
    count: NDArray[np.float64], rest: NDArray[np.float64] | float, epsilon: NDArray[np.float64]
) -> NDArray[np.float64] | float:
    if isinstance(rest, float) and math.isinf(rest):
        return 0.0
    return np.asarray(np.exp(-0.5 * epsilon * (count + rest)))


def _reached(
    count: NDArray[np.float64],
    rest: NDArray[np.float64] | float,
    log_others: NDArray[np.float64],
    log_all: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return (1 - w) I0 + w I1: T - 2 rivals, and point 1, which accepts with chance w."""
    log_q = -0.5 * epsilon * count
    alone = expectations.reached(log_others, log_q)
    w = _weight_of_bystander(count, rest, epsilon)
    if isinstance(w, float):
        return alone
    return np.asarray(alone - w * (alone - expectations.beside(log_others, log_all, log_q)))


def _missed(
    count: NDArray[np.float64],
    rest: NDArray[np.float64] | float,
    log_others: NDArray[np.float64],
    log_all: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    log_q = -0.5 * epsilon * count
    lost = expectations.missed(log_others, log_q)
    w = _weight_of_bystander(count, rest, epsilon)
    if isinstance(w, float):
        return lost
    alone = expectations.reached(log_others, log_q)
    return np.asarray(lost + w * (alone - expectations.beside(log_others, log_all, log_q)))


def _simulated(profile: Profile, setting: Setting) -> Estimate:
    others = profile.others

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
        hits = rng.binomial(m, profile.mass, size=trials)
        return hits.astype(np.float64), crowd(m - hits, others, rng)

    def conditional(
        d: int, epsilon: float, hits: NDArray[np.float64], seen: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        log_q = -0.5 * epsilon * hits
        own = np.exp(log_q[:, None] - 0.5 * epsilon * seen)
        return expectations.among(log_domain_scalar(d, 1 + others), log_q, own)

    return rao_blackwell(setting, draw, conditional)
