"""What thresholds on [0, 1] alone show: the line itself, who may know what, a net too coarse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.state import controls
from privsc_core.exhibits.threshold import SIGHTS, over_bits, over_reference, the_line, too_coarse

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from privsc_core.evaluate.scenario import Scenario

_OWN = Fields("threshold")

# --- The line itself ----------------------------------------------------------------------------

_SIGHT = _OWN.choice("sight", "how the line is laid out", "mass", tuple(SIGHTS))
_DRAW = _OWN.draw("ldraw", "draw of the sample")


def _line(scenario: Scenario, values: Values) -> None:
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        controls.segmented(_SIGHT, "Show", names=SIGHTS)
    with right:
        exhibit.redraw(_DRAW, "Another sample", "pv_redraw_line", width="stretch")
    picture = exhibit.computed(the_line, scenario, values[_SIGHT], values[_DRAW])
    exhibit.draw(picture, "line", 380)


_LINE = Exhibit(
    name="line",
    title="The line itself",
    claim="**The data are densest in a window that is hardly any of the line.** The density learner "
    "weighs every threshold by its length and by $e^{-\\varepsilon/2}$ for each mistake. Each bit of "
    "resolution halves the window, so that more examples must point to it.",
    label="Where the density learner draws its threshold",
    fields=(_SIGHT, _DRAW),
    draw=_line,
)

# --- A net too coarse ---------------------------------------------------------------------------

_GUESS = _OWN.integer(
    "guessed", "log2 of the guessed κ", 12, (0, 2000), (0, 2, 4, 6, 8, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24, 32, 64)
)  # fmt: skip


def _coarse(scenario: Scenario, values: Values) -> None:
    controls.slider(
        _GUESS, "**κ guessed, in bits** ← coarser net | finer →",
        help="The net has 2κ/α thresholds, with this guess for κ in place of 2ᵇ.",
    )  # fmt: skip
    exhibit.draw(exhibit.computed(too_coarse, scenario, values[_GUESS]), "coarse", 380)


_COARSE = Exhibit(
    name="coarse",
    title="A net too coarse",
    claim="**A net needs to know how dense the data may be.** With a guess of κ that is four times too "
    "small no threshold of the net may be accurate, and then no number of examples helps. The density "
    "learner has no net and needs no κ.",
    label="Guess κ and watch the net fail",
    fields=(_GUESS,),
    draw=_coarse,
)

# --- Who may know what --------------------------------------------------------------------------


def _knowing(scenario: Scenario, values: Values) -> None:  # noqa: ARG001 - it has none of its own
    exhibit.draw(exhibit.computed(over_bits, scenario), "knowing-bits", 400)
    exhibit.draw(exhibit.computed(over_reference, scenario), "knowing-reference", 340)


_KNOWING = Exhibit(
    name="knowing",
    title="Who may know what",
    claim="**Only the bits that are not known beforehand cost examples.** A learner that protects whole examples "
    "needs more of them with every bit of resolution that is *unknown*, $b - r$; one that knows the crowd itself "
    "pays for no bit. A learner that protects only the labels, or nothing, never pays for $b$.",
    label="Least m by what is private and what is known",
    draw=_knowing,
)

EXHIBITS = (_LINE, _KNOWING, _COARSE)
