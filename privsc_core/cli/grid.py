"""One question at every combination of what was typed."""

from __future__ import annotations

import itertools
import math
import re
from typing import TYPE_CHECKING

from privsc_core import catalog
from privsc_core.cli.numbers import numbers
from privsc_core.errors import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from privsc_core.cli.formats import Record

__all__ = ["MOST_RECORDS", "Pick", "axes", "collect", "names", "targeted"]

MOST_RECORDS = 10_000
"""How many records one answer may have."""


class Pick(list[str]):
    """The names that were chosen, and whether by ``all``."""

    every: bool = False


def names(kind: str, text: str | None, concept: str) -> Pick:
    """Return the names in a comma list of learners, bounds or distributions, or all of them.

    Without a text it is the first that the class lists.

    Raises
    ------
    InputError
        When the concept class has nothing of a name.
    """
    pick = Pick()
    known = getattr(catalog.concept(concept), f"{kind}s")
    if text is None:
        pick.append(known[0].name)
        return pick
    if text.strip() == "all":
        pick.extend(entry.name for entry in known)
        pick.every = True
        return pick
    find = getattr(catalog, kind)
    # Commas in parentheses belong to a name: band(64,0.9).
    for item in dict.fromkeys(part.strip() for part in re.split(r",(?![^()]*\))", text)):
        find(concept, item)
        pick.append(item)
    return pick


def targeted(pick: Pick, concept: str, target: str | None) -> Pick:
    """Return the labels of distributions with a target, where one was asked for."""
    if target is None:
        return pick
    found = Pick(catalog.distribution(concept, name, target).label for name in pick)
    found.every = pick.every
    return found


def axes(
    options: argparse.Namespace, wanted: Iterable[str], *picks: Pick
) -> dict[str, list[float]]:
    """Return the values of each parameter in `wanted`, unless the answer would be too long.

    A parameter without a text has no values: the learner's own is meant (in audits).
    """
    values = {
        name: [] if (text := getattr(options, name)) is None else numbers(name, text)
        for name in wanted
    }
    total = math.prod(map(len, picks)) * math.prod(max(len(v), 1) for v in values.values())
    if total > MOST_RECORDS:
        requirement = f"must be at most {MOST_RECORDS} in one answer (one per combination)"
        raise InputError("records", requirement, total)
    return values


def collect(
    picks: Sequence[Pick],
    answer: Callable[..., list[Record]],
    refused: Callable[[tuple[str, ...], str], list[Record]],
) -> list[Record]:
    """Return the records of every combination of picked names, the last name fastest.

    Who asks for ``all`` also gets those that cannot answer, with the reason: unless nobody can,
    which is the fault of the question.
    """
    every = any(pick.every for pick in picks)
    records: list[Record] = []
    first: InputError | None = None
    answered = False
    for combination in itertools.product(*picks):
        try:
            records += answer(*combination)
            answered = True
        except InputError as error:
            if not every:
                raise
            first = first or error
            records += refused(combination, str(error))
    if first is not None and not answered:
        raise first
    return records
