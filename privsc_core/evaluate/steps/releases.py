"""Runs that release a database: noise on counts, or a synthetic database."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from scipy.special import logsumexp

from privsc_core.concepts.release.hypotheses import Release
from privsc_core.concepts.release.learners.blr import Blr, synthetic_size
from privsc_core.concepts.release.learners.histogram import tally
from privsc_core.concepts.release.multisets import multisets
from privsc_core.concepts.release.survivors import survivor_count
from privsc_core.evaluate.naming import chance, raised, small
from privsc_core.evaluate.steps.mechanisms import mechanism
from privsc_core.evaluate.steps.parts import Case, Noised, Step, choice, sample_step

if TYPE_CHECKING:
    from privsc_core.concepts.release.learners import Stability
    from privsc_core.concepts.release.learners.histogram import Histogram

__all__ = ["histogram", "stability", "synthetic"]

_EMPTY_SHOWN = 3


def histogram(case: Case) -> tuple[Step, ...]:
    """Take a histogram with noise on all 2^d counts apart."""
    learner = cast("Histogram", case.learner)
    sample, coins = case.sample, case.coins()
    seen, rate = tally(sample), learner.rate(case.epsilon)
    tau = learner.threshold(sample.size, epsilon=case.epsilon, alpha=case.alpha)
    log_survival = learner.log_survival(tau, rate)
    empties = survivor_count(sample.d, len(seen), log_survival, coins)
    counts = np.fromiter(seen.values(), dtype=np.int64, count=len(seen))
    noisy = learner.noisy(counts, rate, coins).tolist()
    values = case.hypothesis.values if isinstance(case.hypothesis, Release) else {}
    empty = sorted((v for x, v in values.items() if x not in seen), reverse=True)[:_EMPTY_SHOWN]
    shown = _noised(case, seen, noisy, tau, tuple(map(float, empty)), empties)
    noise = (
        f"Independent noise of mean absolute size about {2.0 / case.epsilon:.3g} (2/ε) is added to the count of "
        f"every one of the 2{raised(sample.d)} points: counts that do not occur get it too."
    )
    cut = (
        f"Noisy counts below {tau:,.4g} are released as 0. Each empty point passes with "
        f"probability {chance(log_survival)}; {empties:,} did. Their number, values and places are "
        "drawn without visiting the others."
    )
    return (
        sample_step(case), Step("The noise", noise, shown), Step("The threshold", cut),
        _released(case),
    )  # fmt: skip


def stability(case: Case) -> tuple[Step, ...]:
    """Take the stability histogram apart, which adds noise to seen counts only."""
    learner = cast("Stability", case.learner)
    sample = case.sample
    seen, least = tally(sample), learner.threshold(case.epsilon)
    noise = case.coins().laplace(0.0, 2.0 / case.epsilon, size=len(seen)).tolist()
    noisy = [n + y for n, y in zip(seen.values(), noise, strict=True)]
    shown = _noised(case, seen, noisy, least, (), 0)
    words = (
        f"Laplace noise of mean absolute size {2.0 / case.epsilon:.3g} (2/ε) is added to the counts that are not 0. "
        "The others stay 0, which is where d drops out."
    )
    cut = (
        f"Counts up to {least:,.4g} = 1 + (2/ε) ln(1/(2δ)) are released as 0: a point that one "
        f"entry alone has appears with probability δ = {small(learner.delta)}."
    )
    return (
        sample_step(case), Step("The noise", words, shown), Step("The threshold", cut),
        _released(case),
    )  # fmt: skip


def synthetic(case: Case) -> tuple[Step, ...]:
    """Take the exponential mechanism over synthetic databases apart."""
    learner = cast("Blr", case.learner)
    sample = case.sample
    size, points = synthetic_size(case.alpha), sample.domain_size
    table, seen = multisets(size, points), tally(sample)
    truth = np.array([seen.get(j, 0) for j in range(1, points + 1)])
    error = np.abs(table * sample.size - truth * size).max(axis=1)
    weights = -learner.score_rate(case.epsilon) * error / size
    best = weights + case.coins().gumbel(size=len(weights))
    levels, place = np.unique(error, return_inverse=True)
    groups = [place == row for row in range(len(levels))]
    pick = int(np.argmax(best))
    found = choice(
        name=lambda row: f"{int(groups[row].sum()):,} with error {levels[row] / size / sample.size:.3g}",
        members=lambda row: f"{int(groups[row].sum()):,}",
        scores=levels / size,
        log_weights=np.array([float(logsumexp(weights[group])) for group in groups]),
        best=np.array([float(best[group].max()) for group in groups]),
        drawn=int(place[pick]),
        target=None,
        score="m · error",
        what="synthetic databases",
    )  # fmt: skip
    before = Step(
        "The candidates",
        f"All {len(table):,} databases of {size} entries over the {points:,} points are listed, "
        "whatever the data are.",
    )
    words = (
        "The score of a synthetic database is m times its error, the largest deviation of a "
        "fraction from the true one. Those with the same error stand together."
    )
    return mechanism(case, found, words, before=[before])


def _noised(
    case: Case,
    seen: dict[int, int],
    noisy: list[float],
    threshold: float,
    empty: tuple[float, ...],
    empties: int,
) -> Noised:
    order = sorted(range(len(seen)), key=list(seen).__getitem__)
    points, counts = list(seen), list(seen.values())
    return Noised(
        tuple(case.point(points[i]) for i in order),
        tuple(counts[i] for i in order),
        tuple(float(noisy[i]) for i in order),
        float(threshold),
        empty,
        empties,
    )


def _released(case: Case) -> Step:
    return Step("The release", f"Out comes: {case.hypothesis.description}.")
