"""The non-private learner of thresholds, and what their learners share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.contracts.style import GREY
from privsc_core.concepts.shared.choosing import Choosing
from privsc_core.concepts.shared.laws import exact
from privsc_core.concepts.threshold.distributions import Cut

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


# --- What the learners of thresholds share -------------------------------------------------------


class _Line(Learner):
    """All of them put out a threshold, in time O(m log m) or little more."""

    proper = True
    efficient = True
    symmetric = True
    record_keys = ("j",)


@dataclass(frozen=True)
class ByOrder(_Line):
    """A learner that sees only the order of points and labels: the same law on every density."""

    laws = {"window": "exact", "uniform": "exact"}
    unmoved = {
        "": {"d": "only the order of the points matters"},
        "window": {"lam": "only the order of the points matters"},
    }


@dataclass(frozen=True)
class ByLabels(ByOrder):
    """A learner that protects the labels alone."""

    privacy = "label"
    tiny = Cell(d=2, m=4, epsilon=1.0, alpha=0.2, beta=0.2)
    caveat = "labels alone are private: the output is a point of the sample"


@dataclass(frozen=True)
class Weighing(Choosing, _Line):
    """A learner that protects whole examples, and weighs all thresholds by their mistakes."""

    privacy = "pure"
    laws = {"window": "rao-blackwell", "uniform": "rao-blackwell"}
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    outputs = "cells"


@dataclass(frozen=True)
class Erm(ByOrder):
    """The smallest negative example; no privacy, and no dependence on b."""

    name = "erm"
    title = "Non-private"
    source = Source("BBKN13", "Theorem 2.4, on the line")
    summary = (
        "The smallest point with label 0, or the right end if there is none: it fits every sample "
        "that some threshold fits."
    )
    privacy = "none"
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    style = GREY

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Return the smallest negative example."""
        j = _smallest_negative(sample)
        if recorder is not None:
            negative = int(sample.size - sample.labels.sum())
            recorder.step(
                "The smallest point with label 0",
                f"Of {negative:,} examples with label 0 the leftmost one: the threshold is put there."
                if negative else "No example has label 0: everything is labelled 1.",
            )  # fmt: skip
        return Cut(j, sample.d)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        found = _smallest_negative(sample)
        return {j: float(j == found) for j in range(1, sample.domain_size + 2)}

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return 1 - (1 - alpha)^m: some example lies within mass alpha to the right of z."""
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        lost = setting.m * np.log1p(-setting.alpha)
        return exact(-np.expm1(lost), setting, np.exp(lost))


def _smallest_negative(sample: Sample) -> int:
    """Return the smallest point with label 0, 2^d + 1 if there is none."""
    _, negative = sample.tallies()
    seen = [x for x, n in zip(sample.points, negative.tolist(), strict=True) if n]
    return min(seen, default=sample.domain_size + 1)
