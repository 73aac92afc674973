"""Colours, dashes and numbers as text.

The palette follows Okabe and Ito, moved so that every colour has a contrast of at least 3 to 1
on both the light and the dark background; every learner also has its own dash and marker.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

__all__ = [
    "BOUND_STYLES",
    "GUARANTEED",
    "IMPOSSIBLE",
    "LEARNER_STYLES",
    "MAP_SCALE",
    "Style",
    "axis_ticks",
    "integer",
    "number",
    "share",
    "style_of",
    "style_on_map",
    "times",
]


@dataclass(frozen=True, slots=True)
class Style:
    """How a curve is drawn."""

    colour: str
    dash: str
    marker: str


LEARNER_STYLES: dict[str, Style] = {
    "erm": Style("#7f7f7f", "dot", "diamond"),
    "exponential": Style("#2f80d0", "solid", "circle"),
    "representation": Style("#a1459b", "dash", "square"),
    "noise": Style("#a6701f", "longdash", "x"),
    "noise-tuned": Style("#c48a00", "longdashdot", "triangle-up"),
    "noise-boosted": Style("#cc6699", "dashdot", "star"),
    "noise-pseudorandom": Style("#1f9bc4", "dot", "cross"),
    "exponential-relaxed": Style("#c48a00", "dash", "square"),
    "exponential-proper": Style("#2f80d0", "solid", "circle"),
    "laplace": Style("#2f80d0", "solid", "circle"),
    "geometric": Style("#a1459b", "dash", "square"),
    "blr": Style("#c48a00", "longdashdot", "triangle-up"),
    "stability": Style("#0f9d58", "dashdot", "triangle-down"),
    "hash": Style("#0f9d58", "dashdot", "triangle-down"),
}

BOUND_STYLES: dict[str, Style] = {
    "lower": Style("#d65a31", "dash", "circle-open"),
    "upper": Style("#0f9488", "longdash", "square-open"),
}

# Shades of the regions that a bound forbids.
IMPOSSIBLE = "rgba(214, 90, 49, 0.16)"
GUARANTEED = "rgba(15, 148, 136, 0.18)"

# Where bounds of a kind meet in one picture, the dash tells them apart.
_BOUND_DASHES = {
    "nonprivate": "dashdot", "nonprivate-proper": "longdashdot", "packing-relaxed": "dot",
    "littlestone": "dot", "corollary-4.3": "dot", "littlestone-rate": "dashdot",
    "lemma-3.9": "dot", "representation": "dot", "theorem-4.2": "dot", "hash": "dashdot",
    "claim-4.5": "dashdot", "finite-class-relaxed": "dot",
}  # fmt: skip

# Cividis, at nine points: readable with every kind of colour vision and in grey.
MAP_SCALE = [
    "#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369",
    "#fee838",
]  # fmt: skip

_ON_MAP: dict[str, Style] = {
    "need": Style("#ffffff", "solid", "circle"),
    "lower": Style("#ff8c5a", "dash", "circle-open"),
    "upper": Style("#5af0d0", "longdash", "square-open"),
}

_NOISE = 1e-12  # nearer to 1 it depends on the processor whether a probability is 1

_FALLBACK = Style("#7f7f7f", "solid", "circle")


def style_of(name: str, kind: str = "learner") -> Style:
    """Return the style of a learner, or of a kind of bound."""
    if kind == "learner":
        return LEARNER_STYLES.get(name, _FALLBACK)
    style = BOUND_STYLES.get(kind, _FALLBACK)
    return replace(style, dash=_BOUND_DASHES.get(name, style.dash))


def style_on_map(name: str, kind: str) -> Style:
    """Return the style of a curve on a map: a kind of bound, or the learner's own "need"."""
    style = _ON_MAP.get(kind, _FALLBACK)
    return style if kind == "need" else replace(style, dash=_BOUND_DASHES.get(name, style.dash))


def integer(value: float | None) -> str:
    """Return a whole number with separators; four digits from a hundred million on."""
    if value is None or math.isnan(value):
        return "none"
    if value >= 1e9:
        exponent = math.floor(math.log10(value))
        return f"{value / 10**exponent:.2f}·10{_superscript(exponent)}"
    return f"{value:,.0f}"


def number(value: float) -> str:
    """Return a parameter's value; a small power of ten as such."""
    if 0.0 < value < 1e-3:
        exponent = round(math.log10(value))
        if math.isclose(value, 10.0**exponent, rel_tol=1e-9):
            return f"10{_superscript(exponent)}"
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
        return f"{'' if factor == 1 else f'{factor}·'}10{_superscript(exponent)}"
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def _superscript(number: int) -> str:
    return str(number).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
