"""The non-private learner of the circle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Estimate, Setting, Source
from privsc_core.concepts.halfspace.circle import Arcs as Cut
from privsc_core.concepts.halfspace.hypotheses import HalfPlane
from privsc_core.concepts.halfspace.laws import of_directions
from privsc_core.concepts.halfspace.learners.common import OfCircle, all_borders, cell
from privsc_core.concepts.laws import exact
from privsc_core.concepts.style import GREY, Style

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from privsc_core.concepts.contracts import Distribution, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Erm"]


@dataclass(frozen=True)
class Erm(OfCircle):
    """The last angle of the arc that fits the sample; no privacy."""

    name: ClassVar[str] = "erm"
    title: ClassVar[str] = "Non-private, on the circle"
    source: ClassVar[Source] = Source("BBKN13", "Theorem 2.4, on the circle")
    summary: ClassVar[str] = (
        "The clockwise end of the arc whose half-planes fit the sample, or err least on it."
    )
    privacy: ClassVar[Privacy] = "none"
    unmoved: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "band-in": {"gamma": "only the order of the points matters"},
        "band-out": {"margin": "only the order of the points matters"},
    }
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
        """Return the end of the first best arc, in O(m log m)."""
        del epsilon, alpha, beta, rng
        arcs = Cut.of(self.flat(sample))
        best = int(np.argmin(arcs.mistakes))
        if recorder is not None:
            recorder.step(
                "The arc that fits",
                f"The points cut the circle into {len(arcs.ends):,} arcs of normals. {arcs.name(best)} "
                f"makes {arcs.mistakes[best]:,} mistakes, the fewest: its clockwise end is the answer.",
            )
        return HalfPlane(arcs.ends[best], sample.d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every cell of a tiny domain."""
        del epsilon, alpha, beta, public
        arcs, ends = Cut.of(sample), all_borders(sample)
        found = cell(ends, arcs.ends[int(np.argmin(arcs.mistakes))])
        return {row: float(row == found) for row in range(1, len(ends) + 1)}

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return 1 - (1 - alpha)^m: some point lies within mass alpha clockwise of the target."""
        of_directions(distribution, setting, self.laws)
        lost = setting.m * np.log1p(-setting.alpha)
        return exact(-np.expm1(lost), setting, np.exp(lost))
