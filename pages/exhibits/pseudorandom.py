"""Two exhibits of pseudorandom points: time against samples, the distinguisher."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.scheduling import waiting
from pages.shared.scheduling.waiting import again
from pages.shared.state import controls
from privsc_core.exhibits.pseudorandom import (
    POINT_BITS,
    RUNS,
    SEED_BITS,
    distinguished,
    measured_seconds,
    paid,
)

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from privsc_core.evaluate.scenario import Scenario

_SHORTEST, _LONGEST = 4, 17  # the last takes about a third of a second
_POINT = 64  # bits of a point where the time is measured

_OWN = Fields("pseudorandom-point")


# --- Time against samples -----------------------------------------------------------------------


def _time(scenario: Scenario, values: Values) -> None:  # noqa: ARG001 - it has none of its own
    known, efficient = _times()
    following = min(max(known, default=_SHORTEST - 1) + 1, _LONGEST + 1)
    stopped = bool(st.session_state.get("pv_time_stopped"))
    if known:
        picture = exhibit.computed(
            paid,
            tuple(sorted(known.items())),
            efficient,
            d=scenario.d,
            epsilon=scenario.epsilon,
            alpha=scenario.alpha,
            beta=scenario.beta,
        )
        exhibit.draw(picture, "time", 400)
    if following > _LONGEST:
        return
    left, right = st.columns([4, 1], vertical_alignment="center")
    share = (following - _SHORTEST) / (_LONGEST + 1 - _SHORTEST)
    words = "stopped" if stopped else f"measuring l = {following}"
    waiting.Bar(left).draw(share, f"Seeds up to {_LONGEST} bits: {words}")
    right.button(
        "Continue" if stopped else "Stop", key="pv_time_stop", on_click=_toggle, width="stretch"
    )
    if not stopped:
        known[following] = _measured(following)
        again()


def _times() -> tuple[dict[int, float], float]:
    """Return what this session has seen measured, and the efficient learner's time."""
    known: dict[int, float] = st.session_state.setdefault("pv_times", {})
    return known, _measured(None)


def _measured(length: int | None) -> float:
    """Measure once per server: visitors share what one of them has waited for."""
    return exhibit.computed(measured_seconds, length, _POINT)


def _toggle() -> None:
    st.session_state["pv_time_stopped"] = not st.session_state.get("pv_time_stopped", False)


_TIME = Exhibit(
    name="time",
    title="Much time or many examples",
    claim="**A purely private learner that answers with a point needs more examples if it is efficient.** The "
    "learner that enumerates all $2^l$ seeds needs few examples, but time $2^l$. The learner that does not use the "
    "generator is fast, but needs as many examples as if all $2^d$ points were possible targets. Without privacy a "
    "learner can be fast and need few examples.",
    label="Measure the running time here",
    draw=_time,
)


# --- The distinguisher --------------------------------------------------------------------------

_M = _OWN.integer(
    "dm", "examples for the distinguisher", 40, (1, 200),
    (1, 5, 10, 15, 20, 25, 30, 40, 60, 80, 100, 120, 150, 200),
)  # fmt: skip
_SEED = _OWN.draw("dseed", "seed of the distinguisher")


def _distinguisher(scenario: Scenario, values: Values) -> None:
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        controls.slider(
            _M, "**m** ← fewer examples | more →",
            help="m: the number of copies of the example (j, 1) in the sample.",
        )  # fmt: skip
    with right:
        exhibit.redraw(_SEED, "Run again", "pv_redistinguish", width="stretch")
    picture = exhibit.computed(distinguished, values[_M], scenario.epsilon, values[_SEED])
    exhibit.draw(picture, "distinguisher", 260)
    st.caption(
        f"Seeds of l = {SEED_BITS} bits, points of d = {POINT_BITS} bits, {RUNS} real runs each at the page's ε, a "
        "fresh j in every run. **Simulated**: every share is that of real runs of the learner. The conclusion is "
        "**conditional**: SHAKE-256 is not proved to be secure."
    )


_DISTINGUISHER = Exhibit(
    name="distinguisher",
    title="The distinguisher",
    claim="**An efficient learner that tells images from random points breaks the generator.** Give it the example "
    "$(j, 1)$ $m$ times, and see whether it answers $j$. If $j$ is an image it does, with high probability. Suppose "
    "an efficient, purely private learner that answers with a point needed fewer examples for images than the class "
    "of all $2^d$ points requires. Then it would mostly fail for random $j$, and so tell images from random points. "
    "The learner that enumerates the seeds does exactly this, but in exponential time.",
    label="Feed images and random points",
    fields=(_M, _SEED),
    draw=_distinguisher,
)

EXHIBITS = (_TIME, _DISTINGUISHER)
