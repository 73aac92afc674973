"""The non-private learner."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.laws import exact
from privsc_core.concepts.rectangle.board import Board
from privsc_core.concepts.rectangle.distributions import SIDES, hard
from privsc_core.concepts.rectangle.hypotheses import EMPTY, KEYS, Rectangle
from privsc_core.concepts.rectangle.numbers import number_of, numbers
from privsc_core.concepts.style import GREY, Style

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Erm"]


@dataclass(frozen=True)
class Erm(Learner):
    """The smallest rectangle around all positive examples."""

    name: ClassVar[str] = "erm"
    title: ClassVar[str] = "Non-private"
    source: ClassVar[Source] = Source("ours", "the textbook's learner: the smallest rectangle")
    summary: ClassVar[str] = (
        "The smallest rectangle around all positive examples: it makes no mistake on a sample that "
        "some rectangle fits."
    )
    privacy: ClassVar[Privacy] = "none"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {"hard8": "exact"}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=2, epsilon=1.0, alpha=0.1, beta=0.2)
    symmetric: ClassVar[bool] = True
    unmoved: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "": {"d": "only the seen points decide"},
    }
    record_keys: ClassVar[tuple[str, ...]] = KEYS
    style: ClassVar[Style] = GREY

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
        """Return the smallest rectangle."""
        del epsilon, alpha, beta, rng
        found = _smallest(sample)
        if recorder is not None:
            recorder.step(
                "The positive examples",
                f"{int(sample.labels.sum()):,} examples have label 1; the answer reaches to the "
                f"outermost of them on every side: {found.description}.",
            )
        return found

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del epsilon, alpha, beta, public
        chances: dict[Hashable, float] = dict.fromkeys(numbers(sample.d), 0.0)
        chances[number_of(_smallest(sample).box)] = 1.0
        return chances

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
