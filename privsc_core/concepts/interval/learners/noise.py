"""Independent noise (BBKN13, Definition 5.6): the trick for points, which fails here."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.hypotheses import Noisy
from privsc_core.concepts.interval.distributions import Hard
from privsc_core.concepts.interval.learners.erm import (
    draw_threshold,
    hard_success,
    threshold_chances,
)
from privsc_core.concepts.laws import exact
from privsc_core.concepts.style import BROWN, Style
from privsc_core.concepts.trace import Step
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from privsc_core.concepts.contracts import Demand, Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Noise"]


@dataclass(frozen=True)
class Noise(Learner):
    """Learn a threshold without privacy, then flip every value with probability alpha / 8.

    Notes
    -----
    Not private, at any epsilon that does not grow with T: one example can move the inner
    threshold across the domain, and then the values of all points between change sides. The
    output's log-probability may change by log((1-mu)/mu) at each of them, up to T times, while for
    points the inner concepts differ at two points only. Theorem 5.8: the inner threshold can be
    read off the output.
    """

    name: ClassVar[str] = "noise"
    title: ClassVar[str] = "Independent noise (not private)"
    source: ClassVar[Source] = Source("BBKN13", "Definition 5.6, Theorem 5.8")
    summary: ClassVar[str] = (
        "Takes the non-private learner's threshold and flips each of its values independently "
        "with probability α/8."
    )
    looser_costs: ClassVar[str] = "its noise grows with alpha"
    caveat: ClassVar[str] = (
        "Not private: one example can move the threshold under the noise past any number of "
        "points, and each adds up to ln((1-μ)/μ) to the privacy loss."
    )
    privacy: ClassVar[Privacy] = "none"
    proper: ClassVar[bool] = False
    efficient: ClassVar[bool] = False
    laws: ClassVar[Mapping[str, Method]] = {"hard": "exact"}
    reads: ClassVar[tuple[str, ...]] = ("alpha",)
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=2, epsilon=1.0, alpha=0.4, beta=0.2)
    style: ClassVar[Style] = BROWN
    symmetric: ClassVar[bool] = True

    def flip(self, alpha: float) -> float:
        """Return the probability mu with which each value is flipped, that of algorithm A1."""
        return alpha / 8.0

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
        """Return the inner threshold under noise, its values drawn when they are asked for."""
        del epsilon, beta
        flip = self.flip(alpha)
        inner, found = draw_threshold(sample, rng, recorder)
        if recorder is not None and found is not None:
            fewest = f"The fewest mistakes that a threshold makes: {found.drawn.score:,.0f}."
            recorder.step("The scores", fewest, found)
            beneath = f"Without any privacy: {inner.description}."
            recorder.step("The threshold beneath", beneath, found, "chance")
            recorder.step(
                "The noise",
                f"Every value is flipped independently with probability {flip:.4g}. For "
                "thresholds that hides nothing, see “Noise hides nothing”.",
            )
            recorder.output = Step(
                "The hypothesis",
                f"Out comes a hidden threshold with every value flipped with probability {flip:g}.",
            )
        return Noisy(inner.predict, flip, rng)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every row of labels, for tiny domains."""
        del epsilon, beta, public
        flip, size = self.flip(alpha), sample.domain_size
        inner = threshold_chances(sample)
        chances: dict[Hashable, float] = {}
        for row in itertools.product((0, 1), repeat=size):
            chances[row] = math.fsum(
                share
                * math.prod(
                    1.0 - flip if label == int(x < j) else flip for x, label in enumerate(row, 1)
                )
                for j, share in inner.items()
            )
        return chances

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Tell that the noise grows with alpha."""
        return wanted != "alpha" and super().eases(distribution, wanted)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law on `hard`: three values must come through."""
        if not isinstance(distribution, Hard):
            raise InputError("distribution", "must be hard for noise", distribution.name)
        for d in np.unique(setting.d).tolist():
            distribution.check(d=d, alpha=setting.alpha)
        flip = self.flip(setting.alpha)
        right, first, other = hard_success(distribution, setting)
        kept, lost = 1.0 - flip, flip
        if distribution.forgives_first(setting.alpha):
            kept = lost = 1.0
        others = np.maximum(other - first, 0.0)
        value = (1.0 - flip) * (
            right * (1.0 - flip) * kept + others * flip * kept + first * flip * lost
        )
        return exact(value, setting)
