"""What every learner of a class reaches with what one has, and what is out of anyone's reach.

The one question behind the page, the command `privsc reach` and its CSV: all parameters but one are
given, the one that is left is looked for (`reach.reach`). A learner's number stands beside that of
the strongest lower bound that binds it: nobody whom the bound binds does better than that.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from privsc_core import catalog, progress
from privsc_core.concepts.contracts.idle import of_need, said, shared
from privsc_core.concepts.shared.variants import beside
from privsc_core.errors import InputError
from privsc_core.evaluate.reach import Reached, Wanted, easier
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.concepts.contracts import Bound, Distribution, Learner
    from privsc_core.evaluate.question import Question

Order: TypeAlias = Literal["catalog", "value", "best", "ratio"]
ORDERS: tuple[Order, ...] = ("catalog", "value", "best", "ratio")

_KEPT = 4096  # answers about bounds: each is asked for by all learners that it binds


@dataclass(frozen=True, slots=True)
class Line:
    """One learner: what it reaches, and what bounds say is out of reach.

    Attributes
    ----------
    name : str
        The learner, in the catalog.
    value : float
        The least m, epsilon, alpha or beta, or the greatest d; NaN where there is none.
    reason, note : str
        Why there is none; a remark on it.
    bound : str
        The strongest lower bound that binds the learner and stands on the distribution; empty where
        none says anything.
    proved : bool
        Whether it is proved on the distribution; else it is for the worst case, and speaks of those
        who are to succeed on all distributions.
    best : float
        What the bound leaves: of m the least number, of d the greatest, that it does not exclude; of
        the others the greatest value up to which it excludes all: anyone needs more. NaN without a bound.
    ratio : float
        How many times better than the learner anyone could be at most, at least 1; NaN where one of
        the two numbers is missing, or the search ends at the value.
    at_end : bool
        Whether the search ends at the value: a more demanding one may suffice too.
    complete : bool
        Whether no value that demands more suffices; else the learner reaches at least the value, see
        `reach.Reached`.
    """

    name: str
    value: float
    reason: str = ""
    note: str = ""
    bound: str = ""
    proved: bool = False
    best: float = math.nan
    ratio: float = math.nan
    at_end: bool = False
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """A line of every learner with an exact law, and the others with reasons."""

    question: Question
    lines: tuple[Line, ...]
    left_out: tuple[tuple[str, str], ...]


def answer(question: Question) -> Answer:
    """Return the lines of all learners of the class, in the order of the catalog.

    Raises
    ------
    InputError
        If no learner has a line, with the reason of the first.
    """
    question = question.checked()
    lines, left_out, refused = [], [], None
    for learner in progress.steps(question.concept_class.learners):
        try:
            lines.append(line(question, learner.name))
        except InputError as error:
            refused = refused or error
            left_out.append((learner.name, _why(learner, question, error)))
    if refused is not None and not lines:
        raise refused
    return Answer(question, tuple(lines), tuple(left_out))


def ordered(lines: Sequence[Line], by: str, *, wanted: Wanted) -> tuple[Line, ...]:
    """Return lines in an order; those without the number come last, equal ones stay as they were.

    Parameters
    ----------
    lines : sequence of Line
    by : {"catalog", "value", "best", "ratio"}
        As listed; the most demanding value first; the most demanding bound; the smallest ratio.
    wanted : str
        What the lines are about: of d the greatest is the most demanding.
    """
    if by == "catalog":
        return tuple(lines)
    sign = -1.0 if wanted == "d" and by != "ratio" else 1.0

    def key(entry: Line) -> tuple[bool, float]:
        number: float = getattr(entry, by)
        return (True, 0.0) if math.isnan(number) else (False, sign * number)

    return tuple(sorted(lines, key=key))


def idle(concept: str, distribution: str) -> dict[str, str]:
    """Return what changes no line of a class on a distribution, and why."""
    entry, law = catalog.concept(concept), catalog.distribution(concept, distribution)
    learners = [e for e in entry.learners if e.laws.get(law.name) == "exact"]
    lower = [e for e in entry.bounds if e.kind == "lower" and law.name in e.valid_on]
    bounds = lower if learners else []
    return shared([*(of_need(e.idle(law)) for e in learners), *(e.idle for e in bounds)])


def line(question: Question, learner: str) -> Line:
    """Return the line of one learner; where the question has trials its law may be simulated.

    Raises
    ------
    InputError
        As `reach`: where its law is not exact, or not there at this setting.
    """
    entry, law = catalog.learner(question.concept, learner, question.u), question.law
    found = replace(question, learner=learner).reach()
    if question.wanted == "epsilon" and entry.privacy == "none":
        found = Reached(math.nan, "it is not private: no epsilon belongs to it")
    bound, best = _strongest(question, entry, law, found.value)
    proved = bound != "" and law.name in catalog.bound(question.concept, bound).proved_on
    ratio = math.nan
    if not found.at_end and not math.isnan(found.value) and not math.isnan(best):
        ratio = best / found.value if question.wanted == "d" else found.value / best
    idle = of_need(entry.idle(law))
    sought: dict[str, str] = {name: why for name, why in idle.items() if name == question.wanted}
    note = "; ".join(filter(None, (found.note, beside(entry), *said(sought))))
    return Line(
        entry.name, found.value, found.reason, note, bound, proved, best, ratio, found.at_end,
        found.complete,
    )  # fmt: skip


def record(question: Question, found: Line) -> dict[str, Any]:
    """Return a line as a record: the question, the answer, the bound; null where there is none."""
    whole = question.wanted in {"m", "d"}

    def plain(value: float, *, exact: bool) -> float | int | None:
        if math.isnan(value):
            return None
        return int(value) if exact else value

    entry = catalog.learner(question.concept, found.name, question.u)
    return {
        "concept": question.concept, "learner": found.name, "distribution": question.distribution,
        **question.given(), "privacy": entry.promise(question.delta), "proper": entry.proper,
        "efficient": entry.efficient, "for": question.wanted,
        "value": plain(found.value, exact=whole), "bound": found.bound or None,
        "proved": found.proved if found.bound else None, "best": plain(found.best, exact=whole), "ratio": plain(found.ratio, exact=False),
        "complete": None if math.isnan(found.value) else found.complete,
        "reason": found.reason or None, "note": found.note or None,
    }  # fmt: skip


def _why(learner: Learner, question: Question, error: InputError) -> str:
    """Return in words why a learner has no line."""
    law = question.law
    method = learner.laws.get(law.name)
    if method == "exact":
        return question.concept_class.refusal(error)
    if method is None:
        return f"its law on the distribution {law.label} is not known yet"
    return f"its law on the distribution {law.label} is simulated, so that no digit is certain"


def _strongest(
    question: Question, learner: Learner, law: Distribution, value: float
) -> tuple[str, float]:
    """Return the lower bound that leaves least, by its name and what it leaves.

    The one that asks for most where the learner arrives is asked first; of the others only those
    that exclude still more.
    """
    binding = [
        entry
        for entry in question.concept_class.bounds
        if entry.kind == "lower"
        and law.name in entry.valid_on
        and entry.binds(learner)
        and not entry.passed(learner, law)
    ]
    at = question.at(parameter(question.wanted).default if math.isnan(value) else value)
    asked = {entry.name: entry.least(at).m or 0 for entry in binding}
    binding.sort(key=lambda entry: (-asked[entry.name], law.name not in entry.proved_on))
    name, best = "", math.nan
    for entry in binding:
        if not math.isnan(best) and not _excludes_more(question, entry, best):
            continue
        left = _left(question, entry.name)
        # One that comes and goes may exclude a value and yet not all that demand more.
        sign = 1.0 if question.wanted == "d" else -1.0
        if not math.isnan(left) and (
            math.isnan(best) or sign * left < sign * best or question.wanted == "m"
        ):
            name, best = entry.name, left
    return name, best


def _excludes_more(question: Question, entry: Bound, best: float) -> bool:
    """Return whether a lower bound excludes more than what leaves `best`."""
    if question.wanted == "m":
        return (entry.over(question.at(best), int(best)) or 0.0) < 0.0
    # What is left of d is not excluded any more; of the others it is the last that is.
    next_ = best if question.wanted == "d" else easier(question.wanted, best)
    if next_ is None:
        return False
    return (entry.over(question.at(next_), question.m) or 0.0) < 0.0


@functools.lru_cache(_KEPT)
def _left(question: Question, bound: str) -> float:
    """Return what a lower bound leaves, NaN where it says nothing."""
    entry = catalog.bound(question.concept, bound)
    found = replace(question, bound=bound).reach()
    if math.isnan(found.value) or not entry.reaches(question.law, question.at(found.value)):
        return math.nan
    if question.wanted == "d":
        return found.value - 1.0 if found.value > 1.0 else math.nan
    return found.value
