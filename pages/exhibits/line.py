"""What lines alone show: the votes of the blocks, and what a blind guess is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.state import controls
from privsc_core.exhibits.line import the_guess, the_votes

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
        controls.slider(
            _BLOCKS,
            "**Blocks** ← fewer | more →",
            help=("The number of blocks; each has 2/α examples."),
        )
    with middle:
        controls.slider(
            _HEAVY, "**Heaviest point** ← rare | common →",
            help=(
                "Which percentage of the mass 1 - α the heaviest point has. At 0 it is the distribution spread."
            ),
        )  # fmt: skip
    with right:
        exhibit.redraw(_DRAW, "Another sample", "pv_redraw_votes", width="stretch")
    picture = exhibit.computed(the_votes, scenario, values[_HEAVY], values[_BLOCKS], values[_DRAW])
    exhibit.draw(picture, "votes", 360)


def _guess(scenario: Scenario, values: Values) -> None:  # noqa: ARG001 - it has none of its own
    exhibit.draw(exhibit.quickly(the_guess, scenario), "guess", 360)


# Two lines modulo 7, which meet in one point, and the points of a hypothesis between them.
_MEET = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 96" width="240" height="96">
<path d="M72 86h97M72 74h97M72 62h97M72 50h97M72 38h97M72 26h97M72 14h97" stroke="#808a99" stroke-opacity="0.45"
 stroke-width="5" stroke-linecap="round" stroke-dasharray="0 16"/>
<g fill="#6a7b94"><circle cx="72" cy="86" r="4.5"/><circle cx="88" cy="62" r="4.5"/><circle cx="104" cy="38" r="4.5"/>
<circle cx="120" cy="14" r="4.5"/><circle cx="136" cy="74" r="4.5"/><circle cx="152" cy="50" r="4.5"/>
<circle cx="168" cy="26" r="4.5"/></g>
<g fill="none" stroke="#cc6699" stroke-width="2.5"><circle cx="72" cy="14" r="6"/><circle cx="88" cy="26" r="6"/>
<circle cx="104" cy="38" r="6"/><circle cx="120" cy="50" r="6"/><circle cx="136" cy="62" r="6"/>
<circle cx="152" cy="74" r="6"/><circle cx="168" cy="86" r="6"/></g></svg>
"""

EXHIBITS = (
    Exhibit(
        name="guess",
        title="A blind guess",
        claim="**A *blind guess* is a hypothesis that the learner fixes before it sees any data.** Two lines meet in "
        "at most one point, so one hypothesis is accurate for few of the $p^2$ lines. A blind guess succeeds "
        "with probability $\\varrho$ of about $1/p$, up to constants. One example of the target's line raises "
        "the probability of any output by a factor of at most $e^{\\varepsilon}$. So a purely private learner, "
        "proper or not, needs about $\\ln(p)/\\varepsilon$ examples of the target's line. On the distribution "
        "*spread* such examples are rare: the line has a mass just above $\\alpha$, and one other point has "
        "the rest.",
        label="See what privacy leaves to a guess",
        draw=_guess,
        sketch=(_MEET, "Two lines modulo 7 that meet in one point"),
    ),
    Exhibit(
        name="votes",
        title="The votes",
        claim="**Two points determine a line, whatever p is.** The learner cuts the sample into blocks of "
        "$2/\\alpha$ examples. Most blocks contain two points of the target line and vote for this line. A block "
        "with only one point of the line votes for that point alone. Such votes are spread over many points. Even "
        "the heaviest point gets few of them, since its blocks miss all other points. So it is enough to add noise "
        "to the counts and to compare them with a threshold that grows like $\\ln(1/\\delta)$.",
        label="Watch the blocks vote",
        fields=(_BLOCKS, _HEAVY, _DRAW),
        draw=_votes,
    ),
)
