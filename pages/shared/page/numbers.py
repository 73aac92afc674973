"""The numbers of a class page: what each learner needs, and what each bound says.

Most of the cost of a setting are the numbers of learners that the figure does not draw: they are
computed when a visitor opens them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.frame import words
from pages.shared.frame.words import Explained
from privsc_core.draw.reading import said_by
from privsc_core.draw.style import integer, number, times
from privsc_core.evaluate.own_bound import OWN
from privsc_core.literature.glossary import find

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Bound, ConceptClass, Distribution
    from privsc_core.evaluate.curves import Numbers, Row


_SAYS = {"lower": "impossible below", "upper": "suffices", OWN: "your formula"}


def _published(row: Row) -> str:
    """Return what the slack of a learner may cost at its number of samples."""
    if not row.slack:
        return ""
    lost = "" if math.isnan(row.published) else f", mδ = {number(float(f'{row.published:.2g}'))}"
    return f", δ = {number(row.slack)}{lost}"


def _means(bound: Bound) -> str:
    """Return what the idea of a bound is, where the glossary has a word for it."""
    known = find(bound.title)
    return f"{known.meaning} " if known else ""


def _least(row: Row) -> str:
    """Return the number of a learner, or up to where simulation tells it."""
    return integer(row.m) if row.at_least is None else f"at least {integer(row.at_least)}"


def inside(numbers: Numbers, concept: ConceptClass, law: Distribution, more: str = "") -> None:
    """Draw both tables; with a slack the words of the distribution matter, and are said.

    `more` is what else there is to say of the numbers.
    """
    learners = {entry.name: entry.summary for entry in concept.learners}
    bounds = {
        entry.name: f"{_means(entry)}{said_by(entry)}. See Theory." for entry in concept.bounds
    }
    bounds[OWN] = "What you typed; nothing here proves it."
    origins = {entry.name: entry.origin for entry in concept.bounds} | {OWN: OWN}
    only = {entry.name: f", on {entry.only_on}" for entry in concept.bounds if entry.only_on}
    learning = concept.labelled
    said = ", ".join(f"{name} {word}" for name, word in law.words().items())
    st.caption(
        "The least m for success probability 1-β at this setting, and the numbers of the bounds."
        + " A price is the least m divided by that of the learner without privacy." * learning
        + f" Distribution: **{law.title}.** {law.meaning}"
        + (f" With δ: {said}." if said and any(row.slack for row in numbers.learners) else "")
        + more
    )
    private = {"none": "no", "pure": "pure", "approximate": "(ε, δ)", "label": "labels only"}
    head = [concept.words.learner, "private", "least m", "law", "source", "remark"]
    rows: list[list[str | Explained]] = [
        [
            Explained(row.title, learners[row.name]), private[row.privacy] + _published(row), _least(row),
            row.method, row.source, row.remark,
        ]
        for row in numbers.learners
    ]  # fmt: skip
    if learning:  # else nothing has a proper form, and nothing is free
        head[2:3] = ["proper", "least m", "price"]
        for cells, row in zip(rows, numbers.learners, strict=True):
            cells[2:3] = ["yes" if row.proper else "no", _least(row), times(row.ratio)]
    words.table(
        head, rows, label=f"What each {concept.words.learner} needs", numeric=(3, 4) if learning else (2,),
        explained=(1, 5) if learning else (1, 3),
    )  # fmt: skip
    if concept.unlisted:
        st.caption(concept.unlisted)
    words.table(
        ("bound", "says", "m", "constants", "source", "remark"),
        [
            (
                Explained(row.title, bounds[row.name]),
                _SAYS[OWN if row.name == OWN else row.kind] + only.get(row.name, ""),
                integer(row.m), origins[row.name], row.source,
                row.remark,
            )
            for row in numbers.bounds
        ],
        label="What each bound says", numeric=(2,), explained=(1, 3),
    )  # fmt: skip
