"""The numbers behind a figure as rows: what files and the command line give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privsc_core.draw.figures import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.draw.picture import Picture

__all__ = ["data_rows"]


def data_rows(picture: Picture) -> tuple[tuple[str, ...], list[Sequence[Any]]]:
    """Return the names of the columns and the rows; None stands where there is no number.

    The table of a map has a few of its cells, to be read; here are all, and the lines on it.
    """
    table = picture.table
    traces = picture.figure["data"]
    cells = next((trace for trace in traces if trace["type"] == "heatmap"), None)
    if cells is None:
        return tuple(table), list(zip(*table.values(), strict=True))
    rows: list[Sequence[Any]] = [
        ("map", plain(x), plain(y), plain(value))
        for y, row in zip(cells["y"], cells["z"], strict=True)
        for x, value in zip(cells["x"], row, strict=True)
    ]
    for trace in traces:
        if trace["type"] == "scatter" and trace["showlegend"]:  # each line has a shadow
            points = zip(trace["x"], trace["y"], strict=True)
            rows += [(trace["name"], plain(x), plain(y), None) for x, y in points]
    return ("curve", *table), rows
