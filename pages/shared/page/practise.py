"""Questions at the setting on the screen: answers to choose or a number to type, and what each would mean.

What is asked, and what is right, the core computes (`privsc_core.practice`). How many a reader has answered
only the reader's browser knows.
"""

from __future__ import annotations

import html
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.hall.lectures import typeset
from pages.shared.state import state
from pages.shared.state.fields import COMMON
from pages.shared.state.link import Field
from privsc_core import draw, practice
from privsc_core.concepts.contracts.practice import NEAR
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privsc_core.concepts.contracts.practice import Exercise
    from privsc_core.evaluate.scenario import Scenario

# In the session: the number of the question; to which question which answers were given, in their order; the
# sentence that refuses a text; and what is to be shown: asked for, and drawn.
_NUMBER, _TRIED, _REFUSED = "pv_practise_number", "pv_practise_tried", "pv_practise_refused"
_SHOW, _SHOWN = "pv_practise_show", "pv_practise_shown"
_TYPED = "pv_practise_typed"
_ANSWER = Field(key="answer", kind="number", default=1.0, name="your number", low=1e-15, high=1e300)
_PROGRESS = st.components.v2.component(
    "privsc_practise",
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
    css=Path(__file__).with_suffix(".css").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def inside(scenario: Scenario, parts: Mapping[str, str]) -> None:
    """Draw a question, its answers, what is said of those that were given, and the way on.

    Parameters
    ----------
    scenario : Scenario
        What the page shows.
    parts : mapping of str to str
        The titles of the parts of the page and of its exhibits, by name.
    """
    if st.session_state.get(_SHOW):
        st.session_state[_SHOWN] = st.session_state.pop(_SHOW)
        exhibit.everywhere()
    if _NUMBER not in st.session_state:  # a link with a seed begins with its own question
        own = scenario.seed != COMMON["seed"].default
        st.session_state[_NUMBER] = practice.beginning(
            scenario.seed if own else secrets.randbelow(60)
        )
    found = exhibit.computed(practice.following, scenario, st.session_state[_NUMBER])
    if found is None:
        st.caption("No question can be asked at this setting. Move a slider.")
        return
    number, asked = found
    tried = _tried(asked)
    with st.container(key="pv_practise"):
        st.markdown(f"**{typeset(asked.sentence)}**")
        if asked.number is None:
            _choices(asked, tried)
        else:
            _number(asked)
        _say(asked, tried)
        with st.container(horizontal=True, vertical_alignment="center"):
            if tried:
                _show(asked, scenario, parts)
            st.button(
                "Another question", key="pv_practise_next", on_click=_go_on, args=(number + 1,)
            )
        _progress(asked, tried)


def _tried(asked: Exercise) -> tuple[float, ...]:
    """Return the answers that were given to this question, the first one first."""
    question, tried = st.session_state.get(_TRIED, ("", ()))
    return tried if question == _question(asked) else ()


def _question(asked: Exercise) -> str:
    """Return what tells a question from others: the same sentence has other answers at another setting."""
    return " ".join((asked.sentence, *asked.choices, *asked.feedback))


def _answer(asked: Exercise, answer: float) -> None:
    st.session_state[_TRIED] = _question(asked), (*_tried(asked), answer)


def _go_on(number: int) -> None:
    st.session_state[_NUMBER] = number
    st.session_state.pop(_TRIED, None)
    st.session_state.pop(_REFUSED, None)
    st.session_state.pop(_TYPED, None)


def _choices(asked: Exercise, tried: tuple[float, ...]) -> None:
    """Draw the choices; one that was tried carries a mark, and can be chosen again."""
    for place, text in enumerate(asked.choices):
        mark = ("✓ " if place == asked.right else "✗ ") if place in tried else ""
        st.button(
            f"{mark}{typeset(text)}", key=f"pv_practise_{place}", on_click=_answer, args=(asked, place),
            width="stretch",
        )  # fmt: skip


def _number(asked: Exercise) -> None:
    """Draw the box for a number."""
    with (
        st.form("pv_practise_form", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.text_input(f"Your number, right within a factor of {NEAR}", key=_TYPED, max_chars=30)
        st.form_submit_button("Answer", on_click=_typed, args=(asked,))
    if refused := st.session_state.get(_REFUSED):
        st.caption(typeset(refused))


def _typed(asked: Exercise) -> None:
    """Take the number that was typed, or say what it must be."""
    text = str(st.session_state.get(_TYPED, ""))
    number = _ANSWER.typed(text.replace(" ", ""))
    st.session_state.pop(_REFUSED, None)
    if isinstance(number, float):
        _answer(asked, number)
    else:
        needs = "must be a number above 0, such as 1,000, 1e3 or 0.5"
        st.session_state[_REFUSED] = str(InputError("Your number", needs, text))


def _say(asked: Exercise, tried: tuple[float, ...]) -> None:
    """Draw what is said of the last answer, where a screen reader hears that it changes.

    Nothing is said while a text stands in the box that is no answer.
    """
    verdict = asked.verdict(tried[-1]) if tried and not st.session_state.get(_REFUSED) else None
    tone = "" if verdict is None else f"pv-message pv-{'good' if verdict.right else 'bad'}"
    said = "" if verdict is None else ("" if verdict.right else "Not right. ") + verdict.said
    if verdict and verdict.right and not verdict.said.startswith("Right"):
        said = f"Right. {said}"
    st.markdown(f'<p class="{tone}" role="status">{html.escape(said)}</p>', unsafe_allow_html=True)


def _show(asked: Exercise, scenario: Scenario, parts: Mapping[str, str]) -> None:
    """Draw the button that leads to what shows the answer: the first figure where the page has nothing better."""
    concept = scenario.concept_class
    views = draw.views_of(concept)
    where = asked.where if asked.where in views or asked.where in parts else "m"
    title = views[where].said(concept.size.symbol) if where in views else parts[where]
    st.button(
        typeset(title if title.startswith("See it") else f"See it: {title}"),
        key="pv_practise_see", on_click=_see, args=(where, where in views),
    )  # fmt: skip


def _see(where: str, view: bool) -> None:  # noqa: FBT001 - of a button
    st.session_state[_SHOW] = "main" if view else f"w_open_{where}"
    if view:
        state.assign(view=where)
    else:
        state.assign(open=tuple(dict.fromkeys((*state.words("open"), where))))


def _progress(asked: Exercise, tried: tuple[float, ...]) -> None:
    """Draw how many questions were answered in this browser, and bring to view what was asked for."""
    data: dict[str, Any] = {"question": _question(asked), "show": st.session_state.pop(_SHOWN, "")}
    if tried:
        data["right"] = asked.verdict(tried[0]).right  # the first try counts
    _PROGRESS(key="pv_practise_progress", data=data)
