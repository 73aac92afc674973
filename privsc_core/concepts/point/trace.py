"""What runs of several learners of points tell: a choice among all points, bystanders merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.shared.trace import Choice, Thinned, choice
from privsc_core.numerics.text import raised, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder

__all__ = ["choice_of_points", "mistakes_of_points", "thinned"]


def mistakes_of_points(sample: Sample) -> NDArray[np.float64]:
    """Return the mistakes of every seen point's concept and, last, of any unseen point's."""
    positive, negative = sample.tallies()
    total = int(positive.sum())
    return np.append(total - positive + negative, total).astype(np.float64)


def choice_of_points(
    recorder: Recorder,
    sample: Sample,
    log_weights: NDArray[np.float64],
    best: NDArray[np.float64] | None,
    drawn: int,
    *,
    scores: NDArray[np.float64] | None = None,
    score: str = "mistakes",
) -> Choice:
    """Return the choice of a point, in the order of the points; all unseen ones are one row.

    Parameters
    ----------
    recorder : Recorder
        Names the points.
    sample : Sample
        What was seen.
    log_weights, best : ndarray
        Of the seen points in the sample's order and, last, of all unseen ones together.
    drawn : int
        The point that was drawn.
    scores : ndarray, optional
        In the order of the weights; the mistakes, where they are left out.
    score : str
        What they count.
    """
    if scores is None:
        scores = mistakes_of_points(sample)
    order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
    last = len(order)
    unseen = sample.domain_size - last
    rows = np.array([*order, last] if unseen else order)
    place = {sample.points[i]: row for row, i in enumerate(order)}
    many = _less(sample.d, last)
    return choice(
        name=lambda row: (
            recorder.name_of(sample.points[order[row]]) if row < last else f"{many} unseen"
        ),
        members=lambda row: "1" if row < last else many,
        scores=scores[rows],
        log_weights=log_weights[rows],
        best=None if best is None else best[rows],
        drawn=place.get(drawn, last),
        target=recorder.row_of_target(place, last if unseen else None),
        score=score,
    )


def _less(d: int, fewer: int) -> str:
    """Return 2^d - fewer."""
    return whole((1 << d) - fewer, d) if d <= 20 else f"2{raised(d)} − {fewer:,}"


def thinned(recorder: Recorder, sample: Sample, kept: NDArray[np.bool_]) -> Thinned:
    """Return how many examples of each label were kept; a single point is named."""
    names, everything, left = [], [], []
    for label in (1, 0):
        here = sample.labels == label
        if not here.any():
            continue
        places = set(sample.index[here].tolist())
        single = f"{recorder.name_of(sample.points[min(places)])}, " if len(places) == 1 else ""
        names.append(f"{single}label {label}")
        everything.append(int(here.sum()))
        left.append(int((here & kept).sum()))
    return Thinned(tuple(names), tuple(everything), tuple(left))
