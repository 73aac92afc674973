"""The non-private learner of thresholds, and what their learners share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.shared.choosing import Choosing, Fit, Fitting
from privsc_core.concepts.shared.laws import exact
from privsc_core.concepts.threshold.distributions import Cut

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.shared.sample import Sample


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
class Erm(Fitting, ByOrder):
    """The smallest negative example; no privacy, and no dependence on b."""

    source = Source("BBKN13", "Theorem 2.4, on the line")
    summary = (
        "Puts the threshold at the smallest point with label 0, or at the right end if there is "
        "none. It fits every sample that some threshold fits."
    )

    def fit(self, sample: Sample) -> Fit:
        """Return the smallest negative example."""
        j = _smallest_negative(sample)
        negative = int(sample.size - sample.labels.sum())
        text = (
            f"{negative:,} examples have label 0, and the threshold is put at the leftmost of them."
            if negative
            else "No example has label 0: everything is labelled 1."
        )
        return Fit(
            Cut(j, sample.d),
            "The smallest point with label 0",
            text,
            lambda: (j, range(1, sample.domain_size + 2)),
        )

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
