"""The first minute: a tour of the real page, offered to first visitors.

A page declares its steps; tour.js shows them. Their words hold no numbers: where one belongs stands
``{name}``, the number of the card about that learner or bound (of several names the first that has
one), or ``{=key}``, where the slider of that key stands. Both are read off the page, at any setting.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.state import state

if TYPE_CHECKING:
    from collections.abc import Sequence

# What a step may point to, as the browser finds it.
CLAIM, FIGURE = ".st-key-pv_claim", ".st-key-main"


def control(key: str) -> str:
    """Return the slider of a key in the link."""
    return f".st-key-pv_number_{key}"


def card(about: str) -> str:
    """Return the card about a learner or bound."""
    return f'.pv-card[data-about~="{about}"]'


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step.

    Attributes
    ----------
    title, text : str
        Plain text; the text with places for numbers, see above.
    at : str
        What it points to.
    lights : str
        Names of learners or bounds, separated by blanks, whose curves light up.
    opens, action : str
        A folded part that the step offers to open, and the words of that button.
    """

    title: str
    text: str
    at: str
    lights: str = ""
    opens: str = ""
    action: str = ""


# The program is tour.js, which may come later.
_TOUR = st.components.v2.component(
    "privsc_tour",
    js="""export default (given) => {
  (window.pvTours ??= []).push(given);
  window.pvTour?.();
};
""",
    isolate_styles=False,
)


def offer(steps: Sequence[Step]) -> None:
    """Offer a tour where the link says nothing else, and start it where the link asks for it.

    Whether the visitor has been here only the browser knows.
    """
    said = {
        # A tuple: of a list Streamlit would ask pandas whether it is a table.
        "steps": tuple(asdict(step) for step in steps),
        "offer": not state.link(),
        "start": bool(state.current()["tour"]),
    }
    _TOUR(
        key="pv_tour", data=said, width="content",
        on_ended_change=lambda: state.assign(tour=False),
    )  # fmt: skip
