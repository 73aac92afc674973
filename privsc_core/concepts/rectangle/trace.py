"""What a run of a mechanism over rectangles tells: the range of x, then the range of y."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.rectangle.board import Board
from privsc_core.concepts.trace import Choice, Recorder, choice
from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from privsc_core.concepts.rectangle.weights import Axis, Picked, Weights
    from privsc_core.concepts.sample import Sample

__all__ = ["told"]


def told(
    recorder: Recorder, weights: Weights, picked: Picked, sample: Sample, epsilon: float
) -> None:
    """Add the steps of a draw of a rectangle."""
    board = Board.of(sample.d)
    positives = float(sample.labels.sum())
    first, last = weights.ranges()
    fewest = [positives - _most(weights, int(a), int(b)) for a, b in zip(first, last, strict=True)]

    def across(place: int) -> str:
        if place == first.size:
            return "none of the examples"
        return f"x {_ends(weights.x, int(first[place]), int(last[place]), board.wide)}"

    recorder.mechanism(
        choice(
            name=across, members=lambda _: "", scores=[*fewest, positives],
            log_weights=picked.over_x, best=picked.coins_x, drawn=picked.place, target=None,
            score="mistakes", what="rectangles",
        ),
        "First the examples between its left and its right side: a row has all rectangles with these. "
        "The score is the number of mistakes, here of the best rectangle in the row; prefix sums over "
        "y add up the weights of all.",
        epsilon=epsilon,
    )  # fmt: skip
    if picked.over_y is None or picked.coins_y is None or picked.cells is None:
        return
    left, right = picked.cells[:2]
    low, high = np.triu_indices(len(weights.y))
    sums = np.concatenate(([0.0], np.cumsum(weights.gains[left : right + 1].sum(axis=0))))
    inside = list(zip(low.tolist(), high.tolist(), strict=True))
    found: Choice = choice(
        name=lambda i: f"y {_ends(weights.y, *inside[i], board.high)}", members=lambda _: "",
        scores=positives - (sums[high + 1] - sums[low]), log_weights=picked.over_y,
        best=picked.coins_y, drawn=inside.index(picked.cells[2:]), target=None, what="rectangles",
    )  # fmt: skip
    recorder.mechanism(
        found,
        "Then the examples between its lower and its upper side, given those of x. The sides "
        "themselves are uniform among those that hold the same examples.",
        epsilon=epsilon,
    )


def _most(weights: Weights, first: int, last: int) -> float:
    """Return the largest gain over all ranges of y."""
    sums = np.cumsum(weights.gains[first : last + 1].sum(axis=0))
    lowest = np.minimum.accumulate(np.concatenate(([0.0], sums[:-1])))
    return float((sums - lowest).max())


def _ends(axis: Axis, first: int, last: int, bits: int) -> str:
    low, high = axis.firsts[first][1], axis.lasts[last][0]
    if low == high:
        return f"= {whole(low, bits + 1)}"
    return f"from {whole(low, bits + 1)} to {whole(high, bits + 1)}"
