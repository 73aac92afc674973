"""The page about δ: its sliders, a picture after the other, and exhibits of classes.

A further picture is an entry of `PICTURES`: its anchor and title, and what draws it at a setting.
Exhibits, which know their class, are named by the page.
"""

from __future__ import annotations

import functools
import html
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.chart import chart
from pages.shared.chart.payload import of_picture
from pages.shared.exhibits.exhibit import Fields, Values
from pages.shared.frame import shell, tables
from pages.shared.frame.sitemap import HEADS
from pages.shared.page import doorway
from pages.shared.scheduling import scheduler
from pages.shared.scheduling.waiting import wait_for
from pages.shared.state import controls, state
from pages.shared.state.fields import COMMON, EVERYWHERE, explanation, label, slack
from pages.shared.take import share
from privsc_core import export
from privsc_core.draw import slack_figures as drawing
from privsc_core.draw import slack_figures as versus
from privsc_core.draw.style import number, short
from privsc_core.evaluate.landscape import Standpoint, contests
from privsc_core.evaluate.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from streamlit.delta_generator import DeltaGenerator

    from pages.shared.exhibits.exhibit import Exhibit
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.landscape import Bought

__all__ = ["HEADING", "PICTURES", "Beside", "Shown", "fields", "likely", "show"]

HEADING = HEADS["delta"].title
_SLACK = slack("delta")
_OWN = Fields("delta")
_LAW = _OWN.choice("law", "distribution of the contest", versus.WORDS[0], versus.WORDS)
_BITS = _OWN.choice("bits", "bits in the contest", versus.SIZES[0], versus.SIZES)
_SETTING = {
    "epsilon": COMMON["epsilon"], "delta": _SLACK, "alpha": COMMON["alpha"], "beta": COMMON["beta"],
}  # fmt: skip
_HEIGHT, _LOW = 460, 370
_WHAT = (
    "Pure privacy bounds the change of *every* probability by a factor of $e^{\\varepsilon}$. A slack "
    "$\\delta$ lets a probability of $\\delta$ escape: the output of $m$ people's data may then publish up "
    "to $m\\delta$ of them. Both kinds of learners stand here side by side, and which is which is said."
)
_STYLE = f"<style>{Path(__file__).with_name('given.css').read_text(encoding='utf-8')}</style>"
_TOLD_AT = (8, 64, 1024, 10**6)  # bits at which the table says its numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A picture of the page.

    Attributes
    ----------
    anchor, title : str
    draw : callable
        (setting, place of the chart) -> its pictures, which are offered as files: draws all that
        belongs to it.
    """

    anchor: str
    title: str
    draw: Callable[[Standpoint, DeltaGenerator], list[Picture]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Exhibits of a class that are about δ, with the parameters that they have on its own page."""

    concept: str
    exhibits: tuple[Exhibit, ...]


def fields(beside: Beside) -> tuple[state.Field, ...]:
    """Return all that a link to the page can say."""
    folded = state.Field(
        key="open", kind="choices", default=(), name="unfolded parts",
        choices=tuple(one.name for one in beside.exhibits), scope=_OWN.scope,
    )  # fmt: skip
    own = (item for one in beside.exhibits for item in one.fields)
    return (*EVERYWHERE, _SLACK, _LAW, _BITS, folded, *own)


def _standpoint() -> Standpoint:
    now = state.current()
    chosen: dict[str, Any] = {name: now[item.key] for name, item in _SETTING.items()}
    return Standpoint(**chosen)


def _kind(what: str, at: Standpoint) -> tuple[Hashable, ...]:
    sizes = (at.epsilon, at.alpha, at.beta, at.delta)
    return (what, *(round(math.log10(size)) for size in sizes))


def likely() -> Iterator[Callable[[], None]]:
    """Yield what visitors will look at: the first view, and each slack at it."""
    first: dict[str, Any] = {name: item.default for name, item in _SETTING.items()}
    for delta in (first["delta"], *_SLACK.stops):
        at = Standpoint(**(first | {"delta": delta}))
        for function, what in _COMPUTED:
            yield functools.partial(_prepare, function, at, kind=_kind(what, at))
    at = Standpoint(**first)
    for word in versus.WORDS:
        for concept in contests():
            asked = (at, concept.name, word, int(versus.SIZES[0]))
            yield functools.partial(
                _prepare, versus.contest_picture, *asked, kind=_contest_kind(*asked)
            )


def _prepare(function: Callable[..., Any], *asked: Hashable, kind: tuple[Hashable, ...]) -> None:
    with scheduler.start(function, *asked, kind=kind, aside=True) as job:
        job.result()


def _contest_kind(at: Standpoint, concept: str, word: str, bits: int) -> tuple[Hashable, ...]:
    return (*_kind("contest", at), concept, word, bits)


_COMPUTED = ((drawing.bought_picture, "bought"), (drawing.traded_picture, "traded"))


# --- The pictures ------------------------------------------------------------------------------


# Two hundred visitors of one picture share what is sent.
@functools.lru_cache(maxsize=64)
def _sent(found: Bought, picture: Picture) -> bytes:
    return of_picture(picture, _LOW, doors=doorway.doors(found.courses, found.standpoint))


def _bought(at: Standpoint, place: DeltaGenerator) -> list[Picture]:
    with place:
        found, picture = wait_for(drawing.bought_picture, at, kind=_kind("bought", at))
        chart.chart(_sent(found, picture), key="main")
    st.markdown(drawing.bought_claim(found))
    with st.expander("The numbers, and what the lines say"):
        st.html(_table(found))
    return [picture]


def _table(found: Bought) -> str:
    rows = [
        [course, number(course.delta), *(short(course.at(d)) for d in _TOLD_AT), doorway.says(course)]
        for course in found.courses
    ]  # fmt: skip

    def cell(inside: Any, column: int) -> str:
        if column:
            return html.escape(inside)
        where = html.escape(doorway.link(inside, found.standpoint))
        return f'<a href="{where}" target="_self">{html.escape(inside.line.label)}</a>'

    heads = ("line", "δ", *(f"d = {d:,}" for d in _TOLD_AT), "what it says")
    numeric = tuple(range(1, 2 + len(_TOLD_AT)))
    return tables.table(heads, rows, label="Least m", numeric=numeric, cell=cell)


def _traded(at: Standpoint, place: DeltaGenerator) -> list[Picture]:
    _, picture = wait_for(drawing.traded_picture, at, kind=_kind("traded", at))
    with place:
        st.markdown(drawing.exchange_claim(at))
        chart.chart(_plain(picture), key="bits")
    return [picture]


def _contested(at: Standpoint, place: DeltaGenerator) -> list[Picture]:
    """Draw the contest of every class that declares one."""
    pictures = []
    with place:
        for concept in contests():
            if concept.documents.contest:
                st.markdown(concept.documents.contest.says)
            left, right = st.columns([2.4, 1], vertical_alignment="bottom")
            with left:
                controls.segmented(_LAW, "Distribution")
            with right:
                controls.segmented(_BITS, "d: bits of a domain point")
            now = Values(state.current())
            word, bits = now[_LAW], int(now[_BITS])
            asked = (at, concept.name, word, bits)
            found, picture = wait_for(versus.contest_picture, *asked, kind=_contest_kind(*asked))
            chart.chart(_plain(picture), key=f"contest-{concept.name}")
            rows, heads = versus.contest_rows(found), versus.contest_heads(found)
            st.html(
                tables.table(
                    ("least m on", *heads), rows, label=f"Least m at d = {bits:,}, by distribution",
                    numeric=tuple(range(1, 1 + len(heads))), cell=lambda inside, _: html.escape(inside),
                )
            )  # fmt: skip
            st.caption(f"Least m at d = {bits:,}; ≈: {versus.SIMULATED}. The others are exact.")
            pictures.append(picture)
    return pictures


@functools.lru_cache(maxsize=64)
def _plain(picture: Picture) -> bytes:
    return of_picture(picture, _HEIGHT)


PICTURES = (
    Shown(anchor="buys", title="Pure against approximate", draw=_bought),
    Shown(anchor="bits", title="δ is a domain size", draw=_traded),
    Shown(anchor="contest", title="Hard for whom?", draw=_contested),
)


# --- The page ----------------------------------------------------------------------------------


def show(beside: Beside) -> None:
    """Draw the whole page."""
    shell.page(HEADING, "delta", "🪙", fields(beside))
    st.html(_STYLE)
    with shell.head(HEADING):
        share.button(HEADING, {}, purposes=("link", "qr"))
    _body()
    for one in beside.exhibits:
        _exhibit(one, beside.concept)
    shell.footer()


@st.fragment
def _exhibit(one: Exhibit, concept: str) -> None:
    with shell.guard():
        one.show(lambda: _scenario(concept))


def _scenario(concept: str) -> Scenario:
    """Return the setting of the page as one of a class."""
    now = state.current()
    chosen: dict[str, Any] = {name: now[item.key] for name, item in _SETTING.items()}
    chosen |= {name: now[COMMON[name].key] for name in ("m", "d", "trials", "seed")}
    return Scenario(concept, (), **chosen)


@st.fragment
def _body() -> None:
    """Draw everything that depends on the controls."""
    first, *others = PICTURES
    st.subheader(first.title, anchor=first.anchor)
    # The figure first, then the controls: both are above the fold of a laptop.
    figure = st.container()
    with st.container(key="pv_given"):
        for column, (name, item) in zip(st.columns(4, gap="medium"), _SETTING.items(), strict=True):
            with column:
                controls.slider(item, label(name), help=explanation(name), show=number)
    at = _standpoint()
    taken: list[Picture] = []
    with shell.guard():
        taken += first.draw(at, figure)
    st.markdown(_WHAT)
    for shown in others:
        st.subheader(shown.title, anchor=shown.anchor)
        with shell.guard():
            taken += shown.draw(at, st.container())
    _take(at, taken)


def _take(at: Standpoint, pictures: list[Picture]) -> None:
    """Offer the numbers as files, and the commands that print them."""
    st.subheader("Take it away", anchor="take-away")
    with st.container(horizontal=True):
        for picture in pictures:
            st.download_button(
                f"{picture.title} (CSV)", data=export.data_csv(picture), mime="text/csv",
                file_name=f"{picture.filename}.csv", key=f"pv_take_{picture.filename}",
                on_click="ignore",
            )  # fmt: skip
    st.caption("Command line: the learners of the first picture")
    st.code("\n".join(export.slack_commands(at)), language="bash", wrap_lines=True)
