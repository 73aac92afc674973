"""The non-private learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.laws import certain, exact
from privsc_core.concepts.line.hypotheses import KEYS, Empty, Line, Spot
from privsc_core.concepts.line.laws import log_unseen, over_p
from privsc_core.concepts.line.plane import LARGEST, Modulus, Plane
from privsc_core.concepts.style import GREY, Style

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Erm", "fitted", "number_of", "outputs_of", "through"]


@dataclass(frozen=True)
class Erm(Learner):
    """The line through two positive examples; with only one place seen, that point alone."""

    modulus: Modulus = LARGEST

    name: ClassVar[str] = "erm"
    title: ClassVar[str] = "Non-private"
    source: ClassVar[Source] = Source("FX14", "Section 6, the basic learner")
    summary: ClassVar[str] = (
        "The line through two positive examples; if all are at one place that point alone, if there "
        "are none the empty set."
    )
    privacy: ClassVar[Privacy] = "none"
    proper: ClassVar[bool] = False
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {
        "spread": "exact", "anchor": "exact", "pair": "exact", "mixture": "exact",
    }  # fmt: skip
    unmoved: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "anchor": {"d": "only points that are seen count"},
        "pair": {"d": "only points that are seen count"},
    }
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric: ClassVar[bool] = True
    record_keys: ClassVar[tuple[str, ...]] = KEYS
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
        """Return what two positive examples say."""
        del epsilon, alpha, beta, rng
        found = fitted(sample, self.modulus.plane(sample.d))
        if recorder is not None:
            seen = len(_positives(sample))
            recorder.step(
                "The positive examples",
                f"Those with label 1 are at {seen:,} different place{'' if seen == 1 else 's'}. "
                f"Two places fix a line. The answer: {found.description}.",
            )
        return found

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        del epsilon, alpha, beta, public
        plane = self.modulus.plane(sample.d)
        chances = dict.fromkeys(outputs_of(sample.d, plane), 0.0)
        chances[number_of(fitted(sample, plane), sample.d)] = 1.0
        return chances

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: two places of the target must be seen where one is not good enough."""
        profile, mass, p = over_p(distribution, setting)
        m = setting.m.astype(np.float64)
        enough = setting.alpha * (1.0 + 1e-12)
        if profile.off[0] and mass.max() <= enough:
            return certain(setting)
        lost = log_unseen(profile, mass, p, m)
        if profile.off[0]:
            # Where one place of the target will do.
            lost = np.where(mass * (1.0 - 1.0 / p) <= enough, m * np.log1p(-mass), lost)
        return exact(-np.expm1(lost), setting, np.exp(lost))


def _positives(sample: Sample) -> list[int]:
    positive, _ = sample.tallies()
    return sorted(x for x, n in zip(sample.points, positive.tolist(), strict=True) if n)


def fitted(sample: Sample, plane: Plane) -> Hypothesis:
    """Return what the basic learner answers, whether or not a line fits the sample."""
    return through(plane, _positives(sample))


def through(plane: Plane, seen: list[int]) -> Hypothesis:
    """Return the answer to positive examples at these points, in increasing order."""
    if not seen:
        return Empty()
    first = plane.place(seen[0])
    for point in seen[1:] if first else ():
        other = plane.place(point)
        if other and first and (line := plane.through(first, other)):
            return Line(plane, *line)
    return Spot(plane, seen[0])


def number_of(hypothesis: Hypothesis, bits: int) -> Hashable:
    """Return how an answer is listed on a tiny domain: a line's number, or the labels of all points."""
    if isinstance(hypothesis, Line):
        return 1 + hypothesis.a * hypothesis.plane.p + hypothesis.b
    return tuple(hypothesis.predict(x) for x in range(1, (1 << bits) + 1))


def outputs_of(bits: int, plane: Plane) -> list[Hashable]:
    """Return all that the basic learner may answer: lines by their numbers, points and nothing."""
    size = 1 << bits
    lines: list[Hashable] = list(range(1, plane.p * plane.p + 1))
    spots = [number_of(Spot(plane, x), bits) for x in range(1, size + 1)]
    return [*lines, *spots, (0,) * size]
