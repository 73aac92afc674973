"""The figures of data release: a histogram beside its private release, and what delta buys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.style import BLUE
from privsc_core.draw.figures import plain
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import BOUND_STYLES, axis_ticks, integer, share

if TYPE_CHECKING:
    from privsc_core.evaluate.histograms import Answers, DeltaCurve, ReleasedHistogram

__all__ = ["delta_figure", "histogram_figure", "plain_text"]

_TRUE = "rgba(128, 138, 153, 0.75)"
_BAND = "rgba(15, 148, 136, 0.24)"
_RELEASED = BLUE.colour
_SYNTHETIC = "#c48a00"
_WORST = BOUND_STYLES["lower"].colour
_GREY = "#7f7f7f"
_LABEL_LONGEST = 14
_HOVER_LONGEST = 60
# On a phone sixteen ticks can be read. A left-out number is easily guessed, a name is not.
_NUMBERS_MOST, _NAMES_MOST = 16, 32
# Plotly reads a subset of HTML in its texts. ‹ and › look alike and mean nothing; behind an
# ampersand an invisible blank keeps it from starting an entity.
_HARMLESS = str.maketrans({"<": "‹", ">": "›", "&": "&\u200b"})
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def plain_text(text: str, longest: int = _HOVER_LONGEST) -> str:
    """Return somebody else's text for a figure: short, one line, without any markup."""
    part = "".join(c if c.isprintable() else " " for c in text[: longest + 1]).strip()
    part = part if len(part) <= longest else part[: longest - 1] + "…"
    return part.translate(_HARMLESS) or "(blank)"


def histogram_figure(found: ReleasedHistogram) -> Picture:
    """Draw true fractions as bars with a band of alpha, released and synthetic ones as marks."""
    x = np.arange(len(found.points), dtype=np.float64)
    names = [plain_text(label) for label in found.labels]
    low = np.maximum(found.truth - found.alpha, 0.0)
    high = np.minimum(found.truth + found.alpha, 1.0)
    released, synthetic = found.released, found.synthetic
    hover = [
        f"{name}: true {true:.4g}, released {seen:.4g}, synthetic {made:.4g}"
        for name, true, seen, made in zip(
            names, found.truth, released.fractions, synthetic.fractions, strict=True
        )
    ]
    quiet: dict[str, Any] = {"hoverinfo": "skip"}
    data: list[dict[str, Any]] = [
        quiet | {
            "type": "bar", "x": x, "y": high - low, "base": low, "width": 0.92, "uid": "band",
            "name": "true fraction ± α", "marker": {"color": _BAND},
        },
        {
            "type": "bar", "x": x, "y": found.truth, "width": 0.56, "uid": "truth",
            "name": "true fraction", "marker": {"color": _TRUE}, "hoverinfo": "text",
            "hovertext": hover,
        },
        {
            "type": "scatter", "mode": "markers", "x": x, "y": synthetic.fractions,
            "uid": "synthetic", "name": "synthetic database", "cliponaxis": False,
            "hoverinfo": "text", "hovertext": hover,
            "marker": {
                "color": _SYNTHETIC, "symbol": "square-open", "size": 11, "line": {"width": 2},
            },
        },
        {
            "type": "scatter", "mode": "markers", "x": x, "y": released.fractions,
            "uid": "released", "name": "released", "cliponaxis": False, "hoverinfo": "text",
            "hovertext": hover, "marker": {"color": _RELEASED, "symbol": "diamond", "size": 10},
        },
        _worst(found),
    ]  # fmt: skip
    top = 1.1 * max(float(v.max()) for v in (high, released.fractions, synthetic.fractions))
    numbers = all(label.removeprefix("-").isdecimal() for label in found.histogram.labels)
    step = math.ceil(len(names) / (_NUMBERS_MOST if numbers else _NAMES_MOST))
    shown = [plain_text(label, _LABEL_LONGEST) for label in found.labels]
    revision = f"{plain_text(found.histogram.name)}/{len(found.points)}"
    layout = {
        "barmode": "overlay",
        "xaxis": {
            "title": {"text": plain_text(found.histogram.name)}, "range": [-0.6, len(names) - 0.4],
            "tickvals": x[::step].tolist(), "ticktext": shown[::step], "uirevision": revision,
        },
        "yaxis": {
            "title": {"text": "fraction of the entries"}, "range": [0, top], "uirevision": revision,
        },
        "legend": {"orientation": "h", "x": 0, "y": -0.28, "yanchor": "top"},
    }  # fmt: skip
    worst = f"“{names[released.worst]}”, off by {released.error:.3g}"
    verdict = (
        "Useful: every fraction is" if released.useful else "Not useful: not every fraction is"
    )
    slack = f", δ = {_small(found.delta)}" if found.delta else ""
    rest = ""
    if found.elsewhere:
        rest = f" Not shown: unused values with {found.elsewhere:,} synthetic entries."
    return Picture(
        figure={"data": data, "layout": layout},
        title=f"{verdict} within α = {found.alpha:g}",
        caption=(
            f"One real run of the {found.mechanism.title}: m = {integer(found.histogram.size)}, "
            f"ε = {found.epsilon:g}{slack}, seed {found.seed}. Counts below "
            f"{found.threshold:,.4g} are released as 0. Worst query: {worst}.{rest}"
        ),
        summary=(
            f"Bars of {len(found.histogram.labels)} true fractions with a band of "
            f"{found.alpha:g} around each, and the released fractions. Worst query: {worst}. "
            f"{_verdict(released)}. The synthetic database is off by {synthetic.error:.3g} at most."
        ),
        filename=f"privsc-release-{found.mechanism.name}-eps{found.epsilon:g}-seed{found.seed}",
        table={
            "value": names,
            "true": [float(v) for v in found.truth],
            "released": [float(v) for v in released.fractions],
            "synthetic": [float(v) for v in synthetic.fractions],
        },
    )


def _worst(found: ReleasedHistogram) -> dict[str, Any]:
    """Ring the released fraction that is furthest off."""
    at = found.released.worst
    return {
        "type": "scatter", "mode": "markers", "x": [float(at)],
        "y": [float(found.released.fractions[at])], "uid": "worst", "name": "worst query",
        "hoverinfo": "skip", "cliponaxis": False,
        "marker": {"color": _WORST, "symbol": "circle-open", "size": 22, "line": {"width": 3}},
    }  # fmt: skip


def _verdict(answers: Answers) -> str:
    return "The release is useful" if answers.useful else "The release is not useful"


def delta_figure(curve: DeltaCurve) -> Picture:
    """Draw the least number of entries against d, without and with delta."""
    slack = f"δ = {_small(curve.delta)}"
    rows = (
        ("laplace", "pure: Laplace histogram", "#2f80d0", "solid", "circle", curve.pure),
        (
            "stability", f"{slack}: stability histogram", "#0f9d58", "dashdot", "triangle-down",
            curve.approximate,
        ),
    )  # fmt: skip
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": curve.d,
            "y": values,
            "name": name,
            "uid": uid,
            "line": {"color": colour, "dash": dash, "width": 3},
            "marker": {"color": colour, "symbol": marker, "size": 8},
            "hovertemplate": "d = %{x:,}: m = %{y:,.0f}<extra></extra>",
        }
        for uid, name, colour, dash, marker, values in rows
    ]
    known = np.concatenate([values[np.isfinite(values)] for *_, values in rows])
    span = (float(known.min()) / 1.6, float(known.max()) * 1.6) if known.size else (1.0, 1e3)
    ends = (float(curve.d[0]), float(curve.d[-1]))
    ahead = np.flatnonzero(curve.approximate < curve.pure)
    if ahead.size:
        better = f"From d = {integer(float(curve.d[ahead[0]]))} on δ needs fewer entries"
    else:
        better = "δ does not need fewer entries here"
    return Picture(
        figure={
            "data": data,
            "layout": {
                "xaxis": _log_axis("bits of a value d", ends),
                "yaxis": _log_axis("least number of entries m", span),
                "legend": {"orientation": "h", "x": 0, "y": -0.2, "yanchor": "top"},
            },
        },
        title=f"{better}, however many values are possible" if ahead.size else better,
        caption=(
            f"m equal entries, ε = {curve.epsilon:g}, α = {curve.alpha:g}, β = {curve.beta:g}, "
            f"{slack}. Exact: least m with success probability at least {share(1 - curve.beta)}."
        ),
        summary=(
            f"Least number of entries against d on logarithmic axes: the pure mechanism goes "
            f"from {integer(float(curve.pure[0]))} to {integer(float(curve.pure[-1]))}, the one "
            f"with {slack} stays at {integer(float(curve.approximate[-1]))}."
        ),
        filename=f"privsc-release-delta-eps{curve.epsilon:g}",
        table={
            "d": [int(v) for v in curve.d],
            "laplace": [plain(v) for v in curve.pure],
            "stability": [plain(v) for v in curve.approximate],
        },
    )


def _small(value: float) -> str:
    """Return a small number as a power of ten."""
    if value >= 1e-3:
        return f"{value:g}"
    digits, exponent = f"{value:.2e}".split("e")
    power = "10" + str(int(exponent)).translate(_RAISED)
    return power if float(digits) == 1.0 else f"{float(digits):g}·{power}"


def _log_axis(title: str, span: tuple[float, float]) -> dict[str, Any]:
    values, texts = axis_ticks(*span)
    return {
        "type": "log", "title": {"text": title}, "tickvals": values, "ticktext": texts,
        "range": [math.log10(span[0]), math.log10(span[1])], "uirevision": "delta",
    }  # fmt: skip
