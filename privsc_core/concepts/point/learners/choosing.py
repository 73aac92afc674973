"""What learners share that choose one point, by weights in which all unseen points are alike."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Learner
from privsc_core.concepts.point.hypotheses import Point
from privsc_core.concepts.sample import uniform_point

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Choosing"]


class Choosing(Learner):
    """A proper learner in O(m) time at any d: unseen points are one lump."""

    @abstractmethod
    def log_weights(self, sample: Sample, epsilon: float) -> NDArray[np.float64]:
        """Return log weights of the seen points and, last, of all unseen points together."""

    @abstractmethod
    def tell(
        self,
        recorder: Recorder,
        sample: Sample,
        weights: NDArray[np.float64],
        best: NDArray[np.float64],
        drawn: int,
        epsilon: float,
    ) -> None:
        """Tell the recorder how the point was drawn, from weights with their coins."""

    def log_ones(self, *, d: int, epsilon: float, alpha: float, beta: float) -> float:
        """Return that of one point."""
        del d, epsilon, alpha, beta
        return 0.0

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
        """Draw a concept; O(m) time and memory for any d."""
        del alpha, beta
        weights = self.log_weights(sample, epsilon)
        pick, best = draw(weights, rng)
        if pick < len(sample.points):
            j = sample.points[pick]
        else:
            j = uniform_point(rng, sample.d, frozenset(sample.points))
        if recorder is not None:
            self.tell(recorder, sample, weights, best, j, epsilon)
        return Point(j)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del alpha, beta, public
        chances = probabilities(self.log_weights(sample, epsilon)).tolist()
        unseen = sample.domain_size - len(sample.points)
        known = dict(zip(sample.points, chances[:-1], strict=True))
        rest = chances[-1] / unseen if unseen else 0.0
        return {j: known.get(j, rest) for j in range(1, sample.domain_size + 1)}
