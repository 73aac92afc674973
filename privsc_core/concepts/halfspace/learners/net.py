"""The exponential mechanism over a net of the ordinary sphere: full privacy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Setting, Source
from privsc_core.concepts.halfspace.circle import Arcs as Cut
from privsc_core.concepts.halfspace.circle import turn
from privsc_core.concepts.halfspace.hypotheses import HalfPlane, HalfSpace
from privsc_core.concepts.halfspace.laws import NET, net_law, of_directions
from privsc_core.concepts.halfspace.learners.common import OfDirections, all_borders, cell
from privsc_core.concepts.halfspace.sphere import coordinates, dimension, fibonacci
from privsc_core.concepts.style import CYAN, Style
from privsc_core.concepts.trace import choice
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["OnNet"]

_SPACE = 3


@dataclass(frozen=True)
class OnNet(OfDirections):
    """Pick one of 2,000 evenly spread normals, by their mistakes."""

    name: ClassVar[str] = "net"
    title: ClassVar[str] = "Net of 2,000 normals"
    source: ClassVar[Source] = Source("CH11", "Figure 2, over Fibonacci points")
    summary: ClassVar[str] = (
        "The exponential mechanism over 2,000 evenly spread normals of the circle or the ordinary "
        "sphere, by their mistakes: whole examples are protected."
    )
    privacy: ClassVar[Privacy] = "pure"
    laws: ClassVar[Mapping[str, Method]] = dict.fromkeys(("circle", "sphere"), "rao-blackwell")
    caveat: ClassVar[str] = (
        "in three dimensions every normal has one of the net within 0.0194 half turns; four would take "
        "some 50,000. Beyond 2,000 examples mistakes are scaled up from 2,000 (normal approximation)"
    )
    outputs: ClassVar[str] = "cells"
    style: ClassVar[Style] = CYAN
    enumerated: ClassVar[str] = (
        "The net is the one of the circle, and outputs are the cells between the borders of the tiny "
        "domain: within a cell all normals have the same probability."
    )

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def mistakes(self, sample: Sample) -> NDArray[np.int64]:
        """Return the mistakes of every normal of the net.

        Raises
        ------
        InputError
            For samples of more than three dimensions.
        """
        n = dimension(sample.d)
        if n > _SPACE:
            raise InputError("d", f"must be at most {_SPACE} for {self.name}", n)
        if n < _SPACE:
            arcs = Cut.of(sample)
            return arcs.mistakes[[arcs.row(phi) for phi in _angles(sample.d)]]
        positive, negative = sample.tallies()
        ones = coordinates(sample.points, sample.d) @ fibonacci(NET).T >= 0.0
        return np.asarray(positive @ ~ones + negative @ ones)

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
        """Draw a normal of the net, in time O(m) for each."""
        del alpha, beta
        mistakes = self.mistakes(sample)
        weights = -self.score_rate(epsilon) * (mistakes - mistakes.min())
        pick, best = draw(weights, rng)
        if recorder is not None:
            found = choice(
                name=lambda row: f"normal {row + 1:,}", members=lambda _: "1",
                scores=mistakes.astype(np.float64), log_weights=weights, best=best, drawn=pick,
                target=None, what="normals",
            )  # fmt: skip
            recorder.mechanism(
                found,
                f"The net has {NET:,} normals, spread evenly. The score of one is its half-space's number "
                "of mistakes.",
                epsilon=epsilon,
            )
        if dimension(sample.d) == _SPACE:
            return HalfSpace(tuple(fibonacci(NET)[pick].tolist()), sample.d)
        return HalfPlane(_angles(sample.d)[pick], sample.d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every cell of a tiny domain."""
        del alpha, beta, public
        ends, mistakes = all_borders(sample), self.mistakes(sample)
        shares = probabilities(-self.score_rate(epsilon) * (mistakes - mistakes.min()))
        found = np.zeros(len(ends))
        np.add.at(found, [cell(ends, phi) - 1 for phi in _angles(sample.d)], shares)
        return dict(enumerate(found.tolist(), start=1))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over simulated samples."""
        return net_law(of_directions(distribution, setting, self.laws), setting, self.score_rate)


def _angles(bits: int) -> list[int]:
    """Return the net of the circle: no border of a tiny domain is among them."""
    whole = turn(bits)
    return [(2 * i + 1) * whole // (2 * NET) for i in range(NET)]
