"""Two samples that differ in one example, and what a learner's output tells of the difference.

Everything is enumerated on the learner's tiny instance: both output distributions, the log ratio
of every output, and the largest log ratio of every pair of adjacent samples there is.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.point.learners import NoiseBoosted
from privsc_core.concepts.sample import Sample
from privsc_core.errors import InputError
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Learner, TinyInstance

__all__ = ["Audited", "Neighbours", "Outcome", "Record", "audited", "compare", "instance"]

Record = tuple[int, int]

# Fewer examples than the audit of the test suite takes, where that takes seconds.
_EXAMPLES: dict[str, int] = {"noise-pseudorandom": 2}
_BARS_MOST = 20
_SAME = 1e-9
_EXPONENT_MOST = 709.0


@dataclass(frozen=True, slots=True, eq=False)
class Audited:
    """All samples of a tiny instance with the output distributions, and all adjacent pairs.

    Attributes
    ----------
    learner : Learner
        The variant that was enumerated.
    tiny : TinyInstance
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
        The least slack with which the instance is private at epsilon.
    private : bool
        Whether the claim holds on this instance; for a learner without one whether it would.
    """

    learner: Learner
    tiny: TinyInstance
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
        return self.worst <= self.found.tiny.epsilon + _SAME


def instance(learner: Learner, epsilon: float | None = None) -> TinyInstance:
    """Return the tiny instance on which a learner is enumerated here."""
    tiny = learner.tiny
    tiny = replace(tiny, m=_EXAMPLES.get(learner.name, tiny.m))
    return tiny if epsilon is None else replace(tiny, epsilon=scalar("epsilon", epsilon))


def audited(learner: Learner, *, epsilon: float, delta: float = 0.0, seed: int = 1) -> Audited:
    """Enumerate every sample of the tiny instance and every adjacent pair.

    Parameters
    ----------
    learner : Learner
        Its `audited` variant is used.
    epsilon : float
        The privacy loss that it is to keep.
    delta : float
        The privacy slack; at 0 a learner that has one uses its own default.
    seed : int
        Of what the learner draws before it sees the data.
    """
    tiny = instance(learner, epsilon)
    variant = learner.at(scalar("delta", delta)).audited()
    labels = (0, 1) if variant.labelled else (1,)
    records = tuple(itertools.product(range(1, (1 << tiny.d) + 1), labels))
    outputs, table = _laws(variant, tiny, records, seed)
    losses, worst, least = _pairs(table, len(records), tiny)
    approximate = variant.privacy == "approximate"
    claimed = float(getattr(variant, "delta", 0.0)) if approximate else 0.0
    row, place, record = worst
    chosen = next(itertools.islice(itertools.product(records, repeat=tiny.m), row, None))
    loss = float(losses.max())
    return Audited(
        learner=variant, tiny=tiny, records=records, outputs=outputs, table=table, losses=losses,
        worst=loss, sample=chosen,
        neighbour=(*chosen[:place], records[record], *chosen[place + 1 :]),
        delta=claimed, least_delta=least,
        private=(
            least <= claimed * (1.0 + _SAME) + 1e-13
            if approximate
            else loss <= tiny.epsilon + _SAME
        ),
    )  # fmt: skip


def _laws(
    variant: Learner, tiny: TinyInstance, records: tuple[Record, ...], seed: int
) -> tuple[tuple[Hashable, ...], NDArray[np.float64]]:
    """Return the outputs and their probabilities on every sample."""
    known: dict[tuple[Record, ...], NDArray[np.float64]] = {}
    outputs: tuple[Hashable, ...] = ()
    rows = []
    # All learners but this one treat the examples alike, so that their order does not matter.
    ordered = isinstance(variant, NoiseBoosted)
    for sample in itertools.product(records, repeat=tiny.m):
        key = sample if ordered else tuple(sorted(sample))
        if key not in known:
            chances = variant.output_distribution(
                Sample.of(tiny.d, [x for x, _ in key], [y for _, y in key]),
                epsilon=tiny.epsilon, alpha=tiny.alpha, beta=tiny.beta, public=seed,
            )  # fmt: skip
            outputs = outputs or tuple(chances)
            known[key] = np.array([chances[output] for output in outputs])
        rows.append(known[key])
    return outputs, np.array(rows)


def _pairs(
    table: NDArray[np.float64], size: int, tiny: TinyInstance
) -> tuple[NDArray[np.float64], tuple[int, int, int], float]:
    """Return all losses, the first worst pair (sample, place, record) and the least slack."""
    m = tiny.m
    number = len(table)
    row = np.arange(number)
    with np.errstate(divide="ignore"):
        logs = np.log(table)
    factor = math.exp(min(tiny.epsilon, _EXPONENT_MOST))
    losses = np.full((number, m, size), -1.0)
    least = 0.0
    for place in range(m):
        step = size ** (m - 1 - place)
        old = row // step % size
        for record in range(size):
            mine = row[old != record]
            other = mine + (record - old[mine]) * step
            with np.errstate(invalid="ignore"):
                gap = np.abs(logs[mine] - logs[other])
            losses[mine, place, record] = np.where(np.isnan(gap), 0.0, gap).max(axis=1)
            slack = np.maximum(table[mine] - factor * table[other], 0.0).sum(axis=1)
            least = max(least, float(slack.max()))
    at = np.unravel_index(int(np.argmax(losses)), losses.shape)
    return losses[losses >= 0.0], (int(at[0]), int(at[1]), int(at[2])), least


def compare(
    found: Audited,
    sample: tuple[Record, ...] | None = None,
    place: int | None = None,
    record: Record | None = None,
) -> Neighbours:
    """Compare a sample with the one in which an example is replaced.

    What is left out comes from the worst pair of the instance.

    Raises
    ------
    InputError
        For a sample or an example that the instance does not have.
    """
    sample = found.sample if sample is None else sample
    pairs = zip(found.sample, found.neighbour, strict=True)
    changed = next(i for i, (old, new) in enumerate(pairs) if old != new)
    place = changed if place is None else place
    record = found.neighbour[changed] if record is None else record
    if len(sample) != found.tiny.m or any(entry not in found.records for entry in sample):
        raise InputError("sample", f"must have {found.tiny.m} examples of the tiny domain", sample)
    if not 0 <= place < found.tiny.m:
        raise InputError("record", f"must be from 1 to {found.tiny.m}", place + 1)
    if record not in found.records:
        raise InputError("record", "must be an example of the tiny domain", record)
    neighbour = (*sample[:place], record, *sample[place + 1 :])
    here, there = found.law(sample), found.law(neighbour)
    outcomes, merged = _outcomes(found, here, there)
    factor = math.exp(min(found.tiny.epsilon, _EXPONENT_MOST))
    slack = max(
        float(np.maximum(p - factor * q, 0.0).sum()) for p, q in ((here, there), (there, here))
    )
    return Neighbours(
        found=found, sample=sample, neighbour=neighbour, place=place, outcomes=outcomes,
        merged=merged, worst=max(abs(o.loss) for o in outcomes), least_delta=slack,
    )  # fmt: skip


def _outcomes(
    found: Audited, here: NDArray[np.float64], there: NDArray[np.float64]
) -> tuple[tuple[Outcome, ...], bool]:
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.log(here) - np.log(there)
    possible = (here > 0.0) | (there > 0.0)
    if int(possible.sum()) <= _BARS_MOST:
        return tuple(
            Outcome(_name(found, output), float(p), float(q), float(r))
            for output, p, q, r, here_or_there in zip(
                found.outputs, here, there, loss, possible, strict=True
            )
            if here_or_there
        ), False
    # Outputs with the same ratio tell the same about the example: together they lose nothing.
    names = [output for output, ok in zip(found.outputs, possible, strict=True) if ok]
    _, first, group, number = np.unique(
        np.round(loss[possible] / _SAME),
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
            _name(found, names[first[g]]) if number[g] == 1 else f"{number[g]:,} {_nouns(found)}",
            float(p[g]), float(q[g]), float(levels[g]), int(number[g]),
        )
        for g in shown.tolist()
    ]  # fmt: skip
    left = np.setdiff1d(np.arange(len(levels)), shown)
    if left.size:
        a, b, n = float(p[left].sum()), float(q[left].sum()), int(number[left].sum())
        outcomes.append(Outcome(f"{n:,} other {_nouns(found)}", a, b, math.log(a / b), n))
    return tuple(outcomes), True


_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_NOUNS = {
    "representation": "sets", "hash": "buckets", "noise-pseudorandom": "keys", "blr": "databases",
    "laplace": "releases", "geometric": "releases", "stability": "releases",
}  # fmt: skip


def _nouns(found: Audited) -> str:
    return _NOUNS.get(found.learner.name, "outputs")


def _name(found: Audited, output: Hashable) -> str:
    """Return an output in a few characters."""
    kind = _nouns(found)
    if output is None:
        return "⊥"
    if isinstance(output, bytes):
        return f"key {output.hex()}"
    if isinstance(output, tuple):
        if kind in {"releases", "databases"}:
            return "(" + ", ".join(f"{float(v):.3g}" for v in output) + ")"
        return "".join(map(str, output))
    if kind in {"sets", "buckets"}:
        return f"{kind[:-1]} {output}"
    return f"c{str(output).translate(_LOWERED)}"
