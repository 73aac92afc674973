"""The one chart of the dashboard: a thin component around ``Plotly.react``.

``st.plotly_chart`` mounts a new figure at every change and so loses zoom and hidden curves; this
one keeps its node. It also keeps the message small: the program travels once, as a static file
(static_files.py); a change carries numbers only, as float32, and no template.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.chart import payload
from pages.shared.host import static_files
from pages.shared.scheduling import scheduler
from pages.shared.scheduling.scheduler import Priority
from pages.shared.scheduling.waiting import alone, wait_for
from privsc_core import draw
from privsc_core.errors import InputError
from privsc_core.evaluate import views
from privsc_core.evaluate.comparison import compare

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from typing import Literal

    from pages.shared.chart.payload import Look, Strip
    from pages.shared.scheduling.scheduler import Task
    from privsc_core.concepts.contracts import Learner
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.comparison import Comparison
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


# Streamlit sends this text along with every figure, which is why it is short.
_PROGRAM = f"""
{static_files.FIND_FOLDER}
const href = new URL("{static_files.PLOTLY}", folder).href;
document.head.append(Object.assign(document.createElement("link"), {{rel: "preload", as: "script", href}}));
const program = await import(new URL("{static_files.CHART}", folder));
program.prepare(href);
export default program.default;
"""

_STRIPS_PROGRAM = f"""
{static_files.FIND_FOLDER}
export default (await import(new URL("{static_files.CHART}", folder))).strips;
"""

_COMPONENT = st.components.v2.component("privsc_chart", js=_PROGRAM, isolate_styles=False)
_STRIPS = st.components.v2.component("privsc_strips", js=_STRIPS_PROGRAM, isolate_styles=False)


def preload() -> None:
    """Start loading the browser's programs; the shell calls this before the page computes."""
    _COMPONENT(key="chart_preload", data=None)


def chart(
    data: bytes,
    *,
    key: str,
    on_guess: Callable[[str], None] | None = None,
    on_turn: Callable[[str], None] | None = None,
    setting: dict[str, Any] | None = None,
) -> None:
    """Draw a figure that keeps zoom, hidden curves and its place when its data change.

    Parameters
    ----------
    data : bytes
        From payload.py.
    key : str
        Names the chart on its page. The same key keeps the same node.
    on_guess : callable, optional
        Called with `key` when the line of a guess was dragged; the number of samples is then
        in the session state, ``st.session_state[key]["guess"]``.
    on_turn : callable, optional
        Called with `key` when a sphere was turned; from where it is seen then is in
        ``st.session_state[key]["turn"]``, see turn.js.
    setting : dict, optional
        Of a figure that follows sliders while they are dragged: which setting it shows, see
        live.js.
    """
    if setting is not None:  # in one message with the figure, or one would come before the other
        data = json.dumps(setting, separators=(",", ":")).encode() + b"\n" + data
    heard: dict[str, Any] = {
        f"on_{name}_change": functools.partial(hear, key)
        for name, hear in (("guess", on_guess), ("turn", on_turn)) if hear is not None
    }  # fmt: skip
    _COMPONENT(key=key, data=data, **heard)


def strips(data: bytes | None, *, on_ask: Callable[[object], None]) -> None:
    """Mount what asks for the strips of sliders, see live.js, and send one.

    Parameters
    ----------
    data : bytes or None
        A line of JSON, and the frames.
    on_ask : callable
        Called with what the browser asks for, before the next run.
    """
    key = "pv_strips"

    def heard() -> None:
        said = st.session_state.get(key)  # none where the page has been left meanwhile
        if said is not None:
            on_ask(said.get("ask"))

    _STRIPS(key=key, data=data, on_ask_change=heard)


# -------------------------------------------------------------------------------------------------
# The figures and numbers of a class page, computed by way of the scheduler: shared and bounded.


def prepare(scenario: Scenario, look: Look, told: tuple[str, ...]) -> None:
    """Compute the first view of a class at a setting, after all that visitors wait for."""
    kind = kind_of(scenario)
    for job in (
        scheduler.start(
            payload.main_figure, scenario, look, 0,
            kind=("figure", look.view, *kind, False), priority=Priority.PREPARED,
        ),
        *(
            scheduler.start(
                views.numbers, scenario, names, kind=("numbers", names, *kind), priority=Priority.PREPARED
            )
            for names in (_of(scenario, told), None)
        ),
    ):  # fmt: skip
        with job:
            job.result()


def main_figure(scenario: Scenario, look: Look, trials: int) -> bytes:
    """Return what the main chart is sent, see `payload.main_figure`."""
    how = _how(scenario, look.view, trials, look.pinned) | {"gives_way": alone()}
    found: bytes = wait_for(payload.main_figure, scenario, look, trials, **how)
    return found


def begin(scenario: Scenario, look: Look, trials: int, priority: Priority = Priority.ASKED) -> Task:
    """Start the task of the main figure."""
    how = _how(scenario, look.view, trials, look.pinned)
    return scheduler.start(payload.main_figure, scenario, look, trials, priority=priority, **how)


def _how(scenario: Scenario, view: str, trials: int, pinned: Scenario | None) -> dict[str, Any]:
    if trials and (slow := _slow(scenario, scenario.drawn)):
        return _as_slow(scenario, slow, over_d="d" in draw.VIEWS[view].axes)
    kind = ("figure", view, *kind_of(scenario), bool(trials))
    quick = _quick_picture(scenario, view, trials, pinned)
    return {"kind": kind, "run_in": "here" if quick else "any"}


def strip(
    scenario: Scenario,
    look: Look,
    parameter: str,
    stops: tuple[float, ...],
    told: tuple[str, ...],
) -> Task:
    """Return the job of a strip, see `payload.main_strip`: done by the worker, and never long."""
    anywhere = _anywhere(scenario, parameter, stops)
    return scheduler.start(
        payload.main_strip, anywhere, look, parameter, stops, told,
        kind=("strip", parameter, look.view, *kind_of(anywhere)), priority=Priority.FRAMES,
    )  # fmt: skip


def known_strip(
    scenario: Scenario, look: Look, parameter: str, stops: tuple[float, ...], *more: Hashable
) -> Strip | None:
    """Return what `strip` has computed of the same; None if nothing."""
    anywhere = _anywhere(scenario, parameter, stops)
    job = scheduler.SCHEDULER.kept(payload.main_strip, anywhere, look, parameter, stops, *more)
    return job.result() if job is not None and job.state == "done" else None


def picture(
    scenario: Scenario,
    view: str,
    on_map: str,
    trials: int,
    pinned: Scenario | None = None,
    *,
    where: str = "",
) -> Picture:
    """Return one picture of a scenario, see `draw.picture` and `wait_for`."""
    found: Picture = wait_for(
        draw.picture, scenario, view, on_map=on_map, trials=trials, pinned=pinned, where=where,
        **_how(scenario, view, trials, pinned),
    )  # fmt: skip
    return found


def numbers(scenario: Scenario, told: tuple[str, ...] | None = None) -> Numbers:
    """Return the numbers of a scenario, see `views.numbers`.

    Those of all learners; or, which is quicker, of some and of those that are drawn.
    """
    names = None if told is None else _of(scenario, told)
    kind = ("numbers", names, *kind_of(scenario))
    how: dict[str, Any] = {"kind": kind, "run_in": "here" if _tame(scenario) else "any"}
    told_of = [e for e in scenario.entries if names is None or e.name in names]
    if slow := _slow(scenario, told_of):
        how = _as_slow(scenario, slow)
    found: Numbers = wait_for(views.numbers, scenario, names, gives_way=True, **how)
    return found


def compared(scenario: Scenario, axis: Literal["d", "epsilon"], learner: str) -> Comparison:
    """Return a formula held against the numbers of a learner, see `comparison.compare`."""
    kind = ("compared", axis, learner, *kind_of(scenario))
    found: Comparison = wait_for(compare, scenario, axis, learner, gives_way=True, kind=kind)
    return found


def _of(scenario: Scenario, told: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({*told, *scenario.learners}))


def _anywhere(scenario: Scenario, parameter: str, stops: tuple[float, ...]) -> Scenario:
    """Return the scenario at a stop that is the same wherever the slider stands now."""
    for stop in reversed(stops):
        moved: dict[str, Any] = {parameter: stop}
        with contextlib.suppress(InputError):
            return replace(scenario, **moved)
    return scenario


def kind_of(scenario: Scenario) -> tuple[Hashable, ...]:
    """Return the cost key of a scenario: names, and orders of magnitude."""
    sizes = (scenario.m, scenario.d, 1 / scenario.epsilon, 1 / scenario.alpha, 1 / scenario.beta)
    return (
        scenario.concept, scenario.learners, scenario.distribution,
        *(round(math.log10(size)) for size in sizes),
    )  # fmt: skip


def _quick_picture(scenario: Scenario, view: str, trials: int, pinned: Scenario | None) -> bool:
    tame = _tame(scenario) and (pinned is None or _tame(pinned))
    return tame and draw.VIEWS[view].quantity == "success" and not trials


def _slow(scenario: Scenario, learners: Iterable[Learner]) -> list[Learner]:
    """Return the learners whose simulation takes seconds on this distribution."""
    return [e for e in learners if scenario.law.name in e.slow]


def _as_slow(scenario: Scenario, slow: list[Learner], *, over_d: bool = False) -> dict[str, Any]:
    """Return how that is asked for: together, as numbers and figures share what takes the time.

    Epsilon, m and beta have no part in it, and no other learner.
    """
    who = tuple(e.name for e in slow)
    sizes = math.log2(scenario.d), math.log10(scenario.trials), math.log10(scenario.alpha)
    kind = ("slow", scenario.concept, who, scenario.distribution, *map(round, sizes))
    light_to = min(e.light_to for e in slow)
    long = scenario.d > light_to or (over_d and light_to < math.inf)
    return {"kind": kind, "run_in": "long" if long else "worker"}


def _tame(scenario: Scenario) -> bool:
    """Return whether a setting is of the kind that exact laws answer in a few milliseconds."""
    return (
        scenario.m <= 10**5 and scenario.d <= 10**4 and scenario.epsilon >= 0.1
        and scenario.alpha >= 0.05 and scenario.beta >= 0.01
        and all(e.laws[scenario.law.name] == "exact" for e in scenario.drawn)
    )  # fmt: skip
