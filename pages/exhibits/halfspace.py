"""What half-spaces alone show: the circle of normals, the ordinary sphere, need against n."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.state import controls, state
from privsc_core.exhibits.halfspace import (
    LEARNERS,
    TURN_STEP,
    over_dimensions,
    the_circle,
    the_sphere,
)

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from privsc_core.evaluate.scenario import Scenario

_OWN = Fields("halfspace")

# --- The circle of normals ----------------------------------------------------------------------

_HIDES = _OWN.choice("hides", "what the learner of the circle hides", "density", tuple(LEARNERS))
_DRAW = _OWN.draw("cdraw", "draw of the circle's sample")


def _circle(scenario: Scenario, values: Values) -> None:
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        controls.segmented(_HIDES, "Learner", names=LEARNERS)
    with right:
        exhibit.redraw(_DRAW, "Another sample", "pv_redraw_circle", width="stretch")
    picture = exhibit.computed(the_circle, scenario, values[_HIDES], values[_DRAW])
    exhibit.draw(picture, "circle", 480)


_CIRCLE = Exhibit(
    name="circle",
    title="The circle of normals",
    claim="**In the plane, m points cut the circle of normals into 2m arcs.** All half-planes with normals in one "
    "arc make the same mistakes on the sample. The density learner, which protects whole examples, weights arcs by "
    "their lengths. The arcs learner protects only the labels, and so may output the end of an arc. **Protecting "
    "less never costs more,** because the density learner protects the labels too. But the arcs learner gives short "
    "and long arcs the same weight, so it can need slightly more examples than the density learner.",
    label="Where normals make mistakes",
    fields=(_HIDES, _DRAW),
    draw=_circle,
)

# --- The ordinary sphere ------------------------------------------------------------------------

_AROUND = _OWN.integer(
    "around",
    "from where the sphere is seen, around",
    30,
    (-180, 180),
    tuple(range(-180, 181, TURN_STEP)),
)
_UP = _OWN.integer(
    "up", "from where the sphere is seen, up", 20, (-90, 90), tuple(range(-90, 91, TURN_STEP))
)
_SDRAW = _OWN.draw("sdraw", "draw of the sphere's sample")


def _sphere(scenario: Scenario, values: Values) -> None:
    around, up, again = st.columns([2, 2, 1], vertical_alignment="bottom")
    with around:
        controls.slider(
            _AROUND, "**Turn, in degrees** ← west | east →", help="Drag, or use the arrow keys."
        )
    with up:
        controls.slider(
            _UP, "**Tilt, in degrees** ← down | up →", help="Drag, or use the arrow keys."
        )
    with again:
        exhibit.redraw(_SDRAW, "Another sample", "pv_redraw_sphere", width="stretch")
    picture = exhibit.computed(the_sphere, scenario, values[_SDRAW], values[_AROUND], values[_UP])
    exhibit.draw(picture, "sphere", 520, on_turn=_turned)


def _turned(key: str) -> None:
    """Look at the sphere from where it was turned to in the figure."""
    view = st.session_state.get(key, {}).get("turn")
    if isinstance(view, list) and len(view) == 2:  # a client can send anything: fields judge it
        state.assign(**{_AROUND.key: view[0], _UP.key: view[1]})


_SPHERE = Exhibit(
    name="sphere",
    title="The ordinary sphere",
    claim="**In space a net of 2,000 normals stands for all half-spaces.** The mechanism mostly draws normals near "
    "the target's, and succeeds when its normal lies in the cap of accurate ones. In four or more dimensions a net "
    "would need tens of thousands of normals.",
    label="Turn the sphere: likely and accurate normals",
    fields=(_AROUND, _UP, _SDRAW),
    draw=_sphere,
)

# --- Need against n -----------------------------------------------------------------------------


def _dimensions(scenario: Scenario, values: Values) -> None:  # noqa: ARG001 - it has none of its own
    exhibit.draw(exhibit.computed(over_dimensions, scenario), "dimensions", 440)


_DIMENSIONS = Exhibit(
    name="dimensions",
    part="see",
    title="What a dimension costs",
    claim="**The number of examples is linear in n for a learner that is too slow in many dimensions, and a higher "
    "power of n for the fast one.** The slow one is the density learner; the fast one averages the examples and adds "
    "noise. Even a learner that protects only the labels needs a number of examples that grows with n.",
    label="Least m against the dimension",
    draw=_dimensions,
)

EXHIBITS = (_CIRCLE, _SPHERE, _DIMENSIONS)
