"""A finished picture: the figure with its words and numbers; words of other people made safe."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.draw.style import number
from privsc_core.draw.traces import below
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Source
    from privsc_core.draw.traces import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What a page needs to show, download and read out a figure.

    Attributes
    ----------
    figure : dict
        A Plotly figure, ``{"data": [...], "layout": {...}}``, with arrays and no template.
        A dictionary, because building and checking a `go.Figure` costs more than computing
        the curves; `plotly_figure` makes one.
    title, caption, summary : str
        Above, below, and for those who do not see it.
    filename : str
        Of downloads, without extension.
    table : dict of str to list
        The numbers in columns of equal length.
    sources : tuple of Source
        Where they come from, where no `Scenario` tells.
    stands_for : dict of str to str
        The names of learners and bounds by the `uid` of the traces that are theirs.
    """

    figure: dict[str, Any]
    title: str
    caption: str
    summary: str
    filename: str
    table: dict[str, list[Any]]
    sources: tuple[Source, ...] = ()
    stands_for: dict[str, str] = field(default_factory=dict)


def plot(
    data: Iterable[Trace],
    x: Trace,
    y: Trace,
    *,
    title: str,
    caption: str,
    summary: str,
    filename: str,
    table: dict[str, list[Any]],
    sources: tuple[Source, ...] = (),
    legend: float | Trace | None = 0.2,
    **layout: Any,
) -> Picture:
    """Return the picture of some traces over a pair of axes.

    Parameters
    ----------
    data : iterable of Trace
        What stands for a learner or a bound names it under "of".
    x, y : Trace
        The axes. A zoom lasts until their titles change, or by their own `uirevision`.
    title, caption, summary, filename, table, sources
        See `Picture`.
    legend : float or Trace, optional
        How far below the figure it is, as a share of its height; or the legend itself.
    **layout
        What else Plotly's layout has: shapes, more axes.
    """
    zoom = "/".join(one.get("title", {}).get("text", "") for one in (x, y))
    axes: dict[str, Any] = {"xaxis": {"uirevision": zoom} | x, "yaxis": {"uirevision": zoom} | y}
    if legend is not None:
        axes["legend"] = below(legend) if isinstance(legend, float) else legend
    traces = [dict(trace) for trace in data]
    stands_for = {trace["uid"]: trace.pop("of") for trace in traces if "of" in trace}
    figure = {"data": traces, "layout": axes | layout}
    return Picture(figure, title, caption, summary, filename, table, sources, stands_for)


def setting(at: Any, *names: str) -> str:
    """Return what a caption says of some parameters of a setting."""
    return ", ".join(f"{parameter(name).symbol} = {number(getattr(at, name))}" for name in names)


# --- The numbers behind a figure -----------------------------------------------------------------


_EXACT = 2.0**53  # below it every whole number is a float


def columns(data: Iterable[Trace], x: str, by: str = "uid") -> dict[str, list[Any]]:
    """Return a table: the places that some traces have in common, and a column for each trace."""
    listed = [trace for trace in data if trace.get("showlegend", True)]
    found = {trace[by]: plains(numbers(trace["y"])) for trace in listed}
    return {x: plains(numbers(listed[0]["x"]))} | found


def rows(data: Iterable[Trace], of: str, x: str, y: str) -> dict[str, list[Any]]:
    """Return a table with a row for each point of some traces, which names its trace."""
    found: dict[str, list[Any]] = {of: [], x: [], y: []}
    for trace in data:
        found[of] += [trace["name"]] * len(trace["x"])
        found[x] += plains(numbers(trace["x"]))
        found[y] += plains(numbers(trace["y"]))
    return found


def numbers(values: Any) -> NDArray[np.float64]:
    """Return values as an array, with NaN where there is none."""
    return np.asarray(values, dtype=np.float64)


def plain(value: float) -> float | int | None:
    """Return a number for a table: whole where it is, None where there is none."""
    return plains(np.array([value], dtype=np.float64))[0]


def plains(values: NDArray[np.float64]) -> list[float | int | None]:
    """Return numbers for a table: whole where they are, None where there is none."""
    whole = values == np.rint(values)
    if whole.all() and np.all(np.abs(values) < _EXACT):  # a whole axis: at once
        return values.astype(np.int64).tolist()  # type: ignore[no-any-return]
    numbers: list[Any] = values.tolist()
    for row in np.flatnonzero(whole).tolist():
        numbers[row] = int(numbers[row])
    for row in np.flatnonzero(np.isnan(values)).tolist():
        numbers[row] = None
    return numbers


# --- Somebody else's words in a figure -----------------------------------------------------------


_LONGEST = 60
# Plotly reads a subset of HTML in its texts. ‹ and › look alike and mean nothing; behind an
# ampersand an invisible blank keeps it from starting an entity.
_HARMLESS = str.maketrans({"<": "‹", ">": "›", "&": "&\u200b"})


def plain_text(text: str, longest: int = _LONGEST) -> str:
    """Return text of a link or a file for a figure: short, one line, without any markup."""
    part = "".join(c if c.isprintable() else " " for c in text[: longest + 1]).strip()
    part = part if len(part) <= longest else part[: longest - 1] + "…"
    return part.translate(_HARMLESS) or "(blank)"
