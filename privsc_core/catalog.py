"""The registry: everything that exists, by name. Pages, command line and tests iterate it."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from privsc_core.concepts.contracts import Bound, ConceptClass, Distribution, Learner
from privsc_core.errors import InputError
from privsc_core.numerics.text import NUMBER
from privsc_core.own import own
from privsc_core.parameters import TARGET, scalar

if TYPE_CHECKING:
    from collections.abc import Iterable

    CONCEPTS: tuple[ConceptClass, ...]
    BESIDE: tuple[ConceptClass, ...]

# Each class by its name, and the constant that declares it: imported when it is asked for.
_LISTED = {
    "CONCEPTS": {
        "point": "point.POINT",
        "interval": "interval.INTERVAL",
        "threshold": "threshold.THRESHOLD",
        "halfspace": "halfspace.HALFSPACE",
        "line": "line.LINE",
        "parity": "parity.PARITY",
        "conjunction": "conjunction.CONJUNCTION",
        "pseudorandom-point": "pseudorandom.PSEUDORANDOM_POINT",
        "release": "release.RELEASE",
        "marginals": "marginals.MARGINALS",
    },
    # Without a page of their own: known to commands and to Python, and to a page of several.
    "BESIDE": {"rectangle": "rectangle.RECTANGLE", "finite": ".finite.concept.FINITE"},
}

_VARIANT = re.compile(r"([a-z-]+)\(([A-Za-z0-9._-]{1,2000})\)", re.ASCII)
_Named = TypeVar("_Named", Learner, Bound, Distribution)

_VALUE = rf"(?:{NUMBER}|[a-z]{{1,20}})"
# Characters of the names in a refusal, which is one sentence; `privsc list` has them all.
_ROOM = 150
_WITH_VALUES = re.compile(rf"([a-z-]+)\(({_VALUE}(?:, ?{_VALUE})*)\)", re.ASCII)


def __getattr__(name: str) -> tuple[ConceptClass, ...]:
    """Import all classes of a list when they are asked for together."""
    if name not in _LISTED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = tuple(map(_class, _LISTED[name]))
    return globals().setdefault(name, found)  # type: ignore[no-any-return]


def load() -> None:
    """Import all classes, and what their numbers import late: a server does so before it has visitors."""
    for listed in _LISTED.values():
        for name in listed:
            _class(name).bounds  # noqa: B018 - a property that imports
    import_module("scipy.optimize")


@cache
def _class(name: str) -> ConceptClass:
    places = {name: place for listed in _LISTED.values() for name, place in listed.items()}
    if name not in places:
        raise _unknown("concept", name, places)
    folder, _, constant = places[name].rpartition(".")
    found: ConceptClass = getattr(import_module(f".{folder}", "privsc_core.concepts"), constant)
    return _with_brought(name, found)


# What the operator of this process has brought: by the class.
_brought: dict[str, list[Any]] = {}


def bring(path: str) -> None:
    """Add the learners of a file to the lists of the classes that they name, in this process.

    Nothing but `privsc serve --with` does so.

    Raises
    ------
    InputError
        For a file without a learner that names its class, and one that cannot be a learner.
    """
    from privsc_core.own import loading  # noqa: PLC0415 - most processes bring none

    for name, given in loading.shown_in(path):
        own(given, _class(name))
        _brought.setdefault(name, []).append(given)
    _look_again()


def take_back() -> None:
    """Forget all that was brought."""
    _brought.clear()
    _look_again()


def _look_again() -> None:
    _class.cache_clear()
    for listed in _LISTED:
        globals().pop(listed, None)


def brought(concept_name: str) -> tuple[str, ...]:
    """Return the names of the learners that the operator of this process has brought to a class."""
    more = len(_brought.get(concept_name, ()))
    learners = _class(concept_name).learners if more else ()
    return tuple(entry.name for entry in learners[len(learners) - more :])


def _with_brought(name: str, found: ConceptClass) -> ConceptClass:
    for given in _brought.get(name, ()):
        found = found.beside(own(given, found))
    return found


def concept(name: Any) -> ConceptClass:
    """Return the concept class called `name`, or refuse the name; a class itself as it is.

    A family has members, written in parentheses: see `ConceptClass.variant`. What knows its `family`, as
    a `FiniteClass` does, stands for the member that it is.
    """
    if isinstance(name, ConceptClass):
        return name
    family = getattr(name, "family", None)
    if isinstance(family, str) and (made := _class(family).variant):
        return made(name)
    match = _VARIANT.fullmatch(_text("concept", name))
    known = _class(match[1] if match else name)
    if match is None:
        return known
    if known.variant is None:
        raise InputError("concept", f"must be {known.name} without parentheses", name)
    return _with_brought(match[1], known.variant(match[2]))


def told(known: ConceptClass) -> str | ConceptClass:
    """Return the name of a class, or the class itself where the name does not find it."""
    try:
        return known.name if concept(known.name) is known else known
    except InputError:
        return known


def learner(concept_name: Any, name: Any, u: int = 0) -> Learner:
    """Return a learner of a concept class by name, or refuse the name.

    A learner itself is returned as it is; a function, or an object with a method `learn`, as the
    learner that it is (`own`). A text is only ever a name of the list: no file is read for it.
    One that takes unlabelled examples takes u of them, its own number for 0.
    """
    known = concept(concept_name)
    if isinstance(name, str):
        found = _named("learner", name, known.learners)
    else:
        found = name if isinstance(name, Learner) else own(name, known)
    return found.beside(scalar("u", u))


def bound(concept_name: Any, name: str | Bound) -> Bound:
    """Return a bound of a concept class by name, or refuse the name; a bound itself as it is."""
    if isinstance(name, Bound):
        return name
    return _named("bound", name, concept(concept_name).bounds)


def distribution(
    concept_name: Any,
    name: str | Distribution | None = None,
    target: str | None = None,
) -> Distribution:
    """Return a distribution by name; ``band(64,0.5)``, ``hard(alternating)`` set its parameters.

    A distribution itself is returned as it is.

    Without a name it is the first that the class lists. With a target, a word of
    `parameters.TARGET`, it has that one.
    """
    if target is not None:
        return distribution(concept_name, name).worded(TARGET, target)
    if isinstance(name, Distribution):
        return name
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
    raise _unknown(kind, name, (entry.name for entry in entries))


def _unknown(kind: str, name: str, known: Iterable[str]) -> InputError:
    names = textwrap.shorten(", ".join(known), _ROOM, placeholder=" and others")
    return InputError(kind, f"must be one of {names}", name)
