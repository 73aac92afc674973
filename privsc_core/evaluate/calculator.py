"""What every learner of a class reaches with what one has, and what is out of anyone's reach.

The one question behind the page, the command `privsc reach` and its CSV: all parameters but one are
given, the one that is left is looked for (`reach.reach`). A learner's number is that of its exact law on
one distribution, or what an upper bound promises. A learner without an exact law there is asked for what is
promised there. Beside it stands that of the strongest lower bound that binds it: no learner that the bound binds
does better than that.
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
from privsc_core.evaluate.reach import Reached, easier
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
        The gap between the two numbers: no learner that the bound binds is better than this one by a larger
        factor. At least 1; NaN where one of the two is missing, or the search ends at the value.
    at_end : bool
        Whether the search ends at the value: a more demanding one may suffice too.
    complete : bool
        Whether no value that demands more suffices; else the learner reaches at least the value, see
        `reach.Reached`.
    promise : str
        The upper bound that guarantees the value; empty where it is that of the learner's law.
    only_on : str
        To which distributions the guarantee is limited, in words; empty where it holds on every one.
    on : str
        The distribution that was asked about; empty where no single one was.
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
    promise: str = ""
    only_on: str = ""
    on: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A line of every learner that has a number, and the others with reasons."""

    question: Question
    lines: tuple[Line, ...]
    left_out: tuple[tuple[str, str], ...]


def answer(question: Question, *, guaranteed: bool = False) -> Answer:
    """Return the lines of all learners of the class, in the order of the catalog.

    Parameters
    ----------
    question : Question
    guaranteed : bool
        Whether a line is what an upper bound promises (`guarantee`), instead of what the exact law on the
        distribution of the question says.

    Raises
    ------
    InputError
        If no learner has a line, with the reason of the first one whose law is exact there.
    """
    question = question.checked()
    lines, left_out, refused = [], [], None
    for learner in progress.steps(question.concept_class.learners):
        try:
            lines.append((guarantee if guaranteed else line)(question, learner.name))
        except InputError as error:
            if learner.laws.get(question.law.name) == "exact" and error.parameter != "learner":
                refused = refused or error
            left_out.append((learner.name, _why(learner, question, error)))
    if refused is not None and not lines:
        raise refused
    return Answer(question, tuple(lines), tuple(left_out))


def ordered(found: Answer, by: str, lines: Sequence[Line] | None = None) -> tuple[Line, ...]:
    """Return the lines of an answer, or some of them, in an order; equal ones stay as they were.

    What has the number comes before what has none, a guarantee on every distribution before one on some; last
    come learners that take unlabelled examples beside the m labelled ones, and then those without privacy.

    Parameters
    ----------
    found : Answer
    by : {"catalog", "value", "best", "ratio"}
        As listed; the most demanding value first; the most demanding bound; the smallest ratio.
    lines : sequence of Line, optional
    """
    every = found.lines if lines is None else lines
    if by == "catalog":
        return tuple(every)
    # Of d the greatest is the most demanding.
    sign = -1.0 if found.question.wanted == "d" and by != "ratio" else 1.0
    entries = _entries(found)

    def key(entry: Line) -> tuple[bool, bool, bool, bool, float]:
        learner, number = entries[entry.name], float(getattr(entry, by))
        none = math.isnan(number)
        return (
            learner.privacy == "none", learner.unlabelled > 0, none, bool(entry.only_on),
            0.0 if none else sign * number,
        )  # fmt: skip

    return tuple(sorted(every, key=key))


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of learners.

    Attributes
    ----------
    privacy : {"", "none", "pure", "approximate", "label"}
        What exactly they guarantee; empty for anything.
    proper : bool, optional
        Whether they are proper; None where that does not matter.
    """

    privacy: str = ""
    proper: bool | None = None

    def has(self, learner: Learner, delta: float) -> bool:
        """Return whether a learner is of this kind at a privacy slack."""
        return self.privacy in {"", learner.promise(delta)} and self.proper in {
            None,
            learner.proper,
        }

    def met_by(self, learner: Learner, delta: float) -> bool:
        """Return whether a learner does what is asked of this kind, and maybe more.

        A pure learner is (epsilon, delta)-private for every delta, and protects labels. An improper kind
        is met by a proper learner.
        """
        met = learner.promise(delta) in _STRONGER[self.privacy]
        return met and (learner.proper or not self.proper)


# Labels are protected with epsilon alone, which a learner with a slack does not promise.
_STRONGER = {
    "": {"label", "approximate", "pure"}, "none": {"none", "label", "approximate", "pure"},
    "label": {"label", "pure"}, "approximate": {"approximate", "pure"}, "pure": {"pure"},
}  # fmt: skip


def of_kind(found: Answer, kind: Kind) -> tuple[Line, ...]:
    """Return the lines of the learners of a kind."""
    delta, entries = found.question.delta, _entries(found)
    return tuple(line for line in found.lines if kind.has(entries[line.name], delta))


def beside_kind(found: Answer, kind: Kind) -> Line | None:
    """Return the best line of a private learner of another kind that does better; None without one.

    Where the kind has a number, another learner counts that does what is asked of the kind; else, if there is
    none of these, any with the same privacy.
    """
    delta, entries = found.question.delta, _entries(found)

    def best(*kinds: Callable[[Learner, float], bool]) -> Line | None:
        lines = [e for e in found.lines if not math.isnan(e.value) and any(
            has(entries[e.name], delta) for has in kinds) and entries[e.name].privacy != "none"]  # fmt: skip
        return next(iter(ordered(found, "value", lines)), None)

    own, other = best(kind.has), best(kind.met_by)
    if own is None:
        return other or best(Kind(kind.privacy).has)
    return None if ordered(found, "value", [own, other or own])[0] == own else other


def _entries(found: Answer) -> dict[str, Learner]:
    return {entry.name: entry for entry in found.question.concept_class.learners}


def idle(concept: str, distribution: str) -> dict[str, str]:
    """Return what changes no line of a class on a distribution, and why."""
    entry, law = catalog.concept(concept), catalog.distribution(concept, distribution)
    learners = [e for e in entry.learners if e.laws.get(law.name) == "exact"]
    lower = [e for e in entry.bounds if e.kind == "lower" and law.name in e.valid_on]
    bounds = lower if learners else []
    return shared([*(of_need(e.idle(law)) for e in learners), *(e.idle for e in bounds)])


def line(question: Question, learner: str) -> Line:
    """Return the line of one learner; where the question has trials its law may be simulated.

    Where its law is none that may answer, the line is what an upper bound promises on the distribution.

    Raises
    ------
    InputError
        As `reach`: where its law is not exact and nothing is promised, or not there at this setting.
    """
    entry, law = catalog.learner(question.concept, learner, question.u), question.law
    method = entry.laws.get(law.name)
    if method is None or (method != "exact" and question.trials is None):
        promised = [upper for upper in _upper(question, entry) if upper.covers(law)]
        if promised:
            return replace(_promised(question, entry, promised), on=law.label)
    found = replace(question, learner=learner).reach()
    if question.wanted == "epsilon" and entry.privacy == "none":
        found = Reached(math.nan, "it is not private: no epsilon belongs to it")
    binding = [
        e for e in _lower(question, entry) if law.name in e.valid_on and not e.passed(entry, law)
    ]
    bound, best = _strongest(_with_slack(question, entry), binding, (law,), found.value)
    proved = bound != "" and law.name in catalog.bound(question.concept, bound).proved_on
    idle = of_need(entry.idle(law))
    sought: dict[str, str] = {name: why for name, why in idle.items() if name == question.wanted}
    note = "; ".join(filter(None, (found.note, beside(entry), *said(sought))))
    reason = found.reason
    if reason and entry.unlabelled:
        reason += f"; u = {entry.unlabelled:,} unlabelled examples may be too few"
    return Line(
        entry.name, found.value, reason, note, bound, proved, best,
        _gap(question, found, best), found.at_end, found.complete, on=law.label,
    )  # fmt: skip


def guarantee(question: Question, learner: str) -> Line:
    """Return the line of one learner that an upper bound promises: no distribution of the class matters.

    A bound that holds on every distribution is taken before one that does not (`Bound.only_on`). Beside it
    stands the strongest lower bound on what it promises: a learner that succeeds on every
    distribution succeeds where the lower bound is proved. Of a limited promise, only a lower bound counts that is
    proved on a distribution that the promise speaks of.

    Raises
    ------
    InputError
        Where no upper bound with a number speaks of the learner.
    """
    entry = catalog.learner(question.concept, learner, question.u)
    uppers = _upper(question, entry)
    if not uppers:
        raise InputError("learner", "must have an upper bound with a number", learner)
    return _promised(question, entry, uppers)


def _promised(question: Question, entry: Learner, uppers: list[Bound]) -> Line:
    """Return the line of the most demanding value that one of some upper bounds promises."""
    asked = _with_slack(question, entry)
    every = [(upper, replace(asked, bound=upper.name).reach()) for upper in uppers]
    sign = -1.0 if question.wanted == "d" else 1.0
    upper, found = min(
        every,
        key=lambda one: (
            math.isnan(one[1].value), bool(one[0].only_on), sign * one[1].value,
        ),
    )  # fmt: skip
    if question.wanted == "epsilon" and entry.privacy == "none":
        found = Reached(math.nan, "it is not private: no epsilon belongs to it")
    # A bound about one learner by name may not speak of the variant whose number is promised.
    lower = [e for e in _lower(asked, entry) if not (hasattr(e, "whom") and e.whom.name)]
    laws: tuple[Distribution, ...] | None = None
    if upper.only_on:
        promised = upper.promised_on or [law.name for law in question.concept_class.distributions]
        lower = [e for e in lower if {*e.proved_on} & {*promised}]
        laws = tuple(law for law in question.concept_class.distributions if law.name in promised)
    bound, best = _strongest(asked, lower, laws, found.value)
    note = "; ".join(filter(None, (f"for {upper.applies_to}", found.note)))
    return Line(
        entry.name, found.value, found.reason, note, bound, bound != "", best,
        _gap(question, found, best), found.at_end, found.complete, upper.name, upper.only_on,
    )  # fmt: skip


def _with_slack(question: Question, learner: Learner) -> Question:
    """Return the question with the slack that a learner has: its own where the question has none."""
    return replace(question, delta=question.delta or learner.at(0.0).privacy_slack)


def _gap(question: Question, found: Reached, best: float) -> float:
    """Return the factor between a learner's number and what a lower bound leaves; NaN without one."""
    if found.at_end or math.isnan(found.value) or math.isnan(best):
        return math.nan
    return best / found.value if question.wanted == "d" else found.value / best


def record(question: Question, found: Line) -> dict[str, Any]:
    """Return a line as a record: the question, the answer, the bound; null where there is none."""
    whole = question.wanted in {"m", "d"}

    def plain(value: float, *, exact: bool) -> float | int | None:
        if math.isnan(value):
            return None
        return int(value) if exact else value

    entry = catalog.learner(question.concept, found.name, question.u)
    return {
        "concept": question.concept, "learner": found.name,
        "distribution": found.on or None,
        **question.given(), "privacy": entry.promise(question.delta), "proper": entry.proper,
        "efficient": entry.efficient, "for": question.wanted,
        "value": plain(found.value, exact=whole), "bound": found.bound or None,
        "proved": found.proved if found.bound else None, "best": plain(found.best, exact=whole), "ratio": plain(found.ratio, exact=False),
        "complete": None if math.isnan(found.value) else found.complete,
        "promise": found.promise or None, "only_on": found.only_on or None,
        "reason": found.reason or None, "note": found.note or None,
    }  # fmt: skip


def _why(learner: Learner, question: Question, error: InputError) -> str:
    """Return in words why a learner has no line."""
    law = question.law
    if error.parameter == "learner":
        return "no upper bound with a number is proved for it here"
    method = learner.laws.get(law.name)
    if method == "exact":
        return question.concept_class.lacking(error).removesuffix(f" for {learner.name}")
    if method is None:
        return f"its law on the distribution {law.label} is not known yet"
    return f"its law on the distribution {law.label} is simulated, so that no digit is certain"


def _upper(question: Question, learner: Learner) -> list[Bound]:
    """Return the upper bounds with a number that speak of a learner."""
    return [
        e for e in question.concept_class.bounds
        if e.kind == "upper" and e.constants != "rate" and e.binds(learner)
    ]  # fmt: skip


def _lower(question: Question, learner: Learner) -> list[Bound]:
    """Return the lower bounds that bind a learner."""
    return [e for e in question.concept_class.bounds if e.kind == "lower" and e.binds(learner)]


def _strongest(
    question: Question, binding: list[Bound], laws: tuple[Distribution, ...] | None, value: float
) -> tuple[str, float]:
    """Return the lower bound that leaves least, by its name and what it leaves.

    Of one that does not stand on any of `laws` nothing is said; without them each stands. The one that asks for
    most where the learner arrives is asked first; of the others only those that exclude still more.
    """
    on = {law.name for law in laws or ()}
    at = question.at(parameter(question.wanted).default if math.isnan(value) else value)
    asked = {entry.name: entry.least(at).m or 0 for entry in binding}
    binding.sort(key=lambda entry: (-asked[entry.name], not on & {*entry.proved_on}))
    name, best = "", math.nan
    for entry in binding:
        if not math.isnan(best) and not _excludes_more(question, entry, best):
            continue
        left = _left(question, entry.name, laws)
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
def _left(question: Question, bound: str, laws: tuple[Distribution, ...] | None) -> float:
    """Return what a lower bound leaves, NaN where it says nothing, or stands on none of the laws."""
    entry = catalog.bound(question.concept, bound)
    found = replace(question, bound=bound).reach()
    if math.isnan(found.value):
        return math.nan
    at = question.at(found.value)
    # Of several laws it counts where it is proved on one, of a single one where it is shown as well.
    if laws is not None and not any(
        entry.reaches(law, at) for law in laws if len(laws) == 1 or law.name in entry.proved_on
    ):
        return math.nan
    if question.wanted == "d":
        return found.value - 1.0 if found.value > 1.0 else math.nan
    return found.value
