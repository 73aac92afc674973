"""Switching points: a hypothesis beside what is picked from it, and what the choice costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privsc_core.draw.picture import Picture
from privsc_core.draw.style import integer
from privsc_core.draw.traces import (
    GREY,
    MUTE,
    QUIET,
    axis,
    bare_axis,
    below,
    beside,
    cells,
    fixed_axis,
    hover,
    key,
    line,
    marks,
    pins,
    upright,
)
from privsc_core.exhibits.interval.parts import FOUND, ONE, WRONG, WRONG_ZERO, ZERO, count, ticks

if TYPE_CHECKING:
    from privsc_core.exhibits.interval.switching import SelectionCurve, Switching

__all__ = ["selection_figure", "switching_figure"]

_ROWS = (0.0, 1.5, 2.5)  # of the pick, the hypothesis and the target


def switching_figure(shown: Switching) -> Picture:
    """Draw target, hypothesis and the picked concept label by label, with their differences."""
    size = shown.labels.size
    x = np.arange(1, size + 1)
    truth = (x < shown.target).astype(np.int64)
    pick = (x < shown.chosen).astype(np.int64)
    colours = (ZERO, ONE, WRONG_ZERO, WRONG)
    scale = [[(i + k) / 4, colour] for i, colour in enumerate(colours) for k in (0, 1)]
    data = []
    for place, labels, name, uid in (
        (_ROWS[0], pick, f"c_{shown.chosen}", "pick"),
        (_ROWS[1], shown.labels.astype(np.int64), "h", "h"),
        (_ROWS[2], truth, f"c_{shown.target}", "target"),
    ):
        z = (labels + 2 * (labels != truth))[None, :]
        edges = [place - 0.4, place + 0.4]  # one row, given by its edges
        row = cells(z, name, scale, -0.5, 3.5, uid=uid, x=x, y=edges, showscale=False, xgap=1)
        data.append(row | hover(f"{name}(%{{x}})"))
    down, up = shown.points[shown.decreasing], shown.points[~shown.decreasing]
    picked = np.array([shown.chosen - 0.5])
    data += [
        pins(down - 0.5, 0.75, "decreasing", FOUND, "triangle-down"),
        pins(up - 0.5, 0.75, "increasing", GREY, "triangle-up-open"),
        key("1", ONE),
        key("0", ZERO),
        key("1, wrong", WRONG),
        key("0, wrong", WRONG_ZERO),
        pins(picked, 0.75, "picked", FOUND, "circle-open", 20) | MUTE,
    ]
    names = [f"pick c<sub>{shown.chosen}</sub>", "h", f"target c<sub>{shown.target}</sub>"]
    height = (-0.6, 3.1)
    layout = {
        "xaxis": fixed_axis((-0.2, size + 1.2), "domain point x", at=ticks(1, size), ticks=""),
        "yaxis": bare_axis(height) | axis(at=list(_ROWS), texts=names, ticks=""),
        "shapes": [upright(shown.target - 0.5, "x", "y", height)],
        "legend": below(0.24),
    }
    errors, ours = shown.errors.size, shown.chosen_errors.size
    return Picture(
        figure={"data": data, "layout": layout},
        title=f"h errs at {count(errors, 'point')}, the pick at {ours} of these",
        caption=f"T = {size} points; {shown.points.size} switching points, both ends included. "
        f"The pick comes from SWITCH(h) and errs only where h does.",
        summary=f"Labels of the target c_{shown.target}, of a hypothesis with "
        f"{shown.points.size} switching points and of the concept c_{shown.chosen} picked from "
        f"them: {errors} errors of h, {ours} of the pick, all of them errors of h too.",
        filename=f"privsc-interval-switching-z{shown.points.size}-t{shown.target}",
        table={
            "x": x.tolist(),
            "target": truth.tolist(),
            "h": shown.labels.tolist(),
            "pick": pick.tolist(),
        },
    )


def selection_figure(curve: SelectionCurve) -> Picture:
    """Draw the samples of the choice against the number z of switching points."""
    z = curve.switches
    says = hover("z = %{x:,}: s = %{y:,}")
    now = marks([curve.at], [curve.ours_at], "now", FOUND, size=13)
    data = [
        line(z, curve.ours, "ours", FOUND, dash="solid") | says,
        line(z, curve.paper, "paper, without its open term", WRONG, dash="dash") | says,
        now | beside([f"<b>{integer(curve.ours_at)}</b>"], "top center", FOUND) | QUIET,
    ]
    powers = (1, 10, 20, 30)
    layout = {
        "xaxis": axis(
            "number of switching points z",
            (np.log10(2) * 0.5, np.log10(float(z[-1])) + 0.15),
            at=[2**k for k in powers],
            texts=["2", *(f"2<sup>{k}</sup>" for k in powers[1:])],
            type="log",
        ),
        "yaxis": axis("samples of the choice", rangemode="tozero"),
        "legend": below(),
    }
    return Picture(
        figure={"data": data, "layout": layout},
        title=f"Each doubling of z costs {integer(curve.ours[-1] - curve.ours[-2])} more samples",
        caption=f"ε = {curve.epsilon:g}, α = {curve.alpha:g}, β = {curve.beta:g}, of which the "
        "choice may use β/2. The paper's number lacks a term with a constant that it leaves open.",
        summary=f"Samples of the choice among z switching points, z on a logarithmic axis: two "
        f"straight lines, ours from {integer(curve.ours[0])} to {integer(curve.ours[-1])}, the "
        f"paper's from {integer(curve.paper[0])} to {integer(curve.paper[-1])}.",
        filename=f"privsc-interval-selection-eps{curve.epsilon:g}",
        table={"z": z.tolist(), "ours": curve.ours.tolist(), "paper": curve.paper.tolist()},
    )
