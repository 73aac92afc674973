"""What runs of learners of intervals tell: a choice among all thresholds, in segments or in a tree."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.interval.distributions import Threshold
from privsc_core.concepts.shared.choosing import Groups
from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.concepts.shared.trace import choice
from privsc_core.numerics.text import chance, small, span, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.interval.nodes import Candidates, Scale
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder

# -------------------------------------------------------------------------------------------------
# Where a sample cannot tell thresholds apart: runs of thresholds with equally many mistakes.


def groups_of_thresholds(sample: Sample, words: str = "") -> Groups:
    """Return the thresholds 1..T+1, cut behind every sample point, in O(m log m) at any d."""
    order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
    positive, negative = sample.tallies()
    # Threshold t errs on the negatives below it and on the positives from it on.
    change = np.cumsum((negative - positive)[order])
    cuts = [1, *(sample.points[i] + 1 for i in order), sample.domain_size + 2]
    sizes = [b - a for a, b in itertools.pairwise(cuts)]

    def name(row: int, recorder: Recorder) -> str:
        first, length = cuts[row], sizes[row]
        text = "j = " + span(first, first + length - 1, sample.d)
        return f"{text} (target)" if length == 1 and first == recorder.target else text

    return Groups(
        mistakes=int(positive.sum()) + np.concatenate(([0], change)).astype(np.int64),
        sizes=sizes,
        member=lambda row, coins: Threshold(cuts[row] + uniform_below(coins, sizes[row])),
        name=name,
        members=lambda row: whole(sizes[row], sample.d),
        target=lambda j: bisect_right(cuts, j) - 1,
        outputs=lambda row: range(cuts[row], cuts[row + 1]),
        every=range(1, sample.domain_size + 2),
        words=words,
        what="thresholds",
    )


def tell_tree(
    recorder: Recorder, sample: Sample, candidates: Candidates, log_weights: NDArray[np.float64],
    best: NDArray[np.float64], scale: Scale, epsilon: float, delta: float,
) -> None:  # fmt: skip
    """Record how a threshold of the tree, or the lump, was drawn: the largest of `best`."""
    last, drawn, target = sample.domain_size + 1, int(np.argmax(best)), recorder.target
    places = range(candidates.level.size)
    own = [place for place in places if target in (None, candidates.output(place))]

    def name(row: int) -> str:
        if row == candidates.level.size:
            return "a random threshold"
        j = candidates.output(row)
        text = f"j = {whole(j, sample.d)}, level {candidates.level[row]}"
        return f"{text} (target)" if j == target else text

    found = choice(
        name=name,
        members=lambda row: "1" if row < candidates.level.size else whole(last, sample.d),
        scores=np.append(candidates.score, 0.0),
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
        f"The sample has {positive:,} positives and {negative:,} negatives. The step could lie between the "
        f"{positive:,}-th smallest point of all and the next: "
        + _chosen(sample.d, scale, candidates.level.size),
    )
    margins = "" if not scale.centres else "the margins of its levels, "
    recorder.step(
        "The scores",
        f"With D = positives from t on minus negatives below t, and E the larger of the two, the "
        f"candidate t of the cell (A, B) scores min({margins}D(A)/2, −D(B)/2, v − E(t)), v = {scale.most:,}. "
        "One example moves a score by at most 1.",
        found,
    )
    recorder.step(
        "The probabilities",
        "Every candidate gets the weight exp(ε · score / 2) − 1, and the choice of a random "
        f"threshold gets the weight C = {chance(-scale.log_lump)}⁻¹. Each is divided by the sum "
        "of all weights. "
        f"ε = {epsilon:g}, δ = {small(delta)}. Exact.",
        found,
        "chance",
    )
    share = next(row for row in found.rows if row.drawn)
    recorder.step(
        "The draw",
        "Each row gets its log weight plus random Gumbel noise, and the row with the largest sum is drawn. So each "
        f"row is drawn with its probability. Drawn: {share.name}, with probability {chance(share.log_share)}.",
        found,
        "draw",
    )


def _chosen(d: int, scale: Scale, number: int) -> str:
    """Return which thresholds the candidates are, as the end of a sentence and more."""
    if not scale.centres:
        return (
            f"{number:,} cells of the tree contain this gap, at most one of each of the {d + 1:,} levels. The middles "
            "of these cells are the candidates."
        )
    centres = " and ".join(f"{centre:,}" for centre in scale.centres)
    return (
        f"one cell of each of the {d + 1:,} levels contains this gap. A level is judged by the fewest mistakes of its "
        f"thresholds, and {'another tree' if len(scale.centres) == 1 else 'further trees'} over the levels "
        f"compare this number with θ = {centres}. They lead to {number:,} candidates, ends or middles of a few of "
        "these cells."
    )
