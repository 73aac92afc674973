"""Tables in plain HTML: Streamlit's data grid is a megabyte of program and a canvas to redraw."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ROLES = {'th scope="row"': "rowheader", 'th scope="col"': "columnheader", "td": "cell"}


def _plain(text: str, _: int = 0) -> str:
    return html.escape(text)


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    label: str,
    numeric: Sequence[int] = (),
    caption: str = "",
    top: Callable[[str], str] = _plain,
    cell: Callable[[Any, int], str] = _plain,
    ids: Sequence[str] = (),
    flows: bool = False,
) -> str:
    """Return the HTML of a table.

    Parameters
    ----------
    head : sequence of str
    rows : sequence of sequence
        The first cell of a row names it.
    label : str
        What the table is, to those who do not see it.
    numeric : sequence of int
        Columns that are right-aligned.
    caption : str
        A sentence above it.
    top, cell : callable
        Return the HTML of a head, and of what is in a cell of a column; else both are plain text.
    ids : sequence of str
        Of the rows, for links to them.
    flows : bool
        Whether a row is a paragraph on a phone, where its columns would be too narrow for words. The
        roles are said then: what is not laid out as a table loses them in some browsers.
    """

    def role(name: str) -> str:
        return f' role="{name}"' if flows else ""

    def place(kind: str, inside: str, column: int) -> str:
        aligned = ' class="pv-number"' if column in numeric else ""
        named = f' data-label="{html.escape(head[column])}"' if flows and kind == "td" else ""
        return f"<{kind}{role(_ROLES[kind])}{aligned}{named}>{inside}</{kind[:2]}>"

    def line(row: Sequence[Any]) -> str:
        first = place('th scope="row"', cell(row[0], 0), 0)
        return first + "".join(place("td", cell(text, n), n) for n, text in enumerate(row) if n)

    heads = "".join(place('th scope="col"', top(text), n) for n, text in enumerate(head))
    above = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    named = [f' id="{html.escape(name)}"' for name in ids] or [""] * len(rows)
    tr, group = f"tr{role('row')}", role("rowgroup")
    body = "".join(f"<{tr}{name}>{line(row)}</tr>" for name, row in zip(named, rows, strict=True))
    kind = "pv-table pv-flows" if flows else "pv-table"
    return (
        f'<div class="{kind}" role="region" tabindex="0" aria-label="{html.escape(label)}">'
        f"<table{role('table')}>{above}<thead{group}><{tr}>{heads}</tr></thead>"
        f"<tbody{group}>{body}</tbody></table></div>"
    )
