"""A calculation in words and marks: numbers that keep their safe side, places on one scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.draw.style import integer
from privsc_core.numerics.text import raised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.evaluate.calculator import Line
    from privsc_core.evaluate.reach import Wanted

_SMALL = 1e-3
_MARGIN = 0.06  # of the scale's width on each side


def reached(value: float, wanted: Wanted) -> str:
    """Return a number as it was found: four digits, of m and d all. Nothing is rounded again."""
    if math.isnan(value):
        return "none"
    if wanted in {"m", "d"}:
        return f"{value:,.0f}"
    if value >= _SMALL:
        return f"{value:,.4g}"
    exponent = math.floor(math.log10(value * (1.0 + 1e-9)))
    digits = f"{value / 10.0**exponent:.4g}"
    return f"10{raised(exponent)}" if digits == "1" else f"{digits}·10{raised(exponent)}"


def left_by_bound(best: float, wanted: Wanted) -> str:
    """Return what a lower bound leaves: at least so many examples, more than such an epsilon."""
    if math.isnan(best):
        return "–"
    sign = {"m": "≥", "d": "≤"}.get(wanted, ">")
    return f"{sign} {reached(best, wanted)}"


def at_most(ratio: float) -> str:
    """Return a ratio as a factor of three digits, rounded up: it is an upper bound."""
    if math.isnan(ratio):
        return "–"
    unit = 10.0 ** (math.floor(math.log10(ratio)) - 2)
    up = math.ceil(round(ratio / unit, 6)) * unit
    return f"{up:.3g}×" if up < 1000.0 else f"{integer(up)}×"


def places(lines: Sequence[Line]) -> tuple[tuple[float | None, float | None], ...]:
    """Return where value and bound of each line lie on one logarithmic scale, from 0 to 1."""
    pairs = [(found.value, found.best) for found in lines]
    logs = [math.log(x) for pair in pairs for x in pair if x > 0.0]  # not NaN
    if not logs:
        return tuple((None, None) for _ in pairs)
    low, width = min(logs), max(logs) - min(logs)

    def place(x: float) -> float | None:
        if math.isnan(x):
            return None
        share = (math.log(x) - low) / width if width else 0.5
        return _MARGIN + (1.0 - 2.0 * _MARGIN) * share

    return tuple((place(value), place(best)) for value, best in pairs)
