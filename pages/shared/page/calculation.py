"""The calculator's page: what is given, a sentence with a gap, a row a learner."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.frame import shell
from pages.shared.frame.heads import HEADS
from pages.shared.page import calculation_table
from pages.shared.state import controls, state
from pages.shared.state.fields import COMMON, EVERYWHERE, explanation, label, slack
from pages.shared.take import share
from pages.shared.work.waiting import wait_for
from privsc_core import export
from privsc_core.catalog import CONCEPTS
from privsc_core.concepts.idle import said
from privsc_core.draw.style import number
from privsc_core.evaluate import calculator
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Hashable

    from privsc_core.concepts.contracts import ConceptClass
    from privsc_core.evaluate.reach import Wanted

__all__ = ["FIELDS", "show"]

_HEADING, _CLAIM = HEADS["calculator"]
_OWN: dict[str, Any] = {"scope": "calculator"}
# What is looked for, in the order of the buttons, and how it is asked.
_WANTED: dict[str, tuple[str, str]] = {
    "epsilon": ("ε: privacy", "How small can ε be?"),
    "m": ("m: examples", "How many are needed?"),
    "d": ("d: size", "How large can d be?"),
    "alpha": ("α: accuracy", "How small can α be?"),
    "beta": ("β: certainty", "How small can β be?"),
}
_ORDERS = {
    "catalog": "as listed", "value": "best first", "best": "by the bound", "ratio": "nearest to it",
}  # fmt: skip
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
        key="dist", kind="choice", default=_LAWS[0], name="distribution", choices=_LAWS, **_OWN
    ),
    "order": state.Field(
        key="sort", kind="choice", default="catalog", name="order of the rows",
        choices=calculator.ORDERS, **_OWN,
    ),
}  # fmt: skip
FIELDS: tuple[state.Field, ...] = (*EVERYWHERE, *_FIELDS.values())
_FILES = (Path(__file__).with_name("given.css"), Path(__file__).with_suffix(".css"))
_STYLE = f"<style>{''.join(file.read_text(encoding='utf-8') for file in _FILES)}</style>"


_REMARKS = """\
- **Exact laws alone.** No number here is simulated: with it the learner succeeds with probability at
  least $1-\\beta$, and with the next more demanding one it no longer does.
- **The most demanding value of all.** Success may fall and rise again, as on spikes, where a whole number of
  bits may be wrong: then values that demand less may fall short, and the row says so. Where no proof covers the
  values between those that were looked at, the row says *at least*.
- **The safe side.** {rounding} A ratio is rounded up.
- **One scale** for all rows, logarithmic: the dot is the learner, the bar the bound.
- **Anyone** is whoever the bound binds: on this distribution where it is *proved here*. A bound for
  the *worst case* speaks of those who are to succeed on every distribution; here no learner of the
  class passes it either.
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
        question = _asked()
    if question is None:
        return
    with shell.guard():
        found: calculator.Answer = wait_for(
            calculator.answer, question, kind=_kind(question), tame=_everyday(question)
        )
        order = str(state.current()[_FIELDS["order"].key])
        lines = calculator.ordered(found.lines, order, wanted=question.wanted)
        calculation_table.show(found, lines)
        _remarks(found)
        _take(found)


def _asked() -> calculator.Question | None:
    """Draw the controls and the sentence; return what is asked."""
    which, where, what, how = st.columns([1, 1.25, 2.2, 1], gap="medium")
    with which:
        titles = {entry.name: entry.title for entry in CONCEPTS}
        chosen = controls.select(_FIELDS["concept"], "Concept class", names=titles)
    concept = next(entry for entry in CONCEPTS if entry.name == chosen)
    with where:
        law = _law(concept)
    with what:
        names = {name: words for name, (words, _) in _WANTED.items()}
        wanted = str(controls.segmented(_FIELDS["wanted"], "I look for", names=names))
    with how:
        controls.select(_FIELDS["order"], "Order of the rows", names=_ORDERS)
    sentence = st.container()
    given = [name for name in ("m", "d", "epsilon", "delta", "alpha", "beta") if name != wanted]
    if not any(entry.privacy == "approximate" for entry in concept.learners):
        given.remove("delta")
    values: dict[str, Any] = {}
    with st.container(key="pv_given"):
        columns = st.columns(len(given), gap="medium", vertical_alignment="bottom")
    for column, name in zip(columns, given, strict=True):
        item = _FIELDS.get(name) or COMMON[name]
        with column:
            values[name] = controls.slider(item, label(name), help=explanation(name), show=number)
    idle = calculator.idle(concept.name, law)
    named = {parameter(name).symbol: idle[name] for name in (*given, wanted) if name in idle}
    for text in said(named, "any row"):
        st.caption(f"{text}.")
    question = None
    with shell.guard():
        question = calculator.Question(
            concept=concept.name, distribution=law, wanted=wanted,  # type: ignore[arg-type] # a choice
            **values,
        )  # fmt: skip
        sentence.html(calculation_table.sentence(question, _WANTED[wanted][1]))
    return question


def _law(concept: ConceptClass) -> str:
    """Draw the choice among the distributions of the class; return the one that is taken."""
    names = {law.name: law.title for law in concept.distributions}
    first = concept.distributions[0].name
    chosen = str(state.current()[_FIELDS["law"].key])
    if len(names) > 1:
        controls.bound(
            _FIELDS["law"], st.selectbox, "Distribution", list(names),
            format_func=names.__getitem__, to_widget=lambda name: name if name in names else first,
            help="\n".join(f"- **{law.title}**: {law.meaning}" for law in concept.distributions),
        )  # fmt: skip
    if chosen not in names and chosen != _FIELDS["law"].default:
        shell.message(
            f"The distribution {chosen} is none of this class; {first} is taken instead.", "plain"
        )
    return chosen if chosen in names else first


def _kind(question: calculator.Question) -> tuple[Hashable, ...]:
    """Return what the time depends on: names, and orders of magnitude."""
    sizes = (value for value in question.given().values() if value)
    return (
        "calculator", question.concept, question.distribution, question.wanted,
        *(round(math.log10(value)) for value in sizes),
    )  # fmt: skip


def _everyday(question: calculator.Question) -> bool:
    """Tell whether a setting is of the kind that exact laws answer in a few milliseconds."""
    given = {"beta": 1.0, "alpha": 1.0, "epsilon": 1.0, "m": 1, "d": 1} | question.given()
    return bool(
        given["m"] <= 10**5 and given["d"] <= 10**4 and given["epsilon"] >= 0.1
        and given["alpha"] >= 0.05 and given["beta"] >= 0.01
    )  # fmt: skip


def _remarks(found: calculator.Answer) -> None:
    """Say what is exact, how it is rounded, what a bound says, and who is left out."""
    wanted = found.question.wanted
    st.markdown(_REMARKS.format(rounding=_rounding(wanted)))
    if found.left_out:
        titles = {entry.name: entry.title for entry in found.question.concept_class.learners}
        st.markdown("**Left out**, because there is no exact number:")
        st.html(calculation_table.left_out([(titles[n], why) for n, why in found.left_out]))


def _rounding(wanted: Wanted) -> str:
    if wanted in {"m", "d"}:
        return f"{wanted} has all its digits."
    symbol = parameter(wanted).symbol
    return f"{symbol} has four digits, rounded up; that of a bound is rounded down."


def _take(found: calculator.Answer) -> None:
    """Offer the rows as a file, and the command and the Python lines that give them."""
    question = found.question
    st.subheader("Take it away", anchor="take-away")
    st.download_button(
        "These rows (CSV)", data=export.reach_csv(found), mime="text/csv",
        file_name=f"privsc-{question.concept}-{question.wanted}.csv", key="pv_take_csv",
        on_click="ignore",
    )  # fmt: skip
    st.caption("Command line: the same rows")
    st.code(export.reach_command(question), language="bash", wrap_lines=True)
    st.caption("Python: one of them")
    st.code(export.reach_snippet(question, found.lines[-1].name), language="python")
