"""The figures of the packing argument: one sample's probability, and the average over K."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.draw.picture import Picture
from privsc_core.draw.style import IMPOSSIBLE, integer, number, share
from privsc_core.draw.traces import (
    BLUE,
    GREY,
    MUTE,
    ORANGE,
    PALE,
    PALER,
    QUIET,
    TEAL,
    Trace,
    across,
    axis,
    below,
    faint,
    fixed_axis,
    hover,
    line,
    log_axis,
    marks,
    stroke,
    words,
)
from privsc_core.numerics.text import raised, small

if TYPE_CHECKING:
    from privsc_core.evaluate.boxes import Packed, Shares, Sweep

__all__ = ["amount", "average_figure", "cliff_figure", "many", "shares_figure"]

_LOG10, _LOG2 = math.log(10.0), math.log(2.0)
_END = 2.0  # of the axis of shares: twice what there is
_DRAWN = 16  # boxes
_PEAK = 0.4  # height of the distribution of K, which has no scale of its own
_FOUND = "#2e8b57"


def amount(log_value: float) -> str:
    """Return a positive number from its logarithm, however large or small."""
    if abs(log_value) < 12.0:
        value = math.exp(log_value)
        if value < 1e-3:
            return small(value)
        return f"{value:,.0f}" if value >= 1000.0 else f"{value:.3g}"
    power = log_value / _LOG10
    exponent = math.floor(power)
    if abs(exponent) >= 1000:
        return f"10{raised(exponent)}"
    return f"{10.0 ** (power - exponent):.1f}·10{raised(exponent)}"


def many(log_count: float) -> str:
    """Return a whole number from its logarithm: exactly, or as the power of two nearby."""
    if log_count < 16.0:
        return f"{round(math.exp(log_count)):,}"
    return f"about 2{raised(round(log_count / _LOG2))}"


def _picture(
    shown: Packed, what: str, title: str, figure: dict[str, Any], caption: str, summary: str,
    table: dict[str, list[Any]],
) -> Picture:  # fmt: skip
    at = shown.at
    return Picture(
        figure=figure, title=title, caption=caption, summary=summary, table=table,
        filename=f"privsc-boxes-{what}-d{at.d}-eps{at.epsilon:g}-m{shown.m}",
    )  # fmt: skip


# --- One sample ---------------------------------------------------------------------------------


def shares_figure(shown: Packed, *, merge: bool) -> Picture:
    """Draw what one sample's probability has to pay for, beside how much there is."""
    boxes = shown.boxes
    rows: list[tuple[Shares, str, str, str, int]] = [
        (shown.apart, boxes.one, boxes.many, ORANGE, _DRAWN)
    ]
    if merge and shown.merged is not None and boxes.merged is not None:
        # As wide as the boxes that went into them.
        rows.append((shown.merged, boxes.merged.one, boxes.merged.many, _FOUND, _DRAWN // 4))
    data: list[Trace] = []
    ticks, texts = [], []
    for place, (shares, one, several, colour, drawn) in enumerate(rows):
        y = -2.0 * place
        data += _row(shares, y, one, several, colour, drawn)
        ticks += [y + 0.78, y]
        texts += [f"{'boxes' if not place else several}", "owed"]
    bottom, top = -2.0 * (len(rows) - 1) - 0.55, 1.25
    data.append(
        words([1.02], [top + 0.02], ["more than there is →"], "beyond", "bottom right", ORANGE)
    )
    layout = {
        "barmode": "overlay",
        "xaxis": fixed_axis(
            (0.0, _END), "probability that one sample has to give away",
            at=[0, 0.25, 0.5, 0.75, 1, 1.5], texts=["0", "¼", "½", "¾", "<b>1</b>", "1½"],
        ),
        "xaxis2": fixed_axis((0.0, 1.0), overlaying="x", visible=False),
        "yaxis": fixed_axis((bottom, top + 0.3), zeroline=False)
        | axis(at=ticks, texts=texts, ticks=""),
        "showlegend": False,
        "shapes": [
            {
                "type": "rect", "x0": 1.0, "x1": _END, "y0": bottom, "y1": top + 0.3,
                "fillcolor": IMPOSSIBLE, "line": {"width": 0}, "layer": "below",
            },
            stroke((1.0, 1.0), (bottom, top + 0.3), ORANGE, dash="solid"),
        ],
    }  # fmt: skip
    shares = rows[-1][0]
    title = f"{'It fits' if shares.fits else 'It does not fit'}: {_sum(shares)}"
    return _picture(
        shown, "shares", title, {"data": data, "layout": layout},
        f"One sample, K = {shown.count:,} examples away from every other target's. The {boxes.one} "
        f"that is the target gets {amount(math.log(shares.promise))}; each other box is owed "
        f"e^(-εK) times that, {amount(shares.log_each)}.",
        title + ".",
        {
            "boxes": [several for _, _, several, _, _ in rows],
            "other boxes": [many(row[0].log_rivals) for row in rows],
            "promised": [row[0].promise for row in rows],
            "owed to each other box": [amount(row[0].log_each) for row in rows],
            "owed in all": [amount(row[0].log_owed) for row in rows],
            "sum": [amount(row[0].log_total) for row in rows],
        },
    )  # fmt: skip


def _sum(shares: Shares) -> str:
    own, owed = amount(math.log(shares.promise)), amount(shares.log_owed)
    if shares.log_total == 0.0:
        return f"{own} + {owed} owed = 1"
    sign = "≤" if shares.fits else ">"
    return f"{own} + {owed} owed {sign} 1"


def _row(shares: Shares, y: float, one: str, several: str, colour: str, drawn: int) -> list[Trace]:
    """Return the boxes, and below them what they are to get."""
    wide = 1.0 / drawn
    middles = [(i + 0.5) * wide for i in range(drawn)]
    paints = [TEAL, *[PALER] * (drawn - 1)]
    total = math.exp(shares.log_owed) + shares.promise if shares.log_owed < 1.0 else math.inf
    shown_owed = max(min(total, _END) - shares.promise, 0.0)
    rest = f"… {many(shares.log_rivals)} other {several}"
    strip = {
        "type": "bar", "x": middles, "y": [0.5] * drawn, "base": y + 0.53, "name": "boxes",
        "uid": f"boxes {several}", "xaxis": "x2", "width": 0.86 * wide,
        "marker": {"color": paints, "line": {"color": [TEAL, *[PALE] * (drawn - 1)], "width": 1.5}},
    }  # fmt: skip
    owed = across(
        [shown_owed], [y], "owed to all others", colour, uid=f"owed {several}",
        base=shares.promise, width=0.62,
    )  # fmt: skip
    owed["marker"] |= {"pattern": {"shape": "|", "size": 7, "solidity": 0.25, "fgcolor": "#ffffff"}}
    says = f"owed to {many(shares.log_rivals)} other {several}: {amount(shares.log_owed)}"
    end = min(total, _END)
    note = f" all others: {amount(shares.log_owed)}"
    return [
        strip | QUIET,
        words(
            [middles[0]],
            [y + 0.78],
            [f"<b>the {one}</b>"],
            f"own {several}",
            "middle center" if drawn < 8 else "middle right",
            xaxis="x2",
        ),
        words(
            [0.5 if drawn > 8 else 0.45],
            [y + 0.78],
            [rest],
            f"rest {several}",
            "middle center",
            xaxis="x2",
        ),
        across([shares.promise], [y], "promised", TEAL, uid=f"promised {several}", width=0.62)
        | hover(f"promised to the {one}: {amount(math.log(shares.promise))}"),
        owed | hover(says),
        words(
            [min(shares.promise / 2.0, 0.5)] if shares.promise > 0.2 else [shares.promise],
            [y],
            [f"<b>{amount(math.log(shares.promise))}</b>"] if shares.promise > 0.2 else [""],
            f"promised words {several}",
            "middle center",
            "#ffffff",
        ),
        words(
            [end if end < 1.2 else end - 0.02],
            [y],
            [f"<b>{note}</b>"],
            f"owed words {several}",
            "middle right" if end < 1.2 else "middle left",
            "" if end < 1.2 else "#ffffff",
        ),
    ]


# --- All K --------------------------------------------------------------------------------------


def cliff_figure(shown: Packed, curve: Sweep, *, merge: bool) -> Picture:
    """Draw the best promise against K, over how often each K occurs."""
    epsilon, asked = shown.at.epsilon, shown.asked
    data = [_hump(shown)]
    says = hover("K = %{x:,.0f}: at most %{y:.3f}")
    data.append(line(curve.k, curve.apart, f"best promise, {shown.boxes.many}", ORANGE) | says)
    found = [shown.apart]
    if merge and curve.merged is not None and shown.merged is not None:
        several = shown.boxes.merged.many if shown.boxes.merged else ""
        data.append(line(curve.k, curve.merged, f"best promise, {several}", _FOUND) | says)
        found.append(shown.merged)
    here = [shares.best for shares in found]
    data.append(
        marks([shown.count] * len(here), here, "this sample", TEAL, size=12)
        | hover("K = %{x:,}: at most %{y:.3f}")
    )
    end = float(curve.k[-1])
    layout = {
        "xaxis": axis(
            "K, examples in which two targets' samples differ", (0.0, end), fixedrange=True
        ),
        "yaxis": axis("promise", (0.0, 1.08), at=[0, 0.5, 1], fixedrange=True),
        "shapes": [
            stroke((0.0, end), (asked, asked), GREY),
            stroke((shown.count, shown.count), (0.0, 1.08), TEAL, dash="dot"),
        ],
        "legend": below(0.3),
    }
    at = shown.apart.log_rivals / epsilon
    title = (
        f"One promise fits from K = {integer(shown.apart.enough)} on; K is about {shown.typical:,}"
    )
    return _picture(
        shown, "cliff", title, {"data": data, "layout": layout},
        f"Grey: how often each K occurs, {shown.boxes.law}. The curve passes ½ at "
        f"ln(n-1)/ε = {amount(math.log(max(at, 1e-9)))}; dashed: 1-β = {number(asked)}.",
        f"The largest promise that fits climbs from 0 to 1 around K = {at:.4g}. The likeliest K at "
        f"m = {shown.m:,} is {shown.typical:,}.",
        {"K": curve.k.tolist(), "best promise": curve.apart.tolist()}
        | ({} if curve.merged is None or not merge else {"merged": curve.merged.tolist()}),
    )  # fmt: skip


def _hump(shown: Packed) -> Trace:
    k = np.arange(shown.first, shown.first + shown.weights.size, dtype=np.float64)
    weights = shown.weights
    if k.size == 1:  # always the same K
        k, weights = np.array([k[0] - 0.5, k[0], k[0] + 0.5]), np.array([0.0, weights[0], 0.0])
    kept = np.unique(np.linspace(0, k.size - 1, min(k.size, 241)).round().astype(int))
    filled = {"fill": "tozeroy", "fillcolor": faint("#7f7f7f", 0.35)}
    height = weights[kept] * (_PEAK / weights.max())
    return line(k[kept], height, "how often K", PALE, width=1) | filled | MUTE


def average_figure(shown: Packed, curve: Sweep, *, merge: bool) -> Picture:
    """Draw the best promise on average over K against m, with the least m that is not excluded."""
    asked, least = shown.asked, shown.apart.least
    says = hover("m = %{x:,}: at most %{y:.3f}")
    data = [line(curve.m, curve.average, f"average, {shown.boxes.many}", ORANGE) | says]
    here = [shown.apart.average]
    title = f"On average at most {share(shown.apart.average)} at m = {shown.m:,}"
    edge = "" if least is None else f"; {number(asked)} from m = {integer(least)} on"
    if merge and curve.average_merged is not None and shown.merged is not None:
        several = shown.boxes.merged.many if shown.boxes.merged else ""
        data.append(line(curve.m, curve.average_merged, f"average, {several}", _FOUND) | says)
        here.append(shown.merged.average)
        edge = f", merged {share(shown.merged.average)}"
    data.append(marks([shown.m] * len(here), here, "your m", BLUE, "diamond", 12) | says)
    span = (float(curve.m[0]), float(curve.m[-1]))
    shapes = [stroke(span, (asked, asked), GREY)]
    if least is not None:
        shapes += [
            {
                "type": "rect", "x0": span[0], "x1": least, "y0": 0.0, "y1": 1.08,
                "fillcolor": IMPOSSIBLE, "line": {"width": 0}, "layer": "below",
            },
            stroke((least, least), (0.0, 1.08), ORANGE, dash="solid"),
        ]  # fmt: skip
        data.append(
            words([least], [0.5], [f"<b> {integer(least)}</b>"], "edge", "middle right", ORANGE)
        )
    layout = {
        "xaxis": log_axis(span, "m, number of samples", fixedrange=True),
        "yaxis": axis("average promise", (0.0, 1.08), at=[0, 0.5, 1], fixedrange=True),
        "shapes": shapes,
        "legend": below(0.3),
    }
    return _picture(
        shown, "average", title + edge, {"data": data, "layout": layout},
        f"Red: impossible, the edge is that of the bound “{shown.bound.title}” "
        f"({shown.bound.source.paper}) in the main figure.",
        title + edge + ".",
        {"m": curve.m.tolist(), "average": curve.average.tolist()}
        | ({} if curve.average_merged is None or not merge
           else {"merged": curve.average_merged.tolist()}),
    )  # fmt: skip
