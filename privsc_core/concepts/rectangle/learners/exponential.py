"""The exponential mechanism over all rectangles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.choice import probabilities
from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.rectangle.board import Board
from privsc_core.concepts.rectangle.distributions import hard
from privsc_core.concepts.rectangle.hypotheses import EMPTY, KEYS, Rectangle
from privsc_core.concepts.rectangle.numbers import boxes, number_of
from privsc_core.concepts.rectangle.sides import all_labelled
from privsc_core.concepts.rectangle.trace import told
from privsc_core.concepts.rectangle.weights import Axis, Weights
from privsc_core.concepts.sample import uniform_below
from privsc_core.concepts.style import BLUE, Style

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Exponential"]


@dataclass(frozen=True)
class Exponential(Learner):
    """Pick a rectangle with probability proportional to exp(-eps * mistakes / 2).

    Notes
    -----
    O(m + k^3) for k distinct coordinates: between two neighbouring ones sides make the same mistakes,
    and for every range of x the weights of all ranges of y are prefix sums.
    """

    name: ClassVar[str] = "exponential"
    title: ClassVar[str] = "Exponential mechanism"
    source: ClassVar[Source] = Source(
        "BBKN13", "Theorem 3.2, over all rectangles; the sampler is ours"
    )
    summary: ClassVar[str] = (
        "Picks every rectangle with probability proportional to exp(-ε · mistakes / 2)."
    )
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {"hard8": "rao-blackwell"}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=2, epsilon=1.0, alpha=0.1, beta=0.2)
    symmetric: ClassVar[bool] = True
    record_keys: ClassVar[tuple[str, ...]] = KEYS
    style: ClassVar[Style] = BLUE
    caveat: ClassVar[str] = (
        "on hard8 the law is that of the rectangles around the centre; what the others can take away "
        "is bounded, and simulated where that bound is above 0.0001 and d at most 8"
    )

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def run(
        self,
        sample: Sample,
        *,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
        recorder: Recorder | None = None,
    ) -> Hypothesis:
        """Draw which examples are inside, then a rectangle that holds just these."""
        del alpha, beta
        board = Board.of(sample.d)
        weights = weights_of(sample, self.score_rate(epsilon))
        picked = weights.pick(rng)
        if recorder is not None:
            told(recorder, weights, picked, sample, epsilon)
        if picked.cells is None:
            return Rectangle(board, _without(weights, rng))
        ends = zip(
            picked.cells, (weights.x.firsts, weights.x.lasts, weights.y.firsts, weights.y.lasts),
            strict=True,
        )  # fmt: skip
        left, right, bottom, top = (_within(*choices[cell], rng) for cell, choices in ends)
        return Rectangle(board, (left, right, bottom, top))

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every rectangle, all of them gone through."""
        del alpha, beta, public
        board = Board.of(sample.d)
        places = np.array(board.places(sample))
        positive, negative = sample.tallies()
        listed = boxes(sample.d)
        sides = np.array(listed)[:, :, None]
        x, y = places[:, 0], places[:, 1]
        inside = (sides[:, 0] <= x) & (x <= sides[:, 1]) & (sides[:, 2] <= y) & (y <= sides[:, 3])
        gains = inside @ (positive - negative)
        shares = probabilities(self.score_rate(epsilon) * gains)
        return dict(zip(map(number_of, listed), shares.tolist(), strict=True))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law on `hard8`."""
        return all_labelled(hard(distribution), setting, self.score_rate)


def weights_of(sample: Sample, rate: float) -> Weights:
    """Return the weights of all rectangles of the board, by which examples they hold."""
    board = Board.of(sample.d)
    places = board.places(sample)
    xs, ys = (sorted(set(values)) for values in zip(*places, strict=True))
    wide, high = board.size
    positive, negative = sample.tallies()
    gains = np.zeros((len(xs), len(ys)))
    row, column = ({v: i for i, v in enumerate(values)} for values in (xs, ys))
    for (x, y), gain in zip(places, (positive - negative).tolist(), strict=True):
        gains[row[x], column[y]] += gain
    across, up = Axis.of_values(xs, wide), Axis.of_values(ys, high)
    return Weights(across, up, gains, rate, _log_without(across, up))


def _counted(axis: Axis) -> tuple[int, int]:
    """Return how many ranges of a coordinate there are, and how many hold none of its values."""
    empty = sum(
        gap * (gap + 1) // 2
        for gap in (
            *(high - low for low, high in axis.firsts),
            axis.lasts[-1][1] - axis.lasts[-1][0],
        )
    )
    return axis.size * (axis.size + 1) // 2, empty


def _log_without(x: Axis, y: Axis) -> float:
    """Return the log of how many rectangles hold no cell, the empty one among them."""
    (all_x, none_x), (all_y, none_y) = _counted(x), _counted(y)
    return math.log(none_x * all_y + (all_x - none_x) * none_y + 1)


def _without(weights: Weights, rng: np.random.Generator) -> tuple[int, int, int, int]:
    """Return a uniformly random rectangle that holds no cell."""
    (all_x, none_x), (all_y, none_y) = _counted(weights.x), _counted(weights.y)
    place = uniform_below(rng, none_x * all_y + (all_x - none_x) * none_y + 1)
    if not place:
        return EMPTY
    if place <= none_x * all_y:
        return (*_gap(weights.x, rng), *_range(weights.y.size, rng))
    place -= 1 + none_x * all_y
    return (*_held(weights.x, place // none_y), *_gap(weights.y, rng))


def _held(axis: Axis, place: int) -> tuple[int, int]:
    """Return a range that holds a value, by its place among all of them."""
    after = sum(high - low + 1 for low, high in axis.lasts)
    for cell, (first, last) in enumerate(axis.firsts):
        starts = last - first + 1
        if place < starts * after:
            start, place = divmod(place, after)
            for low, high in axis.lasts[cell:]:
                if place <= high - low:
                    return first + start, low + place
                place -= high - low + 1
        place -= starts * after
        after -= axis.lasts[cell][1] - axis.lasts[cell][0] + 1
    raise AssertionError("a place beyond the last range")


def _range(size: int, rng: np.random.Generator) -> tuple[int, int]:
    """Return a uniformly random range of [1, size].

    Of size (size + 1) pairs two stand for every range.
    """
    one, two = 1 + uniform_below(rng, size), 1 + uniform_below(rng, size + 1)
    return (one, one) if two > size else (min(one, two), max(one, two))


def _gap(axis: Axis, rng: np.random.Generator) -> tuple[int, int]:
    """Return a uniformly random range between two neighbouring values."""
    gaps = [(low, high - 1) for low, high in axis.firsts]
    gaps.append((axis.lasts[-1][0] + 1, axis.lasts[-1][1]))
    lengths = [high - low + 1 for low, high in gaps]
    place = uniform_below(rng, sum(n * (n + 1) // 2 for n in lengths))
    for (low, _), length in zip(gaps, lengths, strict=True):
        if place < length * (length + 1) // 2:
            left, right = _range(length, rng)
            return low + left - 1, low + right - 1
        place -= length * (length + 1) // 2
    raise AssertionError("a place beyond the last gap")


def _within(low: int, high: int, rng: np.random.Generator) -> int:
    return low + uniform_below(rng, high - low + 1)
