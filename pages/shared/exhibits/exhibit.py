"""What exhibits share: a folded part, a picture, the next draw, one more step."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages.shared.chart.chart import chart
from pages.shared.chart.payload import of_picture
from pages.shared.hall import presenter
from pages.shared.state import state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

    from privsc_core.draw.picture import Picture

__all__ = ["again", "draw", "intro", "part", "step"]


def intro(title: str, anchor: str, words: str) -> None:
    """Draw the title and the claim of an exhibit; in a lecture the scene has said it."""
    if presenter.place() is None:
        st.header(title, anchor=anchor)
        st.markdown(words)


def part(label: str, name: str, fields: Iterable[state.Field] = ()) -> ExpanderContainer:
    """Return the folded part of an exhibit, to be filled only while it is open.

    A link that names it, or sets one of its fields, unfolds it.
    """
    now = state.current()
    asked = any(now[item.key] != item.default for item in fields)
    return state.fold(state.field_of("open"), name, label, asked=asked)


def draw(
    picture: Picture,
    key: str,
    height: int,
    *,
    credit: str = "",
    on_guess: Callable[[str], None] | None = None,
) -> None:
    """Draw a picture of the core as a chart; `on_guess` hears where its line was dragged.

    `credit` names the sources below the figure that people save.
    """
    chart(_sent(picture, height, credit), key=key, on_guess=on_guess)


# Two hundred visitors of one picture share what is sent.
_sent = functools.lru_cache(maxsize=256)(of_picture)


def step(item: state.Field) -> None:
    """Go on to the next draw, whose number is in the link."""
    value = state.current()[item.key]
    state.assign(**{item.key: int(value) % int(item.high) + 1})  # type: ignore[arg-type]


def again() -> None:
    """Run once more: a longer computation goes step by step, and every step can be its last."""
    try:
        st.rerun(scope="fragment")
    except StreamlitAPIException:  # this is a run of the whole page
        st.rerun()
