"""What runs of several learners of points tell: a choice among all points, bystanders merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.point.distributions import Point
from privsc_core.concepts.shared.choosing import Groups
from privsc_core.concepts.shared.sample import uniform_point
from privsc_core.concepts.shared.trace import Choice, Thinned
from privsc_core.numerics.text import raised, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import Uniform
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


def mistakes_of_points(sample: Sample) -> NDArray[np.int64]:
    """Return the mistakes of every seen point's concept and, last, of any unseen point's."""
    positive, negative = sample.tallies()
    total = int(positive.sum())
    return np.append(total - positive + negative, total).astype(np.int64)


def groups_of_points(sample: Sample, words: str = "") -> Groups:
    """Return the seen points by themselves, and all unseen ones together."""
    points, last = sample.points, len(sample.points)
    unseen = sample.domain_size - last
    place = {point: row for row, point in enumerate(points)}
    order = sorted(range(last), key=points.__getitem__)
    many = _less(sample.d, last)

    def member(row: int, coins: Uniform) -> Hypothesis:
        return Point(
            points[row] if row < last else uniform_point(coins, sample.d, frozenset(place))
        )

    def outputs(row: int) -> list[int]:
        return [points[row]] if row < last else [j for j in domain if j not in place]

    domain = range(1, sample.domain_size + 1)
    mistakes = mistakes_of_points(sample)
    return Groups(
        mistakes=mistakes,
        zero=int(mistakes[-1]),
        sizes=[1] * last + [unseen],
        member=member,
        name=lambda row, recorder: (
            recorder.name_of(points[row]) if row < last else f"{many} unseen"
        ),
        members=lambda row: "1" if row < last else many,
        order=[*order, last] if unseen else order,
        target=lambda number: place.get(number, last),
        outputs=outputs,
        every=domain,
        words=words,
    )


def choice_of_points(
    recorder: Recorder,
    sample: Sample,
    log_weights: NDArray[np.float64],
    best: NDArray[np.float64] | None,
    drawn: int,
) -> Choice:
    """Return the choice of a point by log weights in the order of `groups_of_points`."""
    row = sample.points.index(drawn) if drawn in sample.points else len(sample.points)
    return groups_of_points(sample).choice(recorder, log_weights, best, row)


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
