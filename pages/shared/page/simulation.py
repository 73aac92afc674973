"""A figure whose simulated curves come later: part by part, each one a chance to stop.

The page is complete without them. The next part is computed while the browser draws what it was
sent; then the figure is drawn again. What goes quickly is not cut into many parts: each of them
draws everything that depends on the controls.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.chart import figures
from pages.shared.work import bar, crowd
from pages.shared.work.waiting import again, wait_quietly
from privsc_core import draw
from privsc_core.concepts.contracts import CHUNK
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from pages.shared.work.job import Job
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["done", "grown", "offer", "simulates"]

# In the session: (scenario, samples that are done, whether it was stopped); and how many parts at
# a time go quickly, by the kind of the scenario.
_SIMULATED, _PACE = "pv_simulated", "pv_simulated_at_a_time"
_GROWN = "pv_grown"  # in the session: whether the run that comes is one that nobody has asked for
_KEPT = 0.002  # seconds: what took less had been computed before
_QUICK, _SLOW = 0.15, 0.6  # seconds: what takes less is too little at a time, and too much
_FASTER = 4


def simulates(scenario: Scenario, view: str) -> bool:
    """Tell whether a picture has curves that are simulated."""
    if draw.VIEWS[view].quantity != "success":
        return False
    return any(e.laws[scenario.law.name] != "exact" for e in scenario.drawn)


def done(scenario: Scenario, view: str) -> int:
    """Return how many simulated samples of a picture have been done in this session.

    Pictures without simulation are the same at any number: 0.
    """
    return _state(scenario)[1] if simulates(scenario, view) else 0


def offer(
    scenario: Scenario, view: str, begin: Callable[[int], Job] | None
) -> Callable[[], None] | None:
    """Say how far a simulation is, with a button to stop; return what goes on with it.

    Parameters
    ----------
    scenario : Scenario
    view : str
    begin : callable, optional
        Number of samples -> the job of the figure with so many; None where there is no such job.

    Returns
    -------
    callable or None
        To be called when the page is complete: it computes one more part and draws again.
        None when nothing is to be simulated.
    """
    if not simulates(scenario, view):
        return None
    _, so_far, stopped = _state(scenario)
    if so_far >= scenario.trials:
        return None

    def halt() -> None:
        st.session_state[_SIMULATED] = (scenario, so_far, not stopped)

    left, right = st.columns([4, 1], vertical_alignment="center")
    place = left.empty()
    words = f"{so_far:,} of {scenario.trials:,} simulated samples" + " (stopped)" * stopped
    tell = partial(bar.Bar(place).draw, said=words)
    tell(so_far / scenario.trials)
    right.button("Continue" if stopped else "Stop", key="pv_stop", on_click=halt)
    return None if stopped else partial(_go_on, scenario, so_far, begin, tell)


def _go_on(
    scenario: Scenario,
    so_far: int,
    begin: Callable[[int], Job] | None,
    tell: Callable[[float], Any],
) -> None:
    paces: dict[Hashable, int] = st.session_state.setdefault(_PACE, {})
    crowd.later()
    kind = figures.kind_of(scenario)
    parts = paces.get(kind, 1)
    more = min(so_far + parts * CHUNK, scenario.trials)
    if begin is not None:
        began = time.monotonic()
        try:
            begun = begin(more)
        except InputError:  # too many wait: whoever wants more of it can ask again
            st.session_state[_SIMULATED] = (scenario, so_far, True)
            again()
            return
        with begun as job:
            ended = wait_quietly(
                job,
                lambda: tell(
                    (so_far + (job.progress()[0] or 0.0) * (more - so_far)) / scenario.trials
                ),
            )
        if not ended:
            again()  # together with what the visitor has changed, here or elsewhere
        took = time.monotonic() - max(began, job.began)  # not what others took
        if _KEPT < took < _QUICK:
            paces[kind] = parts * _FASTER
        elif took > _SLOW:
            paces[kind] = max(1, parts // _FASTER)
    st.session_state[_SIMULATED] = (scenario, more, False)
    st.session_state[_GROWN] = True
    again()


def grown() -> bool:
    """Tell, once, whether this run is there to draw what has been simulated meanwhile."""
    return bool(st.session_state.pop(_GROWN, False))


def _state(scenario: Scenario) -> tuple[Scenario, int, bool]:
    nothing = (scenario, 0, False)
    known: tuple[Scenario, int, bool] = st.session_state.get(_SIMULATED, nothing)
    return known if known[0] == scenario else nothing
