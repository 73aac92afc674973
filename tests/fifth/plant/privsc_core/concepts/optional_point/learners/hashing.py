"""The exponential mechanism over points and the empty concept, under a name that POINT has too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Setting, Source
from privsc_core.concepts.point.trace import groups_of_points
from privsc_core.concepts.shared.choosing import Choosing, Groups
from privsc_core.concepts.shared.hypotheses import LabelFunction
from privsc_core.concepts.shared.laws import exact
from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.numerics.logspace import log_domain

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import Uniform
    from privsc_core.concepts.shared.sample import Sample

__all__ = ["Hash"]

_NOTHING = LabelFunction(lambda _: 0, "the empty concept: 0 everywhere", 0)


@dataclass(frozen=True)
class Hash(Choosing):
    """Weight e^{-eps mistakes / 2} for every point and for the empty concept, which is number 0."""

    name = "hash"
    title = "Exponential with 0"
    source = Source("BBKN13", "Lemma 3.4, with one more concept")
    summary = "Exponential mechanism over all points and the empty concept."
    privacy = "pure"
    proper = True
    efficient = True
    laws = {"single": "exact"}
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric = True
    record_keys = ("point",)

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return the seen points, and all other concepts together: the empty one is among them."""
        points = groups_of_points(sample, "The score of a concept is its number of mistakes.")
        last = len(sample.points)
        rest = sample.domain_size - last + 1

        def member(row: int, coins: Uniform) -> Hypothesis:
            if row == last and not uniform_below(coins, rest):
                return _NOTHING
            return points.member(row, coins)

        return replace(
            points,
            sizes=[1] * last + [rest],
            member=member,
            name=lambda row, recorder: points.name(row, recorder) if row < last else "all others",
            outputs=lambda row: [*points.outputs(row), 0] if row == last else points.outputs(row),
            every=[0, *points.every],
            order=None,
        )

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law on `single`: T wrong concepts err on every example."""
        lump = log_domain(setting.d) - 0.5 * setting.epsilon * setting.m
        return exact(1.0 / (1.0 + np.exp(np.minimum(lump, 709.0))), setting)
