"""What is taken away of the page about labels: its files, its plane with a slider, its commands."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.scheduling import scheduler
from pages.shared.take import standalone, takeaway
from privsc_core import export
from privsc_core.draw.budgets_figures import plane_beside
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pages.shared.scheduling.scheduler import Task
    from pages.shared.state import state
    from privsc_core.draw.budgets_figures import Told
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.budgets import Plane

__all__ = ["Taken", "show"]

_EXACT, _SIMULATED = 13, 9  # positions of the slider in a file


@dataclass(frozen=True, slots=True)
class Taken:
    """What is taken away.

    Attributes
    ----------
    label : str
        Of the class.
    plane : callable
        (d, epsilon, alpha, beta) -> what was found, and the picture.
    kind : callable
        Setting -> what those have in common that take about as long.
    told : Told
        What the pictures say of the class.
    found : Plane
        The plane of the page.
    pinned : tuple of Plane
        The one beside it, if there is one.
    figures : Figures
        All pictures of the page, the plane first.
    """

    label: str
    plane: Callable[..., tuple[Plane, Picture]]
    kind: Callable[[Any], tuple[Any, ...]]
    told: Told
    found: Plane
    pinned: tuple[Plane, ...]
    figures: export.Figures


def show(taken: Taken, sliders: Mapping[str, state.Field]) -> None:
    """Draw the section; the sliders of the page are those that a file can have."""
    takeaway.offer(
        lambda: _files(taken),
        lambda: takeaway.film(
            sliders,
            parameter,
            functools.partial(_positions, taken),
            functools.partial(film, taken),
            taken.figures.drawn[0].picture.filename,
        ),
        lambda: _recipe(taken),
    )


def _files(taken: Taken) -> None:
    plane, *others = (one.picture for one in taken.figures.drawn)
    takeaway.rows(export.bundle_of(taken.figures), plane.filename)
    takeaway.certificate(
        export.Shown(export.labels_scenario(taken.found, taken.told)), plane.filename
    )
    st.caption("Data of the other figures")
    with st.container(horizontal=True):
        for picture in others:
            st.download_button(
                f"{picture.title} (CSV)", data=export.data_csv(picture), mime="text/csv",
                file_name=f"{picture.filename}.csv", key=f"pv_take_{picture.filename}",
                on_click="ignore",
            )  # fmt: skip


def _positions(taken: Taken, name: str, stops: Sequence[float]) -> list[float]:
    most = _SIMULATED if taken.found.trials else _EXACT
    return standalone.thinned(getattr(taken.found.at, name), stops, most)


def film(taken: Taken, name: str, stops: tuple[standalone.Stop, ...]) -> standalone.Film:
    """Return the plane over one of its parameters, beside the pinned one if there is one."""
    at, figures = taken.found.at, taken.figures
    behind = list(figures.drawn[0].picture.sources)
    credit = export.credit_of(behind)

    def start(stop: standalone.Stop) -> Task:
        moved: dict[str, Any] = {name: stop.value}
        there = replace(at, **moved)
        setting = there.d, there.epsilon, there.alpha, there.beta
        return scheduler.start(taken.plane, *setting, kind=taken.kind(there))

    def picture(drawn: tuple[Plane, Picture]) -> Picture:
        found, plane = drawn
        return plane_beside(plane, found, *taken.pinned) if taken.pinned else plane

    settings = [(key, str(value)) for key, value in figures.setting.items()]
    settings += [("pinned beside it", standalone.beside(one.at, at)) for one in taken.pinned]
    return standalone.Film(
        title=f"{taken.label}: {figures.drawn[0].picture.title.lower()}", claim=figures.claim,
        parameter=parameter(name), now=getattr(at, name), stops=stops, start=start, picture=picture,
        credit=lambda _: credit, thanks=credit, settings=settings, papers=export.papers_of(behind),
        bibtex=export.bibtex_of(behind, figures.link),
    )  # fmt: skip


def _recipe(taken: Taken) -> None:
    st.caption("Command line: labels beside so many people, and without them")
    st.code(taken.figures.commands, language="bash", wrap_lines=True)
    st.caption("Python")
    st.code(taken.figures.snippet, language="python")
    takeaway.ending()
