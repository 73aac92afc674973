"""The special exhibits of intervals: noise and reconstruction, switching points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.style import BLUE
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import BOUND_STYLES, integer, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.interval.noise_channel import Channel, RecoveryCurve
    from privsc_core.concepts.interval.switching import SelectionCurve, Switching

__all__ = [
    "BELOW",
    "ONE",
    "THIN",
    "ZERO",
    "bare",
    "count",
    "fixed",
    "marks",
    "mismatch_figure",
    "recovery_figure",
    "selection_figure",
    "strip_figure",
    "switching_figure",
]

ONE = BLUE.colour
ZERO = "rgba(128, 138, 153, 0.22)"
_WRONG = BOUND_STYLES["lower"].colour
_WRONG_ZERO = "rgba(214, 90, 49, 0.38)"
_FOUND = BOUND_STYLES["upper"].colour
_GREY = "#7f7f7f"
_LINE = 3
THIN = 2
_NEAR = 32  # labels shown one by one on each side of the threshold
_CLOSE = 16
BELOW = {"orientation": "h", "x": 0, "y": -0.22, "yanchor": "top"}


def strip_figure(channel: Channel) -> Picture:
    """Draw the noisy labels: all of them as a strip, and those near the threshold one by one."""
    size = channel.labels.size
    step = size / channel.strip.size
    low, high = _window(channel.j, _NEAR, size)
    data: list[dict[str, Any]] = [
        _row(channel.strip, 0.5 + step / 2, step, "all labels", "share of ones %{z:.2f}"),
        _row(channel.labels[low - 1 : high], low, 1.0, "near j", "h(%{x}) = %{z}")
        | {"xaxis": "x2", "yaxis": "y2", "xgap": 1},
        _key("label 1", ONE),
        _key("label 0", ZERO),
    ]
    flips = channel.dirty[(channel.dirty >= low) & (channel.dirty <= high)]
    data.append(
        marks(flips, -0.85, "flipped by the noise", _WRONG, "triangle-up")
        | {"xaxis": "x2", "yaxis": "y2"}
    )
    # Where the small row lies in the large one: paper coordinates, so this figure does not zoom.
    ends = ((low - 1) / size, high / size)
    shapes = [
        {
            "type": "line", "xref": "paper", "yref": "paper", "x0": top, "y0": 0.68,
            "x1": bottom, "y1": 0.4, "line": {"color": _GREY, "width": 1, "dash": "dot"},
        }
        for top, bottom in zip(ends, (0.0, 1.0), strict=True)
    ]  # fmt: skip
    shapes.append(_upright(channel.j - 0.5, "x2", "y2", (-0.6, 0.6), _GREY))
    if channel.found is not None and low <= channel.found <= high + 1:
        data.append(
            marks(np.array([channel.found - 0.5]), 0.85, "recovered", _FOUND, "triangle-down")
            | {"xaxis": "x2", "yaxis": "y2"}
        )
    near = _ticks(low, high)
    layout = {
        "xaxis": fixed((0.5, size + 0.5))
        | {"tickvals": [1, size], "ticktext": ["1", integer(size)], "anchor": "y", "ticks": ""},
        "yaxis": bare((-0.5, 0.5)) | {"domain": [0.68, 1]},
        "xaxis2": fixed((low - 0.5, high + 0.5))
        | {"tickvals": near, "ticktext": [integer(v) for v in near], "anchor": "y2", "ticks": ""}
        | {"title": {"text": "domain point x"}},
        "yaxis2": bare((-1.2, 1.2)) | {"domain": [0, 0.4]},
        "shapes": shapes,
        "legend": {"orientation": "h", "x": 0, "y": -0.42, "yanchor": "top"},
    }
    return Picture(
        figure={"data": data, "layout": layout},
        title=f"What goes out: {count(channel.dirty.size, 'label')} of {integer(size)} flipped",
        caption=f"{_setting(channel)}. Above all labels, below those around the threshold "
        f"j = {integer(channel.j)} (dashed).",
        summary=f"The {integer(size)} labels of c_{channel.j} with {channel.dirty.size} flipped: "
        f"mostly 1 below {channel.j}, mostly 0 from there on.",
        filename=_filename(channel, "labels"),
        table={
            "x": list(range(low, high + 1)),
            "label": channel.labels[low - 1 : high].tolist(),
            "flipped": [int(x in set(flips.tolist())) for x in range(low, high + 1)],
        },
    )


def mismatch_figure(channel: Channel) -> Picture:
    """Draw mismatch(t, h) over all t, and step by step near its minimum."""
    size = channel.labels.size
    low, high = _window(channel.j, _CLOSE, size + 1)
    t = np.arange(low, high + 1)
    walk = channel.mismatch[low - 1 : high]
    least = int(channel.mismatch.min())
    unique = channel.found is not None
    tied = channel.minima
    seen = tied[(tied >= low) & (tied <= high)]
    mark = {"color": _FOUND if unique else _WRONG, "size": 12}
    line = {"color": ONE, "width": _LINE}
    hover = "t = %{x:,}: mismatch %{y:,}<extra></extra>"
    name = "recovered" if unique else "tied: FAIL"
    data: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "lines", "x": channel.curve_t,
            "y": channel.curve_mismatch, "line": line, "name": "mismatch(t, h)", "uid": "all",
            "hovertemplate": hover,
        },
        {
            "type": "scatter", "mode": "markers", "x": tied, "y": np.full(tied.size, least),
            "marker": mark | {"symbol": "circle" if unique else "x"}, "name": name,
            "uid": "least", "hovertemplate": hover,
        },
        {
            "type": "scatter", "mode": "lines+markers", "x": t, "y": walk, "line": line,
            "marker": {"size": 5, "color": ONE}, "name": "near j", "uid": "near",
            "showlegend": False, "xaxis": "x2", "yaxis": "y2", "hovertemplate": hover,
        },
        {
            "type": "scatter", "mode": "markers", "x": seen, "y": np.full(seen.size, least),
            "marker": mark | {"symbol": "circle" if unique else "x"}, "name": name,
            "uid": "least near", "showlegend": False, "xaxis": "x2", "yaxis": "y2",
            "hovertemplate": hover,
        },
    ]  # fmt: skip
    top = int(walk.max())
    near = [v for v in (channel.j - 12, channel.j + 12) if low <= v <= high]
    layout = {
        "xaxis": {
            "title": {"text": "all thresholds t"}, "domain": [0, 0.52],
            "range": [1 - 0.02 * size, 1 + 1.02 * size], "tickvals": [1, channel.j],
            "ticktext": ["1", integer(channel.j)], "uirevision": "all",
        },
        "yaxis": {"title": {"text": "mismatch(t, h)"}, "rangemode": "tozero", "uirevision": "all"},
        "xaxis2": {
            "title": {"text": "t near j"}, "domain": [0.64, 1], "anchor": "y2",
            "range": [low - 0.7, high + 0.7], "tickvals": near,
            "ticktext": [integer(v) for v in near], "tickangle": 0, "uirevision": "near",
        },
        "yaxis2": {
            "anchor": "x2", "range": [least - 1.5, max(top, least + 8) + 1.5], "nticks": 5,
            "uirevision": "near",
        },
        "shapes": [
            _upright(channel.j, "x", "y domain", (0, 1), _GREY),
            _upright(channel.j, "x2", "y2 domain", (0, 1), _GREY),
        ],
        "legend": BELOW | {"y": -0.3},
    }  # fmt: skip
    outcome = _outcome(channel)
    return Picture(
        figure={"data": data, "layout": layout},
        title=f"What comes back: {outcome}",
        caption=f"{_setting(channel)}. From j (dashed) the curve goes up at a label that was left "
        "alone and down at a flipped one, on both sides; one least t is the answer, several FAIL.",
        summary=f"Number of points where c_t and the noisy labels differ, against t: two straight "
        f"slopes down to {least} at t = {', '.join(map(str, tied[:5].tolist()))}; {outcome}.",
        filename=_filename(channel, "mismatch"),
        table={"t": channel.curve_t.tolist(), "mismatch": channel.curve_mismatch.tolist()},
    )


def recovery_figure(curve: RecoveryCurve, now: tuple[float, float] | None = None) -> Picture:
    """Draw the probability of reconstruction against mu; `now` marks (mu, probability)."""
    data: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "lines", "x": curve.mu, "y": curve.exact,
            "name": "exact: (1−2μ)²", "uid": "exact", "line": {"color": ONE, "width": _LINE},
            "hovertemplate": "μ = %{x:.3g}: %{y:.3f}<extra>exact</extra>",
        },
        {
            "type": "scatter", "mode": "markers", "x": curve.mu, "y": curve.simulated,
            "name": "simulated, 95%", "uid": "simulated",
            "marker": {"color": _FOUND, "size": 9, "symbol": "square-open", "line": {"width": 2}},
            "error_y": {
                "type": "data", "symmetric": False, "array": curve.high - curve.simulated,
                "arrayminus": curve.simulated - curve.low, "color": _FOUND, "thickness": 2,
                "width": 4,
            },
            "hovertemplate": "μ = %{x:.3g}: %{y:.3f}<extra>simulated</extra>",
        },
        {
            "type": "scatter", "mode": "lines", "x": curve.mu, "y": curve.paper,
            "name": "paper: at least 1−8μ", "uid": "paper",
            "line": {"color": _WRONG, "width": _LINE, "dash": "dash"},
            "hovertemplate": "μ = %{x:.3g}: at least %{y:.3f}<extra>paper</extra>",
        },
    ]  # fmt: skip
    shapes = []
    if now is not None:
        at, value = now
        shapes.append(_upright(at, "x", "y", (0, value), _GREY))
        data.append(
            {
                "type": "scatter", "mode": "markers+text", "x": [at], "y": [value],
                "text": [f"<b>{value:.2f}</b>"], "name": "now",
                "textposition": "top right" if at < 0.17 else "bottom left",
                "textfont": {"color": ONE}, "marker": {"color": ONE, "size": 13},
                "showlegend": False, "uid": "now", "hoverinfo": "skip", "cliponaxis": False,
            }
        )  # fmt: skip
    layout = {
        "xaxis": {
            "title": {"text": "noise rate μ"}, "range": [0, 0.205],
            "tickvals": [0, 0.05, 0.1, 0.15, 0.2],
        },
        "yaxis": {
            "title": {"text": "probability of recovering j"}, "range": [0, 1.03],
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
        },
        "shapes": shapes,
        "legend": BELOW,
    }  # fmt: skip
    excess = float(np.abs(curve.exact - curve.limit).max())
    return Picture(
        figure={"data": data, "layout": layout},
        title="Probability that the noisy labels give j back",
        caption=f"d = {curve.d}, j = {integer(curve.j)}; {curve.trials:,} runs a point, seed "
        f"{curve.seed}. The exact law here is within {_bound_of(excess)} of (1−2μ)².",
        summary="Probability of recovering j against the noise rate μ from "
        f"{curve.mu[0]:g} to {curve.mu[-1]:g}: exactly {share(curve.exact[0])} falling to "
        f"{share(curve.exact[-1])}, where the paper's bound falls to {share(curve.paper[-1])}.",
        filename=f"privsc-interval-recovery-d{curve.d}",
        table={
            "mu": curve.mu.tolist(), "simulated": curve.simulated.tolist(),
            "low": curve.low.tolist(), "high": curve.high.tolist(), "exact": curve.exact.tolist(),
            "limit": curve.limit.tolist(), "paper": curve.paper.tolist(),
        },
    )  # fmt: skip


def switching_figure(shown: Switching) -> Picture:
    """Draw target, hypothesis and the picked concept label by label, with their differences."""
    size = shown.labels.size
    x = np.arange(1, size + 1)
    truth = (x < shown.target).astype(np.int64)
    pick = (x < shown.chosen).astype(np.int64)
    rows = [pick, shown.labels.astype(np.int64), truth]
    z = np.array([row + 2 * (row != truth) for row in rows])
    colours = (ZERO, ONE, _WRONG_ZERO, _WRONG)
    scale = [[(i + k) / 4, colour] for i, colour in enumerate(colours) for k in (0, 1)]
    places = [0.0, 1.5, 2.5]
    names = (f"c_{shown.chosen}", "h", f"c_{shown.target}")
    data: list[dict[str, Any]] = [
        {
            "type": "heatmap", "z": z[i : i + 1], "x": x, "zmin": -0.5, "zmax": 3.5,
            "y": [places[i] - 0.4, places[i] + 0.4],  # one row, given by its edges
            "colorscale": scale, "showscale": False, "xgap": 1, "name": name,
            "uid": ("pick", "h", "target")[i], "hovertemplate": f"{name}(%{{x}})<extra></extra>",
        }
        for i, name in enumerate(names)
    ]  # fmt: skip
    down, up = shown.points[shown.decreasing], shown.points[~shown.decreasing]
    data += [
        marks(down - 0.5, 0.75, "decreasing", _FOUND, "triangle-down"),
        marks(up - 0.5, 0.75, "increasing", _GREY, "triangle-up-open"),
        _key("1", ONE),
        _key("0", ZERO),
        _key("1, wrong", _WRONG),
        _key("0, wrong", _WRONG_ZERO),
    ]
    data.append(
        marks(np.array([shown.chosen - 0.5]), 0.75, "picked", _FOUND, "circle-open", 20)
        | {"hoverinfo": "skip"}
    )
    layout = {
        "xaxis": fixed((-0.2, size + 1.2))
        | {"title": {"text": "domain point x"}, "tickvals": _ticks(1, size), "ticks": ""},
        "yaxis": bare((-0.6, 3.1))
        | {
            "tickvals": places, "ticks": "",
            "ticktext": [f"pick c<sub>{shown.chosen}</sub>", "h",
                         f"target c<sub>{shown.target}</sub>"],
        },
        "shapes": [_upright(shown.target - 0.5, "x", "y", (-0.6, 3.1), _GREY)],
        "legend": BELOW | {"y": -0.24},
    }  # fmt: skip
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
            "x": x.tolist(), "target": truth.tolist(), "h": shown.labels.tolist(),
            "pick": pick.tolist(),
        },
    )  # fmt: skip


def selection_figure(curve: SelectionCurve) -> Picture:
    """Draw the samples of the choice against the number z of switching points."""
    z = curve.switches
    data: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "lines", "x": z, "y": values, "name": name, "uid": name,
            "line": {"color": colour, "dash": dash, "width": _LINE},
            "hovertemplate": "z = %{x:,}: s = %{y:,}<extra></extra>",
        }
        for name, values, colour, dash in (
            ("ours", curve.ours, _FOUND, "solid"),
            ("paper, without its open term", curve.paper, _WRONG, "dash"),
        )
    ]  # fmt: skip
    data.append(
        {
            "type": "scatter", "mode": "markers+text", "x": [curve.at], "y": [curve.ours_at],
            "text": [f"<b>{integer(curve.ours_at)}</b>"], "textposition": "top center", "uid": "now",
            "textfont": {"color": _FOUND}, "name": "now", "showlegend": False,
            "hoverinfo": "skip", "cliponaxis": False, "marker": {"color": _FOUND, "size": 13},
        }
    )  # fmt: skip
    powers = (1, 10, 20, 30)
    layout = {
        "xaxis": {
            "type": "log", "title": {"text": "number of switching points z"},
            "range": [np.log10(2) * 0.5, np.log10(float(z[-1])) + 0.15],
            "tickvals": [2**k for k in powers],
            "ticktext": ["2", *(f"2<sup>{k}</sup>" for k in powers[1:])],
        },
        "yaxis": {"title": {"text": "samples of the choice"}, "rangemode": "tozero"},
        "legend": BELOW,
    }  # fmt: skip
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


def _row(values: NDArray[Any], start: float, step: float, name: str, hover: str) -> dict[str, Any]:
    return {
        "type": "heatmap", "z": values[None, :], "x0": start, "dx": step, "y": [0], "zmin": 0,
        "zmax": 1, "colorscale": [[0, ZERO], [1, ONE]], "showscale": False, "name": name,
        "uid": name, "hovertemplate": f"{hover}<extra></extra>",
    }  # fmt: skip


def marks(
    x: NDArray[Any], y: float, name: str, colour: str, symbol: str, size: int = 10
) -> dict[str, Any]:
    """Return markers at one height, with their entry of the legend."""
    return {
        "type": "scatter", "mode": "markers", "x": x, "y": np.full(x.size, y), "name": name,
        "uid": name, "cliponaxis": False, "hovertemplate": f"{name}<extra></extra>",
        "marker": {"color": colour, "symbol": symbol, "size": size, "line": {"color": colour, "width": 2}},
    }  # fmt: skip


def _key(name: str, colour: str) -> dict[str, Any]:
    """Return an entry of the legend for cells of one colour."""
    return {
        "type": "scatter", "mode": "markers", "x": [None], "y": [None], "name": name,
        "uid": f"key {name}", "marker": {"color": colour, "symbol": "square", "size": 13},
    }  # fmt: skip


def _upright(
    at: float, x_axis: str, y_axis: str, ends: tuple[float, float], colour: str
) -> dict[str, Any]:
    return {
        "type": "line", "xref": x_axis, "yref": y_axis, "x0": at, "x1": at, "y0": ends[0],
        "y1": ends[1], "line": {"color": colour, "width": THIN, "dash": "dash"},
    }  # fmt: skip


def fixed(span: tuple[float, float]) -> dict[str, Any]:
    """Return an axis that does not zoom."""
    ends = {"ticklabeloverflow": "allow"}  # the labels that matter stand at the ends
    return {"range": list(span), "fixedrange": True, "showgrid": False} | ends


def bare(span: tuple[float, float]) -> dict[str, Any]:
    """Return such an axis without line and ticks."""
    return fixed(span) | {"showline": False, "tickvals": [], "zeroline": False}


def _window(j: int, reach: int, size: int) -> tuple[int, int]:
    """Return the first and last of 2 * reach points around j, inside [1, size]."""
    width = min(2 * reach, size)
    low = min(max(j - reach, 1), size + 1 - width)
    return low, low + width - 1


def _ticks(low: int, high: int) -> list[int]:
    return [low, (low + high + 1) // 2, high]


def count(number: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _outcome(channel: Channel) -> str:
    if channel.found is None:
        return f"FAIL, {channel.minima.size} thresholds are tied"
    if channel.found == channel.j:
        return f"j = {integer(channel.j)}, exactly what went in"
    return f"{integer(channel.found)}, off by {abs(channel.found - channel.j)}"


def _bound_of(excess: float) -> str:
    return "10⁻¹²" if excess < 1e-12 else f"{excess:.1g}"


def _setting(channel: Channel) -> str:
    return f"d = {channel.d}, μ = {channel.mu:g}, draw {channel.seed}"


def _filename(channel: Channel, what: str) -> str:
    return f"privsc-interval-{what}-d{channel.d}-mu{channel.mu:g}-draw{channel.seed}"
