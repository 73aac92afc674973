"""What the learners of thresholds share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Learner, TinyInstance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privsc_core.concepts.contracts import Method, Privacy

__all__ = ["ByLabels", "ByOrder", "Weighing"]


class _Line(Learner):
    """All of them put out a threshold, in time O(m log m) or little more."""

    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    symmetric: ClassVar[bool] = True
    record_keys: ClassVar[tuple[str, ...]] = ("j",)


@dataclass(frozen=True)
class ByOrder(_Line):
    """Who sees the order of the points and their labels alone: the same law on every crowd."""

    laws: ClassVar[Mapping[str, Method]] = {"window": "exact", "uniform": "exact"}
    unmoved: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "": {"d": "only the order of the points matters"},
        "window": {"lam": "only the order of the points matters"},
    }


@dataclass(frozen=True)
class ByLabels(ByOrder):
    """Who protects the labels alone."""

    privacy: ClassVar[Privacy] = "label"
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=4, epsilon=1.0, alpha=0.2, beta=0.2)
    caveat: ClassVar[str] = "labels alone are private: the output is a point of the sample"


@dataclass(frozen=True)
class Weighing(_Line):
    """Who protects whole examples, and weighs all thresholds by their mistakes."""

    privacy: ClassVar[Privacy] = "pure"
    laws: ClassVar[Mapping[str, Method]] = {"window": "rao-blackwell", "uniform": "rao-blackwell"}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    outputs: ClassVar[str] = "cells"

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon
