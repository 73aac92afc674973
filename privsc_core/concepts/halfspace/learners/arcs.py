"""The exponential mechanism over the arcs of the circle: privacy for labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Setting, Source, TinyInstance
from privsc_core.concepts.halfspace.circle import Arcs as Cut
from privsc_core.concepts.halfspace.hypotheses import HalfPlane
from privsc_core.concepts.halfspace.laws import of_directions
from privsc_core.concepts.halfspace.learners.common import OfCircle, all_borders, cell
from privsc_core.concepts.laws import exact
from privsc_core.concepts.style import BROWN, Style
from privsc_core.concepts.trace import choice

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Arcs"]


@dataclass(frozen=True)
class Arcs(OfCircle):
    """Draw one of the 2m arcs by its mistakes, and put out its clockwise end."""

    name: ClassVar[str] = "arcs"
    title: ClassVar[str] = "Arcs of the circle (labels private)"
    source: ClassVar[Source] = Source("CH11", "Figure 3, with all arcs for its cover")
    summary: ClassVar[str] = (
        "The exponential mechanism over the 2m arcs into which the points cut the circle of normals: "
        "only the labels are protected."
    )
    privacy: ClassVar[Privacy] = "label"
    caveat: ClassVar[str] = "labels alone are private: the output lies at a point of the sample"
    style: ClassVar[Style] = BROWN
    unmoved: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "band-in": {"gamma": "only the order of the points matters"},
        "band-out": {"margin": "only the order of the points matters"},
    }
    tiny: ClassVar[TinyInstance] = TinyInstance(d=3, m=3, epsilon=1.0, alpha=0.2, beta=0.2)

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def weigh(self, sample: Sample, epsilon: float) -> tuple[Cut, NDArray[np.float64]]:
        """Return the arcs and their log weights."""
        arcs = Cut.of(self.flat(sample))
        return arcs, -self.score_rate(epsilon) * (arcs.mistakes - arcs.mistakes.min())

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
        """Draw an arc, in O(m log m)."""
        del alpha, beta
        arcs, weights = self.weigh(sample, epsilon)
        pick, best = draw(weights, rng)
        if recorder is not None:
            found = choice(
                name=arcs.name, members=lambda _: "1", scores=arcs.mistakes.astype(np.float64),
                log_weights=weights, best=best, drawn=pick, target=None, what="arcs",
            )  # fmt: skip
            recorder.mechanism(
                found,
                "The points are public. They cut the circle of normals into arcs, two for each; the "
                "score of an arc is its number of mistakes.",
                epsilon=epsilon,
            )
        return HalfPlane(arcs.ends[pick], sample.d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every cell of a tiny domain."""
        del alpha, beta, public
        (arcs, weights), ends = self.weigh(sample, epsilon), all_borders(sample)
        found: dict[Hashable, float] = dict.fromkeys(range(1, len(ends) + 1), 0.0)
        for end, share in zip(arcs.ends, probabilities(weights).tolist(), strict=True):
            found[cell(ends, end)] += share
        return found

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return (1 - (1 - alpha (1 - q))^m) / (1 - q^m), q = e^{-eps/2}.

        Arc k from the target's clockwise has weight q^k, and there are m in either direction. With J
        points within mass alpha clockwise, arcs 0 to J - 1 are accurate; with as many anticlockwise,
        J are, from weight q on. Summed over all 2m: (1 - E q^J) / (1 - q^m).
        """
        of_directions(distribution, setting, self.laws)
        speed = 0.5 * setting.epsilon
        slow = -np.log1p(setting.alpha * np.expm1(-speed))
        size = setting.m
        rest = np.exp(-slow * size) * -np.expm1(-size * (speed - slow))
        every = -np.expm1(-speed * size)
        return exact(-np.expm1(-slow * size) / every, setting, rest / every)
