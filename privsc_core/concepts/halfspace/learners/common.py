"""What the learners of half-spaces share."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Learner, TinyInstance
from privsc_core.concepts.halfspace.circle import borders
from privsc_core.concepts.halfspace.hypotheses import KEYS
from privsc_core.concepts.halfspace.sphere import dimension
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privsc_core.concepts.contracts import Method
    from privsc_core.concepts.sample import Sample

__all__ = ["OfCircle", "OfDirections", "all_borders"]


def all_borders(sample: Sample) -> list[int]:
    """Return every angle at which the labels of a tiny domain change: they cut it into cells."""
    points = range(1, sample.domain_size + 1)
    return sorted({end for x in points for end in borders(x, sample.d)})


class OfDirections(Learner):
    """All of them put out a half-space."""

    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    symmetric: ClassVar[bool] = True
    record_keys: ClassVar[tuple[str, ...]] = KEYS
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)


@dataclass(frozen=True)
class OfCircle(OfDirections):
    """Those that sort a circle: there is no order on other spheres."""

    laws: ClassVar[Mapping[str, Method]] = dict.fromkeys(("circle", "band-in", "band-out"), "exact")

    def flat(self, sample: Sample) -> Sample:
        """Return the sample, or refuse one of more dimensions."""
        n = dimension(sample.d)
        if n > 2:
            raise InputError("d", f"must be 2 for {self.name}, which works on the circle", n)
        return sample


def cell(ends: list[int], phi: int) -> int:
    """Return which cell of a tiny domain an angle is in, the first of them 1."""
    return 1 + bisect.bisect_left(ends, phi) % len(ends)
