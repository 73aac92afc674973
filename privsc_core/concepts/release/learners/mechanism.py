"""What every mechanism of data release shares: what it reads, how it tells, what it is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Learner
from privsc_core.concepts.release.distributions import RECORD_KEYS, Release, ReleaseDatabase
from privsc_core.concepts.shared.trace import Noised, Step

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder

_EMPTY_SHOWN = 3


@dataclass(frozen=True)
class Mechanism(Learner):
    """A mechanism that looks at points alone, in any order, and releases counts."""

    proper = False
    labelled = False
    symmetric = True
    laws = {"hard": "exact", "single": "exact"}
    outputs = "releases"
    record_keys = RECORD_KEYS

    def output_name(self, output: Hashable) -> str:
        """Return the released counts, coarsened, by point."""
        if not isinstance(output, tuple):
            return super().output_name(output)
        return "(" + ", ".join(f"{float(v):.3g}" for v in output) + ")"


def tally(sample: Sample) -> dict[int, int]:
    """Return how often each point occurs, whatever its labels."""
    counts = np.bincount(sample.index, minlength=len(sample.points)).tolist()
    return {point: n for point, n in zip(sample.points, counts, strict=True) if n}


def database(distribution: Distribution) -> ReleaseDatabase:
    """Return the distribution as a database for data release."""
    if not isinstance(distribution, ReleaseDatabase):
        msg = f"{distribution.name} is no database for data release"
        raise TypeError(msg)
    return distribution


def noised(
    recorder: Recorder,
    seen: Mapping[int, int],
    noisy: Sequence[float],
    threshold: float,
    others: Sequence[float] = (),
) -> Noised:
    """Return true counts beside noisy ones, and what empty points are released with."""
    rows = sorted(zip(seen, seen.values(), noisy, strict=True))
    return Noised(
        tuple(recorder.name_of(point) for point, _, _ in rows),
        tuple(count for _, count, _ in rows),
        tuple(float(value) for _, _, value in rows),
        float(threshold),
        tuple(sorted(map(float, others), reverse=True)[:_EMPTY_SHOWN]),
        len(others),
    )


def tell_release(recorder: Recorder | None, found: Release) -> None:
    """Record the output."""
    if recorder is not None:
        recorder.output = Step("The release", f"Out comes: {found.description}.")
