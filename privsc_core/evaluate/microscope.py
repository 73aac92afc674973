"""One run of a learner, taken apart: the sample, what it scores, what it draws, what comes out.

The run is the learner's own `run`, which tells its steps to a recorder.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared.hypotheses import FAILURE
from privsc_core.concepts.shared.sample import Sample
from privsc_core.concepts.shared.trace import ROWS_MOST, Recorder, Sampled, Step
from privsc_core.errors import InputError
from privsc_core.evaluate.success import success
from privsc_core.numerics.decimals import decimal
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Learner
    from privsc_core.concepts.shared.hypotheses import Hypothesis

EXAMPLES_MOST = 100_000  # a run with more would keep a reader waiting
_BITS_MOST = 4_000_000  # of all distinct points together
_SPREAD_MOST = 5_000  # examples, each a point of its own
_BINS = 16


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
        The true error of the hypothesis, of a release the largest deviation; None where it
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
    distribution: str | None = None,
    m: int,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float = 0.1,
    delta: float = 0.0,
    u: int = 0,
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
    entry = catalog.learner(concept, learner, u).at(scalar("delta", delta))
    law = catalog.distribution(concept, distribution)
    m, d, seed = scalar("m", m), scalar("d", d), scalar("seed", seed)
    epsilon, alpha, beta = scalar("epsilon", epsilon), scalar("alpha", alpha), scalar("beta", beta)
    law.check(d=d, alpha=alpha)
    _bounded(entry, law, m + entry.unlabelled, d)
    entry.check_shown(Cell(d, 1.0, alpha, beta))
    sample = drawn_sample(law, m=m + entry.unlabelled, d=d, alpha=alpha, seed=seed)
    recorder = Recorder(law.target(d), lambda point: law.name_of(point, sample.d))
    hypothesis = entry.run(
        sample, Cell(sample.d, epsilon, alpha, beta), np.random.default_rng(seed), recorder=recorder
    )
    output = recorder.output or Step("The hypothesis", f"Out comes {hypothesis.description}.")
    error = law.error(hypothesis, m=m, d=d, alpha=alpha)
    good = None if error is None else law.succeeds(hypothesis, d=d, alpha=alpha)
    return Examination(
        learner=entry, distribution=law, sample=sample, hypothesis=hypothesis,
        steps=(_sample_step(entry, law, sample), *recorder.steps, output),
        error=None if error is None else float(error), succeeded=good,
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


def _bounded(entry: Learner, law: Distribution, m: int, d: int) -> None:
    """Refuse what would take long or has not been thought through."""
    if law.name not in entry.laws:
        names = " or ".join(entry.laws)
        raise InputError("distribution", f"must be {names} for {entry.name}", law.label)
    if m > EXAMPLES_MOST:
        raise InputError("m", f"must be at most {EXAMPLES_MOST:,} for one run to be shown", m)
    most = min(_BITS_MOST // d, _SPREAD_MOST)
    if not law.few_points and m > most:
        requirement = f"must be at most {most:,} for one run on {law.name} to be shown at d = {d:,}"
        raise InputError("m", requirement, m)


def _sample_step(entry: Learner, law: Distribution, sample: Sample) -> Step:
    """Return the first step: the sample."""
    shows = _sampled(entry, law, sample)
    points = _many(len(sample.points), "distinct point", "distinct points")
    if not entry.labelled:
        size = _many(sample.size, "entry", "entries")
        words = f"The database {law.name}: {size} on {points}. It is given, not drawn."
        return Step("The database", words, shows)
    positive = int(sample.labels.sum())
    words = (
        f"{_many(sample.size, 'example', 'examples')} drawn from the {law.label} distribution: "
        f"{positive:,} with label 1, {sample.size - positive:,} with label 0, on {points}."
    )
    return Step("The sample", words, shows)


def _many(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"


def _sampled(entry: Learner, law: Distribution, sample: Sample) -> Sampled:
    positive, negative = sample.tallies()
    ones, zeros = (positive, negative) if entry.labelled else (positive + negative, 0 * negative)
    if len(sample.points) > ROWS_MOST and law.ordered:
        return _binned(sample, ones, zeros)
    order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
    shown = order
    if len(order) > ROWS_MOST:
        total, target = ones + zeros, law.target(sample.d)
        often = set(sorted(order, key=lambda i: -int(total[i]))[: ROWS_MOST - 2])
        shown = [i for i in order if i in often or sample.points[i] == target]
    names = [law.name_of(sample.points[i], sample.d) for i in shown]
    up, down = [int(ones[i]) for i in shown], [int(zeros[i]) for i in shown]
    if len(shown) < len(order):
        names.append(f"{len(order) - len(shown):,} other points")
        up.append(int(ones.sum()) - sum(up))
        down.append(int(zeros.sum()) - sum(down))
    return Sampled(tuple(names), tuple(up), tuple(down), entry.labelled)


def _binned(sample: Sample, ones: NDArray[np.int64], zeros: NDArray[np.int64]) -> Sampled:
    low = max(sample.d - 40, 0)
    size = 1 << (sample.d - low)
    place = [((x - 1) >> low) * _BINS // size for x in sample.points]
    return Sampled(
        tuple(f"{i / _BINS:g}" for i in range(_BINS)),
        tuple(np.bincount(place, weights=ones, minlength=_BINS).astype(int).tolist()),
        tuple(np.bincount(place, weights=zeros, minlength=_BINS).astype(int).tolist()),
        binned=True,
    )
