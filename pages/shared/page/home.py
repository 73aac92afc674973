"""The home page: the map of all classes, the classes as doors, and the table of what is known."""

from __future__ import annotations

import functools
import html
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import streamlit as st

from pages.shared.chart import chart
from pages.shared.chart.payload import Strip, of_picture
from pages.shared.frame import shell, sitemap, tables
from pages.shared.page import doorway, live
from pages.shared.page.declaration import declared
from pages.shared.scheduling import scheduler
from pages.shared.scheduling.waiting import wait_for
from pages.shared.state import controls, state
from pages.shared.state.fields import COMMON, EVERYWHERE, explanation, label, slack
from privsc_core.draw import landscape as drawing
from privsc_core.draw.style import integer, number, short, times
from privsc_core.evaluate.landscape import FITTED_FROM, PLACES, Standpoint
from privsc_core.literature.documents import ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from streamlit.delta_generator import DeltaGenerator

    from pages.shared.chart.payload import Door
    from pages.shared.page.declaration import ClassPage
    from pages.shared.scheduling.scheduler import Task
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.landscape import Course, Landscape, Separation
    from privsc_core.literature.documents import Role

__all__ = ["CLAIM", "FIELDS", "TITLE", "doors", "first", "likely", "show", "small", "table"]

TITLE = "How many examples does it cost to learn privately?"
CLAIM = (
    "**Private**: replacing any one example changes the probability of every output by a factor of "
    "at most $e^{\\varepsilon}$. **Move $\\varepsilon$: the gaps are what it costs. Each line is "
    "a door.**"
)
_SLACK = slack("all classes")
FIELDS = (*EVERYWHERE, _SLACK)
_SETTING = {
    **{name: COMMON[name] for name in ("epsilon", "alpha", "beta")}, "delta": _SLACK,
}  # fmt: skip
_MOVING = "epsilon"
_HEIGHT = 505
_SHOWN_AT = (64, 1024, 65536)  # bits at which the table says its numbers
_STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


# --- What is computed --------------------------------------------------------------------------


def _standpoint() -> Standpoint:
    now = state.current()
    chosen: dict[str, Any] = {name: now[item.key] for name, item in _SETTING.items()}
    return Standpoint(**chosen)


def _kind(at: Standpoint) -> tuple[Hashable, ...]:
    sizes = (at.epsilon, at.alpha, at.beta, at.delta)
    return ("landscape", *(round(math.log10(size)) for size in sizes))


def _found(at: Standpoint) -> tuple[Landscape, Picture]:
    found: tuple[Landscape, Picture] = wait_for(drawing.landscape_picture, at, kind=_kind(at))
    return found


def first() -> tuple[Landscape, Picture]:
    """Return the map before any control was moved."""
    at: dict[str, Any] = {name: item.default for name, item in _SETTING.items()}
    return drawing.landscape_picture(Standpoint(**at))


def likely() -> Iterator[Callable[[], None]]:
    """Yield computations that visitors of the map will ask for: moves of epsilon, and its strip."""
    first_of: dict[str, Any] = {name: item.default for name, item in _SETTING.items()}
    yield lambda: _map(Standpoint(**first_of)).begin(_MOVING, _SETTING[_MOVING].stops).result()
    stops = (_SETTING["epsilon"].default, *_SETTING["epsilon"].stops)
    for stop in stops:
        yield functools.partial(_prepare, Standpoint(**(first_of | {"epsilon": stop})))


def _prepare(at: Standpoint) -> None:
    with scheduler.start(drawing.landscape_picture, at, kind=_kind(at), aside=True) as job:
        job.result()


def _map(at: Standpoint) -> live.Sheet:
    """Return the map as a figure that follows its slider."""
    return live.Sheet("map", at, (_MOVING,), _strip, _packed)


def _strip(at: tuple[Standpoint, ...]) -> Task:
    """Have the worker draw the map at every stop."""
    return scheduler.start(
        drawing.landscape_strip, at, kind=("strip", *_kind(at[0])), aside=True, brief=True
    )


@functools.lru_cache(maxsize=8)
def _packed(maps: tuple[tuple[Landscape, Picture], ...]) -> Strip:
    lines = (_sent(found, picture) for found, picture in maps)
    # What stands outside of the figure waits until the hand has left the slider.
    return Strip.of(lines, [True] * len(maps))


# --- Doors -------------------------------------------------------------------------------------


def doors(found: Landscape) -> tuple[Door, ...]:
    """Return the door of every line of the map."""
    return doorway.doors(found.courses, found.standpoint)


# Two hundred visitors of one map share what is sent.
@functools.lru_cache(maxsize=64)
def _sent(found: Landscape, picture: Picture) -> bytes:
    return of_picture(picture, _HEIGHT, doors=doors(found))


# --- What is drawn -----------------------------------------------------------------------------


@st.fragment
def show(lectures: Callable[[], None]) -> None:
    """Draw all that depends on the setting, and the lectures between its parts."""
    st.html(f"<style>{_STYLE}</style>")
    with st.container(key="pv_head"):
        claim, slider = st.columns([1.5, 1], gap="large", vertical_alignment="center")
    claim.markdown(CLAIM)
    with slider:
        controls.slider(
            COMMON["epsilon"], label("epsilon"), help=explanation("epsilon"), show=number
        )
    found = None
    with shell.guard():
        found, picture = _found(_standpoint())
        now = _map(found.standpoint)
        chart.chart(_sent(found, picture), key="main", setting=live.setting(now, _SETTING))
        _gaps(found)
    st.subheader("Concept classes", anchor="classes")
    _classes(found)
    lectures()
    st.subheader("Who pays what", anchor="table")
    with shell.guard():
        _table(found)
        live.answer(lambda: _map(_standpoint()), _SETTING, lambda *_: {})


def _gaps(found: Landscape) -> None:
    """Draw what lines and gaps say, for those who do not hover."""
    with st.expander("What the lines and the shaded gaps say"):
        gaps = "".join(
            f"<div><dt>The price of {html.escape(one.gap.name)}</dt><dd>{html.escape(one.gap.says)}"
            f"{_ratio(one)}</dd></div>"
            for one in found.separations
        )
        lines = "".join(
            f'<div><dt><a href="{html.escape(doorway.link(course, found.standpoint))}" target="_self">'
            f"{html.escape(course.line.label)}</a></dt><dd>{html.escape(doorway.says(course))}</dd></div>"
            for course in found.courses
        )
        st.html(f'<dl class="pv-reading">{gaps}{lines}</dl>')


def _ratio(one: Separation) -> str:
    if not one.ratio > 1.0:
        return " At this setting the lines leave no gap there."
    return f" At d = {one.at:,}: {times(one.ratio)}."


def _classes(found: Landscape | None) -> None:
    columns = list(_places(len(sitemap.classes())))
    for column, (name, file) in zip(columns, sitemap.classes(), strict=True):
        page = declared(file)
        with column, st.container(key=f"pv_door_{page.slug}"):
            st.html(f'<div class="pv-small-box">{small(page, found)}</div>')
            st.page_link(file, label=f"**{name}**")
            st.markdown(page.summary)


def _places(count: int) -> Iterator[DeltaGenerator]:
    """Yield places for the classes, four in a row."""
    for begin in range(0, count, 4):
        yield from st.columns(4, gap="medium")[: count - begin]


def small(page: ClassPage, found: Landscape | None) -> str:
    """Return the lines of a class in small, as HTML; without lines its sketch."""
    courses = found.of(page.concept) if found else ()
    if found is None or not courses:
        return _image(page.sketch, "A concept of the class", "pv-sketched")
    said = "; ".join(
        f"{course.line.label} {integer(course.at(_SHOWN_AT[-1]))}" for course in courses
    )
    words = f"Least m at d = {_SHOWN_AT[-1]:,}: {said}"
    return _image(drawing.thumbnail(courses, found.span), words)


def _image(svg: str, words: str, name: str = "pv-small") -> str:
    """Return a picture as an image with its words; SVG itself does not pass through `st.html`."""
    return f'<img class="{name}" alt="{html.escape(words)}" src="data:image/svg+xml,{quote(svg)}">'


# --- The table ---------------------------------------------------------------------------------


def _table(found: Landscape | None) -> None:
    st.markdown(
        "Table 1 of Beimel, Brenner, Kasiviswanathan and Nissim (2013), extended and computed: the "
        "rate by the theorem; the least m now, at "
        f"d = {', '.join(f'{d:,}' for d in _SHOWN_AT)}; the exponent of d fitted from "
        f"d = {FITTED_FROM} to {PLACES[-1]:,}, with the exponents between neighbouring places in "
        "brackets. A bound is what every such learner needs. Each cell is a door."
    )
    with st.expander("Accuracy, confidence, slack"):
        for column, name in zip(st.columns(3), ("alpha", "beta", "delta"), strict=True):
            with column:
                controls.slider(_SETTING[name], label(name), help=explanation(name), show=number)
    if found is not None:
        st.html(f'<div class="pv-landscape">{table(found)}</div>')


def table(found: Landscape) -> str:
    """Return the table as HTML: a row for each class, a column for what learners may do."""
    roles: list[Role] = [r for r in ROLES if any(c.line.role == r for c in found.courses)]
    rows: list[list[Any]] = []
    for name, (title, _, _) in doorway.pages().items():
        courses = found.of(name)
        if courses:
            rows.append([title, *([c for c in courses if c.line.role == role] for role in roles)])

    def cell(inside: Any, column: int) -> str:
        if not column:
            return html.escape(inside)
        cells = "".join(_cell(course, found) for course in inside)
        return cells or '<span class="pv-none">–</span>'

    return tables.table(
        ("class", *(ROLES[role] for role in roles)), rows, label="Who pays what", cell=cell
    )


def _cell(course: Course, found: Landscape) -> str:
    """Return one line of the map as part of a cell: rate, picture, numbers, exponent."""
    least = "≥ " if course.line.kind == "bound" else ""
    numbers = " · ".join(f"<span>{short(course.at(d))}</span>" for d in _SHOWN_AT)
    picture = _image(drawing.thumbnail((course,), found.span), "")
    return (
        f'<a class="pv-cell" href="{html.escape(doorway.link(course, found.standpoint))}" target="_self" '
        f'data-about="{html.escape(course.key)}" data-tip="{html.escape(doorway.says(course))}">'
        f"<em>{html.escape(ROLES[course.line.role])}</em>"
        f"<strong>{html.escape(course.line.rate)}</strong>{picture}"
        f"<small>{least}{numbers}</small><small>exponent {drawing.slope(course)}</small></a>"
    )
