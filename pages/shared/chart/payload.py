"""What a chart is sent: a picture as compact JSON. Pure, and known to the worker as well."""

from __future__ import annotations

import base64
import json
import math
import pickle
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from privsc_core import __version__, draw, export

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario

TABLE_ROWS = 120  # a text equivalent is read, not scrolled for ever
_AS_THEY_ARE = {str, bool, int, type(None)}  # most of a figure
_SMALL = 12  # numbers; below this a list is shorter than base64


class Door(NamedTuple):
    """What stands at the end of a line of a figure: its name, a link to what it is about.

    Attributes
    ----------
    uid : str
        Of the line.
    label, says : str
        Its name, and what is said of it on hover and focus; plain text.
    href : str
        Where it leads.
    group : str
        Under which heading it is listed where the names are many.
    """

    uid: str
    label: str
    says: str
    href: str
    group: str = ""


class Look(NamedTuple):
    """How the main figure of a class page is drawn.

    Attributes
    ----------
    view, on_map : str
        As for `draw.picture`.
    height : int
        Of the plot in pixels.
    guess : int
        A number of samples to be marked in it, or 0.
    pinned : Scenario, optional
        As for `draw.picture`.
    crowd : tuple of (float, int)
        As for `draw.mark`.
    """

    view: str
    on_map: str
    height: int
    guess: int = 0
    pinned: Scenario | None = None
    crowd: tuple[tuple[float, int], ...] = ()


def main_figure(scenario: Scenario, look: Look, trials: int) -> bytes:
    """Compute, draw and encode the main figure of a class page, see `draw.picture`."""
    picture = draw.picture(
        scenario, look.view, on_map=look.on_map, trials=trials, pinned=look.pinned
    )
    return _main(picture, scenario, look)


@dataclass(frozen=True, slots=True)
class Strip:
    """The main figure at every stop of a slider, as the browser gets it: packed, to be kept.

    Attributes
    ----------
    frames : bytes
        What `main_figure` says of each stop, a line each, empty where there is nothing to show;
        deflated (zlib) together, because neighbours have most of it in common.
    packed : bytes
        The numbers of each stop: see `numbers`.
    """

    frames: bytes
    packed: bytes

    @classmethod
    def of(cls, frames: Iterable[bytes], numbers: Sequence[Any]) -> Strip:
        """Return a strip of what is drawn at each stop, and of what else is said there."""
        return cls(zlib.compress(b"\n".join(frames)), zlib.compress(pickle.dumps([*numbers])))

    def frame(self, place: int) -> bytes:
        """Return what `main_figure` says of one stop; nothing where there is nothing to show."""
        return zlib.decompress(self.frames).split(b"\n")[place]

    def __len__(self) -> int:
        """Return the number of bytes."""
        return len(self.frames) + len(self.packed)

    @property
    def numbers(self) -> list[Numbers | None]:
        """The numbers of each stop, see `views.numbers`."""
        found: list[Numbers | None] = pickle.loads(zlib.decompress(self.packed))  # noqa: S301 - made below
        return found


def main_strip(
    scenario: Scenario,
    look: Look,
    parameter: str,
    stops: tuple[float, ...],
    told: tuple[str, ...] | None = None,
) -> Strip:
    """Compute, draw and encode the main figure at every stop of a slider, see `draw.strip`."""
    lines, numbers = [], []
    frames = draw.strip(
        scenario, parameter, stops, look.view, on_map=look.on_map, pinned=look.pinned, told=told
    )
    for frame in frames:
        lines.append(_main(frame.picture, frame.scenario, look) if frame else b"")
        numbers.append(frame and frame.numbers)
    return Strip.of(lines, numbers)


def _main(picture: Picture, scenario: Scenario, look: Look) -> bytes:
    if look.guess:
        chosen = draw.VIEWS[look.view]
        at = float(getattr(scenario, chosen.axes[0]))
        picture = draw.mark(picture, look.guess, chosen.axes, chosen.quantity, at, crowd=look.crowd)
    credit = export.credit_of(export.Shown(scenario, look.view, look.on_map).behind)
    return of_picture(picture, look.height, credit)


def of_picture(
    picture: Picture, height: int, credit: str = "", doors: tuple[Door, ...] = ()
) -> bytes:
    """Return what a chart is sent of a picture; whose sources it names if it has some."""
    credit = credit or (export.credit_of(picture.sources) if picture.sources else "")
    return payload(
        picture.figure, height=height, title=picture.title, summary=picture.summary,
        filename=picture.filename, table=picture.table, caption=picture.caption, credit=credit,
        doors=doors,
    )  # fmt: skip


def payload(
    figure: Mapping[str, Any] | Any,
    *,
    height: int,
    title: str,
    summary: str,
    filename: str,
    table: Mapping[str, Sequence[Any]] | None = None,
    caption: str = "",
    credit: str = "",
    doors: Sequence[Door] = (),
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
    table : mapping of str to list, optional
        The numbers; at most `TABLE_ROWS` rows are shown, evenly spaced.
    doors : sequence of Door
        Links at the ends of lines, in place of a legend.
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
    if doors:
        sent["doors"] = [door._asdict() for door in doors]
    return json.dumps(sent, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def _plain(value: Any) -> Any:
    """Return `value` as JSON has it; arrays of numbers as Plotly's typed arrays."""
    kind = type(value)
    if kind in _AS_THEY_ARE or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        # Nine digits, as float32 has at most: the last bits differ between processors.
        return float(f"{value:.9g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {
            name: item if type(item) in _AS_THEY_ARE else _plain(item)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [item if type(item) in _AS_THEY_ARE else _plain(item) for item in value]
    if hasattr(value, "to_numpy"):  # a pandas column
        return _plain(value.to_numpy())
    if hasattr(value, "dtype"):
        return _array(value)
    raise TypeError(f"a figure cannot hold a {kind.__name__}")


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


def _table(columns: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Return a table by columns, thinned to `TABLE_ROWS`, first and last row always among them."""
    rows = len(next(iter(columns.values()), ()))
    kept = range(rows)
    if rows > TABLE_ROWS:
        kept = [i * (rows - 1) // (TABLE_ROWS - 1) for i in range(TABLE_ROWS)]  # type: ignore[assignment]
    cells = [
        [
            value if type(value) in _AS_THEY_ARE
            else _rounded(value) if isinstance(value, float)
            else value if isinstance(value, str | int) else str(value)
            for value in map(values.__getitem__, kept)
        ]
        for values in columns.values()
    ]  # fmt: skip
    return {"columns": [str(name) for name in columns], "cells": cells, "rows": rows}


# Both ends of an exact curve's band are the curve.
@lru_cache(maxsize=4096)
def _rounded(value: float) -> float | int | None:
    """Return what a table shows of a float: five digits, and 1.0 like 1.

    So that the last bit, which differs between processors, shows nowhere.
    """
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.5g}")
    return int(rounded) if rounded.is_integer() else rounded
