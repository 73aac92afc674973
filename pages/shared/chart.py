"""The one chart of the dashboard: a thin component around ``Plotly.react``.

``st.plotly_chart`` mounts a new figure at every change and so loses zoom and hidden curves; this
one keeps its node. It also keeps the message small: the program travels once, as a static file
(static_files.py); a change carries numbers only, as float32, and no template.
"""

from __future__ import annotations

import base64
import json
import math
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared import static_files
from privsc_core import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

__all__ = ["chart", "payload", "preload"]

TABLE_ROWS = 120  # a text equivalent is read, not scrolled for ever
_SMALL = 12  # numbers; below this a list is shorter than base64

# Streamlit sends this text along with every figure, which is why it is short.
_PROGRAM = f"""
{static_files.FIND_FOLDER}
const href = new URL("{static_files.PLOTLY}", folder).href;
document.head.append(Object.assign(document.createElement("link"), {{rel: "preload", as: "script", href}}));
const program = await import(new URL("{static_files.CHART}", folder));
program.prepare(href);
export default program.default;
"""

_COMPONENT = st.components.v2.component("privsc_chart", js=_PROGRAM, isolate_styles=False)


def preload() -> None:
    """Start loading the browser's programs; the shell calls this before the page computes."""
    _COMPONENT(key="chart_preload", data=None)


def chart(data: bytes, *, key: str, on_guess: Callable[[str], None] | None = None) -> None:
    """Draw a figure that keeps zoom, hidden curves and its place when its data change.

    Parameters
    ----------
    data : bytes
        From `payload`.
    key : str
        Names the chart on its page. The same key keeps the same node.
    on_guess : callable, optional
        Called with `key` when the line of a guess was dragged; the number of samples is then
        in the session state, ``st.session_state[key]["guess"]``.
    """
    if on_guess is None:
        _COMPONENT(key=key, data=data)
    else:
        _COMPONENT(key=key, data=data, on_guess_change=lambda: on_guess(key))


def payload(
    figure: Mapping[str, Any] | Any,
    *,
    height: int,
    title: str,
    summary: str,
    filename: str,
    table: pd.DataFrame | None = None,
    caption: str = "",
    credit: str = "",
) -> bytes:
    """Return what `chart` sends: JSON, arrays as base64. Pure, so it can be tested and cached.

    Parameters
    ----------
    figure : dict or plotly.graph_objects.Figure
        ``{"data": [...], "layout": {...}}`` of plain values and arrays, without a template. It
        is not validated: Plotly.js ignores what it does not know.
    height : int
        Of the plot in pixels; a phone shows at most 42 % of its screen.
    title, caption : str
        Above and below the plot, and in downloads.
    summary : str
        What the figure shows, in a sentence, for those who do not see it.
    filename : str
        Of downloads, without extension.
    credit : str
        The sources, in downloads; the program's name where it is left out.
    table : pandas.DataFrame, optional
        The numbers; at most `TABLE_ROWS` rows are shown, evenly spaced.
    """
    raw = figure.to_plotly_json() if hasattr(figure, "to_plotly_json") else figure
    layout = {name: value for name, value in raw.get("layout", {}).items() if name != "template"}
    sent = {
        "figure": {"data": _plain(raw["data"]), "layout": _plain(layout)},
        "height": height,
        "title": title,
        "summary": summary,
        "filename": filename,
        "caption": caption,
        "credit": credit or f"privsc {__version__}.",
        "table": None if table is None else _table(table),
    }
    return json.dumps(sent, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def _plain(value: Any) -> Any:
    """Return `value` as JSON has it; arrays of numbers as Plotly's typed arrays."""
    if isinstance(value, str | bool | int) or value is None:
        return value
    if isinstance(value, float):
        # Nine digits, as float32 has at most: the last bits differ between processors.
        return float(f"{value:.9g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "to_numpy"):  # a pandas column
        return _plain(value.to_numpy())
    if hasattr(value, "dtype"):
        return _array(value)
    raise TypeError(f"a figure cannot hold a {type(value).__name__}")


def _array(values: Any) -> Any:
    """Return a numpy array as Plotly's typed array, a short one or one of words as a list."""
    if values.ndim == 0:
        return _plain(values.item())
    if values.dtype.kind not in "iuf" or values.size <= _SMALL:
        return _plain(values.tolist())
    kind = "f4"
    if values.dtype.kind in "iu" and values.min() >= -(2**31) and values.max() < 2**31:
        kind = "i4"
    data = base64.b64encode(values.astype(f"<{kind}").tobytes()).decode("ascii")
    typed = {"dtype": kind, "bdata": data}
    if values.ndim > 1:
        typed["shape"] = ", ".join(map(str, values.shape))
    return typed


def _table(frame: pd.DataFrame) -> dict[str, Any]:
    """Return a table by columns, thinned to `TABLE_ROWS`, first and last row always among them."""
    rows = len(frame)
    if rows > TABLE_ROWS:
        frame = frame.iloc[[i * (rows - 1) // (TABLE_ROWS - 1) for i in range(TABLE_ROWS)]]
    cells = [[_cell(value) for value in frame[name].tolist()] for name in frame.columns]
    return {"columns": [str(name) for name in frame.columns], "cells": cells, "rows": rows}


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        # Five digits are more than the table shows; repr of a float would be seventeen.
        return float(f"{value:.5g}") if math.isfinite(value) else None
    return value if isinstance(value, str | int) or value is None else str(value)
