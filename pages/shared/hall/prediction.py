"""Predict, then reveal: the curves wait until the audience has committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.frame import shell
from pages.shared.hall import lectures, presenter
from pages.shared.state import controls, state
from privsc_core import draw
from privsc_core.draw.style import integer
from privsc_core.evaluate.prediction import verdict

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.prediction import Answer

START = 100  # where the line waits


def asks() -> bool:
    """Return whether the curves are hidden now."""
    return bool(state.current()["predict"])


def question(usual: str) -> str:
    """Return what the audience is asked: the scene's question, or the usual one of the page."""
    where = presenter.place()
    asked = where.scene.question if where else ""
    return asked or usual


def guess() -> int:
    """Return the guess of the number of samples, 0 while there is none."""
    return state.whole("guess")


def _set(value: float) -> None:
    state.assign(guess=max(1, round(value)))


def commit(words: str, start: int = START) -> None:
    """Draw the question, the guess, which waits at `start`, and the button that reveals."""
    if not guess():
        _set(start)
    with st.container(key="pv_ask", border=True):
        text, slider, reveal = st.columns([6, 4, 2], vertical_alignment="center", gap="medium")
        text.container(key="pv_question").markdown(f"**Predict first.** {lectures.typeset(words)}")
        with slider:
            controls.slider(
                state.field_of("guess"), "**Your prediction of m**: drag the line, or this",
                show=integer,
            )  # fmt: skip
        reveal.button("Reveal", key="pv_reveal", on_click=_reveal, width="stretch")


def _reveal() -> None:
    state.assign(predict=False)


def button() -> None:
    """Draw the button that hides the curves on request."""
    st.button(
        "Predict first", key="pv_predict", on_click=lambda: state.assign(predict=True, guess=0),
        help="Hides the curves and the numbers until you have made a guess.",
    )  # fmt: skip


def hidden(
    picture: Picture, axes: tuple[str, ...], quantity: str, words: str, *, at: float = 0.0,
    start: int = START,
) -> Picture:  # fmt: skip
    """Return the picture without its curves, with the line of the guess; see `draw.mark`.

    `at` is the setting's value on the horizontal axis, about which the question is; 0 for nowhere.
    """
    empty = draw.conceal(picture, words, axes, quantity)
    return draw.mark(empty, guess() or start, axes, quantity, at, ask=True)


def said(truth: Answer) -> None:
    """State what the guess missed."""
    with st.container(key="pv_verdict", horizontal=True, vertical_alignment="center"):
        shell.message(verdict_on(truth), "accent")
        st.button("Clear", key="pv_clear", on_click=lambda: state.assign(guess=0))


def verdict_on(truth: Answer) -> str:
    """Return what the guess missed, in words."""
    return verdict(guess(), truth)


def dragged(key: str) -> None:
    """Take the place of the line that was dragged in a figure."""
    value = st.session_state.get(key, {}).get("guess")
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 10**7:
        _set(value)
