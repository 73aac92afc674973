"""What the calculator says, as HTML: the sentence with a gap, the table of learners."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import streamlit as st

from pages.shared.frame import sitemap
from pages.shared.page.declaration import declared
from pages.shared.page.theory import bound_part
from pages.shared.state.link import write
from privsc_core import catalog
from privsc_core.concepts.told import in_symbols
from privsc_core.draw.reckoning import at_most, left_by_bound, places, reached
from privsc_core.draw.style import number
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pages.shared.page.declaration import ClassPage
    from privsc_core.concepts.contracts import Learner
    from privsc_core.evaluate.calculator import Answer, Line, Question

__all__ = ["door", "left_out", "sentence", "show"]

_PRIVACY = {
    "none": "not private", "pure": "ε-private", "approximate": "(ε, δ)-private",
    "label": "labels private",
}  # fmt: skip


def sentence(question: Question, asks: str) -> str:
    """Return what is given in a sentence, with a gap for what is looked for."""

    def chip(name: str) -> str:
        symbol = parameter(name).symbol
        if name == question.wanted:
            return f'<b class="pv-chip pv-gap">{symbol} = ?</b>'
        return f'<b class="pv-chip">{symbol} = {number(getattr(question, name))}</b>'

    slack = f" and a slack of {chip('delta')}" if question.delta else ""
    return (
        f'<p class="pv-sentence">I have {chip("m")} {html.escape(question.concept_class.unit)} at '
        f"{chip('d')}, and want a privacy loss of {chip('epsilon')}{slack}, an error of at most "
        f"{chip('alpha')}, except with probability {chip('beta')}. <em>{html.escape(asks)}</em></p>"
    )


def show(found: Answer, lines: Sequence[Line]) -> None:
    """Draw the table; on a narrow screen each row is a card."""
    question = found.question
    symbol = parameter(question.wanted).symbol
    anyone = "anyone reaches" if question.wanted == "d" else "anyone needs"
    heads = ("learner", f"{symbol} reached", anyone, "better by at most", "on one scale")
    labels = ("", *heads[1:-1], "")
    page = _page_of(question.concept)
    rows = []
    for line, at in zip(lines, places(lines), strict=True):
        learner = catalog.learner(question.concept, line.name)
        cells = (
            _who(question, page, learner, line), _value(question, line),
            _bound(question, page, line), f"<span>{_ratio(line)}</span>", _scale(*at),
        )  # fmt: skip
        rows.append(
            '<tr role="row">'
            + "".join(
                f'<{tag} role="{role}" class="pv-r{n}" data-label="{html.escape(name)}">{cell}</{tag[:2]}>'
                for n, (cell, name) in enumerate(zip(cells, labels, strict=True))
                for tag, role in ((("th scope=row", "rowheader") if not n else ("td", "cell")),)
            )
            + "</tr>"
        )
    top = "".join(
        f'<th scope="col" role="columnheader" class="pv-r{n}">{html.escape(text)}</th>'
        for n, text in enumerate(heads)
    )
    # The roles are said, because a table that is laid out as cards loses them in some browsers.
    st.html(
        '<div class="pv-table pv-reckoning"><table role="table" '
        f'aria-label="What each learner reaches: {symbol}"><thead role="rowgroup">'
        f'<tr role="row">{top}</tr></thead><tbody role="rowgroup">{"".join(rows)}</tbody></table></div>'
    )


def left_out(entries: Sequence[tuple[str, str]]) -> str:
    """Return who has no row and why."""
    items = "".join(f"<li>{html.escape(title)}: {html.escape(why)}</li>" for title, why in entries)
    return f'<ul class="pv-left-out">{items}</ul>'


def _who(question: Question, page: ClassPage, entry: Learner, line: Line) -> str:
    kinds = [_PRIVACY[entry.promise(question.delta)]]
    if question.concept_class.labelled:
        kinds.append("proper" if entry.proper else "improper")
    kinds.append("efficient" if entry.efficient else "not efficient")
    tags = "".join(f"<i>{html.escape(kind)}</i>" for kind in kinds)
    where = html.escape(door(question, page, line.value, learner=line.name))
    return (
        f'<a href="{where}" target="_self">{html.escape(entry.title)}</a>'
        f'<span class="pv-kinds">{tags}</span>'
    )


def _value(question: Question, line: Line) -> str:
    remark = in_symbols(line.reason or line.note)
    said = f"<small>{html.escape(remark)}</small>" if remark else ""
    end = ("≥ " if question.wanted == "d" else "≤ ") if line.at_end or not line.complete else ""
    return f"<strong>{end}{reached(line.value, question.wanted)}</strong>{said}"


def _bound(question: Question, page: ClassPage, line: Line) -> str:
    if not line.bound:
        return "<span>–</span><small>no lower bound speaks</small>"
    entry = catalog.bound(question.concept, line.bound)
    where = html.escape(door(question, page, line.best, bound=line.bound))
    proof = "proved here" if line.proved else "worst case"
    return (
        f"<span>{left_by_bound(line.best, question.wanted)}</span><small>"
        f'<a href="{where}" target="_self">{html.escape(entry.title)}</a>, {proof}</small>'
    )


def _ratio(line: Line) -> str:
    return at_most(line.ratio)


def _scale(value: float | None, best: float | None) -> str:
    """Return both numbers as marks on the scale that all rows share; the words say it too."""
    marks = "".join(
        f'<i class="{name}" style="left:{100 * place:.1f}%"></i>'
        for name, place in (("pv-best", best), ("pv-own", value))
        if place is not None
    )
    if value is not None and best is not None:
        left, right = sorted((value, best))
        marks = (
            f'<i class="pv-gap" style="left:{100 * left:.1f}%;width:{100 * (right - left):.1f}%"></i>'
            + marks
        )
    return f'<span class="pv-scale" aria-hidden="true">{marks}</span>'


def _page_of(concept: str) -> ClassPage:
    return next(
        page
        for page in (declared(file) for _, file in sitemap.classes())
        if page.concept == concept
    )


def door(
    question: Question, page: ClassPage, value: float, *, learner: str = "", bound: str = ""
) -> str:
    """Return the address of a class page in the state of the question, at what was found.

    With a learner its curve is shown; with a bound its proof is unfolded, and its constants are
    those that are drawn. What a page does not take is left at the page's first view.
    """
    fields = page.settings
    values = {item.key: item.default for item in page.fields}

    def put(name: str, wanted: Any) -> None:
        if name in fields and (taken := fields[name].valid(wanted)) is not None:
            values[fields[name].key] = taken

    for name, given in question.given().items():
        put(name, given)
    if not math.isnan(value):
        put(question.wanted, int(value) if question.wanted in {"m", "d"} else value)
    put("distribution", question.distribution)
    if learner:
        shown = fields["learners"].default
        put("learners", [*(shown if isinstance(shown, tuple) else ()), learner])
    if bound:
        entry = catalog.bound(question.concept, bound)
        put("constants", entry.constants)
        put("open", [bound_part(entry)])
    query = urlencode(write(values, page.fields))
    return f"./{page.slug}{'?' if query else ''}{query}{'#theory' if bound else ''}"
