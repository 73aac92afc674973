"""A picture as HTML with SVG inside: what a page shows before any program runs.

The same numbers as in the figure that replaces it, taken from its traces: curves, areas, marks
and axes. Nothing reacts to a pointer. Curves stretch with the page while strokes and letters keep
their size, so one still serves a phone and a hall; colours of axes and words are the page's own.
"""

from __future__ import annotations

import html
import itertools
import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from privsc_core.draw.picture import Picture

SIZE = 1000  # of the area of the curves in its own units, both ways: a unit is less than a pixel
_STRETCHED = f'viewBox="0 0 {SIZE} {SIZE}" preserveAspectRatio="none"'

# The colours that a trace may have; what else it says never reaches the markup.
_COLOUR = re.compile(r"#[0-9a-f]{6}|rgba\(\d+, \d+, \d+, [\d.]+\)")
# As Plotly has them, in multiples of the width of the stroke.
_DASHES = {
    "solid": (), "": (), "dot": (1, 1), "dash": (3, 3), "longdash": (5, 5),
    "dashdot": (3, 1, 1, 1), "longdashdot": (5, 2, 1, 2),
}  # fmt: skip
_SHAPES = {
    "circle": "M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0z",
    "square": "M-5.5-5.5h11v11h-11z",
    "diamond": "M0-7.2L7.2 0L0 7.2L-7.2 0z",
    "triangle-up": "M-6.3 3.6h12.6L0-7.2z",
    "triangle-down": "M-6.3-3.6h12.6L0 7.2z",
}
_STEPS = 64  # of the colours of a map
_PLACES = {"left": ("end", -7), "center": ("middle", 0), "right": ("start", 7)}
_HEIGHTS = {"top": -8, "middle": 5, "bottom": 18}


def still(picture: Picture) -> str:
    """Return a figure of lines and marks as HTML, without a program and without a style sheet.

    Parameters
    ----------
    picture : Picture
        Of scatter traces and maps over one pair of axes that state their range, linear or logarithmic.
        Traces that wait in the legend (``visible="legendonly"``) are left out.

    Returns
    -------
    str
        A ``<figure class="pv-still">``; its parts have classes for a style sheet to place.

    Raises
    ------
    ValueError
        For a figure with other traces.
    """
    shown, layout = _shown(picture), picture.figure["layout"]
    across, up = _scale(layout["xaxis"]), _scale(layout["yaxis"])
    area = "".join(
        (
            *_grid(layout, across, up),
            f'<svg {_STRETCHED} width="100%" height="100%">{_area(picture)}</svg>',
            *(mark for trace in shown for mark in _marks(trace, across, up)),
        )
    )
    words = html.escape(picture.summary)
    return (
        f'<figure class="pv-still"><p class="pv-still-title">{html.escape(picture.title)}</p>'
        f'<div class="pv-still-area"><svg role="img" aria-label="{words}" width="100%" '
        f'height="100%" overflow="visible" fill="none">{area}</svg></div>'
        f'<p class="pv-still-axis">{html.escape(layout["xaxis"]["title"]["text"])}</p>'
        f'<ul class="pv-still-legend">{"".join(_legend(shown))}</ul>'
        f"<figcaption>{html.escape(picture.caption)}</figcaption></figure>"
    )


def thumbnail(picture: Picture) -> str:
    """Return the curves, areas and maps of a figure as an SVG of any size, without words; see `still`."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {_STRETCHED} fill="none">{_area(picture)}</svg>'
    )


def _shown(picture: Picture) -> list[Mapping[str, Any]]:
    """Return the lines and marks of a figure that are drawn."""
    there = [trace for trace in picture.figure["data"] if trace.get("visible", True) is True]
    if {trace["type"] for trace in there} - {"heatmap", "scatter"}:
        raise ValueError("only lines, marks and maps can be drawn as a still")
    return [trace for trace in there if trace["type"] == "scatter"]


def _area(picture: Picture) -> str:
    """Return what is between the axes, without marks and words."""
    data, layout = picture.figure["data"], picture.figure["layout"]
    across, up = _scale(layout["xaxis"]), _scale(layout["yaxis"])
    maps = (one for one in data if one["type"] == "heatmap" and one.get("visible", True) is True)
    return "".join(
        (
            *(cell for trace in maps for cell in _cells(trace, across, up)),
            *_curves(_shown(picture), across, up),
            *_strokes(layout, across, up),
        )
    )


def _scale(axis: Mapping[str, Any]) -> Callable[[float], float]:
    """Return what places a value on an axis, as a share of its length from its beginning."""
    low, high = map(float, axis["range"])
    logarithmic = axis.get("type") == "log"

    def place(value: float) -> float:
        if not logarithmic:
            return (value - low) / (high - low)
        return (math.log10(value) - low) / (high - low) if value > 0 else -math.inf

    return place


def _grid(
    layout: Mapping[str, Any], across: Callable[[float], float], up: Callable[[float], float]
) -> Iterator[str]:
    """Yield lines and words of both axes."""
    for axis, name in ((layout["xaxis"], "x"), (layout["yaxis"], "y")):
        for value, text in zip(axis.get("tickvals", ()), axis.get("ticktext", ()), strict=True):
            # Between powers of ten there is no room for words on a phone.
            minor = axis.get("type") == "log" and math.log10(value) % 1 > 1e-9
            kind = f"pv-still-{name}" + (" pv-still-minor" if minor else "")
            words = html.escape(text)
            if name == "x":
                at = f"{100 * across(value):.2f}%"
                yield f'<line class="pv-still-grid" x1="{at}" x2="{at}" y1="0" y2="100%"/>'
                yield f'<text class="{kind}" x="{at}" y="100%" dy="1.25em" text-anchor="middle">{words}</text>'
            else:
                at = f"{100 - 100 * up(value):.2f}%"
                yield f'<line class="pv-still-grid" x1="0" x2="100%" y1="{at}" y2="{at}"/>'
                yield f'<text class="{kind}" x="-7" y="{at}" dy="0.35em" text-anchor="end">{words}</text>'
    yield '<line class="pv-still-edge" x1="0" x2="0" y1="0" y2="100%"/>'
    yield '<line class="pv-still-edge" x1="0" x2="100%" y1="100%" y2="100%"/>'


def _points(
    trace: Mapping[str, Any], across: Callable[[float], float], up: Callable[[float], float]
) -> list[tuple[float, float]]:
    """Return the points of a curve in units of the area; what is not finite is left out."""
    places = (
        (SIZE * across(float(x)), SIZE * (1 - up(float(y))))
        for x, y in zip(trace["x"], trace["y"], strict=True)
        if x is not None and y is not None
    )
    return [place for place in places if all(map(math.isfinite, place))]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _cells(
    trace: Mapping[str, Any], across: Callable[[float], float], up: Callable[[float], float]
) -> Iterator[str]:
    """Yield the rectangles of a map, one for neighbours in a row of the same colour."""
    columns, rows = (
        _edges([place(float(at)) for at in trace[name]])
        for name, place in (("x", across), ("y", up))
    )
    low, high = float(trace["zmin"]), float(trace["zmax"])
    for row, (bottom, top) in zip(trace["z"], itertools.pairwise(rows), strict=True):
        colours = [_shade(trace["colorscale"], (float(z) - low) / (high - low)) for z in row]
        begin = 0
        for colour, same in itertools.groupby(colours):
            end = begin + len(list(same))
            if colour:
                left, right = SIZE * columns[begin], SIZE * columns[end]
                yield (
                    f'<path fill="{colour}" d="M{left:.1f} {SIZE * (1 - top):.1f}H{right:.1f}'
                    f'V{SIZE * (1 - bottom):.1f}H{left:.1f}z"/>'
                )
            begin = end


def _edges(places: Sequence[float]) -> list[float]:
    """Return the edges of cells around places, inside the area."""
    between = [(one + other) / 2 for one, other in itertools.pairwise(places)]
    ends = 2 * places[0] - between[0], 2 * places[-1] - between[-1]
    return [min(max(edge, 0.0), 1.0) for edge in (ends[0], *between, ends[1])]


def _shade(scale: Sequence[tuple[float, str]], share: float) -> str:
    """Return the colour of a share of a scale, in steps that an eye hardly sees; empty for none."""
    if math.isnan(share):
        return ""
    share = round(_STEPS * min(max(share, 0.0), 1.0)) / _STEPS
    last = max(1, next((n for n, (stop, _) in enumerate(scale) if stop >= share), len(scale) - 1))
    (low, one), (high, other) = scale[last - 1 : last + 1]
    part = (share - low) / (high - low)
    mixed = (
        round((1 - part) * int(a, 16) + part * int(b, 16))
        for a, b in ((_paint(one)[n : n + 2], _paint(other)[n : n + 2]) for n in (1, 3, 5))
    )
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def _curves(
    shown: Sequence[Mapping[str, Any]],
    across: Callable[[float], float],
    up: Callable[[float], float],
) -> Iterator[str]:
    """Yield areas and lines, the first at the bottom."""
    before: list[tuple[float, float]] = []
    for trace in shown:
        if "lines" not in trace["mode"]:
            continue
        points = _points(trace, across, up)
        if not points:
            continue
        fill = trace.get("fill", "")
        if fill:
            floor = [(x, float(SIZE)) for x, _ in points]
            edge = {"tonexty": before, "tozeroy": floor, "toself": []}[fill]
            outline = _path([*points, *reversed(edge)])
            yield f'<path fill="{_paint(trace["fillcolor"])}" d="{outline}z"/>'
        if trace["line"]["width"]:
            yield f'<path data-of="{html.escape(str(trace["uid"]))}" {_stroke(trace["line"])} d="{_path(points)}"/>'
        before = points


def _strokes(
    layout: Mapping[str, Any], across: Callable[[float], float], up: Callable[[float], float]
) -> Iterator[str]:
    for shape in layout.get("shapes", ()):
        ends = _points(
            {"x": (shape["x0"], shape["x1"]), "y": (shape["y0"], shape["y1"])}, across, up
        )
        yield f'<path {_stroke(shape["line"])} d="{_path(ends)}"/>'


def _marks(
    trace: Mapping[str, Any], across: Callable[[float], float], up: Callable[[float], float]
) -> Iterator[str]:
    """Yield the marks of a trace, with the words beside them."""
    if "markers" not in trace["mode"]:
        return
    shape = _SHAPES.get(trace["marker"].get("symbol", "circle"), _SHAPES["circle"])
    colour = _paint(trace["marker"]["color"])
    height, _, side = str(trace.get("textposition", "top center")).partition(" ")
    anchor, right = _PLACES[side]
    for at, (x, y) in enumerate(_points(trace, across, up)):
        words = html.escape(str(trace["text"][at])) if "text" in trace else ""
        yield (
            f'<svg x="{x * 100 / SIZE:.2f}%" y="{y * 100 / SIZE:.2f}%" overflow="visible">'
            f'<path fill="{colour}" d="{shape}"/><text x="{right}" y="{_HEIGHTS[height]}" '
            f'text-anchor="{anchor}" style="fill:{colour}">{words}</text></svg>'
        )


def _legend(shown: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for trace in shown:
        if not trace.get("showlegend", True) or "lines" not in trace["mode"]:
            continue
        patch = ""
        if trace.get("fill"):
            patch = f'<path fill="{_paint(trace["fillcolor"])}" d="M0 6h30v8h-30z"/>'
        yield (
            '<li><svg width="30" height="14" aria-hidden="true" fill="none">'
            f'{patch}<path {_stroke(trace["line"])} d="M0 6h30"/></svg>{html.escape(trace["name"])}</li>'
        )


def swatch(colour: str, dash: str) -> str:
    """Return a sample of a line as SVG."""
    stroke = _stroke({"color": colour, "width": 3, "dash": dash})
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="38" height="10" viewBox="0 0 38 10" '
        f'fill="none"><path {stroke} d="M0 5h38"/></svg>'
    )


def _stroke(line: Mapping[str, Any]) -> str:
    width = float(line["width"])
    dash = line.get("dash", "solid")
    own = [float(part.removesuffix("px")) for part in dash.split(",") if part.endswith("px")]
    dashes = " ".join(f"{part:g}" for part in own or (max(width, 3) * k for k in _DASHES[dash]))
    return (
        f'stroke="{_paint(line["color"])}" stroke-width="{width:g}" '
        + (f'stroke-dasharray="{dashes}" ' if dashes else "")
        + 'stroke-linejoin="round" vector-effect="non-scaling-stroke"'
    )


def _paint(colour: str) -> str:
    if not _COLOUR.fullmatch(colour):
        raise ValueError(f"a colour must be #rrggbb or rgba(...); got {colour!r}")
    return colour
