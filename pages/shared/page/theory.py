"""The theory section: statements, derivations, notation, references, slips; from the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.frame import words
from pages.shared.state import controls, state
from pages.shared.state.fields import TABS
from privsc_core.literature.glossary import GROUPS, terms
from privsc_core.literature.papers import papers
from privsc_core.parameters import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Collection

    from privsc_core.concepts.contracts import Bound, ConceptClass, Learner
    from privsc_core.literature.documents import Erratum

_LABELS = {
    "sharp": "constants: ours, derived below",
    "paper": "constants: as in the paper's proof",
    "rate": "a rate, no number",
}
_TABS = dict(
    zip(TABS, ("Bounds", "Learners", "Symbols and words", "References and slips"), strict=True)
)


def parts(concept: ConceptClass) -> tuple[str, ...]:
    """Return the names of the section's folded parts in links: fixed for ever."""
    return (*map(bound_part, concept.bounds), *map(learner_part, concept.learners))


def bound_part(entry: Bound) -> str:
    """Return the name of a bound's folded part in links."""
    return f"bound-{entry.name.replace('.', '-')}"  # a dot separates the words of a list


def learner_part(entry: Learner) -> str:
    """Return the name of a learner in links: fixed for ever."""
    return f"learner-{entry.name}"


def inside(concept: ConceptClass, names: Collection[str] = ()) -> None:
    """Draw the section, of all learners and bounds or of those with some names; a tab is filled when it is opened."""
    said = concept.words
    st.markdown(
        f"{concept.criterion} log is the natural logarithm. A lower bound gives the least m that it does not "
        f"exclude, an upper bound the least m that suffices. A lower bound is about {said.learner}s that succeed "
        f"**{said.everywhere}**, not about a {said.learner} made for a single {said.target}."
    )
    tabs = _TABS | {"learners": f"{said.learner.capitalize()}s"}
    bounds, learners, notation, references = controls.tabs(state.field_of("tab"), tabs)
    with bounds:
        for entry in concept.bounds if bounds.open else ():
            if not names or entry.name in names:
                _bound(entry)
    with learners:
        for learner in concept.learners if learners.open else ():
            if not names or learner.name in names:
                _learner(learner)
    with notation:
        if notation.open:
            _glossary()
    with references:
        if references.open:
            _references(concept)


def _glossary() -> None:
    """Draw the one list of symbols and words that everything on the screen is explained from."""
    taken = state.current()
    words.table(
        ("symbol", "meaning", "allowed", "by this page's controls and links"),
        [
            (
                entry.symbol,
                f"{entry.meaning}.",
                entry.domain,
                entry.on_page if entry.key in taken else "not used here",
            )
            for entry in PARAMETERS
        ],
        label="Symbols", anchored=True,
    )  # fmt: skip
    for group, heading in GROUPS.items():
        st.markdown(f"**{heading}**")
        words.table(
            ("word", "meaning"),
            [(entry.word, entry.meaning) for entry in terms() if entry.group == group],
            label=heading, anchored=True,
        )  # fmt: skip


def _references(concept: ConceptClass) -> None:
    for paper in papers().values():
        if paper.bibtex:
            st.markdown(f"**{paper.key}** {paper.citation}")
            st.code(paper.bibtex, language="bibtex")
    if concept.documents.errata:
        st.subheader("Slips found on the way")
        st.markdown("\n".join(f"- {_erratum(erratum)}" for erratum in concept.documents.errata))
        st.page_link(
            "pages/atlas.py", label="All slips found in the papers, with how we know",
            query_params={"tab": "slips"},
        )  # fmt: skip


def _erratum(erratum: Erratum) -> str:
    where = f"{erratum.source.paper}, {erratum.source.place}".removeprefix("ours, ")
    return f"**{where}: {erratum.title}.** {erratum.says} *Read:* {erratum.correction}"


def _cite(entry: Bound | Learner) -> str:
    where = papers()[entry.source.paper].short
    return f"{where}: {entry.source.place}"


def _bound(entry: Bound) -> None:
    side = "lower bound" if entry.kind == "lower" else "upper bound"
    ours = f", but ours: {entry.completed}" if entry.completed else ""
    label = f"**{entry.title}** · {side} · {_LABELS[entry.constants]}{ours}"
    part = exhibit.part(label, bound_part(entry))
    if not part.open:
        return
    with part:
        st.latex(entry.statement)
        where = " or ".join(f"`{name}`" for name in entry.shown_on)
        shown = f" The figures show it on {where} too, where it is not proved." if where else ""
        st.markdown(f"Binds {entry.applies_to}. Source: {_cite(entry)}.{shown}")
        st.markdown(entry.derivation)


def _learner(entry: Learner) -> None:
    privacy = {"none": "not private", "pure": "ε-DP"}.get(entry.privacy, entry.privacy)
    kind = ("proper" if entry.proper else "improper") if entry.labelled else "release"
    laws = ", ".join(f"{name}: {method}" for name, method in entry.laws.items())
    time = "polynomial time" if entry.efficient else "not polynomial, as it is stated"
    caveat = f" *{entry.caveat}*" if entry.caveat else ""
    st.html(f'<span id="{learner_part(entry)}"></span>')
    st.markdown(
        f"**{entry.title}** · {privacy} · {kind}  \n{entry.summary} Source: {_cite(entry)}. How the success "
        f"probability is known, by distribution: {laws}. Running time: {time}.{caveat}"
    )
