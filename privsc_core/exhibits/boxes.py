"""The packing argument to play with: what its figures show, and the same in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core import catalog, progress
from privsc_core.concepts.contracts import Cell
from privsc_core.draw.boxes_figures import (
    amount,
    at_most,
    average_figure,
    cliff_figure,
    many,
    shares_figure,
)
from privsc_core.draw.style import integer, number, share
from privsc_core.evaluate.boxes import packed, sweep
from privsc_core.evaluate.need import need
from privsc_core.numerics.decimals import complement
from privsc_core.numerics.text import raised, small

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import ConceptClass
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.boxes import Hand, Packed, Shares


@dataclass(frozen=True, slots=True)
class Answer:
    """What a learner's answers look like: how many points of the domain they label 1."""

    learner: str
    proper: bool
    ones: str
    part: str


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """The scene as a page shows it.

    Attributes
    ----------
    nothing : str
        Why there is no scene: then there is `asked` alone. Else empty.
    words : str
        All that it shows, in sentences.
    total : str
        The sum on the sample that is shown.
    fits, average_fits : bool
        Whether that is at most 1, and whether the average reaches 1 - beta.
    average, asked : str
    before : int
        The last m that is impossible, 0 where none is.
    least, least_merged, least_learner : int or None
        Where the bound ends; where it ends for merged boxes; who gets by with how many.
    learner : str
        Who does, empty if nobody is known.
    applies_to, law, way_out, merged_many : str
        As the bound tells them; the last is empty where nothing can be merged.
    fixed : bool
        Whether K is always the same.
    typical : int
        The likeliest K.
    answers : tuple of Answer
    pictures : tuple of Picture
        Of one sample, over K, over m.
    """

    nothing: str = ""
    words: str = ""
    total: str = ""
    fits: bool = False
    average_fits: bool = False
    average: str = ""
    asked: str = ""
    least: int | None = None
    before: int = 0
    least_merged: int | None = None
    least_learner: int | None = None
    learner: str = ""
    applies_to: str = ""
    law: str = ""
    way_out: str = ""
    merged_many: str = ""
    fixed: bool = False
    typical: int = 0
    answers: tuple[Answer, ...] = ()
    pictures: tuple[Picture, ...] = ()


def packing_names(concept: ConceptClass) -> tuple[str, ...]:
    """Return the names of the bounds of a class whose proofs can be acted out."""
    return tuple(entry.name for entry in concept.bounds if entry.packs)


def shared(
    *,
    concept: str,
    bound: str,
    m: int,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float,
    delta: float = 0.0,
    hand: Hand = "asked",
    give: float = 0.5,
    differ: int | None = None,
    merge: bool = False,
) -> Shared:
    """Act out the proof of a bound, see `packed`.

    Raises
    ------
    InputError
        For names that the catalog does not have.
    """
    found = catalog.concept(concept)
    entry = catalog.bound(concept, bound)
    at = Cell(d, epsilon, alpha, beta, delta)
    shown = packed(entry, at, m, hand=hand, give=give, differ=differ)
    if shown is None:
        said = entry.least(at)
        why = said.note or said.reason or "says nothing here"
        return Shared(nothing=f"The bound {why}.", asked=number(complement(beta)))
    boxes, merging = shown.boxes, shown.boxes.merged if merge else None
    with progress.stage(0.0, 0.9):
        curve = sweep(shown)
    learner, least_learner = "", None
    if merging is not None:
        who = catalog.learner(concept, merging.learner)
        law = catalog.distribution(concept, entry.proved_on[0])
        learner = who.title
        with progress.stage(0.9, 1.0):
            found_m = need(who, law, d=d, epsilon=epsilon, alpha=alpha, beta=beta).m.item()
        least_learner = None if math.isnan(found_m) else int(found_m)
    shares = shown.merged if merging is not None and shown.merged is not None else shown.apart
    return Shared(
        words=_words(shown, shares, merged=merging is not None),
        total=amount(shares.log_total), fits=shares.fits,
        average_fits=shares.least is not None and m >= shares.least,
        average=share(shares.average), asked=number(shown.asked), least=shown.apart.least,
        before=(shown.apart.least or 1) - 1,
        least_merged=shown.merged.least if shown.merged is not None else None,
        least_learner=least_learner, learner=learner, applies_to=entry.applies_to,
        law=boxes.law, way_out=boxes.way_out,
        merged_many=_merged(shown), fixed=shown.weights.size == 1, typical=shown.typical,
        answers=_answers(found, d, epsilon, alpha, beta),
        pictures=(
            shares_figure(shown, merge=merge),
            cliff_figure(shown, curve, merge=merge),
            average_figure(shown, curve, merge=merge),
        ),
    )  # fmt: skip


def _merged(shown: Packed) -> str:
    merged = shown.boxes.merged
    if merged is None:
        return ""
    # One box more: the one that is good for nobody is owed nothing.
    return f"{round(math.exp(merged.log_rivals)) + 2:,} {merged.many}"


def _words(shown: Packed, shares: Shares, *, merged: bool) -> str:
    """Return what the figures show, in sentences."""
    boxes, at = shown.boxes, shown.at
    one, several = boxes.one, boxes.many
    if merged and boxes.merged is not None:
        one, several = boxes.merged.one, boxes.merged.many
    own, owed, total = (
        amount(log) for log in (shares.log_promise, shares.log_owed, shares.log_total)
    )
    verdict = "it fits" if shares.fits else "it does not fit"
    halfway = (
        f"On a database halfway, {shares.steps:,} {boxes.unit} from the sample of the right {one} and "
        f"{shown.count - shares.steps:,} from that of another one, the right {one} still gets "
        f"{amount(shares.log_own)}; all other answers are owed {owed}. In all {total} of 1: {verdict}."
    )
    sample = (
        f"On a sample K = {shown.count:,} {boxes.unit} away from those of other targets the right {one} "
        f"gets {own}; the others, {many(shares.log_rivals)} {several}, are owed "
        f"{amount(shares.log_each)} each, {owed} together. In all {total} of 1: {verdict}."
    )
    if boxes.halfway:
        sample = halfway
    average = (
        f"Averaged over K and the targets, at d = {at.d:,} and ε = {number(at.epsilon)}, "
        f"m = {shown.m:,} allows success {at_most(shares.average)}"
    )
    if shares.least is None:
        return f"{sample} {average}."
    goal = "enough" if shown.m >= shares.least else "too few"
    return (
        f"{sample} {average}. For {number(shown.asked)} it takes m ≥ {integer(shares.least)}: "
        f"{shown.m:,} are {goal} for this argument."
    )


def _answers(
    concept: ConceptClass, d: int, epsilon: float, alpha: float, beta: float
) -> tuple[Answer, ...]:
    found = []
    for entry in concept.learners:
        ones = entry.log_ones(Cell(d, epsilon, alpha, beta))
        if ones is not None:
            part = small(2.0 ** (ones - d)) if ones - d > -1000.0 else f"2{raised(round(ones - d))}"
            found.append(Answer(entry.title, entry.proper, _ones(ones, d), part))
    return tuple(found)


def _ones(ones: float, d: int) -> str:
    """Return a number of points from its binary logarithm."""
    if ones == round(ones):
        return f"{2 ** round(ones):,}" if ones < 20 else f"2{raised(round(ones))}"
    if ones < 20:
        return f"about {2.0**ones:,.0f}"
    return f"about {2.0 ** (ones - d):.3g}·2{raised(d)}"
