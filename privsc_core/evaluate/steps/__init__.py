"""The steps of one run, learner by learner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts import interval, point, pseudorandom, release
from privsc_core.evaluate.steps import mechanisms, noise, releases
from privsc_core.evaluate.steps.parts import Case, Choice, Noised, Row, Sampled, Step, Thinned

if TYPE_CHECKING:
    from collections.abc import Callable

    from privsc_core.concepts.contracts import Learner

__all__ = ["Case", "Choice", "Noised", "Row", "Sampled", "Step", "Thinned", "known", "steps"]

# The first line that fits counts, so what inherits stands before what it inherits from.
_TAKEN_APART: tuple[tuple[type[Learner], Callable[[Case], tuple[Step, ...]]], ...] = (
    (point.learners.Erm, mechanisms.point_erm),
    (point.learners.Exponential, mechanisms.points),  # relaxed too: the same algorithm
    (point.learners.Representation, mechanisms.representation),
    (point.learners.Hash, mechanisms.hashed),
    (point.learners.NoisePseudorandom, noise.keyed),
    (point.learners.noise.NoiseFamily, noise.points),
    (point.learners.NoiseBoosted, noise.boosted),
    (interval.learners.Erm, mechanisms.interval_erm),
    (interval.learners.Exponential, mechanisms.intervals),
    (interval.learners.Noise, noise.interval),
    (pseudorandom.learners.Erm, mechanisms.pseudorandom_erm),
    (pseudorandom.learners.ExponentialProper, mechanisms.images),
    (release.learners.Blr, releases.synthetic),
    (release.learners.Stability, releases.stability),
    (release.learners.histogram.Histogram, releases.histogram),
)


def known(learner: Learner) -> bool:
    """Tell whether a run of this learner can be taken apart."""
    return any(isinstance(learner, kind) for kind, _ in _TAKEN_APART)


def steps(case: Case) -> tuple[Step, ...]:
    """Return the steps of a run; none for a learner that cannot be taken apart."""
    for kind, take_apart in _TAKEN_APART:
        if isinstance(case.learner, kind):
            return take_apart(case)
    return ()
