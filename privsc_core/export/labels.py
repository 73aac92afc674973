"""The numbers of the page about labels as a command and in Python."""

from __future__ import annotations

import functools
import math
from dataclasses import asdict
from typing import TYPE_CHECKING

from privsc_core import catalog
from privsc_core.export.notebook import Entries, Figures
from privsc_core.export.sources import credit_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.draw.budgets_figures import Told
    from privsc_core.evaluate.budgets import Plane
    from privsc_core.export.notebook import Drawn

__all__ = ["labels_command", "labels_credit", "labels_figures", "labels_snippet"]

_NAMES = ("epsilon", "alpha", "beta")
_LEARNER, _BASELINE = "generic", "exponential"


def labels_command(found: Plane, concept: str) -> str:
    """Return the command that prints the labels needed beside the example's people, and without them."""
    setting = " ".join(f"--{name} {getattr(found.at, name)!r}" for name in _NAMES)
    return (
        f"privsc need --concept {concept} --learner {_LEARNER},{_BASELINE} -d {found.at.d} {setting} "
        f"-u {_people(found)}"
    )


def labels_snippet(found: Plane, concept: str) -> str:
    """Return the Python lines that give success at the example, and the labels that it needs."""
    setting = ", ".join(f"{name}={getattr(found.at, name)!r}" for name in ("d", *_NAMES))
    return f"""import privsc_core as pv

who = {{"concept": {concept!r}, "learner": {_LEARNER!r}, "u": {_people(found)}}}
at = dict({setting})
print(pv.need(**who, **at).m)  # labels, beside u unlabelled examples
del at["beta"]
print(pv.success(**who, **at, m={found.example}).value)
"""


def labels_figures(
    title: str, pictures: Sequence[Drawn], found: Plane, told: Told, *, claim: str, link: str
) -> Figures:
    """Return the page's pictures with what is taken along of them."""
    concept = told.concept
    return Figures(
        title=title, claim=claim, drawn=pictures, setting={"concept": concept} | asdict(found.at),
        commands=labels_command(found, concept), snippet=labels_snippet(found, concept), link=link,
        shown=_shown(told),
    )  # fmt: skip


@functools.lru_cache(maxsize=16)
def labels_credit(told: Told) -> str:
    """Return one line for under the plane: the program and the papers with their theorems."""
    return credit_of(_shown(told).behind)


def _shown(told: Told) -> Entries:
    concept = told.concept
    return Entries(
        tuple(catalog.learner(concept, name) for name in (_LEARNER, _BASELINE)),
        catalog.distribution(concept, told.hard),
        tuple(catalog.bound(concept, name) for name in told.bounds),
    )


def _people(found: Plane) -> int:
    """Return the unlabelled examples of the learner as it is; at least 1."""
    return 1 if math.isnan(found.u_own) else max(1, math.ceil(found.u_own))
