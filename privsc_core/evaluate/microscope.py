"""One run of a learner, taken apart: the sample, what it scores, what it draws, what comes out.

The run is the learner's own `run`. What the steps show besides is computed from the same sample,
with the same coins drawn once more: a generator with the same seed gives the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.hypotheses import FAILURE
from privsc_core.concepts.interval.distributions import Hard as IntervalHard
from privsc_core.concepts.interval.distributions import IntervalDistribution, Spread
from privsc_core.concepts.interval.distributions import target as interval_target
from privsc_core.concepts.interval.hypotheses import Threshold
from privsc_core.concepts.point.distributions import PointDistribution
from privsc_core.concepts.pseudorandom.generator import COUNTED
from privsc_core.concepts.pseudorandom.learners import ExponentialProper
from privsc_core.concepts.release.distributions import ReleaseDatabase
from privsc_core.concepts.release.hypotheses import Release
from privsc_core.concepts.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.naming import whole
from privsc_core.evaluate.steps import Case, Step, steps
from privsc_core.evaluate.success import success
from privsc_core.numerics.decimals import decimal
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Distribution, Learner
    from privsc_core.concepts.hypotheses import Hypothesis

__all__ = ["EXAMPLES_MOST", "Examination", "canonical", "drawn_sample", "examine", "true_error"]

EXAMPLES_MOST = 100_000  # a run with more would keep a reader waiting
_BITS_MOST = 4_000_000  # of all distinct points together, and of all images
_SPREAD_MOST = 5_000  # examples, each a point of its own
_CHECKED_MOST = 12  # bits of a domain at whose every point a hypothesis without a formula is asked
# Distributions on a few points, whatever d is.
_FEW_POINTS = {"hard", "single", "bystanders"}


@dataclass(frozen=True, slots=True, eq=False)
class Examination:
    """One run and its steps.

    Attributes
    ----------
    learner : Learner
        With the privacy slack that it ran with.
    distribution : Distribution
        Where the sample came from.
    sample : Sample
        What it saw.
    hypothesis : Hypothesis
        What `learner.run` returned.
    steps : tuple of Step
        From the sample to the hypothesis.
    error : float or None
        The true error of the hypothesis, for data release the largest deviation; None where it
        would take too long.
    succeeded : bool or None
        Whether it counts as a success; None where the error is unknown.
    barely : bool
        Whether the error is alpha and counts as just above it.
    chance : float or None
        The probability that such a run succeeds, where its law is exact.
    m, d, epsilon, alpha, beta, seed
        The setting.
    """

    learner: Learner
    distribution: Distribution
    sample: Sample
    hypothesis: Hypothesis
    steps: tuple[Step, ...]
    error: float | None
    succeeded: bool | None
    barely: bool
    chance: float | None
    m: int
    d: int
    epsilon: float
    alpha: float
    beta: float
    seed: int

    @property
    def failed_to_answer(self) -> bool:
        """Whether the output is ⊥."""
        return self.hypothesis is FAILURE


def examine(
    *,
    concept: str,
    learner: str,
    distribution: str = "hard",
    m: int,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float = 0.1,
    delta: float = 0.0,
    seed: int = 1,
) -> Examination:
    """Draw a sample, run a learner on it, and take the run apart.

    The run is what ``privsc_core.learn`` gives on the examples of the sample with the same seed;
    the sample comes from a stream of its own.

    Raises
    ------
    InputError
        For a setting outside the domain, one too large to be taken apart, and what the learner
        itself refuses.
    """
    entry = catalog.learner(concept, learner).at(scalar("delta", delta))
    law = catalog.distribution(concept, distribution)
    m, d, seed = scalar("m", m), scalar("d", d), scalar("seed", seed)
    epsilon, alpha, beta = scalar("epsilon", epsilon), scalar("alpha", alpha), scalar("beta", beta)
    law.check(d=d, alpha=alpha)
    _bounded(entry, law, m, d)
    sample = drawn_sample(law, m=m, d=d, alpha=alpha, seed=seed)
    hypothesis = entry.run(
        sample, epsilon=epsilon, alpha=alpha, beta=beta, rng=np.random.default_rng(seed)
    )
    error = true_error(law, hypothesis, m=m, d=d, alpha=alpha)
    good = None if error is None else law.succeeds(hypothesis, d=d, alpha=alpha)
    case = Case(entry, sample, hypothesis, law, epsilon, alpha, beta, seed, _target(law, d))
    return Examination(
        learner=entry, distribution=law, sample=sample, hypothesis=hypothesis,
        steps=steps(case), error=None if error is None else float(error), succeeded=good,
        barely=error is not None and not good and error == decimal(alpha),
        chance=_chance(entry, law, m, d, epsilon, alpha, beta, delta),
        m=m, d=d, epsilon=epsilon, alpha=alpha, beta=beta, seed=seed,
    )  # fmt: skip


def _chance(
    entry: Learner,
    law: Distribution,
    m: int,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float,
    delta: float,
) -> float | None:
    if entry.laws[law.name] != "exact":
        return None
    found = success(
        entry, law, m=m, d=d, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta, trials=250
    )
    return float(found.value)


def drawn_sample(law: Distribution, *, m: int, d: int, alpha: float, seed: int) -> Sample:
    """Return the sample of a seed; the learner's coins come from another stream."""
    stream = np.random.SeedSequence(seed).spawn(1)[0]
    return canonical(law.draw(m=m, d=d, alpha=alpha, rng=np.random.default_rng(stream)))


def canonical(sample: Sample) -> Sample:
    """Return the sample as `Sample.of` builds it from its examples: points as they first occur."""
    used, first, place = np.unique(sample.index, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    points = tuple(sample.points[i] for i in used[order].tolist())
    return Sample(sample.d, points, rank[place].astype(np.intp), sample.labels)


def true_error(
    law: Distribution, hypothesis: Hypothesis, *, m: int, d: int, alpha: float
) -> Fraction | None:
    """Return the true error exactly, a mass "just above alpha" as alpha.

    For data release it is the largest deviation of a fraction, and 1 without an answer. None for
    a hypothesis that would have to be asked at more than 2^12 points.
    """
    if hypothesis is FAILURE:
        return Fraction(1)
    if isinstance(law, ReleaseDatabase) and isinstance(hypothesis, Release):
        return hypothesis.error(law.counts(m=m, d=d, alpha=alpha))
    if isinstance(law, PointDistribution):
        return _error_on_points(law, hypothesis, d, alpha)
    if isinstance(law, IntervalDistribution):
        return _error_on_line(law, hypothesis, d, alpha)
    return None


def _error_on_points(
    law: PointDistribution, hypothesis: Hypothesis, d: int, alpha: float
) -> Fraction | None:
    profile = law.profile(d=d, alpha=alpha)
    hit = hypothesis.predict(law.target(d)) == 1
    everywhere = profile.others == (1 << d) - 1
    if everywhere and hypothesis.weight is not None:
        wrong = hypothesis.weight - hit
    elif profile.others.bit_length() > _CHECKED_MOST:
        return None
    else:
        wrong = sum(hypothesis.predict(x) for x in range(1, profile.others + 1))
    if law.name == "uniform":
        return Fraction(wrong + (not hit), 1 << d) if d <= 60 else _tiny(wrong + (not hit), d)
    mass = Fraction(1) if law.name == "single" else decimal(alpha)
    crowd = (1 - mass) * Fraction(wrong, profile.others) if profile.others else Fraction(0)
    return crowd + (0 if hit else mass)


def _tiny(count: int, d: int) -> Fraction:
    """Return count / 2^d to 64 bits: reducing a fraction of a million bits takes seconds."""
    return Fraction((count << 64) >> d, 1 << 64)


def _error_on_line(
    law: IntervalDistribution, hypothesis: Hypothesis, d: int, alpha: float
) -> Fraction | None:
    j = interval_target(d)
    if isinstance(law, IntervalHard):
        a = decimal(alpha)
        masses = ((1, 1, 1 - 2 * a), (j - 1, 1, a), (j, 0, a))
        return sum((w for x, label, w in masses if hypothesis.predict(x) != label), Fraction(0))
    if not isinstance(hypothesis, Threshold) or not isinstance(law, Spread):
        return None
    offset, (width, lam) = abs(hypothesis.j - j), law.band(d)
    near = law.near(d)[0 if hypothesis.j < j else 1]
    error = (1 - lam) * (Fraction(offset, 1 << d) if d <= 60 else _tiny(offset, d))
    return error + (lam * Fraction(min(offset, near), width) if width else 0)


def _target(law: Distribution, d: int) -> int | None:
    """Return the number of the target concept, where there is one."""
    if isinstance(law, PointDistribution):
        return law.target(d)
    return interval_target(d) if isinstance(law, IntervalDistribution) else None


def _bounded(entry: Learner, law: Distribution, m: int, d: int) -> None:
    """Refuse what would take long or has not been thought through."""
    if law.name not in entry.laws:
        names = " or ".join(entry.laws)
        raise InputError("distribution", f"must be {names} for {entry.name}", law.label)
    if m > EXAMPLES_MOST:
        raise InputError("m", f"must be at most {EXAMPLES_MOST:,} for one run to be shown", m)
    most = min(_BITS_MOST // d, _SPREAD_MOST)
    if law.name not in _FEW_POINTS and m > most:
        requirement = f"must be at most {most:,} for one run on {law.name} to be shown at d = {d:,}"
        raise InputError("m", requirement, m)
    if isinstance(entry, ExponentialProper):
        length = entry.seeds.bits(d)
        if length > COUNTED or d << length > 10 * _BITS_MOST:
            requirement = f"must leave at most 2^{COUNTED} images that can be listed in a moment"
            raise InputError("d", requirement, f"2^{length} images of {whole(d, d)} bits")
