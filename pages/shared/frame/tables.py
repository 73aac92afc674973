"""Tables in plain HTML: Streamlit's data grid is a megabyte of program and a canvas to redraw."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["table"]


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
    """

    def place(kind: str, inside: str, column: int) -> str:
        aligned = ' class="pv-number"' if column in numeric else ""
        return f"<{kind}{aligned}>{inside}</{kind[:2]}>"

    def line(row: Sequence[Any]) -> str:
        first = place('th scope="row"', cell(row[0], 0), 0)
        return first + "".join(place("td", cell(text, n), n) for n, text in enumerate(row) if n)

    heads = "".join(place('th scope="col"', top(text), n) for n, text in enumerate(head))
    above = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    named = [f' id="{html.escape(name)}"' for name in ids] or [""] * len(rows)
    body = "".join(f"<tr{name}>{line(row)}</tr>" for name, row in zip(named, rows, strict=True))
    return (
        f'<div class="pv-table" role="region" tabindex="0" aria-label="{html.escape(label)}">'
        f"<table>{above}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )
