"""What runs of several learners of intervals tell: a choice among all thresholds, in segments."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.trace import Choice, choice
from privsc_core.numerics.text import span, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.interval.segments import Segments
    from privsc_core.concepts.trace import Recorder

__all__ = ["choice_of_atoms", "choice_of_thresholds"]


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
