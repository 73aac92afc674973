"""Learners in a file or in an installed package.

Only the command line asks for them, by what its user types. A name in a link, a lecture, a plan of a
sweep or an upload is looked up in the catalog, which reads no file.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privsc_core.errors import InputError
from privsc_core.own.adapter import Own, own
from privsc_core.own.calls import answered

if TYPE_CHECKING:
    from types import ModuleType

    from privsc_core.concepts.contracts import ConceptClass

GROUP = "privsc.learners"
"""The entry points by which a package brings learners."""

# Seconds: a file may import a large library.
_LOADS = 60.0
_FILE = "must be FILE.py:NAME with a file that is there"


def named(text: str, concept: ConceptClass) -> Own:
    """Return the learner that is typed as ``FILE.py:NAME`` or ``PACKAGE:NAME``; it is called so.

    Raises
    ------
    InputError
        Where there is no such file, package or name, where the file fails as it is run, or where the
        learner says that it learns another class.
    """
    place, _, name = text.rpartition(":")
    if place.endswith(".py"):
        module = read(place)
        given = getattr(module, name, None)
        if given is None:
            raise InputError("learner", f"must be the name of a function in {place}", name)
        told = getattr(module, "concept", None)
    else:
        given, told = _brought_by(place, name), None
    return replace(own(given, concept, told), name=text)


def read(path: str) -> ModuleType:
    """Run a file as a module and return it; what lies beside it can be imported.

    Raises
    ------
    InputError
        Where there is none, or where it fails.
    """
    file = Path(path).resolve()
    if not file.is_file() or file.suffix != ".py":
        raise InputError("learner", _FILE, path)
    spec = importlib.util.spec_from_file_location(f"privsc_own_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise InputError("learner", _FILE, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # dataclasses look there
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    answered(spec.loader.exec_module, module, seconds=_LOADS, doing="run")
    return module


def shown_in(path: str) -> list[tuple[str, Any]]:
    """Return the learners of a file that say which class they learn, each with that class's name.

    They have an attribute ``concept`` (`pv.learner`); or the file has one, and a function ``learn``.

    Raises
    ------
    InputError
        Where there is none, or where the file fails.
    """
    module = read(path)
    found: dict[int, tuple[str, Any]] = {}
    for given in vars(module).values():
        told = getattr(given, "concept", None)
        if isinstance(told, str) and told and (callable(given) or hasattr(given, "learn")):
            found.setdefault(id(given), (told, given))
    told, given = getattr(module, "concept", None), getattr(module, "learn", None)
    if isinstance(told, str) and given is not None:
        found.setdefault(id(given), (told, given))
    if not found:
        wanted = 'must have a learner that names its class, as @pv.learner("point") does'
        raise InputError("with", wanted, Path(path).name)
    return list(found.values())


def brought() -> list[tuple[str, str]]:
    """Return the learners of installed packages, as they are typed, with their packages; none is loaded."""
    return [
        (f"{point.dist.name}:{point.name}", point.dist.name)
        for point in metadata.entry_points(group=GROUP)
        if point.dist is not None
    ]


def _brought_by(package: str, name: str) -> Any:
    for point in metadata.entry_points(group=GROUP, name=name):
        if point.dist is not None and point.dist.name == package:
            return answered(point.load, seconds=_LOADS, doing="be loaded")
    known = ", ".join(text for text, _ in brought()) or "none is installed"
    wanted = f"must be FILE.py:NAME, or a learner that an installed package brings ({known})"
    raise InputError("learner", wanted, f"{package}:{name}")
