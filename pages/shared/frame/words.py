"""Words explained in place: terms with a tooltip, tables of them, how to read a figure."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

import streamlit as st

from pages.shared.frame import tables
from privsc_core.draw.still import swatch
from privsc_core.literature.glossary import find
from privsc_core.parameters import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from privsc_core.draw.reading import Line


class Explained(NamedTuple):
    """A text of its own with what explains it."""

    text: str
    tip: str


def lit(claim: str, named: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return a claim with some of its words linked to the curves that they speak of, see lit.js.

    A pointer that rests on them is told what their words of the glossary mean.
    """
    for text, names in named:
        link = f"#lit-{'+'.join(names)}"
        terms = filter(None, map(find, re.findall(r"[\w-]+", text.lower())))
        tip = " ".join(
            [f"Lights up {'its curve' if len(names) == 1 else 'their curves'}."]
            + [f"{term.word.capitalize()}: {' '.join(term.meaning.split())}" for term in terms]
        )
        tip = html.escape(tip)
        claim = claim.replace(text, f'[{text}]({link} "{tip}")', 1)
    return claim


_SYMBOLS = {entry.symbol: f"{entry.symbol}: {entry.meaning}." for entry in PARAMETERS}


def term(word: str, text: str = "", *, stop: bool = True) -> str:
    """Return HTML: a word of the glossary that explains itself on hover, focus and tap.

    Parameters
    ----------
    word : str
        Any form in the glossary, or a symbol; what is neither comes back as plain, escaped text.
    text : str
        What the page says instead of the word.
    stop : bool
        Whether the keyboard stops at it: at the first of many equal words is enough.
    """
    shown = html.escape(text or word)
    entry = find(word)
    meaning = entry.meaning if entry else _SYMBOLS.get(word)
    if meaning is None:
        return shown
    return _with_tip(shown, meaning, stop=stop)


def _with_tip(shown: str, tip: str, *, stop: bool = True) -> str:
    """Return HTML that tips.js explains; `shown` is HTML, `tip` plain text."""
    attributes = f'class="pv-term" data-tip="{html.escape(tip)}"'
    if stop:
        return f'<button type="button" {attributes}>{shown}</button>'
    return f"<span {attributes}>{shown}</span>"


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str | Explained]],
    *,
    label: str,
    numeric: Sequence[int] = (),
    explained: Sequence[int] = (),
    anchored: bool = False,
) -> None:
    """Draw a table of plain texts whose heads, and cells in `explained` columns, are terms.

    The first cell of a row names it, and is a place that links lead to where rows are `anchored`.
    `label` says what the table is to those who do not see it.
    """
    met: set[str] = set()

    def cell(text: str | Explained, column: int) -> str:
        if isinstance(text, Explained):
            # No stop for the keyboard: forty rows in its way would be worse, and Theory says it.
            return _with_tip(html.escape(text.text), text.tip, stop=False)
        if column not in explained:
            return html.escape(text)
        first = text not in met
        met.add(text)
        return term(text, stop=first)

    ids = [anchor(str(row[0])) for row in rows] if anchored else ()
    st.html(
        tables.table(
            head, rows, label=label, numeric=numeric, top=term, cell=cell, ids=ids,
            flows=len(head) > 3,
        )
    )  # fmt: skip


def anchor(word: str) -> str:
    """Return the id of a word's row in an anchored table."""
    return "word-" + "-".join(word.lower().split())


def explain(lines: Iterable[Line]) -> None:
    """Draw what the lines of a picture mean."""
    rows = "".join(
        f"<div><dt>{_swatch(line)}{html.escape(line.name)}</dt>"
        f"<dd>{html.escape(line.words)}</dd></div>"
        for line in lines
    )
    st.html(f'<dl class="pv-reading">{rows}</dl>')


def _swatch(line: Line) -> str:
    """Return a small sample of the line or the colour; decoration, the words say it too."""
    if not line.colour:
        return ""
    if line.filled:
        return f'<span class="pv-patch" aria-hidden="true" style="background:{line.colour}"></span>'
    return f'<img class="pv-stroke" alt="" src="{image(swatch(line.colour, line.dash))}">'


def image(svg: str) -> str:
    """Return the address of a picture that holds it whole."""
    return f"data:image/svg+xml,{quote(svg)}"
