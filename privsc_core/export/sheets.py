"""Tables to take along: of the pages about labels and delta, the calculator, the laboratory."""

from __future__ import annotations

import math
import shlex
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from privsc_core import catalog
from privsc_core.evaluate.budgets import BASELINE, LEARNER
from privsc_core.evaluate.calculator import record
from privsc_core.evaluate.landscape import SLACK_PLACES
from privsc_core.evaluate.scenario import Scenario
from privsc_core.export.bundle import Figures
from privsc_core.export.shown import Entries
from privsc_core.records import as_csv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.draw.budgets_figures import Told
    from privsc_core.evaluate.budgets import Plane
    from privsc_core.evaluate.calculator import Line
    from privsc_core.evaluate.landscape import Standpoint
    from privsc_core.evaluate.question import Question
    from privsc_core.export.bundle import Drawn
    from privsc_core.finite import Dimensions


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
    concept = told.of.concept
    return Figures(
        title=title, claim=claim, drawn=pictures, setting={"concept": concept} | asdict(found.at),
        commands=labels_command(found, concept), snippet=labels_snippet(found, concept), link=link,
        shown=Entries(
            tuple(catalog.learner(concept, name) for name in told.learners),
            catalog.distribution(concept, told.of.law),
            tuple(catalog.bound(concept, name) for name in told.of.bounds),
        ),
    )  # fmt: skip


def labels_scenario(found: Plane, told: Told) -> Scenario:
    """Return the setting of the example on the frontier, with the people that its learner takes."""
    return Scenario(
        concept=told.of.concept, learners=(LEARNER, BASELINE), distribution=told.of.law,
        **(asdict(found.at) | {"m": found.example, "u": _people(found)}),
    )  # fmt: skip


def _people(found: Plane) -> int:
    """Return the unlabelled examples of the learner as it is; at least 1."""
    return 1 if math.isnan(found.u_own) else max(1, math.ceil(found.u_own))


# --- How to get the numbers of the page about δ elsewhere ----------------------------------------


def slack_commands(at: Standpoint) -> list[str]:
    """Return the commands that print the least m of every learner of the page, one a class."""
    places = ",".join(str(place) for place in SLACK_PLACES)
    found = []
    for concept in catalog.CONCEPTS:
        names = [line.name for line in concept.documents.on("slack") if line.kind == "learner"]
        if names:
            words = [
                "privsc", "need", "--concept", shlex.quote(concept.name), "--learner",
                ",".join(names), "-d", places,
                *(f"--{n}={getattr(at, n)!r}" for n in ("epsilon", "alpha", "beta", "delta")),
            ]  # fmt: skip
            found.append(" ".join(words))
    return found


# --- How to take a calculation along: its rows as CSV, and how to get them elsewhere -------------


_OPTIONS = {"m": "-m", "d": "-d", "u": "-u"}


def reach_csv(question: Question, lines: Sequence[Line]) -> str:
    """Return rows of a calculation as CSV, those of `privsc reach --csv`."""
    return as_csv([record(question, found) for found in lines])


def _asked(question: Question) -> dict[str, Any]:
    return question.given() | {"u": question.u}


def reach_command(question: Question, line: Line | None = None) -> str:
    """Return the command that prints the row of one learner, or those of all on the distribution."""
    words = [
        "privsc",
        "reach",
        "--for",
        question.wanted,
        "--concept",
        shlex.quote(question.concept),
    ]
    words += ["--learner", line.name] if line else []
    words += (
        ["--guaranteed"] if line and not line.on
        else ["--distribution", f"'{question.distribution}'"]
    )  # fmt: skip
    for name, value in _asked(question).items():
        if name not in {"delta", "u"} or value:
            words += [_OPTIONS.get(name, f"--{name}"), repr(value)]
    return " ".join(words)


def reach_snippet(question: Question, line: Line) -> str:
    """Return the Python lines that give the number of one row."""
    asked = (
        f"bound={line.promise!r}" if line.promise
        else f"learner={line.name!r}, distribution={question.distribution!r}"
    )  # fmt: skip
    given = [
        f"{name}={value!r}"
        for name, value in _asked(question).items()
        if name not in {"delta", "u"} or value
    ]
    return f"""import privsc_core as pv

pv.reach(
    concept={question.concept!r}, wanted={question.wanted!r}, {asked},
    {", ".join(given)},
)
"""


# --- How to take the dimensions of a class along: as CSV, and how to get them elsewhere ----------


def dimensions_csv(found: Dimensions) -> str:
    """Return the numbers as CSV, those of `privsc dimensions --csv`."""
    return as_csv(found.records())


def dimensions_command(found: Dimensions, asked: str) -> str:
    """Return the command that prints them, for a class as a link has it."""
    kind = "--code" if "." in asked else "--ready"
    setting = f"--epsilon {found.epsilon!r} --alpha {found.alpha!r} --beta {found.beta!r}"
    return f"privsc dimensions {shlex.quote(asked)} {kind} {setting}"


def dimensions_snippet(found: Dimensions, asked: str) -> str:
    """Return the Python lines that give them."""
    make, kind = ("from_code", "code") if "." in asked else ("ready", "word")
    return f"""import privsc_core as pv
from privsc_core.finite import {make}

found = pv.dimensions(  # or any matrix of 0 and 1; here by its {kind}
    {make}({asked!r}),
    epsilon={found.epsilon!r}, alpha={found.alpha!r}, beta={found.beta!r},
)
for row in found.records():
    print(row)
"""
