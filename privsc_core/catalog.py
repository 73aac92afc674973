"""The registry: everything that exists, by name. Pages, command line and tests iterate it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from privsc_core.concepts.contracts import Bound, ConceptClass, Distribution, Learner
from privsc_core.concepts.point import POINT
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["CONCEPTS", "bound", "concept", "distribution", "learner"]

CONCEPTS: tuple[ConceptClass, ...] = (POINT,)

_Named = TypeVar("_Named", ConceptClass, Learner, Bound, Distribution)

_WITH_COUNT = re.compile(r"([a-z-]+)\((\d{1,6})\)")


def concept(name: str) -> ConceptClass:
    """Return the concept class called `name`, or refuse the name."""
    return _named("concept", name, CONCEPTS)


def learner(concept_name: str, name: str) -> Learner:
    """Return a learner of a concept class by name, or refuse the name."""
    return _named("learner", name, concept(concept_name).learners)


def bound(concept_name: str, name: str) -> Bound:
    """Return a bound of a concept class by name, or refuse the name."""
    return _named("bound", name, concept(concept_name).bounds)


def distribution(concept_name: str, name: str) -> Distribution:
    """Return a distribution by name; ``bystanders(20)`` sets its number of bystanders."""
    known = concept(concept_name).distributions
    match = _WITH_COUNT.fullmatch(name)
    if match:
        found = _named("distribution", match[1], known)
        return found.resized(int(match[2]))
    return _named("distribution", name, known)


def _named(kind: str, name: str, entries: Iterable[_Named]) -> _Named:
    for entry in entries:
        if entry.name == name:
            return entry
    raise InputError(kind, f"must be one of {', '.join(e.name for e in entries)}", name)
