"""The registry: everything that exists, by name. Pages, command line and tests iterate it."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, TypeVar

from privsc_core.concepts.conjunction import CONJUNCTION
from privsc_core.concepts.contracts import Bound, ConceptClass, Distribution, Learner
from privsc_core.concepts.halfspace import HALFSPACE
from privsc_core.concepts.interval import INTERVAL
from privsc_core.concepts.line import LINE
from privsc_core.concepts.marginals import MARGINALS
from privsc_core.concepts.parity import PARITY
from privsc_core.concepts.point import POINT
from privsc_core.concepts.pseudorandom import PSEUDORANDOM_POINT
from privsc_core.concepts.rectangle import RECTANGLE
from privsc_core.concepts.release import RELEASE
from privsc_core.concepts.threshold import THRESHOLD
from privsc_core.errors import InputError
from privsc_core.parameters import TARGET, scalar

if TYPE_CHECKING:
    from collections.abc import Iterable

CONCEPTS: tuple[ConceptClass, ...] = (
    POINT, INTERVAL, THRESHOLD, HALFSPACE, LINE, PARITY, CONJUNCTION, PSEUDORANDOM_POINT, RELEASE,
    MARGINALS)  # fmt: skip

# Classes without a page of their own: known to commands and to Python, and to a page of several.
BESIDE: tuple[ConceptClass, ...] = (RECTANGLE,)

_VARIANT = re.compile(r"([a-z-]+)\(([a-z0-9]{1,9})\)", re.ASCII)
_Named = TypeVar("_Named", ConceptClass, Learner, Bound, Distribution)

_NUMBER = r"\d{1,9}(?:\.\d{1,9})?"
_VALUE = rf"(?:{_NUMBER}|[a-z]{{1,20}})"
# Characters of the names in a refusal, which is one sentence; `privsc list` has them all.
_LISTED = 150
_WITH_VALUES = re.compile(rf"([a-z-]+)\(({_VALUE}(?:, ?{_VALUE})*)\)", re.ASCII)


def concept(name: str) -> ConceptClass:
    """Return the concept class called `name`, or refuse the name.

    A family has members, written in parentheses: see `ConceptClass.variant`.
    """
    match = _VARIANT.fullmatch(_text("concept", name))
    family = _named("concept", match[1] if match else name, (*CONCEPTS, *BESIDE))
    if match is None:
        return family
    if family.variant is None:
        raise InputError("concept", f"must be {family.name} without parentheses", name)
    return family.variant(match[2])


def learner(concept_name: str, name: str, u: int = 0) -> Learner:
    """Return a learner of a concept class by name, or refuse the name.

    One that takes unlabelled examples takes u of them, its own number for 0.
    """
    return _named("learner", name, concept(concept_name).learners).beside(scalar("u", u))


def bound(concept_name: str, name: str) -> Bound:
    """Return a bound of a concept class by name, or refuse the name."""
    return _named("bound", name, concept(concept_name).bounds)


def distribution(
    concept_name: str, name: str | None = None, target: str | None = None
) -> Distribution:
    """Return a distribution by name; ``band(64,0.5)``, ``hard(alternating)`` set its parameters.

    Without a name it is the first that the class lists. With a target, a word of
    `parameters.TARGET`, it has that one.
    """
    if target is not None:
        return distribution(concept_name, name).worded(TARGET, target)
    known = concept(concept_name).distributions
    if name is None:
        return known[0]
    match = _WITH_VALUES.fullmatch(_text("distribution", name))
    if match:
        found = _named("distribution", match[1], known)
        texts = [text.strip() for text in match[2].split(",")]
        return found.resized(*(text if text.isalpha() else float(text) for text in texts))
    return _named("distribution", name, known)


def _text(kind: str, name: object) -> str:
    """Return a name, or refuse what is none: numbers may be arrays, names may not."""
    if not isinstance(name, str):
        raise InputError(kind, "must be one name", name)
    return name


def _named(kind: str, name: str, entries: Iterable[_Named]) -> _Named:
    for entry in entries:
        if entry.name == _text(kind, name):
            return entry
    names = textwrap.shorten(", ".join(e.name for e in entries), _LISTED, placeholder=" and others")
    raise InputError(kind, f"must be one of {names}", name)
