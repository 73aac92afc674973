"""What surrounds every page: head, sidebar, notes, cards, errors, footer.

Each page stands alone: it may be the first thing a fresh server runs, without app.py. So it calls
`page` first, which sets up everything, and `footer` last.
"""

from __future__ import annotations

import contextlib
import functools
import html
import importlib.metadata
import logging
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitInvalidLayoutContextError

from pages.shared.chart import chart
from pages.shared.frame import search, sitemap
from pages.shared.host import ops, static_files, streamlit_patches
from pages.shared.state import state
from privsc_core.concepts.contracts.style import BLUE, GUESSED, HUES, RED, TEAL, Role
from privsc_core.errors import InputError
from privsc_core.literature.wording import told

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

Mode: TypeAlias = Literal["full", "present", "embed"]
Tone: TypeAlias = Literal["plain", "good", "bad", "accent"] | Role

_LOG = logging.getLogger("privsc")
# Style sheets of each mode. What one mode alone needs is not sent in another: see present.css.
_STYLES: dict[Mode, tuple[str, ...]] = {
    "full": ("shell.css", "cards.css", "contrast.css", "presenter.css"),
    "present": ("shell.css", "cards.css", "contrast.css", "presenter.css", "present.css"),
    "embed": ("shell.css", "cards.css", "contrast.css", "presenter.css", "embed.css"),
}
_ROOT = Path(__file__).parents[3]  # not resolved, see static_files.FOLDER


@functools.cache
def _version() -> str:
    try:
        return importlib.metadata.version("privsc")
    except importlib.metadata.PackageNotFoundError:  # started from a checkout, not installed
        return "development version"


@functools.cache
def _style(how: Mode) -> str:
    texts = (Path(__file__).with_name(name).read_text(encoding="utf-8") for name in _STYLES[how])
    return f"<style>{tones()}{''.join(texts)}</style>"


@functools.cache
def tones() -> str:
    """Return a style sheet with the colours of figures: as properties, and as tones of cards."""
    found = HUES | {"accent": BLUE, "good": TEAL, "bad": RED, "guess": GUESSED}
    names = ";".join(f"--pv-{name}:{colour}" for name, colour in found.items())
    cards = "".join(f".pv-card.pv-{name}{{--pv-tone:var(--pv-{name})}}" for name in found)
    return f":root{{{names}}}{cards}"


def page(
    title: str,
    slug: str,
    icon: str,
    fields: Sequence[state.Field] = (),
    *,
    elsewhere: Collection[str] = (),
) -> state.State:
    """Set up a page and return the state it shows.

    Parameters
    ----------
    title : str
        Of the browser's tab.
    slug : str
        The page's name in addresses (``points``); it marks the page for style sheets and tests.
    icon : str
        An emoji or a local file. A ``:material/…:`` name would fetch a font from the internet.
    fields : sequence of Field
        The parameters this page understands.
    elsewhere : collection of str
        Parameters that only other pages understand.
    """
    ops.start()
    streamlit_patches.apply()
    st.set_page_config(page_title=f"{title} · privsc", page_icon=icon, layout="wide")
    static_files.publish()
    chart.preload()
    values = state.adopt(fields, elsewhere=elsewhere)
    how = mode()
    st.html(_style(how))
    if how == "full":
        _sidebar()
    index = f' data-index="{search.published()}"' if how == "full" else ""
    st.html(
        f'<span id="pv-page" data-page="{html.escape(slug)}" data-mode="{how}"{index} hidden></span>'
    )
    state.show_notes()
    return values


def mode() -> Mode:
    """Return how this page is shown: in full, to an audience, or inside another site."""
    if state.current().get("present"):
        return "present"
    return "embed" if st.context.is_embedded else "full"


def _sidebar() -> None:
    params = state.carried()
    if search.published():
        st.html(f'<div class="pv-search-top">{search.button()}</div>')
    with st.sidebar:
        if search.published():
            st.html(search.button())
        for group, entries in sitemap.PAGES:
            here = [(label, file) for label, file in entries if _is_there(file)]
            if here:
                st.html(f'<p class="pv-group">{html.escape(group)}</p>')
            for label, file in here:
                st.page_link(file, label=label, query_params=params, width="stretch")


@functools.cache
def _is_there(file: str) -> bool:
    return (_ROOT / file).is_file()


def head(heading: str) -> st.delta_generator.DeltaGenerator:
    """Draw the title of a page, and return the place of the buttons beside it, or below where it is narrow."""
    with st.container(key="pv_top", horizontal=True, vertical_alignment="center"):
        st.title(heading)
        return st.container(key="pv_tools", horizontal=True, width="content")


def stage() -> tuple[st.delta_generator.DeltaGenerator, st.delta_generator.DeltaGenerator]:
    """Return the places of the main figure and of the controls.

    Side by side on a wide screen. On a phone the figure stays in view at the top while the
    controls scroll below it; so put one chart into it and nothing else.
    """
    with st.container(key="pv_stage"):
        figure, controls = st.columns([2.6, 1], gap="medium")
    return figure, controls


@dataclass(frozen=True, slots=True)
class Card:
    """One number with its meaning; `about` names the learner or bound whose number it is."""

    label: str
    value: str
    note: str = ""
    tone: Tone = "plain"
    about: str = ""


def card(label: str, value: str, note: str = "", tone: Tone = "plain", *, about: str = "") -> Card:
    """Return a card; the texts are plain text."""
    return Card(label, value, note, tone, about)


def cards(*row: Card) -> None:
    """Draw a row of cards as one element."""
    st.html(cards_drawn(*row))


def cards_drawn(*row: Card) -> str:
    """Return a row of cards as HTML."""
    return f'<dl class="pv-cards">{inside(*row)}</dl>'


def inside(*row: Card) -> str:
    """Return the HTML of cards without what is around them."""
    return "".join(
        f'<div class="pv-card pv-{item.tone}"{_about(item)}><dt>{html.escape(item.label)}</dt>'
        f"<dd><strong>{html.escape(item.value)}</strong><span>{html.escape(item.note)}</span>"
        "</dd></div>"
        for item in row
    )


def _about(item: Card) -> str:
    """Return the attribute by which lit.js knows whose curve is meant."""
    return f' data-about="{html.escape(item.about)}"' if item.about else ""


def message(text: str, tone: Tone = "bad") -> None:
    """Show a sentence of plain text where something is the matter."""
    st.html(f'<p class="pv-message pv-{tone}" role="alert">{html.escape(text)}</p>')


def stead(text: str) -> None:
    """Draw the reason for a missing figure in a frame of its size, so that nothing below moves."""
    st.html(f'<p class="pv-stead"><span>{html.escape(text)}</span></p>')


def said(text: str) -> None:
    """Show plain text that is read out when it changes: what a control has done, in words.

    Not by `st.html`, which puts a new element in place of the old one: a live region is heard when
    the words inside it change.
    """
    st.markdown(
        f'<div class="pv-said" role="status">{html.escape(text)}</div>', unsafe_allow_html=True
    )


@contextlib.contextmanager
def placed() -> Iterator[None]:
    """Draw the whole page where a part finds no place of its own in what lies outside it.

    Streamlit keeps such a place from the last run of the whole page to the next. Two such runs that come
    close upon each other may lose it: the thread of the first, which is being stopped, still clears places.
    """
    try:
        yield
    except StreamlitInvalidLayoutContextError:
        st.rerun()


@contextlib.contextmanager
def guard() -> Iterator[None]:
    """Keep an error inside its part of the page, and its details inside the server's log.

    Usable as ``with guard():`` and as ``@guard()``. Bad input is shown as the sentence it is.
    Streamlit's own control flow (stop, rerun) is no `Exception` and passes.
    """
    try:
        yield
    except InputError as error:
        message(told(error))
    except StreamlitInvalidLayoutContextError:  # see `placed`
        raise
    except Exception:  # noqa: BLE001 - the boundary: whatever it is, the page lives on
        number = secrets.token_hex(4)
        _LOG.exception("error %s", number)
        message(
            "This part of the page could not be computed. The rest still works. "
            f"If you report it, name the error {number}."
        )


def footer(theory: str = "", how: Mode = "full") -> None:
    """Draw the end of a page; `theory` is the anchor of its theory section, e.g. ``#theory``."""
    if how == "present":
        state.finish()
        return
    if how == "embed":
        query = html.escape(urlencode(state.link(), safe=","))
        st.html(
            f'<footer class="pv-footer"><a href="?{query}" target="_blank" rel="noopener">'
            "Open in privsc</a></footer>"
        )
        state.finish()
        return
    link = f' · <a href="{html.escape(theory)}" target="_self">Theory</a>' if theory else ""
    st.html(f'<footer class="pv-footer">privsc {html.escape(_version())}{link}</footer>')
    state.finish()
