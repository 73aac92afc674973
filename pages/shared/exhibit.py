"""What exhibits share: a folded part, a picture, the next draw, one more step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages.shared import state
from pages.shared.chart import chart

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

    from privsc_core.draw.picture import Picture

__all__ = ["again", "draw", "part", "step"]


def part(label: str, name: str, fields: Iterable[state.Field] = ()) -> ExpanderContainer:
    """Return the folded part of an exhibit, to be filled only while it is open.

    A link that sets one of its fields unfolds it.
    """
    key = f"pv_exhibit_{name}"
    now = state.current()
    asked = any(now[item.key] != item.default for item in fields)
    st.session_state.setdefault(key, asked)
    return st.expander(label, key=key, on_change="rerun")


def draw(picture: Picture, key: str, height: int) -> None:
    """Draw a picture of the core as a chart."""
    chart(
        picture.figure, key=key, height=height, title=picture.title, summary=picture.summary,
        filename=picture.filename, table=pd.DataFrame(picture.table), caption=picture.caption,
    )  # fmt: skip


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
