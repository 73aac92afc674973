"""The non-private proper learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Setting, Source
from privsc_core.concepts.point.distributions import Point
from privsc_core.concepts.point.laws import by_profile
from privsc_core.concepts.point.trace import choice_of_points
from privsc_core.concepts.shared.choosing import NonPrivate
from privsc_core.concepts.shared.laws import certain, exact
from privsc_core.concepts.shared.sample import uniform_point
from privsc_core.numerics.expectations import expected_reciprocal_unseen
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder

_FAR = 54.0  # 2^-54 is nothing beside 1


@dataclass(frozen=True)
class Erm(NonPrivate):
    """Fewest mistakes, ties broken uniformly: no privacy, and no dependence on d."""

    source = Source("BBKN13", "Theorem 2.4")
    summary = (
        "Empirical risk minimisation: answers with the point that was seen with label 1, or with a random unseen "
        "point."
    )
    proper = True
    laws = dict.fromkeys(("hard", "single", "bystanders", "uniform"), "exact")
    unmoved = {"single": {"d": "a single example shows the target"}}
    record_keys = ("point",)
    one_point = True

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Return a concept with fewest mistakes, uniformly among them."""
        best, unseen_tied = _best(sample)
        tied = len(best) + unseen_tied
        if unseen_tied and rng.random() >= len(best) / tied:
            j = uniform_point(rng, sample.d, frozenset(sample.points))
        else:
            j = best[int(rng.integers(len(best)))]
        if recorder is not None:
            _tell(recorder, sample, best, unseen_tied, j)
        return Point(j)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        best, unseen_tied = _best(sample)
        winners = set(best)
        if unseen_tied:
            winners |= set(range(1, sample.domain_size + 1)) - set(sample.points)
        share = 1.0 / len(winners)
        return {j: share * (j in winners) for j in range(1, sample.domain_size + 1)}

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law: the target is seen, or guessed among the unseen points."""
        return by_profile(distribution, setting, _law)


def _best(sample: Sample) -> tuple[list[int], int]:
    """Return the seen points with fewest mistakes overall, and the number of unseen ties."""
    positive, negative = sample.tallies()
    gain = positive - negative
    unseen = sample.domain_size - len(sample.points)
    top = max(int(gain.max()), 0) if unseen else int(gain.max())
    best = [p for p, g in zip(sample.points, gain.tolist(), strict=True) if g == top]
    return best, unseen if top == 0 else 0


def _tell(
    recorder: Recorder, sample: Sample, best: list[int], unseen_tied: int, drawn: int
) -> None:
    winners = set(best)
    log_weights = np.array([0.0 if x in winners else -np.inf for x in sample.points] + [-np.inf])
    if unseen_tied:
        log_weights[-1] = log_domain_scalar(sample.d, len(sample.points))
    found = choice_of_points(recorder, sample, log_weights, None, drawn)
    recorder.uniform_choice(
        found,
        f"The smallest number of mistakes that a concept makes on the sample: {found.drawn.score:,.0f}.",
    )


def _law(profile: Profile, setting: Setting) -> Estimate:
    if profile.every_concept_succeeds:
        return certain(setting)
    log_missed = setting.m * np.log1p(-profile.mass) if profile.mass < 1.0 else np.array(-np.inf)
    missed = np.exp(log_missed)
    d, m = np.broadcast_arrays(setting.d, setting.m)
    guess, unguessed = np.empty(d.shape), np.empty(d.shape)
    # Both must fail: what is rarer than a small beta counts.
    rare = min(1e-18, 1e-16 * setting.beta)
    # Between 1 / 2^d and 1 / (2^d - m): the same number where m is nothing beside 2^d.
    far = d - np.log2(np.maximum(m, 1)) > _FAR
    guess[far], unguessed[far] = np.exp2(-d[far].astype(np.float64)), 1.0
    if not far.all():
        bits, which = np.unique(d[~far], return_inverse=True)
        guess[~far], unguessed[~far] = expected_reciprocal_unseen(
            m[~far], profile.others, [1 << one for one in bits.tolist()], rare, which
        )
    return exact(missed * guess - np.expm1(log_missed), setting, missed * unguessed)
