"""A table whose rows open: in place of a row that is open stands what is drawn of it.

What the links of the table say stands in the page's address, and what they do needs no new page.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from pages.shared.frame import tables
from pages.shared.state import state
from pages.shared.state.link import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_STYLE = f"<style>{Path(__file__).with_suffix('.css').read_text(encoding='utf-8')}</style>"

# A link of the table does what it says without the page being loaded anew.
_PICKS = st.components.v2.component(
    "privsc_picks",
    js="""export default ({ parentElement, setTriggerValue }) => {
  const place = parentElement.closest(".st-key-pv_rows");
  const pick = (event) => {
    const link = event.target.closest("a[data-pick]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    setTriggerValue("picked", link.dataset.pick);
  };
  place.addEventListener("click", pick);
  return () => place.removeEventListener("click", pick);
};
""",
    isolate_styles=False,
)


@dataclass(frozen=True)
class Rows:
    """The rows of a page.

    Attributes
    ----------
    fields : tuple of Field
        All of the page; one has the key ``open``.
    picks : tuple of str
        The keys that links of the table set, beside ``open``.
    kept : tuple of str
        What stays open when a row is opened: at most one row is.
    """

    fields: tuple[state.Field, ...]
    picks: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    def table(
        self,
        label: str,
        head: Sequence[str],
        rows: Mapping[str, Sequence[str]],
        draw: Callable[[str], None],
        *,
        top: Callable[[str], str] = html.escape,
        more: str = "",
    ) -> None:
        """Draw a table.

        Parameters
        ----------
        label : str
            What the table is, to a visitor who does not see it.
        head : sequence of str
        rows : mapping of str to sequence of str
            The cells of each row by its name in links; the first one opens the row.
        draw : callable
            (name) -> None: draws an open row.
        top : callable
            Returns the HTML of a head.
        more : str
            HTML below the table.
        """
        opened = state.words("open")

        def cell(inside: tuple[str, str], column: int) -> str:
            part, text = inside
            return html.escape(text) if column else self.pick("open", part, text)

        st.html(_STYLE)
        with st.container(key="pv_rows"):
            _PICKS(key="pv_rows_picks", data={}, on_picked_change=self._picked)
            rest = ""
            for is_open, group in groupby(rows, key=opened.__contains__):
                names = list(group)
                if is_open:
                    for name in names:
                        draw(name)
                else:
                    lines = [[(name, text) for text in rows[name]] for name in names]
                    drawn = tables.table(head, lines, label=label, top=top, cell=cell, flows=True)
                    st.html(f'<div class="pv-rows pv-rows-{len(head)}{rest}">{drawn}</div>')
                rest = " pv-rows-rest"  # without a head that is seen
            if more:
                st.html(f'<p class="pv-rows-all">{more}</p>')

    def pick(self, key: str, word: str, text: str) -> str:
        """Return the HTML of a link that sets a key."""
        where = urlencode(state.write(self._changed(key, word), self.fields))
        return (
            f'<a href="?{html.escape(where)}" target="_self" data-pick="{html.escape(f"{key}={word}")}">'
            f"{html.escape(text)}</a>"
        )

    def _changed(self, key: str, word: str) -> state.State:
        """Return the state after a link of the table was followed."""
        now = dict(state.current())
        opened: tuple[str, ...] = now["open"]  # type: ignore[assignment] # words
        item = state.field_of(key)
        kept = (part for part in opened if part in self.kept)
        value = item.valid((*kept, word)) if key == "open" else item.read(word)
        return now if value is None else now | {key: value}

    def _picked(self) -> None:
        told = st.session_state["pv_rows_picks"].get("picked")
        key, _, word = told.partition("=") if isinstance(told, str) else ("", "", "")
        if key in {"open", *self.picks}:  # a client can send anything
            state.assign(**{key: self._changed(key, word)[key]})


def facts(rows: Sequence[tuple[str, str]]) -> None:
    """Draw what is known of something: pairs of HTML."""
    inside = "".join(f"<div><dt>{name}</dt><dd>{text}</dd></div>" for name, text in rows)
    st.html(f'<dl class="pv-facts">{inside}</dl>')


def anchor(params: Mapping[str, str], text: str) -> str:
    """Return the HTML of a link to this page with these parameters alone."""
    query = "&amp;".join(f"{key}={html.escape(value)}" for key, value in params.items())
    return f'<a href="?v={VERSION}&amp;{query}" target="_self">{html.escape(text)}</a>'
