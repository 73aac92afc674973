"""What thresholds on [0, 1] alone show: the line itself, a known reference, a net too coarse."""

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

_SIGHT = _OWN.choice("sight", "scale of the line", "mass", tuple(SIGHTS))
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
    claim="**The *window* is a short interval around the target in which the density is $2^b$.** It has mass "
    "$2\\alpha$, so thresholds outside it are not accurate. The density learner chooses one of the gaps between "
    "examples. The weight of a gap is its length, times $e^{-\\varepsilon/2}$ for each mistake. Each further bit of "
    "resolution halves the window, so more examples are needed to find it.",
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
        help="The net has 2κ/α thresholds, where κ is this guess and not 2ᵇ.",
    )  # fmt: skip
    exhibit.draw(exhibit.computed(too_coarse, scenario, values[_GUESS]), "coarse", 380)


_COARSE = Exhibit(
    name="coarse",
    title="A net too coarse",
    claim="**A learner with a net of thresholds must know κ, the largest density of the data.** If its guess of κ is "
    "four times too small, perhaps no threshold of the net is accurate. Then no number of examples helps. The "
    "density learner uses no net and need not know κ.",
    label="Guess κ and watch the net fail",
    fields=(_GUESS,),
    draw=_coarse,
)

# --- A known reference --------------------------------------------------------------------------


def _knowing(scenario: Scenario, values: Values) -> None:  # noqa: ARG001 - it has none of its own
    exhibit.draw(exhibit.computed(over_bits, scenario), "knowing-bits", 400)
    exhibit.draw(exhibit.computed(over_reference, scenario), "knowing-reference", 340)


_REFERENCE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 96" width="240" height="96">
<path d="M12 72V64H84V44H156V64H228V72Z" fill="#808a99" fill-opacity="0.35"/>
<path d="M12 72V64H112V12H128V64H228V72" fill="none" stroke="#6a7b94" stroke-width="3"/>
<g fill="#808a99" font-size="13" font-family="sans-serif"><text x="132" y="24">the data, b bits</text>
<text x="160" y="54">R, r bits</text><text x="12" y="90">0</text><text x="220" y="90">1</text></g></svg>
"""

_KNOWING = Exhibit(
    name="knowing",
    part="see",
    title="What a known reference saves",
    claim="**Only the bits of resolution that are not known beforehand cost examples.** The *reference* $R$ is a "
    "distribution that the learner knows. The data are $\\kappa$-smooth if every set has at most $\\kappa$ times its "
    "probability under $R$. For the uniform $R$ this $\\kappa$ is $2^b$. For a reference that shows $r$ of the $b$ "
    "bits it is $2^{b-r}$. A learner that protects whole examples needs more of them with each of the $b-r$ unknown "
    "bits. If $r = b$, or if only the labels are private, the number does not grow with $b$.",
    label="Least m by what is private and what is known",
    draw=_knowing,
    sketch=(_REFERENCE, "A narrow window of the data inside a wider one of the reference"),
)

EXHIBITS = (_LINE, _KNOWING, _COARSE)
