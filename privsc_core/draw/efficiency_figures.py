"""The figures of pseudorandom points: time against samples, and the distinguisher."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog
from privsc_core.draw.figures import plain
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import axis_ticks, integer

if TYPE_CHECKING:
    from privsc_core.evaluate.efficiency import Acceptance, Tradeoff

__all__ = ["distinguisher_figure", "tradeoff_figure"]

_UNITS = (
    (1e-6, "1 µs"), (1e-3, "1 ms"), (1.0, "1 s"), (3600.0, "1 h"), (86400.0 * 365.25, "1 year"),
    (86400.0 * 365.25e3, "1,000 years"), (86400.0 * 365.25e6, "10⁶ years"),
    (86400.0 * 365.25 * 1.38e10, "age of the universe"),
)  # fmt: skip


def tradeoff_figure(found: Tradeoff) -> Picture:
    """Draw running time against samples: one point for every length of the seeds."""
    concept = catalog.concept("pseudorandom-point")
    proper = concept.style_of("exponential-proper")
    relaxed = concept.style_of("exponential-relaxed")
    here = found.measured
    texts = [f"l = {n:g}" if n % 8 == 0 or n == found.lengths[-1] else "" for n in found.lengths]
    base: dict[str, Any] = {"type": "scatter", "hoverinfo": "text"}
    hover = [
        f"l = {n:g}: m = {integer(m)}, {_duration(s)}"
        for n, m, s in zip(found.lengths, found.samples, found.seconds, strict=True)
    ]
    join = int(np.flatnonzero(here)[-1])
    data = [
        base | {
            "mode": "lines", "x": found.samples[join:], "y": found.seconds[join:],
            "line": {"color": proper.colour, "dash": "dot", "width": 3},
            "name": "enumerates 2<sup>l</sup> seeds: extrapolated", "uid": "extrapolated",
            "hovertext": hover[join:],
        },
        base | {
            "mode": "lines+markers", "x": found.samples[here], "y": found.seconds[here],
            "line": {"color": proper.colour, "dash": "solid", "width": 3},
            "marker": {"color": proper.colour, "symbol": proper.marker, "size": 9},
            "name": "enumerates 2<sup>l</sup> seeds: measured here", "uid": "measured",
            "hovertext": [t for t, h in zip(hover, here, strict=True) if h],
        },
        {
            "type": "scatter", "mode": "text", "x": found.samples, "y": found.seconds,
            "text": texts, "textposition": "bottom right", "hoverinfo": "skip",
            "textfont": {"color": proper.colour}, "showlegend": False, "uid": "lengths",
            "name": "lengths",
        },
    ]  # fmt: skip
    if np.isfinite(found.efficient_seconds):
        data.append(
            base | {
                "mode": "markers", "x": [found.efficient_samples], "y": [found.efficient_seconds],
                "marker": {"color": relaxed.colour, "symbol": relaxed.marker, "size": 15},
                "name": "efficient: any point", "uid": "efficient",
                "hovertext": [
                    f"m = {integer(found.efficient_samples)}, {_duration(found.efficient_seconds)}"
                ],
            }
        )  # fmt: skip
    top = float(found.seconds.max())
    ticks = [(value, text) for value, text in _UNITS if value <= 30 * top]
    low, high = 0.7 * float(found.samples.min()), 1.6 * found.efficient_samples
    values, words = axis_ticks(low, high)
    return Picture(
        figure={
            "data": data,
            "layout": {
                "xaxis": {
                    "type": "log", "title": {"text": "least number of examples m"},
                    "range": [float(np.log10(low)), float(np.log10(high))],
                    "tickvals": values, "ticktext": words, "uirevision": "tradeoff",
                },
                "yaxis": {
                    "type": "log", "title": {"text": "time of one run"},
                    "tickvals": [v for v, _ in ticks], "ticktext": [t for _, t in ticks],
                    "uirevision": "tradeoff",
                },
                "legend": {"orientation": "h", "x": 0, "y": -0.18, "yanchor": "top"},
            },
        },
        title="Pay in time or pay in samples",
        caption=(
            f"d = {found.d}, ε = {found.epsilon:g}, α = {found.alpha:g}, β = {found.beta:g}. Samples "
            "from the exact laws; times measured on this server, doubled with every bit beyond "
            "the last measured one (dotted: extrapolation, not measurement)."
        ),
        summary=(
            f"The learner that enumerates the seeds needs from {integer(found.samples[0])} to "
            f"{integer(found.samples[-1])} examples and from {_duration(found.seconds[0])} to "
            f"{_duration(found.seconds[-1])} for seeds of {found.lengths[0]:g} to "
            f"{found.lengths[-1]:g} bits; the efficient one needs "
            f"{integer(found.efficient_samples)} examples."
        ),
        filename=f"privsc-pseudorandom-time-d{found.d}",
        table={
            "l": [plain(n) for n in found.lengths],
            "m": [plain(n) for n in found.samples],
            "seconds": [float(f"{s:.4g}") for s in found.seconds],
            "method": ["measured" if m else "extrapolated" for m in here],
        },
    )  # fmt: skip


def distinguisher_figure(found: tuple[Acceptance, ...]) -> Picture:
    """Draw how often each learner accepts an image and a uniform point, with intervals."""
    data = []
    titles = list(dict.fromkeys(row.title for row in found))
    # A little apart, so that equal shares do not hide each other.
    for kind, colour, marker, name, lift in (
        ("image", "#2f80d0", "circle", "j an image of the generator", 0.14),
        ("uniform", "#d65a31", "diamond", "j uniformly random", -0.14),
    ):
        rows = [row for row in found if row.kind == kind]
        data.append(
            {
                "type": "scatter", "mode": "markers", "name": name, "uid": kind,
                "x": [row.value for row in rows], "y": [titles.index(row.title) + lift for row in rows],
                "error_x": {
                    "type": "data", "symmetric": False, "color": colour, "thickness": 2.5,
                    "array": [row.high - row.value for row in rows],
                    "arrayminus": [row.value - row.low for row in rows],
                },
                "marker": {"color": colour, "symbol": marker, "size": 14},
                "hovertemplate": "accepted in %{x:.1%} of the runs<extra>" + name + "</extra>",
            }
        )  # fmt: skip
    return Picture(
        figure={
            "data": data,
            "layout": {
                "xaxis": {
                    "title": {"text": "share of runs that answer j"}, "range": [-0.03, 1.03],
                    "tickvals": [0, 0.25, 0.5, 0.75, 1], "uirevision": "distinguisher",
                },
                "yaxis": {
                    "title": {"text": ""}, "uirevision": "distinguisher", "range": [-0.6, 1.6],
                    "tickvals": list(range(len(titles))), "ticktext": titles,
                },
                "legend": {"orientation": "h", "x": 0, "y": -0.25, "yanchor": "top"},
            },
        },
        title="The distinguisher: who notices that j is no image?",
        caption="Each point a share of real runs on (j, 1) repeated m times, with Wilson's 95% interval.",
        summary="; ".join(
            f"{row.title}, j {'an image' if row.kind == 'image' else 'uniform'}: {row.value:.2f}"
            for row in found
        )
        + ".",
        filename="privsc-pseudorandom-distinguisher",
        table={
            "learner": [row.learner for row in found],
            "j": [row.kind for row in found],
            "share": [row.value for row in found],
            "low": [row.low for row in found],
            "high": [row.high for row in found],
        },
    )  # fmt: skip


def _duration(seconds: float) -> str:
    """Return a time in the unit that reads best."""
    for size, unit in ((31557600.0, "years"), (86400.0, "days"), (3600.0, "hours"), (1.0, "s")):
        if seconds >= size:
            value = seconds / size
            return f"{integer(value) if value >= 100 else f'{value:.3g}'} {unit}"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"
