"""The parts of every figure: lines, bars, marks, bands, words, axes.

Each function returns a dictionary as Plotly has it; the helpers that are no trace by themselves
are merged into one with ``|``. What a chart redraws it recognises by its `uid`: the name, unless
another one is merged in.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts import style
from privsc_core.draw.style import axis_ticks, integer, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from privsc_core.concepts.contracts.style import Style
    from privsc_core.evaluate.curves import Curve
    from privsc_core.evaluate.scenario import Scenario

    Values = Sequence[float | None] | Sequence[int] | NDArray[Any]
    Words = str | Sequence[str]

Trace = dict[str, Any]

# The colours of what is no learner and no bound; those of the palette have its contrasts.
GREY, PINK, STEEL, TEAL = style.GREY, style.PINK, style.STEEL, style.TEAL

THICK, THIN = 3, 2
WIDE = 6  # of a double line
SLOPE = " · slope "  # behind the name of a curve on logarithmic axes

MUTE: Trace = {"hoverinfo": "skip"}
UNLISTED: Trace = {"showlegend": False}
QUIET: Trace = MUTE | UNLISTED


# --- Traces -------------------------------------------------------------------------------------


def line(
    x: Values,
    y: Values,
    name: str,
    look: Style | str,
    *,
    dash: str = "",
    width: float = THICK,
    **more: Any,
) -> Trace:
    """Return a line in a style or a colour; None among its points interrupts it."""
    colour, dash, _ = _parts(look, dash, "")
    stroke = {"color": colour, "width": width} | ({"dash": dash} if dash else {})
    return _scatter("lines", x, y, name) | {"line": stroke} | more


def double(trace: Trace) -> list[Trace]:
    """Return a line as two with light between them: no learner and no bound of ours looks so."""
    trace = trace | {"legendgroup": trace["uid"]}
    inner = {"line": {"color": style.WHITE, "width": THIN}, "uid": f"{trace['uid']}-inner"}
    return [trace | {"line": trace["line"] | {"width": WIDE}}, trace | QUIET | inner]


def marks(
    x: Values,
    y: Values,
    name: str,
    colour: Words,
    symbol: Words = "",
    size: float = 10,
    *,
    edge: float = 0,
    **more: Any,
) -> Trace:
    """Return marks; `edge` is the width of the stroke of an open symbol."""
    marker = _marker(colour, symbol, size) | ({"line": {"width": edge}} if edge else {})
    return _scatter("markers", x, y, name) | {"marker": marker} | more


def joined(
    x: Values,
    y: Values,
    name: str,
    look: Style | str,
    symbol: str = "",
    size: float = 9,
    *,
    dash: str = "",
    **more: Any,
) -> Trace:
    """Return marks on a line; those on the frame of the picture are whole."""
    colour, dash, symbol = _parts(look, dash, symbol)
    marker = _marker(colour, symbol, size)
    mode = {"mode": "lines+markers", "marker": marker, "cliponaxis": False}
    return line(x, y, name, colour, dash=dash) | mode | more


def words(
    x: Values,
    y: Values,
    texts: Sequence[str],
    name: str,
    place: Words = "middle right",
    colour: str = "",
    **more: Any,
) -> Trace:
    """Return words in the picture, which no pointer finds and no legend lists."""
    return _scatter("text", x, y, name) | QUIET | _text(texts, place, colour) | more


def beside(texts: Sequence[str], place: Words = "", colour: str = "") -> Trace:
    """Return what makes marks speak: merge it into them."""
    return {"mode": "markers+text"} | _text(texts, place, colour)


def bar(x: Values, y: Values, name: str, colour: Words, **more: Any) -> Trace:
    """Return upright bars."""
    return {
        "type": "bar",
        "x": x,
        "y": y,
        "name": name,
        "uid": name,
        "marker": {"color": colour},
    } | more


def across(x: Values, y: Values, name: str, colour: str, **more: Any) -> Trace:
    """Return bars from left to right."""
    return bar(x, y, name, colour, orientation="h") | more


def band(
    x: NDArray[Any], low: NDArray[Any], high: NDArray[Any], name: str, paint: str, **more: Any
) -> Trace:
    """Return the area between two curves."""
    there, back = np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]])
    filled = {"fill": "toself", "fillcolor": paint, "line": {"width": 0}}
    return _scatter("lines", there, back, name) | QUIET | filled | more


def cells(
    z: NDArray[Any], name: str, scale: list[list[Any]], low: float, high: float, **more: Any
) -> Trace:
    """Return a map: values from `low` to `high` as colours."""
    return {
        "type": "heatmap",
        "z": z,
        "zmin": low,
        "zmax": high,
        "colorscale": scale,
        "name": name,
        "uid": name,
    } | more


def level(
    x: Values, y: Values, z: NDArray[Any], at: float, name: str, uid: str,
    paints: Sequence[tuple[str, float]], listed: int = -1,
) -> list[Trace]:  # fmt: skip
    """Return where values of a map are `at`, as a line in a few colours and widths, one of which is listed."""
    listed %= len(paints)
    return [
        {
            "type": "contour", "x": x, "y": y, "z": z, "name": name, "autocontour": False,
            "showscale": False, "contours": {"coloring": "none", "start": at, "end": at, "size": 1},
            "line": {"color": colour, "width": width, "smoothing": 0}, "legendgroup": uid,
            "uid": f"{uid}-{place == listed or width}", "showlegend": place == listed,
        } | MUTE
        for place, (colour, width) in enumerate(paints)
    ]  # fmt: skip


def pins(
    x: NDArray[Any], height: float, name: str, colour: str, symbol: str, size: float = 10
) -> Trace:
    """Return marks at one height, with their entry of the legend."""
    found = marks(x, np.full(x.size, height), name, colour, symbol, size, cliponaxis=False)
    found["marker"]["line"] = {"color": colour, "width": THIN}
    return found | hover(name)


def key(name: str, colour: str) -> Trace:
    """Return an entry of the legend for cells of one colour."""
    return marks([None], [None], name, colour, "square", 13, uid=f"key {name}")


def _parts(look: Style | str, dash: str, symbol: str) -> tuple[str, str, str]:
    """Return colour, dash and marker of a style or a colour; a given dash or marker wins."""
    if isinstance(look, str):
        return look, dash, symbol
    return look.colour, dash or look.dash, symbol or look.marker


def _scatter(mode: str, x: Values, y: Values, name: str) -> Trace:
    return {"type": "scatter", "mode": mode, "x": x, "y": y, "name": name, "uid": name}


def _marker(colour: Words, symbol: Words, size: float) -> Trace:
    return {"color": colour, "size": size} | ({"symbol": symbol} if symbol else {})


def _text(texts: Sequence[str], place: Words, colour: str) -> Trace:
    found: Trace = {"text": texts, "cliponaxis": False}
    if place != "":
        found["textposition"] = place
    if colour:
        found["textfont"] = {"color": colour}
    return found


# --- What is merged into a trace ----------------------------------------------------------------


def told(texts: Sequence[str]) -> Trace:
    """Return what a pointer is told, by point."""
    return {"hoverinfo": "text", "hovertext": texts}


def hover(text: str, extra: str = "") -> Trace:
    """Return what a pointer is told, from a template; `extra` stands beside it."""
    return {"hovertemplate": f"{text}<extra>{extra}</extra>"}


def whisker(
    value: Values, low: Values, high: Values, colour: str, *, thick: float = 2, **more: Any
) -> Trace:
    """Return the bars of an interval around values, for `error_x` or `error_y`."""
    middle, bottom, top = (np.asarray(each, dtype=np.float64) for each in (value, low, high))
    return {
        "type": "data",
        "symmetric": False,
        "array": top - middle,
        "arrayminus": middle - bottom,
        "color": colour,
        "thickness": thick,
    } | more


# --- Axes ---------------------------------------------------------------------------------------


def axis(
    title: str = "",
    span: tuple[float, float] | None = None,
    *,
    at: Sequence[float] | None = None,
    texts: Sequence[str] | None = None,
    zoom: str = "",
    **more: Any,
) -> Trace:
    """Return an axis.

    Parameters
    ----------
    title : str
    span : (float, float), optional
        Its ends, in the units of the axis: exponents on a logarithmic one.
    at, texts : sequence, optional
        Where ticks stand, and what they say.
    zoom : str
        What the axis is about: a zoom lasts while this stays the same.
    """
    given = {
        "title": {"text": title} if title else None,
        "range": None if span is None else list(span),
        "tickvals": at,
        "ticktext": texts,
        "uirevision": zoom or None,
    }
    return {name: value for name, value in given.items() if value is not None} | more


def around(data: Sequence[Trace], factor: float = 1.5) -> tuple[float, float]:
    """Return the ends of a logarithmic axis with some room around what is drawn."""
    values = np.concatenate([np.asarray(trace["y"], dtype=np.float64) for trace in data])
    known = values[np.isfinite(values) & (values > 0.0)]
    if not known.size:
        return 1.0, 1e3
    return float(known.min()) / factor, float(known.max()) * factor


def log_axis(span: tuple[float, float], title: str = "", **more: Any) -> Trace:
    """Return a logarithmic axis from one value to another."""
    values, texts = axis_ticks(*span)
    ends = (math.log10(span[0]), math.log10(span[1]))
    return axis(title, ends, at=values, texts=texts, type="log") | more


def ticks(at: Sequence[float]) -> Trace:
    """Return the ticks of an axis that are to stand at some whole numbers."""
    return axis(at=at, texts=[f"{place:,}" for place in at])


def share_axis(title: str, **more: Any) -> Trace:
    """Return an axis of probabilities."""
    return axis(title, (-0.02, 1.03), at=[0, 0.25, 0.5, 0.75, 1], **more)


def fixed_axis(span: tuple[float, float], title: str = "", **more: Any) -> Trace:
    """Return an axis that does not zoom."""
    # The labels that matter stand at the ends.
    return axis(title, span, fixedrange=True, showgrid=False, ticklabeloverflow="allow", **more)


def bare_axis(span: tuple[float, float], **more: Any) -> Trace:
    """Return such an axis without line and ticks."""
    return fixed_axis(span, at=[], showline=False, zeroline=False) | more


def rows_axis(names: Sequence[str], zoom: str = "") -> Trace:
    """Return a vertical axis with one row per name, the first on top."""
    ends = (len(names) - 0.4, -0.6)
    places = list(range(len(names)))
    return axis(
        span=ends, at=places, texts=names, zoom=zoom, showgrid=False, ticks="", fixedrange=True
    )


# --- Around and across --------------------------------------------------------------------------


def below(distance: float = 0.22) -> Trace:
    """Return a legend below the figure, so far as a share of its height."""
    return {"orientation": "h", "x": 0, "y": -distance, "yanchor": "top"}


def above() -> Trace:
    """Return a legend above the figure."""
    return {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}


def stroke(
    x: tuple[float, float],
    y: tuple[float, float],
    colour: str,
    *,
    dash: str = "dash",
    width: float = THIN,
    **refs: str,
) -> Trace:
    """Return a straight line that belongs to no curve; `xref` and `yref` say in which units."""
    ends = {"x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1]}
    return (
        {"type": "line"} | ends | refs | {"line": {"color": colour, "width": width, "dash": dash}}
    )


def shade(x: tuple[float, float], y: tuple[float, float], paint: str, **refs: str) -> Trace:
    """Return a rectangle below the curves."""
    ends = {"x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1]}
    look = {"fillcolor": paint, "line": {"width": 0}, "layer": "below"}
    return {"type": "rect"} | ends | refs | look


def upright(at: float, x_axis: str, y_axis: str, ends: tuple[float, float]) -> Trace:
    """Return a dashed line where something is, from one height to another."""
    return stroke((at, at), ends, GREY, xref=x_axis, yref=y_axis)


# --- What figures and controls say of the privacy slack: whose it is, and what it may cost ---------
#
# A learner that publishes one example with probability delta is (0, delta)-private: of m examples up
# to m delta are then published, so that a delta of 1/m or more promises nothing.


_SPENT = "mδ ≥ 1: that many examples may be published"


def slack_of(curve: Curve, scenario: Scenario) -> float:
    """Return the slack with which the learner of a curve is private; 0 for none."""
    entry = next(e for e in scenario.concept_class.learners if e.name == curve.name)
    return entry.at(scenario.delta).privacy_slack


def named(curve: Curve, scenario: Scenario) -> str:
    """Return the name of a learner in a legend: one that is not purely private says its slack."""
    slack = slack_of(curve, scenario)
    return f"{curve.title} (δ = {number(slack)})" if slack else curve.title


def spent(samples: float, slack: float) -> bool:
    """Return whether so many examples are too many for a slack."""
    return samples * slack >= 1.0


def parted(trace: Trace, samples: ArrayLike, slack: float) -> list[Trace]:
    """Return a learner's line, grey where it has too many examples for its slack.

    Parameters
    ----------
    trace : dict
        A line.
    samples : array_like
        The number of examples at each of its points, or at all of them.
    slack : float
        0 for a learner without one.
    """
    y = np.asarray(trace["y"], dtype=np.float64)
    beyond = np.broadcast_to(
        np.nan_to_num(np.asarray(samples, dtype=np.float64)) * slack >= 1.0, y.shape
    )
    if not beyond.any():
        return [trace]
    # One point more on either side, so that the parts meet.
    reach = beyond.copy()
    reach[1:] |= beyond[:-1]
    reach[:-1] |= beyond[1:]
    grey: dict[str, Any] = {
        "y": np.where(reach, y, np.nan), "uid": f"{trace['uid']}-published",
        "line": trace["line"] | {"color": style.PALE},
    }  # fmt: skip
    return [
        trace | {"y": np.where(beyond, np.nan, y)},
        trace | UNLISTED | grey | hover(_SPENT, f"{trace['name']}, {_SPENT}"),
    ]


def below_slider(delta: float, samples: int | None) -> str:
    """Return what stands below the control of delta; `samples` is None where m is on an axis."""
    if delta == 0.0:
        return "δ = 0: every private learner here is purely private, except those whose names contain a δ."
    if samples is None:
        return (
            f"δ allows a learner to publish mδ examples on average: 1 at m = {integer(1.0 / delta)}. Curves beyond "
            "are grey."
        )
    often = samples * delta
    said = f"mδ = {number(float(f'{often:.3g}'))}: δ allows a learner to publish so many examples on average."
    return f"{said} This is no privacy, and such curves are grey." if often >= 1.0 else said
