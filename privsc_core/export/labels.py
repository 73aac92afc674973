"""The numbers of the page about labels as a command and in Python."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING

from privsc_core import catalog
from privsc_core.draw.budgets_figures import BASELINE, LEARNER
from privsc_core.evaluate.scenario import Scenario
from privsc_core.export.notebook import Entries, Figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.draw.budgets_figures import Told
    from privsc_core.evaluate.budgets import Plane
    from privsc_core.export.notebook import Drawn

__all__ = ["labels_command", "labels_figures", "labels_scenario", "labels_snippet"]

_NAMES = ("epsilon", "alpha", "beta")


def labels_command(found: Plane, concept: str) -> str:
    """Return the command that prints the labels needed beside the example's people, and without them."""
    setting = " ".join(f"--{name} {getattr(found.at, name)!r}" for name in _NAMES)
    return (
        f"privsc need --concept {concept} --learner {LEARNER},{BASELINE} -d {found.at.d} {setting} "
        f"-u {_people(found)}"
    )


def labels_snippet(found: Plane, concept: str) -> str:
    """Return the Python lines that give success at the example, and the labels that it needs."""
    setting = ", ".join(f"{name}={getattr(found.at, name)!r}" for name in ("d", *_NAMES))
    return f"""import privsc_core as pv

who = {{"concept": {concept!r}, "learner": {LEARNER!r}, "u": {_people(found)}}}
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
        shown=Entries(
            tuple(catalog.learner(concept, name) for name in told.learners),
            catalog.distribution(concept, told.hard),
            tuple(catalog.bound(concept, name) for name in told.bounds),
        ),
    )  # fmt: skip


def labels_scenario(found: Plane, told: Told) -> Scenario:
    """Return the setting of the example on the frontier, with the people that its learner takes."""
    return Scenario(
        concept=told.concept, learners=(LEARNER, BASELINE), distribution=told.hard,
        m=found.example, u=_people(found), **asdict(found.at),
    )  # fmt: skip


def _people(found: Plane) -> int:
    """Return the unlabelled examples of the learner as it is; at least 1."""
    return 1 if math.isnan(found.u_own) else max(1, math.ceil(found.u_own))
