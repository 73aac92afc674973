"""The non-private learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.conjunction.distributions import Spikes
from privsc_core.concepts.conjunction.hypotheses import Conjunction
from privsc_core.concepts.conjunction.product import Product, product_law
from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.spikes_law import spikes_law
from privsc_core.concepts.style import GREY, Style
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Erm"]


@dataclass(frozen=True)
class Erm(Learner):
    """Keep every literal that no positive example contradicts."""

    name: ClassVar[str] = "erm"
    title: ClassVar[str] = "Non-private"
    source: ClassVar[Source] = Source("ours", "the elimination of literals, a textbook algorithm")
    summary: ClassVar[str] = (
        "Keeps every literal that no positive example contradicts: the longest conjunction that all "
        "of them satisfy."
    )
    privacy: ClassVar[Privacy] = "none"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {"spikes": "exact", "product": "exact"}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric: ClassVar[bool] = True
    record_keys: ClassVar[tuple[str, ...]] = ("S",)
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
        """Return the conjunction of all literals that are left."""
        del epsilon, alpha, beta, rng
        found = _left(sample)
        if recorder is not None:
            recorder.step(
                "The literals that are left",
                f"{int(sample.labels.sum()):,} of {sample.size:,} examples are positive. A bit that is 0 in "
                f"one of them cannot be a literal of the target: {found.bit_count():,} of "
                f"{sample.d:,} bits are left, and all of them are kept.",
            )
        return Conjunction(1 + found, sample.d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del epsilon, alpha, beta, public
        found = 1 + _left(sample)
        return {j: float(j == found) for j in range(1, sample.domain_size + 1)}

    def roughly(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return where on spikes as many others are left on average as may be; else as others do."""
        if not isinstance(distribution, Spikes):
            return super().roughly(distribution, setting)
        wrong = np.floor(setting.alpha * setting.d / distribution.a) + 0.5
        left = np.maximum((1.0 - distribution.share) * setting.d / wrong, 1.0)
        shape = np.broadcast_shapes(setting.d.shape, setting.epsilon.shape)
        return np.broadcast_to(np.maximum(setting.d / distribution.a * np.log(left), 1.0), shape)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: a literal of the target is always kept, another one until it is told."""
        if isinstance(distribution, Product):
            shape = setting.shape
            one = [distribution.one(d) for d in np.broadcast_to(setting.d, shape).ravel().tolist()]
            return product_law(
                distribution, setting, lambda cell, positive: np.asarray(one[cell] ** positive),
                np.zeros(len(one)),
            )  # fmt: skip
        if not isinstance(distribution, Spikes):
            raise InputError("distribution", f"must have a law for {self.name}", distribution.name)
        return spikes_law(
            distribution,
            setting,
            lambda m: m,
            lambda k, *_: np.where(k == 0.0, 1.0, 0.0),
            distribution.relevant,
        )


def _left(sample: Sample) -> int:
    """Return the bits that are 1 in every positive example."""
    positive, _ = sample.tallies()
    left = sample.domain_size - 1
    for place in np.flatnonzero(positive).tolist():
        left &= sample.points[place] - 1
    return left
