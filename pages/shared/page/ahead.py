"""A class page before anybody moves a control: what it shows, and what will be asked for next."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING, Any

from pages.shared.chart import figures
from pages.shared.chart.payload import Look
from pages.shared.page.class_controls import SLIDERS
from pages.shared.page.declaration import HEIGHT, scenario_of
from privsc_core import draw
from privsc_core.errors import InputError
from privsc_core.evaluate import views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pages.shared.page.declaration import ClassPage
    from pages.shared.work.job import Job
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["first", "likely"]


def first(page: ClassPage) -> tuple[Scenario, Picture, Numbers]:
    """Return what the page shows before any control was moved: setting, main figure, numbers."""
    scenario = scenario_of(page, {name: item.default for name, item in page.settings.items()})
    picture = draw.picture(scenario, on_map=page.on_map, trials=0)
    return scenario, picture, views.numbers(scenario)


def likely(page: ClassPage) -> Iterator[Callable[[], None]]:
    """Yield computations that visitors of the first view will ask for: moves of one control.

    First the strips by which it is followed. No more: what is prepared keeps a processor busy while
    people come in, and whoever has moved two controls gets what nobody had.
    """
    settings = page.settings
    first = {name: item.default for name, item in settings.items()}
    look = Look("m", page.on_map, HEIGHT)
    sizeless = scenario_of(page, first).sizeless
    for name in SLIDERS:
        if name in settings and name not in {"m", "trials", *(["d"] if sizeless else [])}:
            with contextlib.suppress(InputError):
                stops = settings[name].stops
                asked = scenario_of(page, first), look, name, stops, page.told
                yield partial(_done, figures.strip, *asked)
    moves: list[dict[str, Any]] = [
        *({"d": int(stop)} for stop in settings["d"].stops if not sizeless),
        *({"epsilon": stop} for stop in settings["epsilon"].stops),
    ]
    for moved in moves:
        with contextlib.suppress(InputError):
            yield partial(figures.prepare, scenario_of(page, first | moved), look, page.told)


def _done(start: Callable[..., Job], *asked: Any) -> None:
    start(*asked).result()
