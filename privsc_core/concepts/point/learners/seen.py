"""The (epsilon, delta)-private learner of points: seen points, and one lump for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts import lump
from privsc_core.concepts.contracts import Source, TinyInstance
from privsc_core.concepts.laws import averaged, certain
from privsc_core.concepts.point.laws import by_profile
from privsc_core.concepts.point.learners.choosing import Choosing
from privsc_core.concepts.point.trace import choice_of_points
from privsc_core.concepts.slack import WithSlack
from privsc_core.concepts.style import VIOLET, Style
from privsc_core.numerics.binomial import of_count
from privsc_core.numerics.logspace import log_domain, log_domain_scalar
from privsc_core.numerics.text import large

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Method, Privacy, Setting
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Seen"]


@dataclass(frozen=True)
class Seen(WithSlack, Choosing):
    """Pick c_x with probability proportional to C/T + e^{eps n_x / 2} - 1.

    n_x counts the examples (x, 1); for C and the proof of privacy see `concepts.lump`.

    Parameters
    ----------
    delta : float
        The privacy slack, in [0, 1/2); at 0 the learner is purely private.
    """

    name: ClassVar[str] = "seen"
    title: ClassVar[str] = "Seen points and a lump"
    source: ClassVar[Source] = Source("ours", "a choosing mechanism in one formula")
    summary: ClassVar[str] = (
        "Picks every concept with probability proportional to C/T + exp(ε · positives / 2) - 1: "
        "δ replaces the domain size T by C, which is at most (exp(ε/2) - 1)/δ."
    )
    privacy: ClassVar[Privacy] = "approximate"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {
        "hard": "exact", "single": "exact", "bystanders": "exact", "uniform": "exact",
    }  # fmt: skip
    unmoved: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "bystanders": {"s": "bystanders do not count"},
    }
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys: ClassVar[tuple[str, ...]] = ("point",)
    style: ClassVar[Style] = VIOLET
    symmetric: ClassVar[bool] = True
    caveat: ClassVar[str] = (
        "It ignores negative examples: on domains so small that αβT is about 1 or less it is no PAC "
        "learner, however many examples there are."
    )

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the counts in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def log_weights(self, sample: Sample, epsilon: float) -> NDArray[np.float64]:
        """Return log weights of the seen points and, last, of all unseen points together."""
        positive, _ = sample.tallies()
        return lump.log_weights(
            positive, log_domain_scalar(sample.d), log_domain_scalar(sample.d, len(sample.points)),
            self.score_rate(epsilon), self._log_lump(sample.d, epsilon),
        )  # fmt: skip

    def tell(
        self,
        recorder: Recorder,
        sample: Sample,
        weights: NDArray[np.float64],
        best: NDArray[np.float64],
        drawn: int,
        epsilon: float,
    ) -> None:
        """Tell how the point was drawn."""
        positive, _ = sample.tallies()
        recorder.lump(
            choice_of_points(
                recorder, sample, weights, best, drawn,
                scores=np.append(positive, 0).astype(np.float64), score="positive examples",
            ),
            "The score of a point is its number of examples with label 1: the more, the better. "
            "Examples with label 0 do not count.",
            epsilon=epsilon, delta=self.delta, size=large(self._log_lump(sample.d, epsilon)),
        )  # fmt: skip

    def _log_lump(self, d: int, epsilon: float) -> float:
        return float(lump.log_effective(log_domain_scalar(d), epsilon, self.delta))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law: only the target has positive examples."""
        return by_profile(distribution, setting, self._law)

    def _law(self, profile: Profile, setting: Setting) -> Estimate:
        if profile.every_concept_succeeds:
            return certain(setting)
        every, epsilon = log_domain(setting.d), setting.epsilon
        effective = lump.log_effective(every, epsilon, setting.delta or self.delta)
        columns = -every, np.log1p(-np.exp(-every)), effective, 0.5 * epsilon
        return averaged(setting, profile.mass, columns, of_count(lump.odds), rate=1.0)
