"""The numbers behind a figure as rows: what files and the command line give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privsc_core.draw.picture import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.draw.picture import Picture
    from privsc_core.draw.traces import Trace


def data_rows(picture: Picture) -> tuple[tuple[str, ...], list[Sequence[Any]]]:
    """Return the names of the columns and the rows; None stands where there is no number.

    The table of a map has a few of its cells, to be read; here are all, and the lines on it.
    """
    table = picture.table
    traces = picture.figure["data"]
    cells = next((trace for trace in traces if trace["type"] == "heatmap"), None)
    if cells is None:
        return tuple(table), list(zip(*table.values(), strict=True))
    rows = _cells("map", cells)
    for trace in traces:
        if trace["type"] == "scatter" and trace.get("showlegend", True):  # each line has a shadow
            points = zip(trace["x"], trace["y"], strict=True)
            rows += [(trace["name"], plain(x), plain(y), None) for x, y in points]
        if trace["type"] == "contour" and trace["showlegend"]:  # a line drawn from its own map
            rows += _cells(trace["name"], trace)
    return ("curve", *table), rows


def _cells(name: str, trace: Trace) -> list[Sequence[Any]]:
    return [
        (name, plain(x), plain(y), plain(value))
        for y, row in zip(trace["y"], trace["z"], strict=True)
        for x, value in zip(trace["x"], row, strict=True)
    ]
