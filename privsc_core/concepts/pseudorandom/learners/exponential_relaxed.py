"""The efficient private learner: the exponential mechanism over all points, images or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.point.learners.exponential import Exponential
from privsc_core.concepts.style import AMBER, PURPLE, Style

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privsc_core.concepts.contracts import Method

__all__ = ["ExponentialRelaxed"]


@dataclass(frozen=True)
class ExponentialRelaxed(Exponential):
    """The learner of POINT_d as it is: it never looks at the generator."""

    name: ClassVar[str] = "exponential-relaxed"
    title: ClassVar[str] = "Efficient: any point"
    source: ClassVar[Source] = Source("BBKN13", "Theorem 6.1, with Lemma 3.4")
    summary: ClassVar[str] = (
        "The exponential mechanism over all points of the domain, in time O(m): it may output a "
        "point that is no image of the generator."
    )
    proper: ClassVar[bool] = False
    laws: ClassVar[Mapping[str, Method]] = {"hard": "exact", "single": "exact"}
    style: ClassVar[Style] = Style(AMBER.colour, PURPLE.dash, PURPLE.marker)
