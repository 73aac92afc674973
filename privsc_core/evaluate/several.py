"""A question about several learners, bounds or distributions: one answer with a row for each."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from privsc_core.concepts.contracts.idle import shared
from privsc_core.errors import InputError
from privsc_core.evaluate.results import NeedResult, SuccessResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from privsc_core.evaluate.question import Question

KINDS = ("learner", "bound", "distribution")
_Found = TypeVar("_Found")
_NUMBERS = {SuccessResult: ("value", "low", "high"), NeedResult: ("m", "m_from", "at_least")}


class Pick(list[Any]):
    """The names that were chosen, and whether by ``all``."""

    every: bool = False


def collect(
    picks: Sequence[Pick],
    answer: Callable[..., list[_Found]],
    refused: Callable[[tuple[Any, ...], str], list[_Found]],
) -> list[_Found]:
    """Return the answers of every combination of picked names, the last name fastest.

    With ``all``, a combination that has no answer gives its reason instead. If no combination has an
    answer, the question is refused.
    """
    every = any(pick.every for pick in picks)
    found: list[_Found] = []
    first: InputError | None = None
    answered = False
    for combination in itertools.product(*picks):
        try:
            found += answer(*combination)
            answered = True
        except InputError as error:
            if not every:
                raise
            first = first or error
            found += refused(combination, str(error))
    if first is not None and not answered:
        raise first
    return found


def several(question: Question) -> SuccessResult | NeedResult:
    """Return `Question.answer`, where a name may be a list of names or ``all``.

    Returns
    -------
    SuccessResult or NeedResult
        With an axis in front for each list: of learners or bounds, then of distributions. Of one
        name each, that of the setting alone. With ``all`` a refused one has no number, but a reason.

    Raises
    ------
    InputError
        For an empty list, a name that is unknown, a question that none of them can answer.
    """
    picks = {kind: pick for kind in KINDS if (pick := _picked(question, kind)) is not None}
    if not picks:
        return question.answer()

    def one(names: tuple[Any, ...]) -> Question:
        return replace(question, **dict(zip(picks, names, strict=True)))

    found = collect(
        list(picks.values()),
        lambda *names: [one(names).answer()],
        lambda names, why: [one(names).refused(why)],
    )
    stacked = _stacked(found, tuple(map(len, picks.values())))
    return replace(stacked, given=question.named() | picks)


def _picked(question: Question, kind: str) -> Pick | None:
    """Return the names of a kind, if there may be several of them."""
    given = getattr(question, kind)
    pick = Pick()
    if isinstance(given, str) and given == "all":
        pick.extend(entry.name for entry in getattr(question.concept_class, f"{kind}s"))
        pick.every = True
        return pick
    if not isinstance(given, list | tuple):
        return None
    if not given:
        raise InputError(kind, "must be a name or a list of names", given)
    pick.extend(given)
    return pick


def _stacked(
    found: Sequence[SuccessResult | NeedResult], axes: tuple[int, ...]
) -> SuccessResult | NeedResult:
    """Return answers to questions that differ in names alone as one, with axes in front."""
    first = found[0]
    numbers = _NUMBERS[type(first)]
    shape = getattr(first, numbers[0]).shape

    def joined(values: Sequence[Any]) -> NDArray[Any]:
        return np.stack([np.broadcast_to(v, shape) for v in values]).reshape(axes + shape)

    def named(key: str) -> Any:
        """Return a field of the question: with the axes in front where the answers differ in it."""
        values = [one.asked.get(key) for one in found]
        if isinstance(values[0], np.ndarray) or all(value == values[0] for value in values):
            return values[0]
        return np.array(values, dtype=object).reshape(axes + (1,) * len(shape))

    parts: dict[str, Any] = {
        name: joined([getattr(one, name) for one in found])
        for name in (*numbers, "method", "reason", "note")
    }
    if isinstance(first, SuccessResult):
        failures: list[Any] = [getattr(one, "failure", None) for one in found]
        parts["failure"] = None if any(f is None for f in failures) else joined(failures)
        parts["drawn"] = None  # a sum of the samples of one learner
    asked = {key: named(key) for key in dict.fromkeys(key for one in found for key in one.asked)}
    return replace(first, **parts, idle=shared(one.idle for one in found), asked=asked)
