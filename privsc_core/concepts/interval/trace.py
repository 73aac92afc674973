"""What runs of learners of intervals tell: a choice among all thresholds, in segments or in a tree."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.concepts.shared.trace import Choice, choice
from privsc_core.numerics.text import chance, small, span, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.interval.ladder import Rungs, Scale
    from privsc_core.concepts.shared.noise_source import Uniform
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder

__all__ = ["choice_of_atoms", "choice_of_thresholds", "tell_tree"]


# -------------------------------------------------------------------------------------------------
# Where a sample cannot tell thresholds apart: runs of thresholds with equally many mistakes.


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """The thresholds 1..T+1, cut behind every sample point.

    Attributes
    ----------
    first : tuple of int
        The first threshold of each segment, increasing.
    length : tuple of int
        How many thresholds each has.
    mistakes : ndarray of int64
        On how many examples each of them errs.
    """

    first: tuple[int, ...]
    length: tuple[int, ...]
    mistakes: NDArray[np.int64]

    @classmethod
    def of(cls, sample: Sample) -> Segments:
        """Cut the thresholds by a sample, in O(m log m) at any d."""
        order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
        positive, negative = sample.tallies()
        # Threshold t errs on the negatives below it and on the positives from it on.
        change = (negative - positive)[order]
        start = int(positive.sum())
        mistakes = start + np.concatenate(([0], np.cumsum(change))).astype(np.int64)
        cuts = [0, *(sample.points[i] for i in order), sample.domain_size + 1]
        first = tuple(cut + 1 for cut in cuts[:-1])
        length = tuple(b - a for a, b in itertools.pairwise(cuts))
        return cls(first, length, mistakes)

    def log_weights(self, rate: float) -> NDArray[np.float64]:
        """Return log(length) - rate * mistakes; an infinite rate keeps the fewest mistakes."""
        lengths = np.array([math.log(n) for n in self.length])
        if math.isinf(rate):
            return np.where(self.mistakes == self.mistakes.min(), lengths, -np.inf)
        # Differences first: exact however large the rate.
        return np.asarray(lengths - rate * (self.mistakes - self.mistakes.min()))

    def draw(self, pick: int, rng: Uniform) -> int:
        """Return a uniformly random threshold of a segment."""
        return self.first[pick] + uniform_below(rng, self.length[pick])


def choice_of_thresholds(
    recorder: Recorder,
    segments: Segments,
    log_weights: NDArray[np.float64],
    best: NDArray[np.float64],
    d: int,
) -> Choice:
    """Return the choice of a segment of thresholds; the largest of `best` was drawn."""
    j = recorder.target

    def name(row: int) -> str:
        first, length = segments.first[row], segments.length[row]
        text = "j = " + span(first, first + length - 1, d)
        return f"{text} (target)" if length == 1 and first == j else text

    return choice(
        name=name,
        members=lambda row: whole(segments.length[row], d),
        scores=segments.mistakes.astype(np.float64),
        log_weights=log_weights,
        best=best,
        drawn=int(np.argmax(best)),
        target=None if j is None else bisect_right(segments.first, j) - 1,
        what="thresholds",
    )


def tell_tree(
    recorder: Recorder, sample: Sample, rungs: Rungs, log_weights: NDArray[np.float64],
    best: NDArray[np.float64], scale: Scale, epsilon: float, delta: float,
) -> None:  # fmt: skip
    """Record how a threshold of the tree, or the lump, was drawn: the largest of `best`."""
    last, drawn, target = sample.domain_size + 1, int(np.argmax(best)), recorder.target
    own = [place for place in range(rungs.level.size) if target in (None, rungs.output(place))]

    def name(row: int) -> str:
        if row == rungs.level.size:
            return "any threshold (lump)"
        j = rungs.output(row)
        text = f"j = {whole(j, sample.d)}, level {rungs.level[row]}"
        return f"{text} (target)" if j == target else text

    found = choice(
        name=name,
        members=lambda row: "1" if row < rungs.level.size else whole(last, sample.d),
        scores=np.append(rungs.score, 0.0),
        log_weights=log_weights,
        best=best,
        drawn=drawn,
        target=own[0] if own and target is not None else None,
        score="score",
        what="nodes",
    )
    positive, negative = (int(column.sum()) for column in sample.tallies())
    recorder.step(
        "The candidates",
        f"The sample has {positive:,} positives and {negative:,} negatives. Between the "
        f"{positive:,}-th smallest point of all and the next lies what could be the step: "
        f"{rungs.level.size:,} of the tree's cells reach around it, at most one of each of the "
        f"{sample.d + 1:,} levels. Their middles are the candidates.",
    )
    recorder.step(
        "The scores",
        f"With D = positives from t on minus negatives below t, and E the larger of the two, the "
        f"candidate t of the cell (A, B) scores min(D(A)/2, −D(B)/2, v − E(t)), v = {scale.most:,}. "
        "One example moves a score by at most 1.",
        found,
    )
    recorder.step(
        "The probabilities",
        "Every candidate gets the weight exp(ε · score / 2) − 1, and the lump, which stands for a "
        f"threshold at random, C = {chance(-scale.log_lump)}⁻¹; divided by the sum of all weights. "
        f"ε = {epsilon:g}, δ = {small(delta)}. Exact.",
        found,
        "chance",
    )
    share = next(row for row in found.rows if row.drawn)
    recorder.step(
        "The draw",
        "Every row gets its log weight plus a random coin (Gumbel), and the largest sum wins: "
        f"that has these very probabilities. Drawn: {share.name}, with probability "
        f"{chance(share.log_share)}.",
        found,
        "draw",
    )


def choice_of_atoms(
    recorder: Recorder,
    scores: Mapping[int, int],
    log_weights: NDArray[np.float64],
    best: NDArray[np.float64],
    d: int,
) -> Choice:
    """Return the choice among the thresholds with a score, in their order, and all others.

    `log_weights` and `best` are in the order of `scores` and, last, of all others together.
    """
    known = list(scores)
    order = [*sorted(range(len(known)), key=known.__getitem__), len(known)]
    others = whole((1 << d) + 1 - len(known), d)

    def name(row: int) -> str:
        if row == len(known):
            return f"{others} others" if known else "all thresholds"
        j = known[order[row]]
        return f"j = {whole(j, d)}" + (" (target)" if j == recorder.target else "")

    rows = {known[place]: row for row, place in enumerate(order[:-1])}
    return choice(
        name=name,
        members=lambda row: others if row == len(known) else "1",
        scores=np.array([*scores.values(), 0], dtype=np.float64)[order],
        log_weights=log_weights[order],
        best=best[order],
        drawn=order.index(int(np.argmax(best))),
        target=recorder.row_of_target(rows, len(known)),
        score="copies",
        what="thresholds",
    )
