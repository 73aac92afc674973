"""One bound beside the others of its class."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from privsc_core.draw.figures import axis_name, curve_table
from privsc_core.draw.picture import Picture, plot
from privsc_core.draw.style import integer, style_of
from privsc_core.draw.traces import THIN, UNLISTED, Trace, beside, hover, line, log_axis, marks
from privsc_core.evaluate import views

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Curve, Curves
    from privsc_core.evaluate.scenario import Scenario

_CHOSEN = 5  # width of its line
_OTHERS = 0.75  # opacity of theirs


def bound_beside_others(
    scenario: Scenario, name: str, axis: Literal["d", "epsilon"] = "d"
) -> Picture:
    """Draw the bounds of a class over an axis, one of them thick and with its number.

    Parameters
    ----------
    scenario : Scenario
        The setting and the distribution; its learners and constants do not matter.
    name : str
        The bound that is meant. Where it has no curve, the others are drawn all the same.
    axis : {"d", "epsilon"}
    """
    curves = views.bounds_alone(scenario, axis)
    # What is meant is drawn last, above the others, and listed first.
    ordered = sorted(curves.bounds, key=lambda curve: curve.name == name)
    data = [_line(curve, curves, chosen=curve.name == name) for curve in ordered]
    at = float(getattr(scenario, axis))
    data += [_mark(curve, curves, at) for curve in ordered if _marked(curve, curves, name, at)]
    values = [curve.y[np.isfinite(curve.y)] for curve in curves.bounds]
    flat = np.concatenate([*values, np.array([10.0])])
    span = (float(flat.min()) / 1.5, float(flat.max()) * 1.5)
    known = scenario.concept_class.parameter
    x_name, unit = axis_name(axis, scenario), scenario.concept_class.unit
    setting = ", ".join(
        f"{known(key).symbol} = {getattr(scenario, key):,.10g}"
        for key in ("d", "epsilon", "alpha", "beta") if key != axis
    )  # fmt: skip
    title = next((curve.title for curve in ordered if curve.name == name), "")
    says = [f"{c.title} {integer(c.at)}" for c in curves.bounds if not math.isnan(c.at)]
    here = f"At {known(axis).symbol} = {at:,.10g}: {'; '.join(says) or 'none has a number'}."
    return plot(
        data,
        log_axis(curves.x_range, x_name),
        log_axis(span, "number m"),
        title=f"{title or 'The bounds'} beside the other bounds",
        caption=f"{scenario.concept_class.symbol}, m {unit}; {setting}. Lower bounds are drawn where they "
        f"hold on the {scenario.law.label} distribution.",
        summary=f"Bounds on the least number of {unit} against {x_name}, logarithmic axes. {here}",
        filename=f"privsc-{scenario.concept_class.label}-{name}-{axis}",
        table=curve_table(curves),
    )


def _line(curve: Curve, curves: Curves, *, chosen: bool) -> Trace:
    style = style_of(curve, curves.scenario)
    side = "impossible below" if curve.kind == "lower" else "suffices"
    width, uid = _CHOSEN if chosen else THIN, f"{curve.name}-{curve.kind}"
    drawn = line(curve.x, curve.y, f"{curve.title} ({side})", style, width=width, uid=uid)
    letter = curves.scenario.concept_class.parameter(curves.axis).symbol
    says = hover(f"{letter} = %{{x:,.4~r}}: m = %{{y:,.0f}}", curve.title)
    if not chosen:
        drawn |= {"opacity": _OTHERS}
    return drawn | says | {"legendrank": 1 if chosen else 1000}


def _marked(curve: Curve, curves: Curves, name: str, at: float) -> bool:
    low, high = curves.x_range
    return curve.name == name and not math.isnan(curve.at) and low <= at <= high


def _mark(curve: Curve, curves: Curves, at: float) -> Trace:
    style = style_of(curve, curves.scenario)
    mark = marks([at], [curve.at], curve.title, style.colour, style.marker, 12, uid="at")
    return mark | beside([integer(curve.at)], "top left", style.colour) | UNLISTED
