"""Runs that choose among concepts: by exponential weights, or uniformly among the best."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy.special import logsumexp

from privsc_core.concepts.interval.hypotheses import Threshold
from privsc_core.concepts.interval.segments import Segments
from privsc_core.concepts.point.hypotheses import Point
from privsc_core.concepts.point.learners.hashing import Buckets, Hash, bucket_of
from privsc_core.concepts.point.learners.representation import class_size, draw_patterns
from privsc_core.concepts.pseudorandom.learners.exponential_proper import enumerate_images
from privsc_core.evaluate.naming import chance, raised, span, whole
from privsc_core.evaluate.steps.parts import Case, Choice, Step, choice, sample_step
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


__all__ = [
    "hashed",
    "images",
    "interval_erm",
    "intervals",
    "output_step",
    "point_erm",
    "points",
    "pseudorandom_erm",
    "representation",
    "threshold_choice",
]


def output_step(case: Case, words: str = "") -> Step:
    """Return the last step: what comes out."""
    return Step("The hypothesis", words or f"Out comes {case.hypothesis.description}.")


def mechanism(
    case: Case, found: Choice, score: str, *, before: Sequence[Step] = (), formula: str = ""
) -> tuple[Step, ...]:
    """Return the steps of an exponential mechanism."""
    drawn = next(row for row in found.rows if row.drawn)
    formula = formula or f"exp(−ε · {found.score} / 2)"
    rate = (
        f"Every one of the {found.what} gets the weight {formula}, divided by the sum of all "
        f"weights. ε = {case.epsilon:g}. Exact."
    )
    coins = (
        "Every row gets its log weight plus a random coin (Gumbel), and the largest sum wins: that "
        f"has these very probabilities. Drawn: {drawn.name}, with probability "
        f"{chance(drawn.log_share)}."
    )
    return (
        sample_step(case), *before, Step("The scores", score, found),
        Step("The probabilities", rate, found, "chance"), Step("The draw", coins, found, "draw"),
        output_step(case),
    )  # fmt: skip


def uniform_choice(case: Case, found: Choice, score: str) -> tuple[Step, ...]:
    """Return the steps of a uniform choice among the best."""
    drawn = next(row for row in found.rows if row.drawn)
    rate = "Only the best count, all of them equally: no privacy. Exact."
    words = f"Drawn: {drawn.name}, with probability {chance(drawn.log_share)}."
    coins = Step("The draw", words, found, "draw") if found.coins else Step("The draw", words)
    return (
        sample_step(case), Step("The scores", score, found),
        Step("The probabilities", rate, found, "chance"), coins, output_step(case),
    )  # fmt: skip


# --- Points -------------------------------------------------------------------------------------


def points(case: Case) -> tuple[Step, ...]:
    """Take the exponential mechanism over all points apart."""
    sample, d = case.sample, case.sample.d
    rate = _rate(case)
    positive, negative = sample.tallies()
    total = int(positive.sum())
    mistakes = np.append(total - positive + negative, total).astype(np.float64)
    log_weights = -rate * mistakes
    log_weights[-1] += log_domain_scalar(d, len(sample.points))
    best = log_weights + case.coins().gumbel(size=len(log_weights))
    words = (
        f"The score of a concept is its number of mistakes on the sample. The points that were "
        f"not drawn all make the same: {total:,}, one on every example with label 1."
    )
    return mechanism(case, _by_point(case, mistakes, log_weights, best), words)


def point_erm(case: Case) -> tuple[Step, ...]:
    """Take the uniform choice among the concepts with fewest mistakes apart."""
    sample = case.sample
    positive, negative = sample.tallies()
    total = int(positive.sum())
    unseen = sample.domain_size - len(sample.points)
    mistakes = np.append(total - positive + negative, total).astype(np.float64)
    counted = mistakes if unseen else mistakes[:-1]
    sizes = np.zeros(len(mistakes))
    sizes[-1] = log_domain_scalar(sample.d, len(sample.points))
    log_weights = np.where(mistakes == counted.min(), sizes, -np.inf)
    words = f"The fewest mistakes on the sample that a concept makes: {int(counted.min()):,}."
    return uniform_choice(case, _by_point(case, mistakes, log_weights, None), words)


def _by_point(
    case: Case,
    mistakes: NDArray[np.float64],
    log_weights: NDArray[np.float64],
    best: NDArray[np.float64] | None,
) -> Choice:
    """Sort the rows by point, all unseen points last."""
    sample = case.sample
    order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
    unseen = sample.domain_size - len(sample.points)
    rows = np.array([*order, len(order)] if unseen else order)
    drawn = case.hypothesis.j if isinstance(case.hypothesis, Point) else 0
    place = {sample.points[i]: row for row, i in enumerate(order)}
    last = len(order)
    many = _less(sample.d, len(sample.points))
    return choice(
        name=lambda row: case.point(sample.points[order[row]]) if row < last else f"{many} unseen",
        members=lambda row: "1" if row < last else many,
        scores=mistakes[rows],
        log_weights=log_weights[rows],
        best=None if best is None else best[rows],
        drawn=place.get(drawn, last),
        target=place.get(case.target or 0, last if unseen else None),
    )


def _less(d: int, fewer: int) -> str:
    """Return 2^d - fewer."""
    return whole((1 << d) - fewer, d) if d <= 20 else f"2{raised(d)} − {fewer:,}"


# --- Pseudorandom points ------------------------------------------------------------------------


def images(case: Case) -> tuple[Step, ...]:
    """Take the exponential mechanism over the images apart."""
    sample, d = case.sample, case.sample.d
    length = cast("Any", case.learner).seeds.bits(d)
    listed = enumerate_images(length, d)
    positive, negative = sample.tallies()
    total = int(positive.sum())
    seen = {x: i for i, x in enumerate(sample.points)}
    mistakes = np.full(len(listed), float(total))
    for place, x in enumerate(listed):
        if x in seen:
            mistakes[place] += int(negative[seen[x]]) - int(positive[seen[x]])
    weights = -_rate(case) * mistakes
    best = weights + case.coins().gumbel(size=len(listed))
    own = [place for place, x in enumerate(listed) if x in seen]
    rest = np.ones(len(listed), dtype=np.bool_)
    rest[own] = False
    log_weights, most, scores = list(weights[own]), list(best[own]), list(mistakes[own])
    if rest.any():
        log_weights.append(float(logsumexp(weights[rest])))
        most.append(float(best[rest].max()))
        scores.append(float(total))
    drawn = case.hypothesis.j if isinstance(case.hypothesis, Point) else 0
    names = {listed[place]: row for row, place in enumerate(own)}
    others = f"{int(rest.sum()):,}"
    found = choice(
        name=lambda row: (
            case.point(listed[own[row]]) if row < len(own) else f"{others} other images"
        ),
        members=lambda row: "1" if row < len(own) else others,
        scores=scores,
        log_weights=np.array(log_weights),
        best=np.array(most),
        drawn=names.get(drawn, len(own)),
        target=names.get(case.target or 0, len(own) if rest.any() else None),
        what="images",
    )
    before = Step(
        "The class",
        f"All 2{raised(length)} seeds are tried: {len(listed):,} distinct images. That takes time "
        "2ˡ and needs no data.",
    )
    words = (
        "The score of an image is its number of mistakes on the sample. Images that were not "
        f"drawn all make {total:,}."
    )
    return mechanism(case, found, words, before=[before])


def pseudorandom_erm(case: Case) -> tuple[Step, ...]:
    """Take the non-private learner of pseudorandom points apart."""
    sample = case.sample
    positive, negative = sample.tallies()
    gain = positive - negative
    top = int(gain.max())
    if top > 0:
        words = (
            f"Label 1 was seen most often beyond label 0 at one point, {top:,} times: it is named."
        )
        if (gain == top).sum() > 1:
            words = f"{int((gain == top).sum())} points are tied at {top:,}: one of them at random."
    else:
        words = "No example has label 1, so a seed is drawn, and its image is named."
    return sample_step(case), Step("The choice", words), output_step(case)


# --- Thresholds ---------------------------------------------------------------------------------


def intervals(case: Case) -> tuple[Step, ...]:
    """Take the exponential mechanism over all thresholds apart."""
    found = threshold_choice(case, _rate(case), case.hypothesis)
    segments = len(Segments.of(case.sample).first)
    words = (
        "The score of a threshold is its number of mistakes on the sample. Between neighbouring "
        f"sample points it is constant, so that there are {segments:,} segments to compare."
    )
    return mechanism(case, found, words)


def interval_erm(case: Case) -> tuple[Step, ...]:
    """Take the uniform choice among the best thresholds apart."""
    found = threshold_choice(case, math.inf, case.hypothesis)
    fewest = int(Segments.of(case.sample).mistakes.min())
    words = f"The fewest mistakes on the sample that a threshold makes: {fewest:,}."
    return uniform_choice(case, found, words)


def threshold_choice(case: Case, rate: float, hypothesis: object) -> Choice:
    """Return the choice of a threshold; an infinite rate keeps the fewest mistakes."""
    sample, d = case.sample, case.sample.d
    segments = Segments.of(sample)
    log_weights = segments.log_weights(rate)
    best = log_weights + case.coins().gumbel(size=log_weights.shape)
    j = hypothesis.j if isinstance(hypothesis, Threshold) else 1

    def segment_of(threshold: int) -> int:
        return bisect_right(segments.first, threshold) - 1

    def name(row: int) -> str:
        first, length = segments.first[row], segments.length[row]
        text = "j = " + span(first, first + length - 1, d)
        return f"{text} (target)" if length == 1 and first == case.target else text

    return choice(
        name=name,
        members=lambda row: whole(segments.length[row], d),
        scores=segments.mistakes.astype(np.float64),
        log_weights=log_weights,
        best=best,
        drawn=segment_of(j),
        target=segment_of(case.target or 1),
        what="thresholds",
    )


# --- Other classes of hypotheses ----------------------------------------------------------------


def hashed(case: Case) -> tuple[Step, ...]:
    """Take the hash learner apart."""
    sample = case.sample
    coins = case.coins()
    learner = case.learner
    if not isinstance(learner, Hash):
        raise TypeError
    rows = learner.draw_rows(sample.d, case.alpha, case.beta, coins)
    total = int(sample.labels.sum())
    of_points = [bucket_of(x, rows) for x in sample.points]
    buckets = Buckets.of(sample, rows)
    own, last = buckets.occupied, len(buckets.occupied)
    others = (1 << len(rows)) - last
    # Relative to a hypothesis without mistakes, as everywhere here.
    log_weights = buckets.log_weights(case.epsilon) - 0.5 * case.epsilon * total
    best = log_weights + coins.gumbel(size=len(log_weights))
    pick = int(np.argmax(best))
    shown = slice(None) if others else slice(last)

    def name(row: int) -> str:
        if row == last:
            return f"{many} other buckets"
        here = [x for x, b in zip(sample.points, of_points, strict=True) if b == own[row]]
        more = "" if len(here) == 1 else f" and {len(here) - 1} more"
        first = case.target if case.target in here else min(here)
        return f"bucket of {case.point(first or min(here))}{more}"

    many = whole(others, len(rows))
    wanted = bucket_of(case.target, rows) if case.target else None
    found = choice(
        name=name,
        members=lambda row: "1" if row < last else many,
        scores=np.append(total - buckets.gains, total)[shown],
        log_weights=log_weights[shown],
        best=best[shown],
        drawn=pick,
        target=own.index(wanted) if wanted in own else last,
        what="buckets",
    )
    before = Step(
        "The hash",
        f"A random hash to t = {len(rows)} bits is drawn, before any data are seen. A hypothesis is "
        f"1 on one of the 2{raised(len(rows))} buckets: {whole(1 << len(rows), len(rows))} "
        "hypotheses, whatever d is.",
    )
    words = (
        "The score of a bucket is the number of mistakes of its hypothesis on the sample: "
        f"{total:,} where no example fell."
    )
    return mechanism(case, found, words, before=[before])


def representation(case: Case) -> tuple[Step, ...]:
    """Take the learner over random sets apart."""
    sample = case.sample
    coins = case.coins()
    size = class_size(sample.d, case.alpha)
    counts, patterns = draw_patterns(size, sample.d, len(sample.points), coins)
    positive, negative = sample.tallies()
    mistakes = (~patterns) @ positive + patterns @ negative
    log_weights = np.log(counts) - 0.5 * case.epsilon * mistakes
    best = log_weights + coins.gumbel(size=len(counts))
    wanted = np.array([x == case.target for x in sample.points])
    fits = np.flatnonzero((patterns == wanted).all(axis=1))

    def name(row: int) -> str:
        inside = [case.point(x) for x, has in zip(sample.points, patterns[row], strict=True) if has]
        outside = [
            whole(x, sample.d)
            for x, has in zip(sample.points, patterns[row], strict=True)
            if not has
        ]
        if not inside:
            return "without them all" if len(outside) > 1 else f"without {outside[0]}"
        return f"with {', '.join(inside)}" + (f", not {', '.join(outside)}" if outside else "")

    found = choice(
        name=name,
        members=lambda row: f"{counts[row]:,.0f}",
        scores=mistakes.astype(np.float64),
        log_weights=log_weights,
        best=best,
        drawn=int(np.argmax(best)),
        target=int(fits[0]) if fits.size else None,
        what="sets",
    )
    before = Step(
        "The class",
        f"A public class of {size.sets:,} random sets is drawn, before any data are seen; of each "
        "it matters only which of the sample's points it holds.",
    )
    words = "The score of a set is the number of mistakes on the sample: label 1 outside, 0 inside."
    return mechanism(case, found, words, before=[before])


def _rate(case: Case) -> float:
    return float(cast("Any", case.learner).score_rate(case.epsilon))
