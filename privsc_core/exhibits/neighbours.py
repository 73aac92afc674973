"""Two neighbours and what a learner's output tells of them, beside all such pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from privsc_core.catalog import learner as find_learner
from privsc_core.draw.neighbour_figures import outputs_figure, pairs_figure
from privsc_core.evaluate.audit import audited_at, compare

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Cell, Learner
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.audit import Audited, Record


@dataclass(frozen=True, slots=True)
class Audit:
    """What all adjacent pairs of the instance say.

    Attributes
    ----------
    pairs : int
        How many there are.
    worst, ratio : float
        The largest |log ratio|, and as a multiple of epsilon.
    delta, least_delta : float
        The slack that is claimed, and the least that is needed.
    private : bool
        Whether the claim holds.
    """

    pairs: int
    worst: float
    ratio: float
    delta: float
    least_delta: float
    private: bool


@dataclass(frozen=True, slots=True, eq=False)
class Changed:
    """A pair as a page shows it: small enough to be kept, see `Neighbours` for all of it.

    Attributes
    ----------
    learner : Learner
        The variant that was enumerated.
    tiny : Cell
    records : tuple of (point, label)
        What the example that changes can become, itself included.
    sample, neighbour : tuple of (point, label)
    place : int
        Where they differ, from 0.
    merged : bool
        Whether outputs with the same log ratio stand together.
    worst, ratio : float
        The pair's largest |log ratio|, and as a multiple of epsilon.
    within : bool
        Whether every log ratio is in the band.
    least_delta : float
    audit : Audit
    outputs, pairs : Picture
        The pair's output distributions, and all pairs.
    """

    learner: Learner
    tiny: Cell
    records: tuple[Record, ...]
    sample: tuple[Record, ...]
    neighbour: tuple[Record, ...]
    place: int
    merged: bool
    worst: float
    ratio: float
    within: bool
    least_delta: float
    audit: Audit
    outputs: Picture
    pairs: Picture


def changed(
    concept: str,
    learner: str,
    epsilon: float,
    delta: float,
    *,
    sample: tuple[Record, ...] = (),
    place: int | None = None,
    record: Record | None = None,
) -> Changed:
    """Replace one example of a sample and compare what comes out; draw it beside all pairs.

    Parameters
    ----------
    concept, learner : str
        Names in the catalog.
    epsilon, delta : float
        The privacy loss, and the slack where the learner has one.
    sample : tuple of (point, label)
        Records that the instance does not have are left out.
    place : int, optional
        Which example changes, from 0.
    record : (point, label), optional
        What it becomes.

    Returns
    -------
    Changed
        What is left out, or does not fit the learner's instance, is that of the worst pair.
    """
    found = _audited(concept, learner, epsilon, delta)
    worst = compare(found)
    known = tuple(one for one in sample if one in found.records)
    base = known if len(known) == found.tiny.m else None
    at = worst.place if place is None or place >= found.tiny.m else place
    old = (base or worst.sample)[at]
    fits = found.learner.neighbours(old)
    records = tuple(one for one in found.records if one == old or fits(one))
    into = record if record in records else None
    pair = compare(found, base, at, into)
    audit = Audit(
        pairs=found.losses.size, worst=found.worst, ratio=found.ratio, delta=found.delta,
        least_delta=found.least_delta, private=found.private,
    )  # fmt: skip
    return Changed(
        learner=found.learner, tiny=found.tiny, records=records, sample=pair.sample,
        neighbour=pair.neighbour, place=pair.place, merged=pair.merged, worst=pair.worst,
        ratio=pair.ratio, within=pair.within, least_delta=pair.least_delta, audit=audit,
        outputs=outputs_figure(pair), pairs=pairs_figure(pair),
    )  # fmt: skip


@lru_cache(maxsize=32)  # up to a megabyte each; whoever changes an example asks again
def _audited(concept: str, learner: str, epsilon: float, delta: float) -> Audited:
    return audited_at(find_learner(concept, learner), epsilon=epsilon, delta=delta)
