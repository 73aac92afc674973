"""Take it away: data, snippet, command line and link of what the page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.shared import state
from privsc_core.export import Shown, command_line, python_snippet

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["show"]


def show(scenario: Scenario, picture: Picture) -> None:
    """Draw the section."""
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
    # Drawn when opened: what colours code is a third of all programs of the page.
    recipe = st.expander(
        "Python, command line and link that reproduce this", on_change="rerun", key="pv_recipe"
    )
    if recipe.open:
        with recipe:
            _recipe(scenario)


def _recipe(scenario: Scenario) -> None:
    st.caption("Python. To cite the papers, take the BibTeX under Theory, References.")
    st.code(python_snippet(Shown(scenario)), language="python")
    st.caption("Command line (the least numbers of samples)")
    st.code(command_line(scenario), language="bash", wrap_lines=True)
    pairs = "&".join(f"{key}={value}" for key, value in state.link().items())
    st.caption("The link's ending")
    st.code(f"?{pairs}" if pairs else "(the page's plain address)", language=None)
