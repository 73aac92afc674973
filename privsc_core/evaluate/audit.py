"""The privacy audit: every sample of a tiny instance, and every pair of adjacent ones."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.audit_runs import TRIALS, of_learner
from privsc_core.evaluate.results import AuditResult
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Learner


Record = tuple[int, int]

ROUNDING = 1e-9  # of log ratios, and of a slack as a share of it
_CANCELLED = 1e-13  # of a slack: sums of probabilities near 1
# Above this many databases an audit would take more than about a minute.
_DATABASES_MOST = 20_000
_CELLS_MOST = 20_000_000
_CELLS_AT_ONCE = 1 << 17  # they stay in the processor's cache
_EXPONENT_MOST = 709.0


@dataclass(frozen=True, slots=True, eq=False)
class Audited:
    """All samples of a tiny instance with the output distributions, and all adjacent pairs.

    Attributes
    ----------
    learner : Learner
        The variant that was enumerated.
    tiny : Cell
        With the epsilon that was asked for.
    records : tuple of (point, label)
        What an example can be; label 1 throughout where labels do not matter.
    outputs : tuple
        What can come out.
    table : ndarray
        Probabilities: one row per sample, in the order of `itertools.product`.
    losses : ndarray
        Of every ordered pair of adjacent samples the largest |log ratio|; inf where an output
        is possible on one side only.
    worst : float
        The largest of `losses`.
    sample, neighbour : tuple of (point, label)
        The first pair that attains it.
    delta : float
        The privacy slack that was claimed; 0 without one.
    least_delta : float
        The least slack with which the instance is private at epsilon: the largest sum of
        max(p - e^epsilon q, 0) over adjacent samples. Computed for approximate privacy only.
    private : bool
        Whether the claim holds on this instance, up to rounding; for a learner without one
        whether it would.
    """

    learner: Learner
    tiny: Cell
    records: tuple[Record, ...]
    outputs: tuple[Hashable, ...]
    table: NDArray[np.float64]
    losses: NDArray[np.float64]
    worst: float
    sample: tuple[Record, ...]
    neighbour: tuple[Record, ...]
    delta: float
    least_delta: float
    private: bool

    @property
    def ratio(self) -> float:
        """The worst log ratio as a multiple of epsilon."""
        return self.worst / self.tiny.epsilon

    def law(self, sample: tuple[Record, ...]) -> NDArray[np.float64]:
        """Return the output distribution on a sample."""
        row = 0
        for record in sample:
            row = row * len(self.records) + self.records.index(record)
        return np.asarray(self.table[row])


def audit(
    learner: Learner,
    *,
    d: int | None = None,
    m: int | None = None,
    epsilon: float | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    delta: float = 0.0,
    trials: int | None = None,
    seed: int = 1,
) -> AuditResult:
    """Compare the exact output distributions of all adjacent databases, or count runs.

    Adjacent databases differ by replacing one labelled example, for a learner that protects the
    labels alone by flipping one label; all databases of m examples over the 2^d points and both
    labels are taken, consistent or not; over the points alone where labels do not matter. Outputs with probability zero on both sides are ignored.

    For approximate privacy the least slack at epsilon is computed too. Where a learner's outputs
    are enumerated in bins it is that of the bins, which the unbinned output may exceed.

    A learner that does not list its outputs is run, see `evaluate.audit_runs`.

    Parameters
    ----------
    learner : Learner
        Its `audited` variant is enumerated; itself is run.
    d, m, epsilon, alpha, beta
        The instance; each defaults to the learner's own tiny one.
    delta : float
        The privacy slack; at 0 a learner that cannot do without uses its own default.
    trials : int, optional
        Run so often, also a learner that lists its outputs. Left out, 200,000 times if it does not.
    seed : int
        Seed of the public randomness (random class, hash function), or of all coins of the runs.

    Returns
    -------
    AuditResult
        The worst privacy loss, a pair that attains it, and the least slack.

    Raises
    ------
    InputError
        When the instance is too large to enumerate.
    """
    own = learner.tiny
    tiny = Cell(
        d=scalar("d", own.d if d is None else d),
        m=scalar("m", own.m if m is None else m),
        epsilon=scalar("epsilon", own.epsilon if epsilon is None else epsilon),
        alpha=scalar("alpha", own.alpha if alpha is None else alpha),
        beta=scalar("beta", own.beta if beta is None else beta),
    )
    if trials is not None or not learner.lists_outputs:
        trials = TRIALS if trials is None else trials
        return of_learner(learner, tiny, delta=scalar("delta", delta), trials=trials, seed=seed)
    found = audited(learner, tiny, delta=delta, seed=seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.abs(np.log(found.law(found.sample)) - np.log(found.law(found.neighbour)))
    output = found.outputs[int(np.argmax(np.where(np.isnan(gap), 0.0, gap)))]
    return AuditResult(
        epsilon=tiny.epsilon,
        worst=found.worst,
        pairs=found.losses.size,
        private=found.private,
        database=found.sample,
        neighbour=found.neighbour,
        output="⊥" if output is None else str(output),
        delta=found.delta,
        least_delta=found.least_delta,
    )


def audited(learner: Learner, tiny: Cell, *, delta: float = 0.0, seed: int = 1) -> Audited:
    """Enumerate every sample of a tiny instance and every adjacent pair.

    Parameters
    ----------
    learner : Learner
        Its `audited` variant is used.
    tiny : Cell
        The instance, with the epsilon that is to be kept.
    delta : float
        The privacy slack; at 0 a learner that cannot do without uses its own default.
    seed : int
        Of what the learner draws before it sees the data.

    Raises
    ------
    InputError
        When the instance is too large to enumerate.
    """
    variant = learner.at(scalar("delta", delta)).audited()
    seed = scalar("seed", seed)
    bits = tiny.d + variant.labelled
    if bits * tiny.m > math.log2(_DATABASES_MOST):
        written = "(2^(d+1))^m" if variant.labelled else "(2^d)^m"
        requirement = f"must leave at most {_DATABASES_MOST} databases, {written}"
        raise InputError("m", requirement, f"m = {tiny.m} at d = {tiny.d}")
    labels = (0, 1) if variant.labelled else (1,)
    records = tuple(itertools.product(range(1, (1 << tiny.d) + 1), labels))
    with progress.stage(0.0, 0.6):
        outputs, table = _laws(variant, tiny, records, seed)
    approximate = variant.privacy == "approximate"
    with progress.stage(0.6, 1.0):
        losses, (row, place, record), least = _pairs(
            table, _exchanges(variant, records), tiny, approximate=approximate
        )
    claimed = variant.privacy_slack
    chosen = next(itertools.islice(itertools.product(records, repeat=tiny.m), row, None))
    worst = float(losses.max())
    return Audited(
        learner=variant, tiny=tiny, records=records, outputs=outputs, table=table, losses=losses,
        worst=worst, sample=chosen,
        neighbour=(*chosen[:place], records[record], *chosen[place + 1 :]),
        delta=claimed, least_delta=least,
        private=(
            least <= claimed * (1.0 + ROUNDING) + _CANCELLED
            if approximate
            else worst <= tiny.epsilon + ROUNDING
        ),
    )  # fmt: skip


def excess(
    here: NDArray[np.float64], there: NDArray[np.float64], epsilon: float
) -> NDArray[np.float64]:
    """Return the sum of max(p - e^epsilon q, 0) over outputs, the last axis."""
    # Above the largest float's logarithm only outputs that q excludes count.
    factor = math.exp(min(epsilon, _EXPONENT_MOST))
    return np.asarray(np.maximum(here - factor * there, 0.0).sum(axis=-1))


def _laws(
    variant: Learner, tiny: Cell, records: tuple[Record, ...], seed: int
) -> tuple[tuple[Hashable, ...], NDArray[np.float64]]:
    """Return the outputs and their probabilities on every sample."""
    known: dict[tuple[Record, ...], NDArray[np.float64]] = {}
    outputs: dict[Hashable, None] = {}
    keys = []
    for sample in progress.steps(itertools.product(records, repeat=tiny.m)):
        key = tuple(sorted(sample)) if variant.symmetric else sample
        keys.append(key)
        if key in known:
            continue
        points, labels = zip(*key, strict=True)
        mine = Sample.of(tiny.d, points, labels)
        chances = variant.output_distribution(mine, tiny, public=seed)
        outputs |= dict.fromkeys(chances)
        # What is not listed for a sample has probability 0 there.
        known[key] = np.array([chances.get(output, 0.0) for output in outputs])
        if len(records) ** tiny.m * len(outputs) > _CELLS_MOST:
            requirement = f"must leave at most {_CELLS_MOST} pairs of a database and an output"
            raise InputError("m", requirement, f"m = {tiny.m} at d = {tiny.d}")
    table = np.zeros((len(keys), len(outputs)))
    for row, key in zip(table, keys, strict=True):
        row[: len(known[key])] = known[key]
    return tuple(outputs), table


def _exchanges(variant: Learner, records: tuple[Record, ...]) -> NDArray[np.bool_]:
    """Return which record (row) may be exchanged for which (column) in an adjacent sample."""
    told = map(variant.neighbours, records)
    return np.array([[into(other) for other in records] for into in told])


def _pairs(
    table: NDArray[np.float64],
    exchanges: NDArray[np.bool_],
    tiny: Cell,
    *,
    approximate: bool,
) -> tuple[NDArray[np.float64], tuple[int, int, int], float]:
    """Return all losses, the first worst pair (sample, place, record) and the least slack."""
    number, size, least = len(table), len(exchanges), 0.0
    with np.errstate(divide="ignore"):
        logs = np.log(table)
    losses = np.full((number, tiny.m, size), -1.0)
    block = max(1, _CELLS_AT_ONCE // table.shape[1])
    for start in progress.steps(range(0, number, block)):
        row = np.arange(start, min(start + block, number))
        for place, record in itertools.product(range(tiny.m), range(size)):
            step = size ** (tiny.m - 1 - place)
            old = row // step % size
            mine = row[exchanges[old, record]]
            if not mine.size:
                continue
            other = mine + (record - mine // step % size) * step
            with np.errstate(invalid="ignore"):
                gap = np.abs(logs[mine] - logs[other])
            losses[mine, place, record] = np.where(np.isnan(gap), 0.0, gap).max(axis=1)
            if approximate:
                # Every ordered pair comes up, so one direction here is both in the end.
                slack = excess(table[mine], table[other], tiny.epsilon)
                least = max(least, float(slack.max()))
    at = np.unravel_index(int(np.argmax(losses)), losses.shape)
    return losses[losses >= 0.0], (int(at[0]), int(at[1]), int(at[2])), least


# -------------------------------------------------------------------------------------------------
# Two samples that differ in one example, and what a learner's output tells of the difference.
#
# Everything is enumerated on the learner's tiny instance, by the audit: both output distributions,
# the log ratio of every output, and the largest log ratio of every pair of adjacent samples there is.


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


def instance(learner: Learner, epsilon: float | None = None) -> Cell:
    """Return the tiny instance on which a learner is enumerated while a reader waits."""
    tiny = learner.tiny if learner.shown_m is None else replace(learner.tiny, m=learner.shown_m)
    return tiny if epsilon is None else replace(tiny, epsilon=scalar("epsilon", epsilon))


def audited_at(learner: Learner, *, epsilon: float, delta: float = 0.0, seed: int = 1) -> Audited:
    """Enumerate that instance at an epsilon; see `evaluate.audit.audited`."""
    return audited(learner, instance(learner, epsilon), delta=delta, seed=seed)


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
