"""What lines alone show: the votes of the blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.state import controls
from privsc_core.exhibits.line import the_votes

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from privsc_core.evaluate.scenario import Scenario

_OWN = Fields("line")
_HEAVY = _OWN.integer("heavy", "mass of the heaviest point", 0, (0, 100), tuple(range(0, 101, 5)))
_BLOCKS = _OWN.integer(
    "blocks",
    "number of blocks",
    110,
    (3, 1000),
    (3, 10, 20, 40, 60, 80, 100, 110, 120, 140, 160, 200, 300, 500, 1000),
)
_DRAW = _OWN.draw("vdraw", "draw of the sample")


def _votes(scenario: Scenario, values: Values) -> None:
    left, middle, right = st.columns([2, 2, 1], vertical_alignment="bottom")
    with left:
        controls.slider(_BLOCKS, "**Blocks** ← fewer | more →", help="Of 2/α examples each.")
    with middle:
        controls.slider(
            _HEAVY, "**Heaviest point** ← rare | common →",
            help="Its share of the mass 1 - α, in percent. At 0 the distribution is spread.",
        )  # fmt: skip
    with right:
        exhibit.redraw(_DRAW, "Another sample", "pv_redraw_votes", width="stretch")
    picture = exhibit.computed(the_votes, scenario, values[_HEAVY], values[_BLOCKS], values[_DRAW])
    exhibit.draw(picture, "votes", 360)


EXHIBITS = (
    Exhibit(
        name="votes",
        title="The votes",
        claim="**Two places fix a line, at every p.** A block of $2/\\alpha$ examples mostly sees two of "
        "the target's points and votes for it. Blocks that see one place vote for that point alone: "
        "many points share those votes, and the heaviest one gets few, since a block must then miss "
        "all others. So noise and a threshold of $\\ln(1/\\delta)$ are enough.",
        label="Watch the blocks vote",
        fields=(_BLOCKS, _HEAVY, _DRAW),
        draw=_votes,
    ),
)
