"""The figures and numbers of a class page, computed by way of the office: shared and bounded."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pages.shared.chart import payload
from pages.shared.work import office
from pages.shared.work.waiting import alone, wait_for
from privsc_core import draw
from privsc_core.errors import InputError
from privsc_core.evaluate import views

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from pages.shared.chart.payload import Look, Strip
    from pages.shared.work.job import Job
    from privsc_core.concepts.contracts import Learner
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario

__all__ = [
    "begin", "kind_of", "known_strip", "main_figure", "numbers", "picture", "prepare", "strip",
]  # fmt: skip


def prepare(scenario: Scenario, look: Look, told: tuple[str, ...]) -> None:
    """Have the first view of a class at some setting computed while nobody waits for it."""
    kind = kind_of(scenario)
    for job in (
        office.start(
            payload.main_figure, scenario, look, 0,
            kind=("figure", look.view, *kind, False), aside=True,
        ),
        *(
            office.start(
                views.numbers, scenario, names, kind=("numbers", names, *kind), aside=True
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


def begin(scenario: Scenario, look: Look, trials: int, *, aside: bool = False) -> Job:
    """Return the job of what `main_figure` will be asked for next, `aside` where nobody waits for it."""
    how = _how(scenario, look.view, trials, look.pinned)
    return office.start(payload.main_figure, scenario, look, trials, aside=aside, **how)


def _how(scenario: Scenario, view: str, trials: int, pinned: Scenario | None) -> dict[str, Any]:
    if trials and (slow := _slow(scenario, scenario.drawn)):
        return _as_slow(scenario, slow, over_d="d" in draw.VIEWS[view].axes)
    kind = ("figure", view, *kind_of(scenario), bool(trials))
    return {"kind": kind, "tame": _quick_picture(scenario, view, trials, pinned)}


def strip(
    scenario: Scenario,
    look: Look,
    parameter: str,
    stops: tuple[float, ...],
    told: tuple[str, ...],
) -> Job:
    """Return the job of a strip, see `payload.main_strip`: done by the worker, and never long."""
    anywhere = _anywhere(scenario, parameter, stops)
    return office.start(
        payload.main_strip, anywhere, look, parameter, stops, told,
        kind=("strip", parameter, look.view, *kind_of(anywhere)), aside=True, brief=True,
    )  # fmt: skip


def known_strip(
    scenario: Scenario, look: Look, parameter: str, stops: tuple[float, ...], *more: Hashable
) -> Strip | None:
    """Return what `strip` has computed of the same; None if nothing."""
    anywhere = _anywhere(scenario, parameter, stops)
    job = office.office().kept(payload.main_strip, anywhere, look, parameter, stops, *more)
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
    how: dict[str, Any] = {"kind": ("numbers", names, *kind_of(scenario)), "tame": _tame(scenario)}
    told_of = [e for e in scenario.entries if names is None or e.name in names]
    if slow := _slow(scenario, told_of):
        how = _as_slow(scenario, slow)
    found: Numbers = wait_for(views.numbers, scenario, names, gives_way=True, **how)
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
    """Return what the time of a scenario depends on: names, and orders of magnitude."""
    sizes = (scenario.m, scenario.d, 1 / scenario.epsilon, 1 / scenario.alpha, 1 / scenario.beta)
    return (
        scenario.concept, scenario.learners, scenario.distribution,
        *(round(math.log10(size)) for size in sizes),
    )  # fmt: skip


def _quick_picture(scenario: Scenario, view: str, trials: int, pinned: Scenario | None) -> bool:
    tame = _tame(scenario) and (pinned is None or _tame(pinned))
    return tame and draw.VIEWS[view].quantity == "success" and not trials


def _slow(scenario: Scenario, learners: Iterable[Learner]) -> list[Learner]:
    """Return those of the learners that take seconds to simulate."""
    return [e for e in learners if scenario.law.name in e.slow]


def _as_slow(scenario: Scenario, slow: list[Learner], *, over_d: bool = False) -> dict[str, Any]:
    """Return how that is asked for: together, as numbers and figures share what takes the time.

    Epsilon, m and beta have no part in it, and no other learner.
    """
    who = tuple(e.name for e in slow)
    sizes = math.log2(scenario.d), math.log10(scenario.trials), math.log10(scenario.alpha)
    kind = ("slow", scenario.concept, who, scenario.distribution, *map(round, sizes))
    light_to = min(e.light_to for e in slow)
    return {
        "kind": kind,
        "apart": True,
        "long": scenario.d > light_to or (over_d and light_to < math.inf),
    }


def _tame(scenario: Scenario) -> bool:
    """Tell whether a setting is of the kind that exact laws answer in a few milliseconds."""
    return (
        scenario.m <= 10**5 and scenario.d <= 10**4 and scenario.epsilon >= 0.1
        and scenario.alpha >= 0.05 and scenario.beta >= 0.01
        and all(e.laws[scenario.law.name] == "exact" for e in scenario.drawn)
    )  # fmt: skip
