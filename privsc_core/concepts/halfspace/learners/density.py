"""The density learner of the circle: full privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Setting, Source
from privsc_core.concepts.halfspace.circle import Arcs as Cut
from privsc_core.concepts.halfspace.circle import turn
from privsc_core.concepts.halfspace.hypotheses import HalfPlane
from privsc_core.concepts.halfspace.laws import circle_law, of_directions
from privsc_core.concepts.halfspace.learners.common import OfCircle, all_borders
from privsc_core.concepts.style import BLUE, Style
from privsc_core.concepts.trace import choice
from privsc_core.numerics.text import chance

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Density"]


@dataclass(frozen=True)
class Density(OfCircle):
    """Pick the normal with density proportional to exp(-eps * mistakes / 2)."""

    name: ClassVar[str] = "density"
    title: ClassVar[str] = "Density learner on the circle"
    source: ClassVar[Source] = Source("ours", "CH11, Figure 2, without a net")
    summary: ClassVar[str] = (
        "Draws a normal with a density proportional to exp(-ε · mistakes / 2): whole examples are "
        "protected. On the circle that is a choice among 2m arcs."
    )
    privacy: ClassVar[Privacy] = "pure"
    laws: ClassVar[Mapping[str, Method]] = dict.fromkeys(
        ("circle", "band-in", "band-out"), "rao-blackwell"
    )
    foretold: ClassVar[Mapping[str, float]] = {"circle": 2.0, "band-out": 2.0}
    outputs: ClassVar[str] = "cells"
    style: ClassVar[Style] = BLUE
    enumerated: ClassVar[str] = (
        "Outputs are the cells between the borders of the tiny domain: within a cell the density is "
        "the same on every sample up to a factor."
    )

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def weigh(self, sample: Sample, epsilon: float) -> tuple[Cut, NDArray[np.float64]]:
        """Return the arcs and their log weights."""
        arcs = Cut.of(self.flat(sample))
        lengths = np.array([math.log(length) for length in arcs.lengths])
        return arcs, lengths - self.score_rate(epsilon) * (arcs.mistakes - arcs.mistakes.min())

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
        """Draw an angle, in O(m log m)."""
        del alpha, beta
        arcs, weights = self.weigh(sample, epsilon)
        pick, best = draw(weights, rng)
        if recorder is not None:
            whole = math.log(turn(sample.d))
            found = choice(
                name=arcs.name, members=lambda row: chance(math.log(arcs.lengths[row]) - whole),
                scores=arcs.mistakes.astype(np.float64), log_weights=weights, best=best, drawn=pick,
                target=None, what="normals",
            )  # fmt: skip
            recorder.mechanism(
                found,
                "The score of a normal is its half-plane's number of mistakes. Between neighbouring "
                f"borders it is constant: {len(arcs.ends):,} arcs to compare, each as heavy as it is long.",
                epsilon=epsilon,
            )
        return HalfPlane(arcs.draw(pick, rng), sample.d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every cell of a tiny domain."""
        del alpha, beta, public
        arcs, ends = Cut.of(sample), all_borders(sample)
        fine = Cut(tuple(ends), np.zeros(len(ends), dtype=np.int64), sample.d)
        lengths = np.log(np.array(fine.lengths, dtype=np.float64))
        mistakes = arcs.mistakes[[arcs.row(end) for end in ends]]
        weights = lengths - self.score_rate(epsilon) * mistakes
        return dict(enumerate(probabilities(weights).tolist(), start=1))

    def roughly(self, _distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return with how many the density at alpha is about beta of the target's."""
        rate = self.score_rate(1.0) * setting.epsilon * setting.alpha
        return np.broadcast_to(-math.log(setting.beta) / rate, setting.shape)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over simulated samples."""
        return circle_law(of_directions(distribution, setting, self.laws), setting, self.score_rate)
