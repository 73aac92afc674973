"""GenericLearner: unlabelled examples cut a grid, labelled ones choose a rectangle of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.generic.medians import Node
from privsc_core.concepts.laws import rao_blackwell
from privsc_core.concepts.rectangle.board import Board
from privsc_core.concepts.rectangle.distributions import Hard8, Uniform, target_box
from privsc_core.concepts.rectangle.grid import (
    Grid,
    cut_rate,
    good_share,
    law_of_grid,
    law_on_grid,
    weights_on,
)
from privsc_core.concepts.rectangle.hypotheses import EMPTY, KEYS, Rectangle
from privsc_core.concepts.rectangle.numbers import number_of, numbers
from privsc_core.concepts.rectangle.slots import drawn_grids, drawn_labels, shares
from privsc_core.concepts.rectangle.trace import told
from privsc_core.concepts.style import GREEN, Style
from privsc_core.concepts.unlabelled import WithUnlabelled
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.rectangle.hypotheses import Box
    from privsc_core.concepts.rectangle.weights import Picked, Weights
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Generic"]

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

    name: ClassVar[str] = "generic"
    title: ClassVar[str] = "GenericLearner"
    source: ClassVar[Source] = Source(
        "ours", "BNS15, Algorithm 1, with private medians for the grid"
    )
    summary: ClassVar[str] = (
        "Unlabelled examples cut both coordinates by private medians of medians; the exponential "
        "mechanism on the labelled ones picks a rectangle of the grid."
    )
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {"hard8": "rao-blackwell", "uniform": "rao-blackwell"}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=2, epsilon=1.0, alpha=0.1, beta=0.2)
    record_keys: ClassVar[tuple[str, ...]] = KEYS
    style: ClassVar[Style] = GREEN
    caveat: ClassVar[str] = "m counts the labelled examples alone; the unlabelled ones come on top"

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
        self,
        sample: Sample,
        *,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
        recorder: Recorder | None = None,
    ) -> Hypothesis:
        """Draw a grid, then one of its rectangles."""
        del alpha, beta
        board, labelled, _ = self._parts(sample)
        grid, weights, picked, box = self.drawn(sample, epsilon, rng)
        if recorder is not None:
            for name, cuts in (("x", grid.x), ("y", grid.y)):
                recorder.step(
                    f"The cuts of {name}",
                    f"Private medians of the {self.u:,} unlabelled examples, level by level: "
                    + ", ".join(f"{cut.at} in [{cut.low}, {cut.high}]" for cut in cuts) + ".",
                )  # fmt: skip
            told(recorder, weights, picked, labelled, epsilon)
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
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every rectangle, over all grids; for tiny boards."""
        del alpha, beta, public
        board, labelled, people = self._parts(sample)
        at = _gains(labelled)
        chances: dict[Hashable, float] = dict.fromkeys(numbers(sample.d), 0.0)
        places = [(x, y) for x, y in people.tolist()]
        grids = law_of_grid(places, board.size, self.levels, self.cut_rate(epsilon))
        for cuts, chance in grids.items():
            for box, share in law_on_grid(cuts, board.size, *at, self.score_rate(epsilon)).items():
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
