"""The distribution matters: one learner on several distributions, in a figure of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.shared import shell
from pages.shared.chart import chart
from privsc_core.draw.contrast import contrast_figure
from privsc_core.evaluate.contrast import by_distribution

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["Contrast", "show"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """What a page compares.

    Attributes
    ----------
    learner : str
        Its name in the catalog.
    labels : tuple of str
        Distributions as they are typed, the hardest first.
    bits : tuple of int
        Where on the axis of d.
    trials : int
        Simulated samples for each number that has no exact law.
    words : str
        What the figure shows, in Markdown.
    """

    learner: str
    labels: tuple[str, ...]
    bits: tuple[int, ...]
    trials: int
    words: str


def show(compared: Contrast, scenario: Scenario) -> None:
    """Draw the section; its figure when it is opened."""
    st.header("The distribution matters", anchor="distribution")
    st.markdown(compared.words)
    part = st.expander("Least m on each distribution", key="pv_contrast", on_change="rerun")
    if not part.open:
        return
    with part, shell.guard():
        picture = _drawn(compared, scenario)
        chart(
            picture.figure, key="contrast", height=380, title=picture.title,
            summary=picture.summary, filename=picture.filename,
            table=pd.DataFrame(picture.table), caption=picture.caption,
        )  # fmt: skip


@st.cache_resource(max_entries=64, show_spinner=False)
def _drawn(compared: Contrast, scenario: Scenario) -> Picture:
    return contrast_figure(
        by_distribution(
            scenario, compared.learner, compared.labels, compared.bits, trials=compared.trials
        )
    )
