"""Take it away: data, snippet, command line, link and citation of what the page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.shared import state
from privsc_core.concepts.papers import PAPERS
from privsc_core.evaluate.recipe import command_line, python_snippet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["show"]


def show(scenario: Scenario, now: Mapping[str, state.Value], picture: Picture) -> None:
    """Draw the section."""
    del now
    st.header("Take it away", anchor="take-away")
    st.caption(
        "The buttons at the figure's top right save it as SVG or PNG and show its data. The "
        "address of this page holds every setting, the seed included."
    )
    st.download_button(
        "Data of the figure (CSV)",
        data=lambda: pd.DataFrame(picture.table).to_csv(index=False),
        file_name=f"{picture.filename}.csv",
        mime="text/csv",
        on_click="ignore",
    )
    left, right = st.columns(2)
    with left:
        st.caption("Command line, the same least numbers of samples")
        st.code(command_line(scenario), language="bash", wrap_lines=True)
        st.caption("Link")
        pairs = "&".join(f"{key}={value}" for key, value in state.link().items())
        st.code(f"?{pairs}" if pairs else "(the page's plain address)", language=None)
    with right:
        st.caption("Python")
        st.code(python_snippet(scenario), language="python")
    st.caption("Citation of the paper")
    st.code(PAPERS["BBKN13"].bibtex, language="bibtex")
