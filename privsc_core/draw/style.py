"""The style of a curve, and numbers as text."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.style import ON_MAP, OWN_BOUND, Style
from privsc_core.numerics.text import raised

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Curve
    from privsc_core.evaluate.scenario import Scenario


_NOISE = 1e-12  # nearer to 1 it depends on the processor whether a probability is 1


def style_of(curve: Curve, scenario: Scenario) -> Style:
    """Return the style of a learner's or a bound's curve."""
    concept = scenario.concept_class
    if curve.kind == "learner":
        return concept.style_of(curve.name)
    return OWN_BOUND if curve.method == "yours" else concept.bound_style(curve.name)


def style_on_map(curve: Curve, scenario: Scenario) -> Style:
    """Return the style of a curve on a map: a bound's, or the learner's own "need"."""
    if curve.kind == "learner" or curve.method in ON_MAP:
        return ON_MAP["need" if curve.kind == "learner" else curve.method]
    return replace(ON_MAP[curve.kind], dash=scenario.concept_class.bound_style(curve.name).dash)


def integer(value: float | None) -> str:
    """Return a whole number with separators; four digits from a hundred million on."""
    if value is None or math.isnan(value):
        return "none"
    if value >= 1e9:
        exponent = math.floor(math.log10(value))
        return f"{value / 10**exponent:.2f}·10{raised(exponent)}"
    return f"{value:,.0f}"


def short(value: float) -> str:
    """Return a whole number where there is little room: three digits from a million on."""
    if math.isnan(value) or value < 1e6:
        return integer(value)
    exponent = math.floor(math.log10(value))
    return f"{value / 10**exponent:.2f}·10{raised(exponent)}"


def number(value: float) -> str:
    """Return a parameter's value; a small power of ten as such."""
    if 0.0 < value < 1e-3:
        exponent = round(math.log10(value))
        if math.isclose(value, 10.0**exponent, rel_tol=1e-9):
            return f"10{raised(exponent)}"
    return f"{value:,.10g}"


def share(value: float) -> str:
    """Return a probability with the digits that matter."""
    if 0.0 < value < 0.0005:
        return "<0.001"
    if 0.9995 < value < 1.0 - _NOISE:
        return ">0.999"
    return f"{value:.3f}"


def times(ratio: float) -> str:
    """Return a ratio as a factor: one decimal below a hundred, no false digits above."""
    if math.isnan(ratio):
        return "none"
    return f"{ratio:.1f}×" if ratio < 99.95 else f"{integer(ratio)}×"


def changed(ratio: float) -> str:
    """Return by which factor a number became another one."""
    if math.isnan(ratio):
        return "–"
    if ratio == 1.0:
        return "same"
    sign, factor = ("×", ratio) if ratio > 1.0 else ("÷", 1.0 / ratio)
    return sign + (f"{factor:.3g}" if factor < 999.5 else integer(factor))


def price(ratio: float, *more: str) -> str:
    """Return what a card says below a number: its ratio, where there is one, and what follows."""
    return "; ".join(
        [*([] if math.isnan(ratio) else [f"{times(ratio)} the non-private number"]), *more]
    )


def axis_ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Return tick positions and texts for a logarithmic axis from `low` to `high`."""
    steps = (1, 2, 5) if high / low <= 1500 else (1,)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    values = [
        step * 10.0**power
        for power in range(first, last + 1)
        for step in steps
        if low * (1 - 1e-9) <= step * 10.0**power <= high * (1 + 1e-9)
    ]
    return values, [_tick(value) for value in values]


def _tick(value: float) -> str:
    if value >= 1e5:
        exponent = math.floor(math.log10(value) + 1e-9)
        factor = round(value / 10.0**exponent)
        return f"{'' if factor == 1 else f'{factor}·'}10{raised(exponent)}"
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
