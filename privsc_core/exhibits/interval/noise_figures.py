"""Noise and reconstruction: the labels that go out, the walk that gives them back, how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.draw.picture import Picture
from privsc_core.draw.style import integer, share
from privsc_core.draw.traces import (
    GREY,
    QUIET,
    Trace,
    axis,
    bare_axis,
    below,
    beside,
    cells,
    fixed_axis,
    hover,
    joined,
    key,
    line,
    marks,
    pins,
    stroke,
    upright,
    whisker,
)
from privsc_core.exhibits.interval.parts import FOUND, ONE, WRONG, ZERO, count, ticks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.exhibits.interval.noise_channel import Channel, RecoveryCurve

__all__ = ["mismatch_figure", "recovery_figure", "strip_figure"]

_NEAR = 32  # labels shown one by one on each side of the threshold
_CLOSE = 16
_LOWER: Trace = {"xaxis": "x2", "yaxis": "y2"}  # the second picture of a figure


def strip_figure(channel: Channel) -> Picture:
    """Draw the noisy labels: all of them as a strip, and those near the threshold one by one."""
    size = channel.labels.size
    step = size / channel.strip.size
    low, high = _window(channel.j, _NEAR, size)
    near = channel.labels[low - 1 : high]
    flips = channel.dirty[(channel.dirty >= low) & (channel.dirty <= high)]
    data = [
        _row(channel.strip, 0.5 + step / 2, step, "all labels", "share of ones %{z:.2f}"),
        _row(near, low, 1.0, "near j", "h(%{x}) = %{z}") | _LOWER | {"xgap": 1},
        key("label 1", ONE),
        key("label 0", ZERO),
        pins(flips, -0.85, "flipped by the noise", WRONG, "triangle-up") | _LOWER,
    ]
    if channel.found is not None and low <= channel.found <= high + 1:
        at = np.array([channel.found - 0.5])
        data.append(pins(at, 0.85, "recovered", FOUND, "triangle-down") | _LOWER)
    # Where the small row lies in the large one: paper coordinates, so this figure does not zoom.
    ends = ((low - 1) / size, high / size)
    shapes = [
        stroke((top, bottom), (0.68, 0.4), GREY, dash="dot", width=1, xref="paper", yref="paper")
        for top, bottom in zip(ends, (0.0, 1.0), strict=True)
    ]
    shapes.append(upright(channel.j - 0.5, "x2", "y2", (-0.6, 0.6)))
    row, places = (0.5, size + 0.5), ticks(low, high)
    layout = {
        "xaxis": fixed_axis(row, at=[1, size], texts=["1", integer(size)], anchor="y", ticks=""),
        "yaxis": bare_axis((-0.5, 0.5), domain=[0.68, 1]),
        "xaxis2": fixed_axis(
            (low - 0.5, high + 0.5),
            "domain point x",
            at=places,
            texts=[integer(v) for v in places],
            anchor="y2",
            ticks="",
        ),
        "yaxis2": bare_axis((-1.2, 1.2), domain=[0, 0.4]),
        "shapes": shapes,
        "legend": below(0.42),
    }
    dirty = set(flips.tolist())
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
            "label": near.tolist(),
            "flipped": [int(x in dirty) for x in range(low, high + 1)],
        },
    )


def mismatch_figure(channel: Channel) -> Picture:
    """Draw mismatch(t, h) over all t, and step by step near its minimum."""
    size = channel.labels.size
    low, high = _window(channel.j, _CLOSE, size + 1)
    walk = channel.mismatch[low - 1 : high]
    least = int(channel.mismatch.min())
    tied = channel.minima
    seen = tied[(tied >= low) & (tied <= high)]
    unique = channel.found is not None
    name = "recovered" if unique else "tied: FAIL"
    colour, symbol = (FOUND, "circle") if unique else (WRONG, "x")
    says = hover("t = %{x:,}: mismatch %{y:,}")
    apart = _LOWER | {"showlegend": False}

    def minima(t: NDArray[Any], uid: str) -> Trace:
        return marks(t, np.full(t.size, least), name, colour, symbol, 12, uid=uid) | says

    curve = line(channel.curve_t, channel.curve_mismatch, "mismatch(t, h)", ONE, uid="all")
    steps = joined(np.arange(low, high + 1), walk, "near j", ONE, size=5, uid="near")
    data = [
        curve | says,
        minima(tied, "least"),
        steps | says | apart,
        minima(seen, "least near") | apart,
    ]
    near = [v for v in (channel.j - 12, channel.j + 12) if low <= v <= high]
    layout = {
        "xaxis": axis(
            "all thresholds t",
            (1 - 0.02 * size, 1 + 1.02 * size),
            at=[1, channel.j],
            texts=["1", integer(channel.j)],
            zoom="all",
            domain=[0, 0.52],
        ),
        "yaxis": axis("mismatch(t, h)", zoom="all", rangemode="tozero"),
        "xaxis2": axis(
            "t near j",
            (low - 0.7, high + 0.7),
            at=near,
            texts=[integer(v) for v in near],
            zoom="near",
            domain=[0.64, 1],
            anchor="y2",
            tickangle=0,
        ),
        "yaxis2": axis(
            span=(least - 1.5, max(int(walk.max()), least + 8) + 1.5),
            zoom="near",
            anchor="x2",
            nticks=5,
        ),
        "shapes": [
            upright(channel.j, "x", "y domain", (0, 1)),
            upright(channel.j, "x2", "y2 domain", (0, 1)),
        ],
        "legend": below(0.3),
    }
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
    simulated = marks(
        curve.mu,
        curve.simulated,
        "simulated, 95%",
        FOUND,
        "square-open",
        9,
        edge=2,
        uid="simulated",
    )
    interval = whisker(curve.simulated, curve.low, curve.high, FOUND, width=4)
    paper = line(curve.mu, curve.paper, "paper: at least 1−8μ", WRONG, dash="dash", uid="paper")
    data = [
        line(curve.mu, curve.exact, "exact: (1−2μ)²", ONE, uid="exact")
        | hover("μ = %{x:.3g}: %{y:.3f}", "exact"),
        simulated | {"error_y": interval} | hover("μ = %{x:.3g}: %{y:.3f}", "simulated"),
        paper | hover("μ = %{x:.3g}: at least %{y:.3f}", "paper"),
    ]
    shapes = []
    if now is not None:
        at, value = now
        shapes.append(upright(at, "x", "y", (0, value)))
        place = "top right" if at < 0.17 else "bottom left"
        says = beside([f"<b>{value:.2f}</b>"], place, ONE)
        data.append(marks([at], [value], "now", ONE, size=13) | says | QUIET)
    layout = {
        "xaxis": axis("noise rate μ", (0, 0.205), at=[0, 0.05, 0.1, 0.15, 0.2]),
        "yaxis": axis("probability of recovering j", (0, 1.03), at=[0, 0.25, 0.5, 0.75, 1]),
        "shapes": shapes,
        "legend": below(),
    }
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
            name: getattr(curve, name).tolist()
            for name in ("mu", "simulated", "low", "high", "exact", "limit", "paper")
        },
    )


def _row(values: NDArray[Any], start: float, step: float, name: str, says: str) -> Trace:
    scale = [[0, ZERO], [1, ONE]]
    where = {"x0": start, "dx": step, "y": [0], "showscale": False}
    return cells(values[None, :], name, scale, 0, 1) | where | hover(says)


def _window(j: int, reach: int, size: int) -> tuple[int, int]:
    """Return the first and last of 2 * reach points around j, inside [1, size]."""
    width = min(2 * reach, size)
    low = min(max(j - reach, 1), size + 1 - width)
    return low, low + width - 1


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
