"""Numbers as they are typed: single ones, comma lists and ranges.

A list is ``item,item,…``; an item is a number or ``start:stop:count`` (both ends included,
evenly spaced) or ``start:stop:count:log`` (evenly spaced ratios). Values keep the order in
which they were typed; a value that was there before is dropped.
"""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog
from privsc_core.errors import InputError
from privsc_core.evaluate.own_bound import own_bound
from privsc_core.evaluate.several import Pick
from privsc_core.numerics.decimals import decimal
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from privsc_core.concepts.contracts import ConceptClass
    from privsc_core.parameters import Parameter


MOST_VALUES = 10_000
"""How many values one option may have."""

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_DIGITS = re.compile(r"\+?(\d{1,18})", re.ASCII)
_RANGE = "must have ranges start:stop:count or start:stop:count:log"


def number(name: str, text: str) -> float:
    """Return the one number that `text` is, in the domain of the parameter `name`.

    Returns
    -------
    int or float
        An int for whole-number parameters.

    Raises
    ------
    InputError
        When it is no number, or outside the domain.
    """
    return _single(parameter(name), text.strip())


def numbers(name: str, text: str) -> list[float]:
    """Return the values that a comma list with ranges stands for.

    Parameters
    ----------
    name : str
        The parameter, which decides the domain and whether values are rounded.
    text : str
        For example ``8,16,32:1024:6:log``.

    Returns
    -------
    list of int or float
        Distinct, in the order in which they were typed.

    Raises
    ------
    InputError
        Naming the first item that is wrong.
    """
    entry = parameter(name)
    found: dict[float, None] = {}
    for item in text.split(","):
        values = _range(entry, item.strip()) if ":" in item else [_single(entry, item.strip())]
        found.update(dict.fromkeys(values))
        if len(found) > MOST_VALUES:
            raise InputError(name, f"must have at most {MOST_VALUES} values", "more")
    return list(found)


def whole(name: str, text: str, low: int, high: int) -> int:
    """Return a whole number that is no parameter of the mathematics, such as a port.

    Raises
    ------
    InputError
        When it is none, or not in [low, high].
    """
    match = _DIGITS.fullmatch(text.strip())
    if match is None or not low <= int(match[1]) <= high:
        raise InputError(name, f"must be a whole number in [{low}, {high}]", text)
    return int(match[1])


def _single(entry: Parameter, text: str) -> float:
    if _NUMBER.fullmatch(text) is None:
        raise InputError(entry.name, entry.requirement, text)
    digits = _DIGITS.fullmatch(text)
    value = float(text)
    # Above 2^53 a float would quietly become the neighbour of the number that was typed.
    exact = digits is None or int(digits[1]) == value
    if not exact or not entry.contains(np.asarray(value)):
        raise InputError(entry.name, entry.requirement, text)
    return int(value) if entry.integer else value


def _range(entry: Parameter, text: str) -> list[float]:
    parts = [part.strip() for part in text.split(":")]
    if len(parts) not in {3, 4} or parts[3:] not in ([], ["log"]):
        raise InputError(entry.name, _RANGE, text)
    start, stop = _single(entry, parts[0]), _single(entry, parts[1])
    match = _DIGITS.fullmatch(parts[2])
    if match is None or not 1 <= int(match[1]) <= MOST_VALUES:
        requirement = f"must have ranges with a count from 1 to {MOST_VALUES}"
        raise InputError(entry.name, requirement, text)
    count = int(match[1])
    if start > stop:
        raise InputError(entry.name, "must have ranges with start at most stop", text)
    if count == 1 and start != stop:
        raise InputError(entry.name, "must have ranges with a count of at least 2", text)
    if start == stop:
        return [start]
    if parts[3:]:
        if start <= 0:
            raise InputError(entry.name, "must have logarithmic ranges above 0", text)
        values = _geometric(start, stop, count)
    else:
        values = _arithmetic(start, stop, count)
    return [round(value) for value in values] if entry.integer else values


def _arithmetic(start: float, stop: float, count: int) -> list[float]:
    """Space evenly in exact decimals: 0.1:0.5:5 contains 0.3, not 0.30000000000000004."""
    low, high = decimal(start), decimal(stop)
    return [float(low + (high - low) * Fraction(step, count - 1)) for step in range(count)]


def _geometric(start: float, stop: float, count: int) -> list[float]:
    """Space ratios evenly; what lies inside is rounded to twelve digits, the ends are kept."""
    low, high = math.log(start), math.log(stop)
    inner = [
        float(f"{math.exp(low + (high - low) * step / (count - 1)):.12g}")
        for step in range(1, count - 1)
    ]
    return [start, *(min(max(value, start), stop) for value in inner), stop]


# --- One question at every combination of what was typed -----------------------------------------


MOST_RECORDS = 10_000
"""How many records one answer may have."""


def brought(concept: str | ConceptClass, learners: str | None) -> ConceptClass:
    """Return a class, with the learners that are typed as ``FILE.py:NAME`` or ``PACKAGE:NAME`` beside its own.

    Raises
    ------
    InputError
        Where the class is unknown, or one of them cannot be loaded.
    """
    known = catalog.concept(concept)
    typed = [item for item in map(str.strip, (learners or "").split(",")) if ":" in item]
    if not typed:
        return known
    from privsc_core.own.loading import named

    return known.beside(*(named(item, known) for item in dict.fromkeys(typed)))


def names(kind: str, text: str | None, concept: str | ConceptClass) -> Pick:
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


def picked(
    options: argparse.Namespace,
    kinds: Sequence[str],
    concept: str | ConceptClass,
    default: str | None = None,
) -> list[Pick]:
    """Return the chosen names of each kind; distributions have the target of the options.

    The option for distributions is checked even where it is not used. A formula stands for the only bound.
    """
    typed = {kind: getattr(options, kind) for kind in kinds}
    if default and not typed["learner"]:
        typed["learner"] = default
    found = [names(kind, text, concept) for kind, text in typed.items()]
    if formula := getattr(options, "formula", None):
        if not found[0].every:
            raise InputError("formula", "must stand without a bound", formula)
        found = [Pick([own_bound(concept, formula)])]
    laws = (
        found[-1]
        if "distribution" in kinds
        else names("distribution", options.distribution, concept)
    )
    if options.target is not None and "distribution" in kinds:
        laws[:] = [catalog.distribution(concept, name, options.target).label for name in laws]
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


def combinations(values: dict[str, list[float]]) -> list[dict[str, Any]]:
    """Return all settings, the last parameter fastest; None where a parameter has no value."""
    unset: list[float | None] = [None]
    columns = [column or unset for column in values.values()]
    return [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*columns)]
