"""Two adjacent samples: both output distributions, their log ratio, and all pairs at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.style import BLUE
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import BOUND_STYLES, GUARANTEED
from privsc_core.numerics.text import small

if TYPE_CHECKING:
    from privsc_core.evaluate.neighbours import Neighbours, Outcome

__all__ = ["outputs_figure", "pairs_figure"]

_HERE = BLUE.colour
_THERE = "#c48a00"
_INSIDE = BOUND_STYLES["upper"].colour
_OUTSIDE = BOUND_STYLES["lower"].colour
_GREY = "#7f7f7f"
_BINS = 30
_SAME = 1e-9
_LOOSE = 3.0  # with a log ratio beyond so many epsilons the axis has plain numbers


def outputs_figure(pair: Neighbours) -> Picture:
    """Draw both output distributions as bars, and below the log ratios against the band."""
    found, outcomes = pair.found, pair.outcomes
    epsilon, names = found.tiny.epsilon, [outcome.name for outcome in outcomes]
    places = list(range(len(names)))
    data: list[dict[str, Any]] = [
        {
            "type": "bar", "x": places, "y": values, "name": name, "uid": name,
            "marker": {"color": colour}, "hoverinfo": "text",
            "hovertext": [
                f"{n}: {v:.4g}" for n, v in zip(names, values, strict=True)
            ],
        }
        for name, colour, values in (
            ("on the sample", _HERE, [o.here for o in outcomes]),
            ("on its neighbour", _THERE, [o.there for o in outcomes]),
        )
    ]  # fmt: skip
    finite = [abs(o.loss) for o in outcomes if math.isfinite(o.loss)]
    reach = 1.45 * max(epsilon, *finite, 0.0) if finite else 1.45 * epsilon
    data += _ratios(outcomes, epsilon, reach)
    layout = {
        "barmode": "group",
        "bargap": 0.25,
        "xaxis": {
            "tickvals": places, "ticktext": names, "range": [-0.6, len(names) - 0.4],
            "showgrid": False, "fixedrange": True, "anchor": "y2", "ticks": "",
            "title": {"text": "what comes out"}, "uirevision": "outputs",
        },
        "yaxis": {
            "title": {"text": "probability"}, "domain": [0.54, 1], "rangemode": "tozero",
            "uirevision": "outputs",
        },
        "yaxis2": {
            "title": {"text": "log ratio"}, "domain": [0, 0.44], "range": [-reach, reach],
            "anchor": "x", "uirevision": "outputs",
        } | _ticks(epsilon, max(finite, default=0.0)),
        "shapes": [
            {
                "type": "rect", "xref": "paper", "yref": "y2", "x0": 0, "x1": 1,
                "y0": -epsilon, "y1": epsilon, "fillcolor": GUARANTEED, "line": {"width": 0},
                "layer": "below",
            },
            *(
                {
                    "type": "line", "xref": "paper", "yref": "y2", "x0": 0, "x1": 1, "y0": y,
                    "y1": y, "line": {"color": _INSIDE, "width": 2, "dash": "dash"},
                }
                for y in (-epsilon, epsilon)
            ),
        ],
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
    }  # fmt: skip
    outside = [o for o in outcomes if abs(o.loss) > epsilon + _SAME]
    title = _verdict(pair, outside)
    return Picture(
        figure={"data": data, "layout": layout},
        title=title,
        caption="",
        summary=(
            f"Paired bars of {len(names)} outputs on two samples, and their log ratios, the "
            f"largest {_number(pair.worst)}, against the band from −ε to ε, ε = {epsilon:g}. "
            f"{title}."
        ),
        filename=f"privsc-neighbours-{found.learner.name}-eps{epsilon:g}",
        table={
            "output": names,
            "on the sample": [o.here for o in outcomes],
            "on its neighbour": [o.there for o in outcomes],
            "log ratio": [o.loss if math.isfinite(o.loss) else _number(o.loss) for o in outcomes],
        },
    )


def _verdict(pair: Neighbours, outside: list[Outcome]) -> str:
    if outside and pair.least_delta <= pair.found.delta * (1.0 + _SAME):
        return f"Outside the band, but with probability {small(pair.least_delta)}: δ allows it"
    if not outside:
        return "Every log ratio lies between −ε and ε"
    if any(math.isinf(o.loss) for o in outside):
        return "An output that is possible on one side only: whoever sees it knows which side"
    return "Log ratios leave the band: some outputs tell too much"


def _ratios(outcomes: tuple[Outcome, ...], epsilon: float, reach: float) -> list[dict[str, Any]]:
    """Return the log ratios as lollipops; infinite ones as arrows at the edge, with words."""
    base: dict[str, Any] = {"type": "scatter", "yaxis": "y2", "xaxis": "x"}
    edge = 0.84 * reach
    x: list[float | None] = []
    y: list[float | None] = []
    for i, outcome in enumerate(outcomes):
        x += [i, i, None]
        y += [0.0, max(-edge, min(edge, outcome.loss)), None]
    data: list[dict[str, Any]] = [
        base | {
            "mode": "lines", "x": x, "y": y, "hoverinfo": "skip", "showlegend": False,
            "line": {"color": _GREY, "width": 2}, "uid": "stems", "name": "stems",
        }
    ]  # fmt: skip
    for inside, name, colour, symbol in (
        (True, "log ratio, within the band", _INSIDE, "circle"),
        (False, "log ratio, outside", _OUTSIDE, "diamond"),
    ):
        here = [
            i
            for i, o in enumerate(outcomes)
            if math.isfinite(o.loss) and (abs(o.loss) <= epsilon + _SAME) is inside
        ]
        if here:
            data.append(
                base | {
                    "mode": "markers", "x": here, "y": [outcomes[i].loss for i in here],
                    "name": name, "uid": name, "cliponaxis": False,
                    "marker": {"color": colour, "symbol": symbol, "size": 10},
                    "hoverinfo": "text", "hovertext": [_hover(outcomes[i]) for i in here],
                }
            )  # fmt: skip
    ends = [i for i, o in enumerate(outcomes) if math.isinf(o.loss)]
    if ends:
        up = [outcomes[i].loss > 0 for i in ends]
        data.append(
            base | {
                "mode": "markers+text", "x": ends, "y": [edge if u else -edge for u in up],
                "name": "∞: possible on one side only", "uid": "infinite", "cliponaxis": False,
                "marker": {
                    "color": _OUTSIDE, "size": 14,
                    "symbol": ["triangle-up" if u else "triangle-down" for u in up],
                },
                "text": ["+∞" if u else "−∞" for u in up], "textposition": "middle right",
                "textfont": {"color": _OUTSIDE}, "hoverinfo": "text",
                "hovertext": [_hover(outcomes[i]) for i in ends],
            }
        )  # fmt: skip
    return data


def _hover(outcome: Outcome) -> str:
    return f"{outcome.name}: {outcome.here:.4g} and {outcome.there:.4g}, {_number(outcome.loss)}"


def _number(value: float) -> str:
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    return f"{value:.4g}".replace("-", "−")


def _ticks(epsilon: float, most: float) -> dict[str, Any]:
    if most > _LOOSE * epsilon:
        return {}
    return {
        "tickvals": [-epsilon, 0, epsilon],
        "ticktext": [f"−ε = −{epsilon:g}", "0", f"ε = {epsilon:g}"],
    }


def pairs_figure(pair: Neighbours) -> Picture:
    """Draw the largest log ratios of all adjacent pairs of the instance as a histogram."""
    found = pair.found
    epsilon, losses = found.tiny.epsilon, found.losses
    finite = losses[np.isfinite(losses)]
    top = 1.08 * max(epsilon, float(finite.max()) if finite.size else 0.0)
    edges = np.linspace(0.0, top, _BINS + 1)
    middle, width = 0.5 * (edges[:-1] + edges[1:]), float(edges[1])
    infinite = int(losses.size - finite.size)
    inside = finite <= epsilon + _SAME
    counts = [np.histogram(part, bins=edges)[0] for part in (finite[inside], finite[~inside])]
    data: list[dict[str, Any]] = [
        {
            "type": "bar", "x": middle[number > 0], "y": number[number > 0],
            "width": 0.92 * width, "name": name, "uid": name, "marker": {"color": colour},
            "hovertemplate": "about %{x:.3g}: %{y:,} pairs<extra></extra>",
        }
        for name, colour, number in (
            ("pairs within the band", _INSIDE, counts[0]),
            ("pairs outside", _OUTSIDE, counts[1]),
        )
        if number.any()
    ]  # fmt: skip
    total = counts[0] + counts[1]
    last = top + 2.5 * width
    if infinite:
        data.append(
            {
                "type": "bar", "x": [last], "y": [infinite], "width": 1.6 * width,
                "name": "pairs with an infinite log ratio", "uid": "infinite",
                "marker": {"color": _OUTSIDE, "pattern": {"shape": "/"}},
                "hovertemplate": "infinite: %{y:,} pairs<extra></extra>",
            }
        )  # fmt: skip
    highest = max(int(total.max()), infinite)
    at = last if math.isinf(pair.worst) else pair.worst
    data += [
        {
            "type": "scatter", "mode": "lines", "x": [epsilon, epsilon], "y": [0, 1.05 * highest],
            "name": f"ε = {epsilon:g}", "uid": "epsilon", "hoverinfo": "skip",
            "line": {"color": _GREY, "dash": "dash", "width": 2},
        },
        {
            "type": "scatter", "mode": "markers", "x": [at], "y": [1.08 * highest],
            "name": "the pair above", "uid": "pair", "cliponaxis": False, "hoverinfo": "skip",
            "marker": {"color": _HERE, "symbol": "triangle-down", "size": 13},
        },
    ]  # fmt: skip
    ticks = [0.0, epsilon] if top < _LOOSE * epsilon else [0.0, *_round(top)]
    texts = ["0", "ε"] if top < _LOOSE * epsilon else ["0", *(f"{v:g}" for v in _round(top))]
    if infinite:
        ticks, texts = [*ticks, last], [*texts, "∞"]
    layout = {
        "barmode": "stack",
        "xaxis": {
            "title": {"text": "largest |log ratio| of a pair"}, "tickvals": ticks,
            "ticktext": texts, "range": [0, last + 1.5 * width if infinite else top],
            "uirevision": "pairs",
        },
        "yaxis": {
            "title": {"text": "adjacent pairs"}, "range": [0, 1.15 * highest],
            "uirevision": "pairs",
        },
        "legend": {"orientation": "h", "x": 0, "y": -0.24, "yanchor": "top"},
    }  # fmt: skip
    worst = _number(found.worst)
    title = f"All {losses.size:,} adjacent pairs: up to {worst.removeprefix('+')}"
    return Picture(
        figure={"data": data, "layout": layout},
        title=title,
        caption="",
        summary=(
            f"Histogram of the largest absolute log ratio over {losses.size:,} ordered pairs of "
            f"adjacent samples, at most {worst}, with a line at ε = {epsilon:g}; {infinite:,} "
            "are infinite."
        ),
        filename=f"privsc-audit-{found.learner.name}-eps{epsilon:g}",
        table={
            "from": [*edges[:-1].tolist(), *(["infinite"] if infinite else [])],
            "to": [*edges[1:].tolist(), *(["infinite"] if infinite else [])],
            "pairs": [*total.tolist(), *([infinite] if infinite else [])],
        },
    )


def _round(top: float) -> list[float]:
    """Return two or three round numbers up to `top`."""
    step = 10.0 ** math.floor(math.log10(top))
    while top / step < 2.0:
        step /= 2.0
    return [step * i for i in range(1, int(top / step) + 1)][:10]
