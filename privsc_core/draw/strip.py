"""The strip of a slider: what each of its stops shows, the rest of the setting as it is."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from privsc_core.draw.views import pictures
from privsc_core.errors import InputError
from privsc_core.evaluate import views

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["Frame", "strip"]


@dataclass(frozen=True, slots=True)
class Frame:
    """What one stop shows: the scenario there, its picture and its numbers."""

    scenario: Scenario
    picture: Picture
    numbers: Numbers


def strip(
    scenario: Scenario,
    parameter: str,
    stops: tuple[float, ...],
    view: str,
    *,
    on_map: str = "",
    pinned: Scenario | None = None,
    told: Collection[str] | None = None,
) -> Iterator[Frame | None]:
    """Yield what each stop of a parameter shows, without simulated curves.

    Work is shared between the stops: each frame equals what `draw.picture` (with no simulated
    samples) and `views.numbers` (in brief) say of its scenario.

    Parameters
    ----------
    scenario : Scenario
        The setting.
    parameter : str
        Which of its numbers moves.
    stops : tuple of float
        The values that it takes.
    view, on_map, pinned
        As for `draw.picture`.
    told : collection of str, optional
        Learners whose numbers are wanted beside those of the picture; all if left out.

    Yields
    ------
    Frame or None
        None for a stop at which there is nothing to show: no such setting, or no such picture.
    """
    there: list[Scenario | None] = []
    for stop in stops:
        moved: dict[str, Any] = {parameter: stop}
        there.append(None)
        with contextlib.suppress(InputError):
            there[-1] = replace(scenario, **moved)
    names = None if told is None else {*told, *scenario.learners, on_map}
    exist = [one for one in there if one]
    if exist:
        views.foresee(exist, names)
    drawn = pictures(exist, view, on_map=on_map, pinned=pinned)
    for one in there:
        frame = None
        if one and (shown := next(drawn)):
            with contextlib.suppress(InputError):
                frame = Frame(one, shown, views.numbers(one, names, brief=True))
        yield frame
