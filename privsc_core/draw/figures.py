"""Views to pictures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from privsc_core.draw.picture import Picture
from privsc_core.draw.style import (
    GUARANTEED,
    IMPOSSIBLE,
    MAP_SCALE,
    axis_ticks,
    integer,
    number,
    share,
    style_of,
    style_on_map,
)
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.evaluate.curves import Curve, Curves, Phase
    from privsc_core.evaluate.scenario import Scenario

__all__ = [
    "least_m_figure",
    "log_layout",
    "phase_figure",
    "plain",
    "plotly_figure",
    "success_figure",
]

_LINE = 3
_THIN = 2


def plotly_figure(picture: Picture) -> go.Figure:
    """Return the picture as a Plotly figure, for notebooks and files."""
    return go.Figure(picture.figure)


def success_figure(curves: Curves) -> Picture:
    """Draw success probability over m, d or epsilon, with the bounds as regions and lines."""
    scenario = curves.scenario
    data: list[dict[str, Any]] = []
    for curve in curves.bounds:
        if not curve.hugs_baseline:
            data.extend(_bound_traces(curve, curves))
    for curve in curves.learners:
        data.extend(_learner_traces(curve, curves))
    if curves.axis == "m":
        data.extend(_crossings(curves))
    goal = 1.0 - scenario.beta
    low, high = math.log10(curves.x_range[0]), math.log10(curves.x_range[1])
    layout = _layout(axis_name(curves.axis, scenario), curves.x_range, "success")
    # The target stands among the ticks, where no curve or number can cover it.
    ticks = [t for t in (0.0, 0.25, 0.5, 0.75, 1.0) if abs(t - goal) > 0.06]
    layout["yaxis"] |= {
        "range": [0, 1.02],
        "tickvals": [*ticks, goal],
        "ticktext": [*(f"{t:g}" for t in ticks), f"1-β = {goal:g}"],
    }
    layout["shapes"] = [
        {
            "type": "line", "x0": 10**low, "x1": 10**high, "y0": goal, "y1": goal,
            "line": {"dash": "dot", "width": _THIN, "color": "#7f7f7f"},
        }
    ]  # fmt: skip
    axis = parameter(curves.axis)
    return Picture(
        figure={"data": data, "layout": layout},
        title=f"Success probability against {axis.symbol}",
        caption=_caption(scenario, curves.axis, curves.missing),
        summary=_success_summary(curves),
        filename=_filename(scenario, f"success-{curves.axis}"),
        table=_table(curves),
    )


def least_m_figure(curves: Curves) -> Picture:
    """Draw the least number of samples over d or epsilon on logarithmic axes."""
    data: list[dict[str, Any]] = []
    for curve in (*curves.bounds, *curves.learners):
        style = style_of(curve, curves.scenario)
        slope = "" if math.isnan(curve.slope) else f" · slope {curve.slope:z.2f}".replace("-", "−")
        name = curve.title if curve.kind == "learner" else _bound_name(curve)
        data.append(
            {
                "type": "scatter", "mode": "lines", "x": curve.x, "y": curve.y,
                # Without privacy bound and learner lie on each other: the bound on demand.
                "visible": "legendonly" if curve.hugs_baseline else True,
                "name": name + slope, "uid": curve.name + curve.kind,
                "line": {
                    "color": style.colour, "dash": style.dash,
                    "width": _LINE if curve.kind == "learner" else _THIN,
                },
                "hovertemplate": f"{_at(curves.axis)}: m = %{{y:,.0f}}<extra>{curve.title}</extra>",
            }
        )  # fmt: skip
    values = [curve.y[np.isfinite(curve.y)] for curve in (*curves.learners, *curves.bounds)]
    flat = np.concatenate([v for v in values if v.size] or [np.array([10.0, 1000.0])])
    span = (float(flat.min()) / 1.5, float(flat.max()) * 1.5)
    name = axis_name(curves.axis, curves.scenario)
    unit = curves.scenario.concept_class.unit
    layout = log_layout(name, curves.x_range, f"least number of {unit} m", span)
    axis = parameter(curves.axis)
    slopes = "; ".join(
        f"{c.title} has slope {c.slope:z.2f}" for c in curves.learners if not math.isnan(c.slope)
    )
    return Picture(
        figure={"data": data, "layout": layout},
        title=f"Least number of {unit} against {axis.symbol}",
        caption=_caption(curves.scenario, curves.axis, curves.missing, drop_m=True),
        summary=f"Least number of {unit} against {name}, logarithmic axes. "
        f"Over the upper half of the axis {slopes}.",
        filename=_filename(curves.scenario, f"least-m-{curves.axis}"),
        table=_table(curves),
    )


def phase_figure(phase: Phase) -> Picture:
    """Draw success probability as a map over two parameters, the bounds as lines on it."""
    x_axis, y_axis = parameter(phase.x_axis), parameter(phase.y_axis)
    data: list[dict[str, Any]] = [
        {
            "type": "heatmap", "x": phase.x, "y": phase.y, "z": phase.z, "zmin": 0, "zmax": 1,
            "colorscale": [[i / (len(MAP_SCALE) - 1), c] for i, c in enumerate(MAP_SCALE)],
            "colorbar": {"title": {"text": "success"}, "tickvals": [0, 0.25, 0.5, 0.75, 1]},
            "uid": "map", "name": "success",
            "hovertemplate": f"{_at(phase.x_axis)}, {_at(phase.y_axis, 'y')}: "
            "success %{z:.3f}<extra></extra>",
        }
    ]  # fmt: skip
    for curve in phase.curves:
        style = style_on_map(curve, phase.scenario)
        name = curve.title if curve.kind == "learner" else _bound_name(curve)
        # A dark line under each light one keeps it readable on every part of the map.
        for width, paint in ((5, "#00152f"), (_LINE, style.colour)):
            data.append(
                {
                    "type": "scatter", "mode": "lines", "x": curve.x, "y": curve.y, "name": name,
                    "uid": f"{curve.name}{width}", "legendgroup": curve.name,
                    "showlegend": width == _LINE, "hoverinfo": "skip",
                    "line": {"color": paint, "dash": style.dash, "width": width},
                }
            )  # fmt: skip
    ends = [(float(v[0]), float(v[-1])) for v in (phase.x, phase.y)]
    names = [axis_name(axis, phase.scenario) for axis in (phase.x_axis, phase.y_axis)]
    layout = log_layout(names[0], ends[0], names[1], ends[1])
    scenario = phase.scenario
    step = max(1, phase.z.shape[0] // 12)
    sampled = np.indices(phase.z.shape)[:, ::step, ::step].reshape(2, -1)
    rows, columns = sampled[0], sampled[1]
    method = phase.learner.laws[scenario.law.name]
    return Picture(
        figure={"data": data, "layout": layout},
        title=f"{phase.learner.title}: success over {x_axis.symbol} and {y_axis.symbol}",
        caption=_caption(
            scenario,
            phase.x_axis,
            (),
            also=phase.y_axis,
            drop_m="m" in {phase.x_axis, phase.y_axis},
        ),
        summary=f"Map of the success probability of {phase.learner.title} ({method}) over "
        f"{names[0]} and {names[1]}, from dark (0) to bright (1).",
        filename=_filename(scenario, f"phase-{phase.x_axis}-{phase.y_axis}"),
        table={
            phase.x_axis: [plain(v) for v in phase.x[columns]],
            phase.y_axis: [plain(v) for v in phase.y[rows]],
            "success": [float(v) for v in phase.z[rows, columns]],
        },
    )


def _learner_traces(curve: Curve, curves: Curves) -> list[dict[str, Any]]:
    style = style_of(curve, curves.scenario)
    traces: list[dict[str, Any]] = []
    if curve.method != "exact":
        traces.append(
            {
                "type": "scatter", "mode": "lines",
                "x": np.concatenate([curve.x, curve.x[::-1]]),
                "y": np.concatenate([curve.high, curve.low[::-1]]),
                "fill": "toself", "fillcolor": _faint(style.colour), "line": {"width": 0},
                "legendgroup": curve.name, "showlegend": False, "hoverinfo": "skip",
                "uid": f"{curve.name}-band", "name": f"{curve.title}: 95% interval",
            }
        )  # fmt: skip
    traces.append(
        {
            "type": "scatter", "mode": "lines", "x": curve.x, "y": curve.y,
            "name": curve.title + ("" if curve.method == "exact" else " (simulated)"),
            "uid": curve.name, "legendgroup": curve.name,
            "line": {"color": style.colour, "dash": style.dash, "width": _LINE},
            "hovertemplate": f"{_at(curves.axis)}: success %{{y:.3f}}"
            f"<extra>{curve.title}</extra>",
        }
    )  # fmt: skip
    return traces


def _crossings(curves: Curves) -> list[dict[str, Any]]:
    """Mark where each learner reaches the target, with its number of samples."""
    low, high = curves.x_range
    reached = sorted(
        (c for c in curves.learners if low <= c.at <= high), key=lambda curve: curve.at
    )
    traces = []
    for position, curve in enumerate(reached):
        style = style_of(curve, curves.scenario)
        # Neighbours write to different sides of the target line.
        place = "top left" if position % 2 == 0 else "bottom right"
        if curve.at < 1.3 * low:
            place = "bottom right"  # clear of the ticks
        traces.append(
            {
                "type": "scatter", "mode": "markers+text", "x": [curve.at],
                "y": [1.0 - curves.scenario.beta], "text": [integer(curve.at)],
                "textposition": place, "textfont": {"color": style.colour},
                "marker": {"color": style.colour, "symbol": style.marker, "size": 11},
                "legendgroup": curve.name, "showlegend": False, "cliponaxis": False,
                "uid": f"{curve.name}-at", "name": curve.title,
                "hovertemplate": f"{curve.title} needs m = {integer(curve.at)}<extra></extra>",
            }
        )  # fmt: skip
    return traces


def _bound_traces(curve: Curve, curves: Curves) -> list[dict[str, Any]]:
    style = style_of(curve, curves.scenario)
    name = _bound_name(curve)
    base: dict[str, Any] = {
        "type": "scatter", "mode": "lines", "uid": f"{curve.name}-{curve.kind}", "name": name,
        "legendgroup": f"{curve.name}-{curve.kind}", "hoverinfo": "skip",
        "line": {"color": style.colour, "dash": style.dash, "width": _THIN},
    }  # fmt: skip
    if not curve.x.size:
        return _bound_region(curve, curves, base)
    if curve.headline and curve.kind == "lower":
        ceiling = base | {
            "x": curve.x, "y": np.ones_like(curve.x), "line": {"width": 0},
            "showlegend": False, "uid": f"{curve.name}-ceiling",
        }  # fmt: skip
        fill = {"x": curve.x, "y": curve.y, "fill": "tonexty", "fillcolor": IMPOSSIBLE}
        return [ceiling, base | fill]
    if curve.headline:
        fill = {"x": curve.x, "y": curve.y, "fill": "tozeroy", "fillcolor": GUARANTEED}
        return [base | fill]
    return [base | {"x": curve.x, "y": curve.y, "visible": "legendonly"}]


def _bound_region(curve: Curve, curves: Curves, base: dict[str, Any]) -> list[dict[str, Any]]:
    """Shade what a bound with a number but no curve says: a corner of the picture."""
    low, high = curves.x_range
    goal = 1.0 - curves.scenario.beta
    at = min(max(curve.at, low), high)
    if curve.kind == "lower":
        if at <= low:
            return []
        x, y, paint = [low, at, at, low], [goal, goal, 1.0, 1.0], IMPOSSIBLE
    else:
        if at >= high:
            return []
        x, y, paint = [at, high, high, at], [0.0, 0.0, goal, goal], GUARANTEED
    return [base | {"x": x, "y": y, "fill": "toself", "fillcolor": paint}]


def _bound_name(curve: Curve) -> str:
    if curve.method == "sharp":
        return curve.legend or curve.title
    side = "impossible below" if curve.kind == "lower" else "guaranteed from"
    return (
        f"{curve.title}: {side} {integer(curve.at)}"
        if not math.isnan(curve.at)
        else (f"{curve.title} ({'lower' if curve.kind == 'lower' else 'upper'} bound)")
    )


def _at(axis: str, letter: str = "x") -> str:
    """Return what a hover says about a point's place on an axis."""
    entry = parameter(axis)
    return f"{entry.symbol} = %{{{letter}:{',.0f' if entry.integer else '.4~g'}}}"


def axis_name(axis: str, scenario: Scenario) -> str:
    """Return what stands at an axis."""
    if axis == "m":
        return f"number of {scenario.concept_class.unit} m"
    entry = parameter(axis)
    return f"{entry.short} {entry.symbol}"


def _layout(x_title: str, x_range: tuple[float, float], y_title: str) -> dict[str, Any]:
    # A zoom belongs to one pair of axes: another picture starts unzoomed.
    revision = f"{x_title}/{y_title}"
    return {
        "xaxis": {"title": {"text": x_title}, "uirevision": revision} | _log_axis(x_range),
        "yaxis": {"title": {"text": y_title}, "uirevision": revision},
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": -0.18, "yanchor": "top"},
    }


def log_layout(
    x_title: str, x_range: tuple[float, float], y_title: str, y_range: tuple[float, float]
) -> dict[str, Any]:
    """Return the layout of a figure with two logarithmic axes."""
    layout = _layout(x_title, x_range, y_title)
    layout["yaxis"] |= _log_axis(y_range)
    return layout


def _log_axis(span: tuple[float, float]) -> dict[str, Any]:
    values, texts = axis_ticks(*span)
    return {
        "type": "log", "range": [math.log10(span[0]), math.log10(span[1])],
        "tickvals": values, "ticktext": texts,
    }  # fmt: skip


def _caption(
    scenario: Scenario,
    axis: str,
    missing: tuple[tuple[str, str], ...],
    *,
    also: str = "",
    drop_m: bool = False,
) -> str:
    setting = [
        f"{parameter(name).symbol} = {value:,.10g}"
        for name, value in (
            ("m", scenario.m), ("d", scenario.d), ("epsilon", scenario.epsilon),
            ("alpha", scenario.alpha), ("beta", scenario.beta),
        )
        if name not in {axis, also} and not (name == "m" and drop_m)
    ]  # fmt: skip
    text = f"{scenario.concept_class.symbol}, {scenario.law.label} distribution; " + ", ".join(
        setting
    )
    if scenario.delta and any(e.privacy == "approximate" for e in scenario.drawn):
        text += f", δ = {number(scenario.delta)}"
    simulated = [e for e in scenario.drawn if e.laws[scenario.law.name] != "exact"]
    if simulated:
        text += f"; {scenario.trials:,} simulated samples a point, seed {scenario.seed}"
    if scenario.silent:
        text += f". Lower bounds speak of the {scenario.silent} distribution: none is drawn"
    for title, reason in missing:
        text += f". {title}: {reason}"
    return text + "."


def _success_summary(curves: Curves) -> str:
    scenario = curves.scenario
    if curves.axis == "m":
        parts = [
            f"{c.title} reaches {1 - scenario.beta:g} at m = {integer(c.at)}"
            for c in curves.learners
            if not math.isnan(c.at)
        ]
    else:
        parts = [
            f"{c.title} goes from {share(c.y[0])} to {share(c.y[-1])}" for c in curves.learners
        ]
    name = axis_name(curves.axis, scenario)
    return f"Probability of success against {name}. " + "; ".join(parts) + "."


def _table(curves: Curves) -> dict[str, list[Any]]:
    """Return the numbers behind the curves, one row a point of a curve."""
    columns: dict[str, list[Any]] = {"curve": [], "method": [], curves.axis: []}
    names = ("success", "low", "high") if curves.quantity == "success" else ("m",)
    for name in names:
        columns[name] = []
    for curve in (*curves.learners, *curves.bounds):
        if curve.x.size == 0 and not math.isnan(curve.at):
            continue
        for row in range(curve.x.size):
            columns["curve"].append(curve.name)
            columns["method"].append(curve.method)
            columns[curves.axis].append(plain(curve.x[row]))
            for name, values in zip(names, (curve.y, curve.low, curve.high), strict=False):
                columns[name].append(plain(values[row]))
    return columns


def plain(value: float | NDArray[np.float64]) -> float | int | None:
    """Return a number for a table: whole where it is, None where there is none."""
    number = float(value)
    if math.isnan(number):
        return None
    return int(number) if number.is_integer() else number


def _filename(scenario: Scenario, what: str) -> str:
    return f"privsc-{scenario.concept}-{what}-d{scenario.d}-eps{scenario.epsilon:g}"


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.22)"
