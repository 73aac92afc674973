"""What is ours: a table of results, one row open, and all of it as one typeset file."""

from __future__ import annotations

import html
import textwrap
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.frame import shell, sitemap
from pages.shared.page import atlas, declaration, theory
from pages.shared.page.rows import Rows, anchor, facts
from pages.shared.state import controls, state
from pages.shared.state.fields import EVERYWHERE
from pages.shared.take import takeaway
from privsc_core import export
from privsc_core.catalog import BESIDE, CONCEPTS
from privsc_core.concepts.contracts import Bound, Learner
from privsc_core.evaluate import ours
from privsc_core.evaluate.atlas import Entry
from privsc_core.numerics.text import capital
from privsc_core.typeset import paper
from privsc_core.typeset.citation import SOFTWARE

if TYPE_CHECKING:
    from privsc_core.evaluate.ours import Result

_ALL = "all"
_FIRST = 16  # rows at first
_OPEN = 8  # results at a time that a link may name
_NEAREST = 56  # characters in the table
_HEAD = ("result", "class", "nearest in the literature", "certified", "kind")
_RESULTS = ours.results()
_WHOLE = "whole"


def _choice(key: str, name: str, words: tuple[str, ...]) -> state.Field:
    return state.Field(
        key=key, kind="choice", default=words[0], name=name, choices=words, scope="ours"
    )


def _word(kind: str) -> str:
    return kind.replace(" ", "-")


_QUERY = state.Field(
    key="q", kind="text", default="", name="words of results", pattern=r"[^\x00-\x1f\x7f]{0,40}",
    form="at most 40 characters, none a control character", scope="ours",
)  # fmt: skip
_CLASS = _choice("class", "class", (_ALL, *(concept.name for concept in (*CONCEPTS, *BESIDE))))
_KIND = _choice("kind", "kind of result", (_ALL, *map(_word, ours.KINDS)))
_EVERY = state.Field(key="rows", kind="flag", default=False, name="all rows", scope="ours")
FIELDS = (
    *EVERYWHERE,
    _QUERY,
    _CLASS,
    _KIND,
    _EVERY,
    state.Field(
        key="open", kind="choices", default=(), name="unfolded results", scope="ours", most=_OPEN,
        choices=(_WHOLE, *(one.key for one in _RESULTS)),
    ),
)  # fmt: skip
_ROWS = Rows(FIELDS, (_EVERY.key,), (_WHOLE,))


@st.fragment
def show() -> None:
    """Draw the filters, the table, and what is made of all results together."""
    with st.container(key="pv_rows_filters"):
        search, *places = st.columns([1.6, 1, 1])
        with search:
            controls.text_input(_QUERY, "Search the results", placeholder="packing, δ, FX14, …")
        with places[0]:
            titles = {concept.name: concept.title for concept in (*CONCEPTS, *BESIDE)}
            controls.select(_CLASS, "Class", names={_ALL: "all classes"} | titles)
        with places[1]:
            kinds = {_word(kind): f"{kind}s" for kind in ours.KINDS}
            controls.select(_KIND, "Kind", names={_ALL: "all kinds"} | kinds)
    shown = [one for one in _RESULTS if _wanted(one)]
    count = f"{len(shown)} of {len(_RESULTS)} results"
    shell.said(
        f"{count}." if shown else f"{count}: none fits. Use fewer filters or a shorter search."
    )
    fold = exhibit.part("**The document**: all of it as one PDF, and how to cite it", _WHOLE)
    if fold.open:
        with fold, shell.guard():
            _whole()
    with shell.guard():
        _listed(shown)


def _wanted(one: Result) -> bool:
    """Return whether a result passes the filters and has all words that are searched."""
    now = state.current()
    if now[_CLASS.key] not in {_ALL, one.concept.name}:
        return False
    if now[_KIND.key] not in {_ALL, _word(one.kind)}:
        return False
    return all(word in one.words for word in str(now[_QUERY.key]).lower().split())


def _listed(shown: list[Result]) -> None:
    now = state.current()
    opened = state.words("open")
    some = [
        one for n, one in enumerate(shown) if now[_EVERY.key] or n < _FIRST or one.key in opened
    ]
    listed = {
        one.key: (
            one.title, one.concept.title,
            textwrap.shorten(capital(one.nearest), _NEAREST, placeholder=" …"),
            "yes" if one.certified else "", one.kind,
        )
        for one in some
    }  # fmt: skip
    results = {one.key: one for one in some}
    more = _ROWS.pick(_EVERY.key, "1", f"Show all {len(shown)}") if len(some) < len(shown) else ""
    _ROWS.table("Results", _HEAD, listed, lambda key: _open(results[key]), more=more)


def _open(one: Result) -> None:
    """Draw an open result."""
    part = exhibit.part(f"**{one.title}** · {one.concept.title} · {one.kind}", one.key)
    if not part.open:
        return
    with part, shell.guard():
        if one.formula:
            st.latex(one.formula)
        st.markdown(one.statement)
        st.markdown(f"**Proof.** {one.proof}")
        rows = [("Made from", html.escape(capital(one.source.place)))] if one.source.nearest else []
        rows.append(("Nearest in the literature", html.escape(capital(one.nearest))))
        if one.papers:
            cited = "<br>".join(html.escape(paper.citation) for paper in one.papers)
            rows.append(("Papers", cited))
        facts([*rows, ("Link", anchor({"open": one.key}, "to this result"))])
        st.markdown("**Check it yourself**")
        for check in one.checks:
            st.caption(check.shows)
            st.code(check.command, language="bash", wrap_lines=True)
        _door(one)
        st.markdown("**To cite it**")
        st.code(
            export.cited(one.source, f"{one.title} ({one.kind}) for {one.concept.title.lower()}"),
            language="bibtex",
        )


def _door(one: Result) -> None:
    """Draw the link to where the dashboard shows it."""
    entry = one.entry
    if isinstance(entry, Learner):
        for label, file in sitemap.classes():
            if declaration.declared(file).concept == one.concept.name:
                part = theory.learner_part(entry)
                st.page_link(file, label=f"On the page {label}", query_params={"open": part})
        return
    part = (
        atlas.bound_part(Entry(one.concept, entry))
        if isinstance(entry, Bound)
        else atlas.erratum_part(entry)
    )
    st.page_link("pages/atlas.py", label="In the atlas of bounds", query_params={"open": part})


def _whole() -> None:
    st.markdown(
        "The document has every result with statement, proof and checks, the references, and how to cite it. It is "
        "made when you ask for it, which takes some seconds. `privsc ours --pdf FILE` writes the same."
    )
    if paper.typesets():
        takeaway.made(
            "Make the document (PDF)",
            paper.pdf,
            kind=("ours",),
            name=paper.FILE,
            mime="application/pdf",
            key="pv_ours_pdf",
        )
    else:
        st.caption(
            "The typesetter is not installed where this runs: `pip install 'privsc[paper]'`."
        )
    st.code(SOFTWARE, language="bibtex")
