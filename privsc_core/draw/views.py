"""The pictures of a concept class by name: what a page shows, a notebook draws again."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from privsc_core.draw.figures import least_m_figure, phase_figure, success_figure
from privsc_core.draw.pinned import ghosts, kept, pinned_label
from privsc_core.errors import InputError
from privsc_core.evaluate import maps, views
from privsc_core.evaluate.curves import Curves

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from privsc_core.concepts.contracts import ConceptClass
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.curves import Numbers, Phase
    from privsc_core.evaluate.scenario import Scenario


@dataclass(frozen=True, slots=True)
class View:
    """One picture: what the control that picks it says, and the parameters on its axes.

    Attributes
    ----------
    words : str
    axes : tuple of str
        Names of parameters; they replace the scenario's own values.
    quantity : {"success", "m", "map"}
        Success probability, least number of samples, or a map of success.
    """

    words: str
    axes: tuple[str, ...]
    quantity: str

    def said(self, size: str) -> str:
        """Return the words where the size of the class is called so, in place of d."""
        return re.sub(r"\bd\b", size, self.words)


# The names stand in links: fixed for ever.
VIEWS: dict[str, View] = {
    "m": View("Success against m", ("m",), "success"),
    "eps": View("Success against ε", ("epsilon",), "success"),
    "d": View("Success against d", ("d",), "success"),
    "need-d": View("Least m against d", ("d",), "m"),
    "need-eps": View("Least m against ε", ("epsilon",), "m"),
    "map-m-d": View("Map of success: m and d", ("m", "d"), "map"),
    "map-m-eps": View("Map of success: m and ε", ("m", "epsilon"), "map"),
    "map-d-eps": View("Map of success: d and ε", ("d", "epsilon"), "map"),
}


def views_of(concept: ConceptClass) -> dict[str, View]:
    """Return the pictures that a class has, by name: none against d where it has one size."""
    fixed = concept.only_size is not None
    return {name: view for name, view in VIEWS.items() if not (fixed and "d" in view.axes)}


def picture(
    scenario: Scenario,
    view: str = "m",
    *,
    on_map: str = "",
    trials: int | None = None,
    pinned: Scenario | None = None,
) -> Picture:
    """Return one picture of a scenario, as the page of its class draws it.

    Parameters
    ----------
    scenario : Scenario
        The setting, the learners and the constants of the bounds.
    view : str
        A name in `VIEWS`.
    on_map : str
        The learner of a map; the first private one of the class if empty. Others ignore it.
    trials : int, optional
        How many of the scenario's simulated samples to use so far; all if left out.
    pinned : Scenario, optional
        Another setting, whose exact curves are drawn thin beside those of the scenario: of a map
        the line where its success is 1-β. The frame holds both.

    Raises
    ------
    InputError
        For an unknown view, or a map of a learner without an exact law.
    """
    return _picture(scenario, _known(view, scenario.concept_class), on_map, trials, pinned)


def pictures(
    scenarios: Sequence[Scenario],
    view: str,
    *,
    on_map: str = "",
    pinned: Scenario | None = None,
) -> Iterator[Picture | None]:
    """Yield `picture` of scenarios that differ in numbers alone, without simulated curves.

    None for one that is refused.
    """
    chosen = _known(view, scenarios[0].concept_class if scenarios else None)
    shared: Sequence[Curves | None] = [None] * len(scenarios)
    axes: tuple[Any, ...] = chosen.axes
    # Who is refused is found out one by one.
    with contextlib.suppress(InputError):
        if scenarios and chosen.quantity == "success":
            spans = [_span(one, chosen, pinned) for one in scenarios]
            shared = views.success_strip(scenarios, axes[0], spans)
        elif scenarios and chosen.quantity == "m":
            views.foresee_least(scenarios, axes[0])
        elif scenarios:
            maps.foresee_lines(scenarios, _mapped(scenarios[0], on_map), *axes)
    for scenario, found in zip(scenarios, shared, strict=True):
        try:
            yield _picture(scenario, chosen, on_map, 0, pinned, found)
        except InputError:
            yield None


def _known(view: str, concept: ConceptClass | None) -> View:
    known = views_of(concept) if concept else VIEWS
    if view not in known:
        raise InputError("view", f"must be one of {', '.join(known)}", view)
    return known[view]


def _mapped(scenario: Scenario, on_map: str) -> str:
    """Return the learner of a map."""
    return on_map or scenario.concept_class.mapped(scenario.law.name)


def _span(scenario: Scenario, chosen: View, pinned: Scenario | None) -> tuple[float, float] | None:
    """Return the ends of the axis of m, if there is one: the frame holds both settings."""
    if "m" not in chosen.axes:
        return None
    wide = chosen.quantity == "map"
    ends = [views.frame(one, "m", wide=wide) for one in (scenario, pinned) if one]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _picture(
    scenario: Scenario,
    chosen: View,
    on_map: str,
    trials: int | None,
    pinned: Scenario | None,
    found: Curves | None = None,
) -> Picture:
    """Return a picture, of success curves that are known already if they are given."""
    axes: tuple[Any, ...] = chosen.axes
    span = found.x_range if found and "m" in axes else _span(scenario, chosen, pinned)
    learner = ""
    if chosen.quantity == "map":
        learner = _mapped(scenario, on_map)
    before, refusal = None, ""
    try:
        before = _before(pinned, chosen, learner, span) if pinned else None
    except InputError as refused:
        refusal = scenario.concept_class.refusal(refused)
    if chosen.quantity == "map":
        drawn = phase_figure(maps.phase_diagram(scenario, learner, *axes, m_range=span))
    elif chosen.quantity == "m":
        beside = before if isinstance(before, Curves) else None
        drawn = least_m_figure(views.least_m(scenario, axes[0]), beside)
    else:
        drawn = success_figure(
            found or views.success_curves(scenario, axes[0], trials=trials, x_range=span)
        )
    if refusal:
        return replace(drawn, caption=f"{drawn.caption} Of the pinned setting: {refusal}")
    if before is None or pinned is None:
        return drawn
    return ghosts(drawn, before, pinned_label(pinned, scenario, axes, chosen.quantity))


# A strip asks for the same at every stop of its slider, while the frame stays.
@lru_cache(maxsize=32)
def _before(
    pinned: Scenario, chosen: View, learner: str, span: tuple[float, float] | None
) -> Curves | Phase:
    axes: tuple[Any, ...] = chosen.axes
    if chosen.quantity == "map":
        return maps.phase_diagram(pinned, learner, *axes, m_range=span)
    if chosen.quantity == "m":
        return kept(views.least_m(pinned, axes[0]))
    return kept(views.success_curves(pinned, axes[0], trials=0, x_range=span))


# --- The strip of a slider: what each of its stops shows, the rest of the setting as it is -------


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
