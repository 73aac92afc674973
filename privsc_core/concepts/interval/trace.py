"""What runs of several learners of intervals tell: a choice among all thresholds, in segments."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.trace import Choice, choice
from privsc_core.numerics.text import span, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.interval.segments import Segments
    from privsc_core.concepts.trace import Recorder

__all__ = ["choice_of_thresholds"]


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
