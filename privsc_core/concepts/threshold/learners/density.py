"""The density learner: full privacy, proper, for every crowd that is smooth for its reference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Setting, Source
from privsc_core.concepts.style import BLUE, Style
from privsc_core.concepts.threshold.cells import Cells, target_row
from privsc_core.concepts.threshold.distributions import Window
from privsc_core.concepts.threshold.hypotheses import Cut
from privsc_core.concepts.threshold.laws import density_law
from privsc_core.concepts.threshold.learners.common import Weighing
from privsc_core.concepts.threshold.line import FINE, Crowd
from privsc_core.concepts.threshold.reference import UNIFORM, Reference
from privsc_core.concepts.trace import choice
from privsc_core.numerics.text import chance

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Density"]


@dataclass(frozen=True)
class Density(Weighing):
    """Pick s with density proportional to R(ds) exp(-eps * mistakes(s) / 2).

    Between two neighbouring points of the sample every threshold makes the same mistakes, so that
    m + 1 cells are chosen from, in O(m log m), and s then drawn from R on the cell. It is CH11's
    A_1r without a net: R must be known, kappa need not be.

    Attributes
    ----------
    reference : Reference
        R.
    """

    reference: Reference = UNIFORM

    name: ClassVar[str] = "density"
    title: ClassVar[str] = "Density learner"
    source: ClassVar[Source] = Source("ours", "CH11, Figure 2, without a net")
    summary: ClassVar[str] = (
        "Draws a threshold with a density proportional to the reference's times "
        "exp(-ε · mistakes / 2): whole examples are protected."
    )
    foretold: ClassVar[Mapping[str, float]] = {"window": 2.0}
    style: ClassVar[Style] = BLUE
    enumerated: ClassVar[str] = (
        "Outputs are the cells between the points of the tiny domain: within a cell the density is "
        "the same on every sample up to a factor."
    )

    def _known(self, bits: int, alpha: float) -> Crowd:
        """Return the reference as a crowd, for points of so many bits: drawn ones have more than b."""
        b = bits - FINE if bits > FINE else bits
        return Crowd(self.reference.bits(b), Window().mass(alpha))

    def weigh(
        self, sample: Sample, epsilon: float, alpha: float
    ) -> tuple[Cells, Crowd, NDArray[np.float64]]:
        """Return the cells between the points, what is known of the crowd, and the log weights."""
        cells, known = Cells.of(sample), self._known(sample.d, alpha)
        lost = cells.mistakes - cells.mistakes.min()
        return cells, known, cells.log_masses(known) - self.score_rate(epsilon) * lost

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
        """Draw a threshold, in O(m log m)."""
        del beta
        cells, known, weights = self.weigh(sample, epsilon, alpha)
        pick, best = draw(weights, rng)
        if recorder is not None:
            masses = cells.log_masses(known)
            j = recorder.target
            found = choice(
                name=cells.name, members=lambda row: chance(float(masses[row])),
                scores=cells.mistakes.astype(np.float64), log_weights=weights, best=best, drawn=pick,
                target=None if j is None else target_row(cells.ends, j, sample.d),
                what="thresholds",
            )  # fmt: skip
            recorder.mechanism(
                found,
                "The score of a threshold is its number of mistakes on the sample. Between "
                f"neighbouring points it is constant: {len(cells.mistakes):,} cells to compare, each "
                "as heavy as the reference says.",
                epsilon=epsilon,
            )
        return Cut(cells.draw(pick, known, rng), sample.d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every cell between points of a tiny domain."""
        del beta, public
        size = sample.domain_size
        known = self._known(sample.d, alpha)
        places = [-size, *range(1 - size, size, 2), size]
        fine = Cells(tuple(places), np.zeros(size + 1, dtype=np.int64), sample.d)
        cells = Cells.of(sample)
        row = np.searchsorted(np.array(cells.ends), np.array(places[:-1]), side="right") - 1
        rate = self.score_rate(epsilon)
        weights = fine.log_masses(known) - rate * cells.mistakes[row]
        return dict(enumerate(probabilities(weights).tolist(), start=1))

    def roughly(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return it for the bits that the reference does not know."""
        hidden = [b - self.reference.bits(b) for b in setting.d.ravel().tolist()]
        return super().roughly(
            distribution, replace(setting, d=np.array(hidden).reshape(setting.d.shape))
        )

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over simulated samples."""
        return density_law(distribution, setting, self.reference, self.score_rate)
