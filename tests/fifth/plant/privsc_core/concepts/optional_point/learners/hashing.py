"""The exponential mechanism over points and the empty concept, under a name that POINT has too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.point.distributions import Point
from privsc_core.concepts.shared.choice import draw, probabilities
from privsc_core.concepts.shared.hypotheses import LabelFunction
from privsc_core.concepts.shared.laws import exact
from privsc_core.concepts.shared.sample import uniform_below, uniform_point
from privsc_core.concepts.shared.trace import choice
from privsc_core.numerics.logspace import log_domain, log_domain_scalar

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder

__all__ = ["Hash"]

_NOTHING = LabelFunction(lambda _: 0, "the empty concept: 0 everywhere", 0)


@dataclass(frozen=True)
class Hash(Learner):
    """Weight e^{-eps mistakes / 2} for every point and for the empty concept, which is number 0."""

    name: ClassVar[str] = "hash"
    title: ClassVar[str] = "Exponential with 0"
    source: ClassVar[Source] = Source("BBKN13", "Lemma 3.4, with one more concept")
    summary: ClassVar[str] = "Exponential mechanism over all points and the empty concept."
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {"single": "exact"}
    tiny: ClassVar[Cell] = Cell(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric: ClassVar[bool] = True
    record_keys: ClassVar[tuple[str, ...]] = ("point",)

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Draw a concept; the empty one is among those that no example names."""
        weights = _log_weights(sample, at.epsilon)
        pick, best = draw(weights, rng)
        j: int | None
        others = sample.domain_size - len(sample.points)
        if pick < len(sample.points):
            j = sample.points[pick]
        elif uniform_below(rng, others + 1) == 0:
            j = None
        else:
            j = uniform_point(rng, sample.d, frozenset(sample.points))
        if recorder is not None:
            _tell(recorder, sample, weights, best, pick=pick, epsilon=at.epsilon)
        return _NOTHING if j is None else Point(j)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        chances = probabilities(_log_weights(sample, at.epsilon)).tolist()
        rest = chances[-1] / (sample.domain_size - len(sample.points) + 1)
        known = dict(zip(sample.points, chances[:-1], strict=True))
        return {j: known.get(j, rest) for j in range(sample.domain_size + 1)}

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law on `single`: T wrong concepts err on every example."""
        lump = log_domain(setting.d) - 0.5 * setting.epsilon * setting.m
        return exact(1.0 / (1.0 + np.exp(np.minimum(lump, 709.0))), setting)


def _log_weights(sample: Sample, epsilon: float) -> NDArray[np.float64]:
    """Return log weights of the seen points and, last, of all other concepts together."""
    positive, negative = sample.tallies()
    return np.append(
        0.5 * epsilon * (positive - negative), log_domain_scalar(sample.d, len(sample.points) - 1)
    )


def _tell(
    recorder: Recorder,
    sample: Sample,
    weights: NDArray[np.float64],
    best: NDArray[np.float64],
    *,
    pick: int,
    epsilon: float,
) -> None:
    positive, negative = sample.tallies()
    total, last = int(positive.sum()), len(sample.points)
    place = {x: i for i, x in enumerate(sample.points)}
    found = choice(
        name=lambda i: recorder.name_of(sample.points[i]) if i < last else "all others",
        members=lambda i: "1" if i < last else f"2^{sample.d} + 1 − {last}",
        scores=np.append(total - positive + negative, total).astype(np.float64),
        log_weights=weights,
        best=best,
        drawn=pick,
        target=recorder.row_of_target(place, last),
    )
    recorder.mechanism(found, "The score of a concept is its number of mistakes.", epsilon=epsilon)
