"""What a class page computes, by way of work.py: shared, bounded, and never in others' way.

While something takes long, the visitor sees where it stands and can stop it; every update is also
a moment at which a newer setting takes over, and what nobody waits for is dropped.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared import payload, work
from privsc_core import draw
from privsc_core.errors import InputError
from privsc_core.evaluate import views

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["main_figure", "numbers", "picture", "prepare", "wait_for"]

_AT_ONCE = 0.25  # seconds before words appear: most answers come sooner
_TICK = 0.3
_HALTED = "pv_halted"


def wait_for(
    function: Callable[..., Any],
    *arguments: Hashable,
    kind: Hashable,
    tame: bool = False,
    where: str = "",
    **keywords: Any,
) -> Any:
    """Return the value of a call; while it takes long, say where it stands.

    Parameters
    ----------
    function : callable
        Of the core.
    *arguments, **keywords
        Hashable; what the result depends on.
    kind : hashable
        What the time depends on, see work.py.
    tame : bool
        Whether a kind that nobody has run yet is taken for quick.
    where : str
        Tells places of a page apart that ask for the same function.

    Raises
    ------
    InputError
        For bad input, for what takes more than this server allows, and when it was stopped.
    """
    what = (function.__name__, arguments, tuple(sorted(keywords.items())))
    name = f"{function.__name__}{where}"
    if st.session_state.get(_HALTED) == what:
        st.button("Compute it after all", key=f"pv_go_on_{name}", on_click=_go_on)
        raise InputError("This computation", "must run to its end to be shown", "a stop")
    with work.start(function, *arguments, kind=kind, tame=tame, **keywords) as job:
        if not job.wait(_AT_ONCE):
            place = st.empty()
            with place.container(horizontal=True, vertical_alignment="center"):
                says = st.empty()
                st.button("Stop", key=f"pv_halt_{name}", on_click=_halt, args=(what,))
            while not job.wait(_TICK):
                says.markdown(job.words)
            place.empty()
        return job.result()


def _halt(what: Hashable) -> None:
    st.session_state[_HALTED] = what


def _go_on() -> None:
    st.session_state.pop(_HALTED, None)


def prepare(scenario: Scenario, on_map: str, height: int) -> None:
    """Have the first view of a class at some setting computed while nobody waits for it."""
    kind = _kind(scenario)
    for job in (
        work.start(
            payload.main_figure, scenario, "m", on_map, 0, height,
            kind=("figure", "m", *kind, False), aside=True,
        ),
        work.start(views.numbers, scenario, kind=("numbers", *kind), aside=True),
    ):  # fmt: skip
        with job:
            job.result()


def main_figure(scenario: Scenario, view: str, on_map: str, trials: int, height: int) -> bytes:
    """Return what the main chart is sent, see `payload.main_figure`."""
    found: bytes = wait_for(
        payload.main_figure, scenario, view, on_map, trials, height,
        kind=("figure", view, *_kind(scenario), bool(trials)),
        tame=_quick_picture(scenario, view, trials),
    )  # fmt: skip
    return found


def picture(scenario: Scenario, view: str, on_map: str, trials: int, *, where: str = "") -> Picture:
    """Return one picture of a scenario, see `draw.picture` and `wait_for`."""
    found: Picture = wait_for(
        draw.picture, scenario, view, on_map=on_map, trials=trials,
        kind=("picture", view, *_kind(scenario), bool(trials)),
        tame=_quick_picture(scenario, view, trials), where=where,
    )  # fmt: skip
    return found


def numbers(scenario: Scenario) -> Numbers:
    """Return the numbers of a scenario, see `views.numbers`."""
    found: Numbers = wait_for(
        views.numbers, scenario, kind=("numbers", *_kind(scenario)), tame=_tame(scenario)
    )
    return found


def _kind(scenario: Scenario) -> tuple[Hashable, ...]:
    """Return what the time of a scenario depends on: names, and orders of magnitude."""
    sizes = (scenario.m, scenario.d, 1 / scenario.epsilon, 1 / scenario.alpha, 1 / scenario.beta)
    return (
        scenario.concept, scenario.learners, scenario.distribution,
        *(round(math.log10(size)) for size in sizes),
    )  # fmt: skip


def _quick_picture(scenario: Scenario, view: str, trials: int) -> bool:
    return _tame(scenario) and draw.VIEWS[view].quantity == "success" and not trials


def _tame(scenario: Scenario) -> bool:
    """Tell whether a setting is of the kind that exact laws answer in a few milliseconds."""
    return (
        scenario.m <= 10**5 and scenario.d <= 10**4 and scenario.epsilon >= 0.1
        and scenario.alpha >= 0.05 and scenario.beta >= 0.01
        and all(e.laws[scenario.law.name] == "exact" for e in scenario.drawn)
    )  # fmt: skip
