"""The pictures of the page about labels: the plane (m, u), and labels against d."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.point.learners import Exponential, Generic, Hash
from privsc_core.draw.figures import log_layout, plains
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import BOUND_STYLES, MAP_SCALE, integer, number
from privsc_core.draw.traces import (
    MUTE,
    ORANGE,
    QUIET,
    THICK,
    THIN,
    Trace,
    axis,
    cells,
    faint,
    hover,
    line,
    marks,
    words,
)
from privsc_core.exhibits.point.labels import PLACES, Against, Plane, against, plane
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CARDS", "against_claim", "against_picture", "cards", "plane_picture"]

CARDS = ("Nobody with fewer labels", "Labels that can do", "The bill of few labels", "All labelled")
_LIGHT, _DARK = "#ffffff", "#00152f"
_SHADE = faint(ORANGE, 0.42)
_BILL = "#a05fb5"


def plane_picture(d: int, epsilon: float, alpha: float, beta: float) -> tuple[Plane, Picture]:
    """Compute and draw success over labelled and unlabelled examples."""
    found = plane(Cell(d, epsilon, alpha, beta))
    return found, _plane_figure(found)


def against_picture(epsilon: float, alpha: float, beta: float) -> tuple[Against, Picture]:
    """Compute and draw labels, and people, against d."""
    found = against(Cell(PLACES[0], epsilon, alpha, beta))
    return found, _against_figure(found)


def cards(found: Plane) -> tuple[tuple[str, str, str], ...]:
    """Return label, number and note of each card."""
    bill = found.example + found.u_tuned
    price = (
        f"labels + unlabelled: {integer(bill)} people, {bill / found.labelled:.2f} × all labelled; "
        f"at the learner's own threshold u = {integer(found.u_own)}"
    )
    told = (
        (integer(found.wall), "pure privacy, any u, proper or not; sharp (ours)"),
        (integer(found.plenty), "GenericLearner on hard, with any number of people"),
        (f"{found.example:,} + {integer(found.u_tuned)}", price),
        (integer(found.labelled), "exponential mechanism on hard, u = 0"),
    )
    return tuple((name, *rest) for name, rest in zip(CARDS, told, strict=True))


def _shadowed(x: NDArray[Any], y: NDArray[np.float64], name: str, dash: str) -> list[Trace]:
    """Return a light line with a dark one under it, which any part of the map leaves readable."""
    return [
        line(x, y, name, paint, dash=dash, width=width, uid=f"{name}{width}", legendgroup=name)
        | MUTE | {"showlegend": width == THICK}
        for width, paint in ((THICK + 2, _DARK), (THICK, _LIGHT))
    ]  # fmt: skip


def _zone(x: NDArray[np.float64], y: NDArray[np.float64], name: str) -> Trace:
    edge = {"color": BOUND_STYLES["lower"].colour, "width": THIN}
    area = line(x, y, name, ORANGE, uid=name)
    return area | {"fill": "toself", "fillcolor": _SHADE, "line": edge} | QUIET


def _plane_figure(found: Plane) -> Picture:
    at, m, u = found.at, found.m.astype(np.float64), found.u.astype(np.float64)
    low, high, top = float(m[0]), float(m[-1]), float(u[-1])
    scale = [[i / (len(MAP_SCALE) - 1), colour] for i, colour in enumerate(MAP_SCALE)]
    bar = {"title": {"text": "success"}, "tickvals": [0, 0.25, 0.5, 0.75, 1]}
    heat = cells(
        found.success, "success", scale, 0, 1, uid="map", x=found.m, y=found.u, colorbar=bar
    )
    data = [heat | hover("m = %{x:,} labelled, u = %{y:,} unlabelled: success %{z:.3f}")]
    if found.people > low:
        x = np.append(np.geomspace(low, min(found.people, high), 40), low)
        y = np.append(np.maximum(found.people - x[:-1], 0.0), 0.0)
        data.append(_zone(x, y, "too few people"))
    if found.wall > low:
        x, y = np.array([low, found.wall, found.wall, low]), np.array([0.0, 0.0, top, top])
        data.append(_zone(x, y, "too few labels"))
    goal = number(1.0 - at.beta)
    data += _shadowed(m, found.own, f"success {goal}: {Generic.title}", "solid")
    tuned = np.isfinite(found.tuned)
    data += _shadowed(m[tuned], found.tuned[tuned], "the same, threshold tuned for hard", "dot")
    dot = marks(
        [found.labelled], [0.0], "all labelled: exponential mechanism", ORANGE, "circle", 13
    )
    dot["marker"]["line"] = {"color": _LIGHT, "width": THIN}
    data.append(
        dot | {"cliponaxis": False}
        | hover(f"all labelled: m = {integer(found.labelled)}, u = 0 suffice")
    )  # fmt: skip
    if found.wall > low:
        place = [math.sqrt(low * found.wall)], [0.62 * top]
        text = f"nobody:<br>m < {integer(found.wall)}"
        data.append(words(*place, [text], "wall-name", "middle center", _LIGHT))
    if found.people > 1.5 * found.wall:
        place = [math.sqrt(found.wall * found.people)], [0.33 * found.people]
        text = f"no proper learner:<br>m + u < {integer(found.people)}"
        data.append(words(*place, [text], "people-name", "middle center", _LIGHT))
    layout = log_layout("labelled examples m", (low, high), "unlabelled examples u", (1.0, top))
    layout["yaxis"] = axis("unlabelled examples u", (0.0, top), zoom="labels", tickformat=",")
    rows, columns = (part.ravel() for part in np.indices(found.success.shape)[:, ::5, ::5])
    return Picture(
        figure={"data": data, "layout": layout},
        title="Success over labelled and unlabelled examples",
        caption=(
            f"POINT_d, {_setting(d=at.d, epsilon=at.epsilon, alpha=at.alpha, beta=at.beta)}. Colour: exact "
            f"success of {Generic.title} (Beimel, Nissim, Stemmer 2015; sanitizer ours) on the hard "
            "distribution, no promise for others; lines at the goal are drawn between cells. Shaded (ours): "
            "left of the wall no pure private learner, proper or not, reaches the goal, whatever u; below the "
            "curve m + u is too small for every proper pure one. With a slack δ neither holds."
        ),
        summary=(
            f"At d = {at.d:,}: nobody with fewer than {integer(found.wall)} labels or, if proper, "
            f"{integer(found.people)} people; all labelled {integer(found.labelled)}; {found.example:,} labels "
            f"take {integer(found.u_tuned)} unlabelled examples."
        ),
        filename=f"privsc-labels-d{at.d}-eps{at.epsilon:g}",
        table={
            "m": plains(found.m[columns]), "u": plains(found.u[rows]),
            "success": [float(v) for v in found.success[rows, columns]],
        },
    )  # fmt: skip


def _setting(**values: float) -> str:
    return ", ".join(
        f"{parameter(name).symbol} = {number(value)}" for name, value in values.items()
    )


def against_claim(found: Against) -> str:
    """Return what the second picture shows in a sentence, with its numbers; Markdown."""
    few, many = int(found.d[0]), int(found.d[-1])
    first, last = (integer(float(found.labels[place])) for place in (0, -1))
    needs = f"stays at {last}" if first == last else f"goes from {first} to {last}"
    return (
        f"**Labels stay, people grow:** from d = {few} to d = {many:,} {Generic.title} "
        f"{needs} labels, and its people from "
        f"{integer(float(found.people[0]))} to {integer(float(found.people[-1]))}. All labelled, every one of "
        f"{integer(float(found.labelled[-1]))} needs a label."
    )


def _against_figure(found: Against) -> Picture:
    generic, dense, hashed = Generic.style, Exponential.style, Hash.style
    rows = (
        ("All labelled: exponential mechanism", found.labelled, dense.colour, "solid", "labels"),
        (f"People of {Generic.title}, m + u", found.people, _BILL, "dash", "people"),
        (f"Labels of {Generic.title}", found.labels, generic.colour, "solid", "labels"),
        ("Hash learner, improper, u = 0", found.improper, hashed.colour, "dashdot", "labels"),
        ("Nobody below: labels", found.wall, BOUND_STYLES["lower"].colour, "dot", "labels"),
    )
    data = [
        line(found.d, y, name, colour, dash=dash, width=THICK)
        | hover(f"<b>{name}</b><br>d = %{{x:,}}: %{{y:,.0f}} {what}")
        for name, y, colour, dash, what in rows
    ]
    values = np.concatenate([y for _, y, *_ in rows])
    values = values[np.isfinite(values)]
    span = float(values.min()) / 1.5, float(values.max()) * 1.5
    layout = log_layout("bits of a domain point d", (PLACES[0], PLACES[-1]), "examples", span)
    layout["xaxis"] |= axis(at=PLACES, texts=[f"{place:,}" for place in PLACES])
    at = found.at
    return Picture(
        figure={"data": data, "layout": layout},
        title="Labels and people",
        caption=(
            f"{_setting(epsilon=at.epsilon, alpha=at.alpha, beta=at.beta)}. Exact laws on the hard distribution. "
            f"Labels of {Generic.title}: with any number of unlabelled examples. Its people: with a "
            "quarter more labels than that, and a threshold tuned for hard. Dotted: sharp, ours, every pure "
            "private learner."
        ),
        summary=f"At d = {PLACES[-1]:,}: "
        + "; ".join(f"{name} {integer(float(y[-1]))}" for name, y, *_ in rows) + ".",
        filename=f"privsc-labels-d-eps{at.epsilon:g}",
        table={
            "line": [name for name, *_ in rows for _ in PLACES],
            "d": plains(np.tile(found.d, len(rows))),
            "examples": plains(np.concatenate([y for _, y, *_ in rows])),
        },
    )  # fmt: skip
