"""The learners of rectangles."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.generic.medians import Node
from privsc_core.concepts.rectangle.distributions import (
    EMPTY,
    KEYS,
    SIDES,
    Board,
    Hard8,
    Rectangle,
    Uniform,
    hard,
    target_box,
)
from privsc_core.concepts.rectangle.laws import (
    Axis,
    Grid,
    Weights,
    all_labelled,
    boxes,
    cut_rate,
    drawn_grids,
    drawn_labels,
    good_share,
    law_of_grid,
    law_on_grid,
    number_of,
    numbers,
    shares,
    weights_on,
)
from privsc_core.concepts.shared.choosing import Fit, Fitting
from privsc_core.concepts.shared.laws import exact, rao_blackwell
from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.concepts.shared.trace import Choice, Recorder, choice
from privsc_core.concepts.shared.variants import WithUnlabelled
from privsc_core.errors import InputError
from privsc_core.numerics.logspace import probabilities
from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.rectangle.distributions import Box
    from privsc_core.concepts.rectangle.laws import Picked
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample


# --- The non-private learner ---------------------------------------------------------------------


@dataclass(frozen=True)
class Erm(Fitting):
    """The smallest rectangle around all positive examples."""

    source = Source(
        "ours",
        "the textbook's learner: the smallest rectangle",
        "Blumer, Ehrenfeucht, Haussler and Warmuth 1989, the same learner",
    )
    summary = (
        "Answers with the smallest rectangle around all positive examples. It makes no mistake "
        "on a sample that some rectangle fits."
    )
    derivation = (
        r"This learner protects no example. The target contains all positive examples, so the smallest "
        r"rectangle around them lies inside the target. It errs only where the target has mass that the "
        r"rectangle misses. On the hard distribution it succeeds if and only if each of the four inner points "
        r"is in the sample, which is exact by inclusion and exclusion."
    )
    proper = True
    laws = {"hard8": "exact"}
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.1, beta=0.2)
    unmoved = {"": {"d": "only the seen points decide"}}
    record_keys = KEYS

    def fit(self, sample: Sample) -> Fit:
        """Return the smallest rectangle."""
        found = _smallest(sample)
        return Fit(
            found,
            "The positive examples",
            f"{int(sample.labels.sum()):,} examples have label 1; the answer is the smallest rectangle around them: "
            f"{found.description}.",
            lambda: (number_of(found.box), numbers(sample.d)),
        )

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: all four inner points must be seen."""
        hard(distribution).check(d=int(setting.d.min()), alpha=setting.alpha)
        m = setting.m.astype(np.float64)
        lost = np.zeros(np.shape(m))
        for sides in range(SIDES, 0, -1):
            missed = np.exp(m * math.log1p(-sides * setting.alpha))
            lost = lost - (-1) ** sides * math.comb(SIDES, sides) * missed
        return exact(1.0 - lost, setting, lost)


def _smallest(sample: Sample) -> Rectangle:
    board = Board.of(sample.d)
    positive, _ = sample.tallies()
    places = [board.place(x) for x, n in zip(sample.points, positive.tolist(), strict=True) if n]
    if not places:
        return Rectangle(board, EMPTY)
    xs, ys = zip(*places, strict=True)
    return Rectangle(board, (min(xs), max(xs), min(ys), max(ys)))


# --- What a run of a mechanism over rectangles tells: the range of x, then the range of y --------


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
        "First the learner chooses which examples lie between the left and the right side. A row stands for all "
        "rectangles with these examples. The score of a row is the number of mistakes of its best rectangle. The "
        "weight of a row is the sum over all its rectangles.",
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
        "Then the learner chooses which examples lie between the lower and the upper side, given the choice for x. "
        "The sides are uniform among all sides that enclose the same examples.",
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


# --- The exponential mechanism over all rectangles -----------------------------------------------


@dataclass(frozen=True)
class Exponential(Learner):
    """Pick a rectangle with probability proportional to exp(-eps * mistakes / 2).

    Notes
    -----
    O(m + k^3) for k distinct coordinates: between two neighbouring ones sides make the same mistakes,
    and for every range of x the weights of all ranges of y are prefix sums.
    """

    name = "exponential"
    title = "Exponential mechanism"
    source = Source("BBKN13", "Theorem 3.2, over all rectangles; the sampler is ours")
    summary = "Picks every rectangle with probability proportional to exp(-ε · mistakes / 2)."
    privacy = "pure"
    proper = True
    efficient = True
    laws = {"hard8": "rao-blackwell"}
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.1, beta=0.2)
    symmetric = True
    record_keys = KEYS
    caveat = (
        "on hard8 the success probability takes only the rectangles around the centre into account. The effect of "
        "all others is bounded; it is simulated where that bound is above 0.0001 and d at most 8"
    )

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Draw which examples are inside, then a rectangle that holds just these."""
        board = Board.of(sample.d)
        weights = weights_of(sample, self.score_rate(at.epsilon))
        picked = weights.pick(rng)
        if recorder is not None:
            told(recorder, weights, picked, sample, at.epsilon)
        if picked.cells is None:
            return Rectangle(board, _without(weights, rng))
        ends = zip(
            picked.cells, (weights.x.firsts, weights.x.lasts, weights.y.firsts, weights.y.lasts),
            strict=True,
        )  # fmt: skip
        left, right, bottom, top = (_within(*choices[cell], rng) for cell, choices in ends)
        return Rectangle(board, (left, right, bottom, top))

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every rectangle, all of them gone through."""
        board = Board.of(sample.d)
        places = np.array(board.places(sample))
        positive, negative = sample.tallies()
        listed = boxes(sample.d)
        sides = np.array(listed)[:, :, None]
        x, y = places[:, 0], places[:, 1]
        inside = (sides[:, 0] <= x) & (x <= sides[:, 1]) & (sides[:, 2] <= y) & (y <= sides[:, 3])
        gains = inside @ (positive - negative)
        shares = probabilities(self.score_rate(at.epsilon) * gains)
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


# --- GenericLearner: unlabelled examples cut a grid, labelled ones choose a rectangle of it ------


# Values of a coordinate are int64.
_BITS_MOST = 62


@dataclass(frozen=True)
class Generic(WithUnlabelled, Learner):
    """Cut both coordinates by medians of medians of u points, then choose among the grid's rectangles.

    Parameters
    ----------
    u : int
        How many of the examples are unlabelled: the last ones of a sample, whose labels are not read.
    levels : int
        Of the tree of medians of each coordinate: up to 2^levels cells.
    """

    u: int = 8000
    levels: int = 4

    name = "generic"
    title = "GenericLearner"
    source = Source("ours", "BNS15, Algorithm 1, with private medians for the grid")
    summary = (
        "Cuts both coordinates at private medians of the unlabelled examples. Then the exponential mechanism picks a "
        "rectangle of this grid by the labelled examples."
    )
    derivation = (
        r"The unlabelled examples decide the grid, the labelled ones the rectangle. Each coordinate is cut by a "
        r"tree of private medians. In one level a replaced example changes the score of a median by at most 1 in "
        r"one node, or by at most $\frac12$ in each of two. So with $L$ levels and the factor $\varepsilon/(4L)$ "
        r"in the exponent a coordinate costs $\varepsilon/2$, and the grid $\varepsilon$."
        "\n\n"
        r"The rectangle is chosen by the exponential mechanism with weights "
        r"$e^{-\varepsilon\,\mathrm{mistakes}/2}$, which is $\varepsilon$-DP for every grid. An example is "
        r"labelled or unlabelled, and affects one of the two steps. $\square$"
    )
    privacy = "pure"
    proper = True
    efficient = True
    laws = {"hard8": "rao-blackwell", "uniform": "rao-blackwell"}
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.1, beta=0.2)
    record_keys = KEYS
    caveat = "m counts the labelled examples alone; the unlabelled ones come on top"

    def audited(self) -> Self:
        """Return the variant for the tiny instance, with one level of cuts."""
        return replace(super().audited(), levels=1)

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def cut_rate(self, epsilon: float) -> float:
        """Return the factor of a median's score; eps / 4 over the levels is what privacy allows."""
        return cut_rate(epsilon, self.levels)

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Draw a grid, then one of its rectangles."""
        board, labelled, _ = self._parts(sample)
        grid, weights, picked, box = self.drawn(sample, at.epsilon, rng)
        if recorder is not None:
            for name, cuts in (("x", grid.x), ("y", grid.y)):
                recorder.step(
                    f"The cuts of {name}",
                    f"Private medians of the {self.u:,} unlabelled examples, level by level: "
                    + ", ".join(f"{cut.at} in [{cut.low}, {cut.high}]" for cut in cuts) + ".",
                )  # fmt: skip
            told(recorder, weights, picked, labelled, at.epsilon)
        return Rectangle(board, box)

    def drawn(
        self, sample: Sample, epsilon: float, rng: np.random.Generator
    ) -> tuple[Grid, Weights, Picked, Box]:
        """Return what a run draws: the grid, the weights of its rectangles, which one, its sides."""
        board, labelled, people = self._parts(sample)
        across, up = (Node.of(people[:, i], size) for i, size in enumerate(board.size))
        grid = Grid.drawn(across, up, levels=self.levels, rate=self.cut_rate(epsilon), rng=rng)
        weights = weights_on(*grid.axes(), *_gains(labelled), self.score_rate(epsilon))
        picked = weights.pick(rng)
        if picked.cells is None:
            return grid, weights, picked, EMPTY
        first, last, low, high = picked.cells
        x, y = weights.x, weights.y
        box = (x.firsts[first][0], x.lasts[last][1], y.firsts[low][0], y.lasts[high][1])
        return grid, weights, picked, box

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every rectangle, over all grids; for tiny boards."""
        board, labelled, people = self._parts(sample)
        columns = _gains(labelled)
        chances: dict[Hashable, float] = dict.fromkeys(numbers(sample.d), 0.0)
        places = [(x, y) for x, y in people.tolist()]
        grids = law_of_grid(places, board.size, self.levels, self.cut_rate(at.epsilon))
        for cuts, chance in grids.items():
            for box, share in law_on_grid(
                cuts, board.size, *columns, self.score_rate(at.epsilon)
            ).items():
                chances[number_of(box or EMPTY)] += chance * share
        return chances

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over drawn samples and grids."""
        for d in np.unique(setting.d).tolist():
            distribution.check(d=d, alpha=setting.alpha)
        if isinstance(distribution, Uniform):
            return self._on_uniform(distribution, setting)
        if not isinstance(distribution, Hard8):
            raise InputError("distribution", "must be hard8 or uniform", distribution.label)

        def drawn(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
            labels = drawn_labels(distribution, m, setting.alpha, trials, rng)
            return labels, rng.integers(1 << 62, size=trials)

        def given(
            d: int, epsilon: float, labels: NDArray[np.float64], seeds: NDArray[np.int64]
        ) -> NDArray[np.float64]:
            grids = drawn_grids(
                distribution, self.u, self.levels, d, self.cut_rate(epsilon), setting.alpha,
                seeds.size, np.random.default_rng(int(seeds[0])),
            )  # fmt: skip
            return shares(grids, labels, self.score_rate(epsilon))

        return rao_blackwell(setting, drawn, given)

    def _on_uniform(self, distribution: Uniform, setting: Setting) -> Estimate:
        """Return the law by the share of the good rectangles of every grid."""

        def drawn(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
            return np.full(trials, m), rng.integers(1 << 62, size=trials)

        def given(
            d: int, epsilon: float, sizes: NDArray[np.int64], seeds: NDArray[np.int64]
        ) -> NDArray[np.float64]:
            found = []
            for m, seed in zip(sizes.tolist(), seeds.tolist(), strict=True):
                rng = np.random.default_rng(seed)  # the same people and cuts at every m
                people, _ = distribution.places(self.u, d, rng)
                across, up = (Node.of(people[:, i], 1 << d) for i in (0, 1))
                rate = self.cut_rate(epsilon)
                grid = Grid.drawn(across, up, levels=self.levels, rate=rate, rng=rng)
                places, inside = distribution.places(m, d, rng)
                gains = np.where(inside, 1.0, -1.0)
                weights = weights_on(*grid.axes(), places, gains, self.score_rate(epsilon))
                found.append(good_share(weights, target_box(d), setting.alpha))
            return np.array(found)

        return rao_blackwell(setting, drawn, given)

    def _parts(self, sample: Sample) -> tuple[Board, Sample, NDArray[np.int64]]:
        """Return the board, the labelled examples, and the places of the others."""
        board = Board.of(sample.d)
        _check(board.wide)
        labelled, rest = sample.parts(self.u)
        places = np.array(board.places(rest), dtype=np.int64).reshape(-1, 2)[rest.index]
        return board, labelled, places


def _check(bits: int) -> None:
    if bits > _BITS_MOST:
        raise InputError("d", f"must be at most {_BITS_MOST} to run on a grid", bits)


def _gains(sample: Sample) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return where labelled examples are, and positives minus negatives there."""
    positive, negative = sample.tallies()
    places = np.array(Board.of(sample.d).places(sample), dtype=np.int64).reshape(-1, 2)
    return places, (positive - negative).astype(np.float64)
