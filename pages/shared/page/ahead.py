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
    from collections.abc import Callable, Iterator, Sequence

    from pages.shared.page.declaration import ClassPage
    from pages.shared.work.office import Job
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
    """Yield computations that visitors of the first view will ask for: moves of d and epsilon.

    Those of one control come first, and before them the strips by which it is followed.
    """
    settings = page.settings
    first = {name: item.default for name, item in settings.items()}
    d, epsilon = settings["d"].stops, settings["epsilon"].stops
    one: list[dict[str, Any]] = [
        *({"d": int(stop)} for stop in d),
        *({"epsilon": stop} for stop in epsilon),
    ]
    both: list[dict[str, Any]] = [
        {"d": int(bits), "epsilon": loss} for bits in d for loss in epsilon
    ]
    look = Look("m", page.on_map, HEIGHT)
    followed: list[tuple[dict[str, Any], str]] = [
        ({}, name) for name in SLIDERS if name in settings and name not in {"m", "trials"}
    ]
    # Whoever has moved one of the two moves the other.
    crossed = [(moved, "epsilon" if "d" in moved else "d") for moved in one]

    def strips(places: Sequence[tuple[dict[str, Any], str]]) -> Iterator[Callable[[], None]]:
        for moved, name in places:
            with contextlib.suppress(InputError):
                scenario, stops = scenario_of(page, first | moved), settings[name].stops
                yield partial(_done, figures.strip, scenario, look, name, stops)

    def drawn(places: Sequence[dict[str, Any]]) -> Iterator[Callable[[], None]]:
        for moved in places:
            with contextlib.suppress(InputError):
                yield partial(figures.prepare, scenario_of(page, first | moved), look)

    yield from strips(followed)
    yield from drawn(one)
    yield from strips(crossed)
    yield from drawn(both)


def _done(start: Callable[..., Job], *asked: Any) -> None:
    start(*asked).result()
