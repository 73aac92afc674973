"""The calculator's page: what is given, a sentence with a gap, a row a learner."""

from __future__ import annotations

import html
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.frame import shell, sitemap
from pages.shared.frame.sitemap import HEADS
from pages.shared.page.declaration import declared
from pages.shared.page.theory import bound_part
from pages.shared.scheduling.waiting import wait_for
from pages.shared.state import controls, state
from pages.shared.state.fields import COMMON, EVERYWHERE, explanation, label, slack
from pages.shared.state.link import write
from pages.shared.take import share
from privsc_core import catalog, export
from privsc_core.catalog import CONCEPTS
from privsc_core.concepts.contracts.idle import said as said_of
from privsc_core.draw.reckoning import at_most, beside, left_by_bound, places, reached, where
from privsc_core.draw.style import number
from privsc_core.evaluate import calculator
from privsc_core.evaluate.question import Question
from privsc_core.literature.wording import in_symbols

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from pages.shared.page.declaration import ClassPage
    from privsc_core.concepts.contracts import ConceptClass, Learner
    from privsc_core.evaluate.calculator import Answer, Line


# --- What the calculator says, as HTML: the sentence with a gap, the table of learners -----------


_PRIVACY = {
    "none": "not private", "pure": "pure", "approximate": "(ε, δ)", "label": "labels only",
}  # fmt: skip


def in_words(question: Question, asks: str) -> str:
    """Return what is given in a sentence, with a gap for what is looked for."""

    def chip(name: str) -> str:
        symbol = question.concept_class.parameter(name).symbol
        if name == question.wanted:
            return f'<b class="pv-chip pv-gap">{symbol} = ?</b>'
        return f'<b class="pv-chip">{symbol} = {number(getattr(question, name))}</b>'

    slack = f" and {chip('delta')}" if question.delta else ""
    return (
        f'<p class="pv-sentence">I have {chip("m")} {html.escape(question.concept_class.unit)} at '
        f"{chip('d')}, and I want a privacy loss of {chip('epsilon')}{slack}, and an error of at "
        f"most "
        f"{chip('alpha')}, except with probability {chip('beta')}. <em>{html.escape(asks)}</em></p>"
    )


def table(found: Answer, lines: Sequence[Line], scale: Sequence[Line], name: str) -> None:
    """Draw a table; on a narrow screen each row is a card.

    `scale` are the lines whose scale the rows share; `name` says what the table is to those who do not see it.
    """
    question = found.question
    symbol = question.concept_class.parameter(question.wanted).symbol
    own = "guaranteed" if all(line.promise for line in lines) else "needed"
    heads = ("learner", f"{symbol} {own if question.wanted == 'm' else 'reached'}", "lower bound for its kind",
             "gap", "on one scale")  # fmt: skip
    if question.wanted == "d":
        heads = (*heads[:2], "upper limit for its kind", *heads[3:])
    at_places = dict(zip([line.name for line in scale], places(scale), strict=True))
    labels = ("", *heads[1:-1], "")
    page = _page_of(question.concept)
    rows = []
    for line in lines:
        learner = catalog.learner(question.concept, line.name)
        cells = (
            _who(question, page, learner, line), _value(question, line),
            _bound(question, page, line), f"<span>{at_most(line.ratio)}</span>",
            _scale(*at_places[line.name]),
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
        f'aria-label="{html.escape(name)}: {symbol}"><thead role="rowgroup">'
        f'<tr role="row">{top}</tr></thead><tbody role="rowgroup">{"".join(rows)}</tbody></table></div>'
    )


def left_out(entries: Sequence[tuple[str, str]]) -> str:
    """Return the learners and bounds without a row, and the reasons."""
    items = "".join(f"<li>{html.escape(title)}: {html.escape(why)}</li>" for title, why in entries)
    return f'<ul class="pv-left-out">{items}</ul>'


def _who(question: Question, page: ClassPage, entry: Learner, line: Line) -> str:
    kinds = [_PRIVACY[entry.promise(question.delta)]]
    if question.concept_class.labelled:
        kinds.append("proper" if entry.proper else "improper")
    if not entry.efficient:
        kinds.append("not in polynomial time")
    tags = "".join(f"<i>{html.escape(kind)}</i>" for kind in kinds)
    address = html.escape(door(question, page, line.value, learner=line.name))
    return (
        f'<a href="{address}" target="_self">{html.escape(entry.title)}</a>'
        f'<span class="pv-kinds">{tags}</span>'
    )


def _value(question: Question, line: Line) -> str:
    remark = in_symbols(line.reason or line.note, question.concept_class.size.symbol)
    if line.reason:
        end = ""
    else:
        remark = f"{where(line)}{remark}"
        end = ("≥ " if question.wanted == "d" else "≤ ") if line.at_end or not line.complete else ""
    return (
        f"<strong>{end}{reached(line.value, question.wanted)}</strong>"
        f"<small>{html.escape(remark.rstrip('; '))}</small>"
    )


def _bound(question: Question, page: ClassPage, line: Line) -> str:
    if not line.bound:
        return "<span>–</span><small>no lower bound applies here</small>"
    entry = catalog.bound(question.concept, line.bound)
    address = html.escape(door(question, page, line.best, bound=line.bound))
    if not line.promise:
        proof = ", on this distribution" if line.proved else ", to succeed on every distribution"
    else:
        proof = ""
    return (
        f"<span>{left_by_bound(line.best, question.wanted)}</span><small>"
        f'<a href="{address}" target="_self">{html.escape(entry.title)}</a>{proof}</small>'
    )


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
        put("bounds", "all")
        entry = catalog.bound(question.concept, bound)
        put("constants", entry.constants)
        put("open", [bound_part(entry)])
    query = urlencode(write(values, page.fields))
    return f"./{page.slug}{'?' if query else ''}{query}{'#theory' if bound else ''}"


_HEADING, _CLAIM = HEADS["calculator"]
_OWN: dict[str, Any] = {"scope": "calculator"}
# What is looked for, in the order of the buttons, and how it is asked.
_WANTED: dict[str, tuple[str, str]] = {
    "epsilon": ("ε: privacy", "How small can ε be?"),
    "m": ("m: examples", "How many are needed?"),
    "d": ("{size}: size", "How large can {size} be?"),
    "alpha": ("α: accuracy", "How small can α be?"),
    "beta": ("β: certainty", "How small can β be?"),
}
_ORDERS = {
    "value": "best first", "ratio": "smallest gap first", "best": "by lower bound",
    "catalog": "as in the catalog",
}  # fmt: skip
_EVERY = "every"  # in place of a distribution: what is guaranteed on all of them
_KINDS = {
    "-".join(filter(None, (privacy, form))) or "all": calculator.Kind(privacy, proper)
    for privacy in ("", "pure", "approximate", "label")
    for form, proper in (("", None), ("proper", True), ("improper", False))
}
_FIRST = 5  # rows that are open at first
_PARTS = ("given", "rows", "reading", "left")
_LAWS = tuple(dict.fromkeys(law.name for concept in CONCEPTS for law in concept.distributions))
# By name: what only this page means by a key, beside the parameters that mean the same everywhere.
_FIELDS: dict[str, state.Field] = {
    "concept": state.Field(
        key="concept", kind="choice", default=CONCEPTS[0].name, name="concept class",
        choices=tuple(entry.name for entry in CONCEPTS), **_OWN,
    ),
    "wanted": state.Field(
        key="for", kind="choice", default="epsilon", name="what is looked for",
        choices=tuple(_WANTED), **_OWN,
    ),
    "delta": slack(_OWN["scope"]),
    "law": state.Field(
        key="dist", kind="choice", default=_LAWS[0], name="distribution", choices=(*_LAWS, _EVERY),
        **_OWN,
    ),
    "kind": state.Field(
        key="kind", kind="choice", default="all", name="kind of learners", choices=tuple(_KINDS),
        **_OWN,
    ),
    "order": state.Field(
        key="sort", kind="choice", default="value", default_v1="catalog", name="order of the rows",
        choices=tuple(_ORDERS), **_OWN,
    ),
    "open": state.Field(
        key="open", kind="choices", default=(), default_v1=_PARTS, name="unfolded parts", choices=_PARTS, **_OWN
    ),
}  # fmt: skip
FIELDS: tuple[state.Field, ...] = (*EVERYWHERE, *_FIELDS.values())
_FILES = (Path(__file__).with_name("given.css"), Path(__file__).with_suffix(".css"))
_KIND_HELP = (
    "**Pure** learners are ε-DP. **(ε, δ)** learners use a δ > 0. Learners for **labels only** protect the labels; "
    "the points are public. A **proper** learner answers with a concept of the class."
)
_STYLE = f"<style>{''.join(file.read_text(encoding='utf-8') for file in _FILES)}</style>"


_REMARKS = """\
- **Which numbers.** On one distribution a number comes from the exact success probability of the learner: with this number the learner succeeds with probability at least $1-\\beta$, and with the next more demanding number it does not. A *guaranteed* number comes from a proved upper bound, and the row names the distributions. No number here is simulated.
- **Lower bound.** No learner of the same kind does better than the bound. A bound *on this distribution* is proved there. A bound *to succeed on every distribution* holds for learners that do.
- **Gap.** The factor between the number of the learner and the bound, rounded up.
- **Success may fall again.** Then a larger m may be too few, and the row says so. The sign ≤ or ≥ before a number says that the learner may reach a more demanding value: not all were tried.
- **Rounding.** {rounding}
- **Scale.** All rows share one logarithmic scale. The dot is the learner, and the bar is the bound.
"""


def show() -> None:
    """Draw the whole page."""
    shell.page(_HEADING, "calculator", "🧮", FIELDS)
    st.html(_STYLE)
    with shell.head(_HEADING):
        share.button(_HEADING, {}, purposes=("link", "qr"))
    st.markdown(_CLAIM)
    _body()
    shell.footer()


@st.fragment
def _body() -> None:
    """Draw everything that depends on the controls."""
    with st.container(key="pv_asked"):
        question, kind, guaranteed = _asked()
    if question is None:
        return
    with shell.guard():
        found: calculator.Answer = wait_for(
            calculator.answer,
            question,
            guaranteed=guaranteed,
            kind=(*_kind(question), guaranteed),
            run_in="here" if _everyday(question) else "any",
        )
        order = str(state.current()[_FIELDS["order"].key])
        lines = calculator.ordered(found, order, calculator.of_kind(found, kind))
        if said := beside(found, kind, guaranteed=guaranteed):
            shell.said(said)
        symbol = question.concept_class.parameter(question.wanted).symbol
        if lines:
            table(found, lines[:_FIRST], lines, "What each learner reaches")
        if len(lines) > _FIRST:
            more = exhibit.part(f"The other {len(lines) - _FIRST} learners", "rows")
            if more.open:
                with more:
                    table(found, lines[_FIRST:], lines, "What the others reach")
        _take(found, lines, symbol)
        _remarks(found, kind)


def _asked() -> tuple[Question | None, calculator.Kind, bool]:
    """Draw the controls and the sentence; return what is asked, of whom, and whether on every distribution."""
    which, what, who, where = st.columns(4, gap="medium")
    with which:
        titles = {entry.name: entry.title for entry in CONCEPTS}
        chosen = controls.select(_FIELDS["concept"], "Concept class", names=titles)
    concept = next(entry for entry in CONCEPTS if entry.name == chosen)
    with what:
        size = concept.size.symbol
        names = {name: words.format(size=size) for name, (words, _) in _WANTED.items()}
        wanted = str(controls.select(_FIELDS["wanted"], "I look for", names=names))
    with who:
        kind = _who_counts(concept)
    with where:
        law = _law(concept)
    sentence = st.container()
    first = "epsilon" if wanted == "m" else "m"
    given = [name for name in ("m", "d", "epsilon", "delta", "alpha", "beta") if name != wanted]
    if not any(entry.privacy == "approximate" for entry in concept.learners):
        given.remove("delta")
    given.remove(first)
    values: dict[str, Any] = {first: _slider(concept, first)}
    symbols = ", ".join(concept.parameter(name).symbol for name in given)
    more = exhibit.part(f"More: {symbols}, and the order of the rows", "given")
    with more, st.container(key="pv_given"):
        columns = st.columns(len(given), gap="medium", vertical_alignment="bottom")
        for column, name in zip(columns, given, strict=True):
            with column:
                values[name] = _slider(concept, name)
    with more:
        controls.select(_FIELDS["order"], "Order of the rows", names=_ORDERS)
    guaranteed = law == _EVERY
    question = None
    if not guaranteed:
        idle = calculator.idle(concept.name, law)
        named = {
            concept.parameter(name).symbol: idle[name] for name in (*values, wanted) if name in idle
        }
        for text in said_of(named, "any row"):
            st.caption(f"{text}.")
    with shell.guard():
        question = Question(
            concept=concept.name, distribution=None if guaranteed else law, wanted=wanted,
            **values,
        ).checked()  # fmt: skip
        sentence.html(in_words(question, _WANTED[wanted][1].format(size=size)))
    return question, kind, guaranteed


def _slider(concept: ConceptClass, name: str) -> Any:
    item, known = _FIELDS.get(name) or COMMON[name], concept.parameter(name)
    return controls.slider(item, label(known), help=explanation(known), show=number)


def _who_counts(concept: ConceptClass) -> calculator.Kind:
    """Draw the choice among the kinds of learners; return the one that is taken."""
    privacies = {"": "", **_PRIVACY}
    forms = {None: "", True: "proper", False: "improper"}
    names = {
        word: ", ".join(filter(None, (privacies[kind.privacy], forms[kind.proper]))) or "all"
        for word, kind in _KINDS.items()
        if concept.labelled or kind.proper is None  # else nothing has a proper form
    }
    chosen = controls.bound(
        _FIELDS["kind"], st.selectbox, "Learners", list(names), format_func=names.__getitem__,
        to_widget=lambda word: word if word in names else "all", help=_KIND_HELP,
    )  # fmt: skip
    return _KINDS[str(chosen) if chosen in names else "all"]


def _law(concept: ConceptClass) -> str:
    """Draw the choice among the distributions of the class; return the one that is taken."""
    names = {law.name: law.title for law in concept.distributions}
    first, names[_EVERY] = concept.distributions[0].name, "all: what is guaranteed on each"
    chosen = str(state.current()[_FIELDS["law"].key])
    meanings = [f"- **{law.title}**: {law.meaning}" for law in concept.distributions]
    controls.bound(
        _FIELDS["law"], st.selectbox, "Distribution", list(names),
        format_func=names.__getitem__, to_widget=lambda name: name if name in names else first,
        help="\n".join([*meanings, "- **all**: what a proved upper bound promises"]),
    )  # fmt: skip
    if chosen not in names and chosen != _FIELDS["law"].default:
        shell.message(f"This class has no distribution {chosen}; {first} is used instead.", "plain")
    return chosen if chosen in names else first


def _kind(question: Question) -> tuple[Hashable, ...]:
    """Return the cost key: names, and orders of magnitude."""
    sizes = (value for value in question.given().values() if value)
    return (
        "calculator", question.concept, question.distribution, question.wanted,
        *(round(math.log10(value)) for value in sizes),
    )  # fmt: skip


def _everyday(question: Question) -> bool:
    """Return whether a setting is of the kind that exact laws answer in a few milliseconds."""
    given = {"beta": 1.0, "alpha": 1.0, "epsilon": 1.0, "m": 1, "d": 1} | question.given()
    return bool(
        given["m"] <= 10**5 and given["d"] <= 10**4 and given["epsilon"] >= 0.1
        and given["alpha"] >= 0.05 and given["beta"] >= 0.01
    )  # fmt: skip


def _remarks(found: calculator.Answer, kind: calculator.Kind) -> None:
    """Write what is exact, how numbers are rounded, what a bound says, and what is left out."""
    question = found.question
    entries = {entry.name: entry for entry in question.concept_class.learners}
    out = [
        (entries[n].title, why) for n, why in found.left_out if kind.has(entries[n], question.delta)
    ]
    if out:
        part = exhibit.part(f"Learners without a number here: {len(out)}", "left")
        if part.open:
            part.html(left_out(out))
    part = exhibit.part("How to read the rows", "reading")
    if part.open:
        part.markdown(_REMARKS.format(rounding=_rounding(question)))


def _rounding(question: Question) -> str:
    symbol = question.concept_class.parameter(question.wanted).symbol
    if question.wanted in {"m", "d"}:
        return f"{symbol} is shown with all digits."
    return f"{symbol} is shown with four digits: rounded up for a learner, and down for a bound."


def _take(found: calculator.Answer, lines: Sequence[Line], symbol: str) -> None:
    """Offer the rows as a file, and the command and the Python lines of the first one."""
    question = found.question
    best = next((line for line in lines if not math.isnan(line.value)), None)
    if best is None:
        return
    entry = catalog.learner(question.concept, best.name)
    st.subheader(f"Get the first row yourself: {symbol} of {entry.title}", anchor="take-away")
    if entry.caveat and not best.promise:
        st.caption(entry.caveat)
    command, code = st.columns(2, gap="medium")
    command.code(export.reach_command(question, best), language="bash", wrap_lines=True)
    command.caption("On the command line. Without --learner the command prints all rows.")
    code.code(export.reach_snippet(question, best), language="python")
    command.download_button(
        "These rows (CSV)", data=export.reach_csv(question, lines), mime="text/csv",
        file_name=f"privsc-{question.concept}-{question.wanted}.csv", key="pv_take_csv",
        on_click="ignore",
    )  # fmt: skip
