"""Two samples that differ in one example, and what a learner's output tells of the difference.

Everything is enumerated on the learner's tiny instance, by the audit: both output distributions,
the log ratio of every output, and the largest log ratio of every pair of adjacent samples there is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.errors import InputError
from privsc_core.evaluate import audit
from privsc_core.evaluate.audit import ROUNDING, excess
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Learner, TinyInstance
    from privsc_core.evaluate.audit import Audited, Record

__all__ = ["Neighbours", "Outcome", "audited", "compare", "instance"]

_BARS_MOST = 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """One output, or several with the same log ratio.

    Attributes
    ----------
    name : str
        What comes out.
    here, there : float
        Its probability on the sample and on the neighbour.
    loss : float
        log(here / there), infinite where one of them is 0.
    number : int
        How many outputs it stands for.
    """

    name: str
    here: float
    there: float
    loss: float
    number: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Two adjacent samples and their output distributions.

    Attributes
    ----------
    found : Audited
        The instance.
    sample, neighbour : tuple of (point, label)
        They differ at `place` only, or are equal.
    place : int
        Which example was replaced, from 0.
    outcomes : tuple of Outcome
        All outputs.
    merged : bool
        Whether outputs with the same log ratio stand together.
    worst : float
        The largest |log ratio| of the pair.
    least_delta : float
        The larger of the two sums of max(p - e^epsilon q, 0).
    """

    found: Audited
    sample: tuple[Record, ...]
    neighbour: tuple[Record, ...]
    place: int
    outcomes: tuple[Outcome, ...]
    merged: bool
    worst: float
    least_delta: float

    @property
    def ratio(self) -> float:
        """The largest log ratio of the pair as a multiple of epsilon."""
        return self.worst / self.found.tiny.epsilon

    @property
    def within(self) -> bool:
        """Whether every log ratio is in the band."""
        return self.worst <= self.found.tiny.epsilon + ROUNDING


def instance(learner: Learner, epsilon: float | None = None) -> TinyInstance:
    """Return the tiny instance on which a learner is enumerated while a reader waits."""
    tiny = learner.tiny if learner.shown_m is None else replace(learner.tiny, m=learner.shown_m)
    return tiny if epsilon is None else replace(tiny, epsilon=scalar("epsilon", epsilon))


def audited(learner: Learner, *, epsilon: float, delta: float = 0.0, seed: int = 1) -> Audited:
    """Enumerate that instance at an epsilon; see `evaluate.audit.audited`."""
    return audit.audited(learner, instance(learner, epsilon), delta=delta, seed=seed)


def compare(
    found: Audited,
    sample: tuple[Record, ...] | None = None,
    place: int | None = None,
    record: Record | None = None,
) -> Neighbours:
    """Compare a sample with the one in which an example is replaced.

    What is left out comes from the worst pair of the instance; where that record does not fit, it
    is the first that does.

    Raises
    ------
    InputError
        For a sample or an example that the instance does not have.
    """
    sample = found.sample if sample is None else sample
    pairs = zip(found.sample, found.neighbour, strict=True)
    changed = next(i for i, (old, new) in enumerate(pairs) if old != new)
    place = changed if place is None else place
    if len(sample) != found.tiny.m or any(entry not in found.records for entry in sample):
        raise InputError("sample", f"must have {found.tiny.m} examples of the tiny domain", sample)
    if not 0 <= place < found.tiny.m:
        raise InputError("record", f"must be from 1 to {found.tiny.m}", place + 1)
    record = _fitting(found, sample[place], found.neighbour[changed]) if record is None else record
    if record not in found.records:
        raise InputError("record", "must be an example of the tiny domain", record)
    if record != sample[place] and not found.learner.neighbours(sample[place])(record):
        requirement = f"must have the point of the example, {sample[place][0]}"
        raise InputError("record", f"{requirement}: only labels are protected", record)
    neighbour = (*sample[:place], record, *sample[place + 1 :])
    here, there = found.law(sample), found.law(neighbour)
    outcomes, merged = _outcomes(found, here, there)
    slack = max(float(excess(p, q, found.tiny.epsilon)) for p, q in ((here, there), (there, here)))
    return Neighbours(
        found=found, sample=sample, neighbour=neighbour, place=place, outcomes=outcomes,
        merged=merged, worst=max(abs(o.loss) for o in outcomes), least_delta=slack,
    )  # fmt: skip


def _fitting(found: Audited, old: Record, wanted: Record) -> Record:
    """Return a record that may stand in place of one: the wanted one if it may."""
    fits = found.learner.neighbours(old)
    return wanted if wanted == old or fits(wanted) else next(filter(fits, found.records))


def _outcomes(
    found: Audited, here: NDArray[np.float64], there: NDArray[np.float64]
) -> tuple[tuple[Outcome, ...], bool]:
    name, nouns = found.learner.output_name, found.learner.outputs
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.log(here) - np.log(there)
    possible = (here > 0.0) | (there > 0.0)
    if int(possible.sum()) <= _BARS_MOST:
        return tuple(
            Outcome(name(output), float(p), float(q), float(r))
            for output, p, q, r, here_or_there in zip(
                found.outputs, here, there, loss, possible, strict=True
            )
            if here_or_there
        ), False
    # Outputs with the same ratio tell the same about the example: together they lose nothing.
    names = [output for output, ok in zip(found.outputs, possible, strict=True) if ok]
    _, first, group, number = np.unique(
        np.round(loss[possible] / ROUNDING),
        return_index=True, return_inverse=True, return_counts=True,
    )  # fmt: skip
    levels = loss[possible][first]
    p = np.bincount(group, weights=here[possible])
    q = np.bincount(group, weights=there[possible])
    shown = np.arange(len(levels))
    if len(levels) > _BARS_MOST:
        shown = np.sort(np.argsort(-np.abs(levels), kind="stable")[: _BARS_MOST - 1])
    outcomes = [
        Outcome(
            name(names[first[g]]) if number[g] == 1 else f"{number[g]:,} {nouns}",
            float(p[g]), float(q[g]), float(levels[g]), int(number[g]),
        )
        for g in shown.tolist()
    ]  # fmt: skip
    left = np.setdiff1d(np.arange(len(levels)), shown)
    if left.size:
        a, b, n = float(p[left].sum()), float(q[left].sum()), int(number[left].sum())
        outcomes.append(Outcome(f"{n:,} other {nouns}", a, b, math.log(a / b), n))
    return tuple(outcomes), True
