"""What the figures of intervals share: the colours of labels, ticks and counts."""

from __future__ import annotations

from privsc_core.concepts.contracts.style import PALER, RED, TEAL, faint
from privsc_core.draw.traces import BLUE

__all__ = ["FOUND", "ONE", "WRONG", "WRONG_ZERO", "ZERO", "count", "ticks"]

ONE, ZERO = BLUE, PALER  # labels
WRONG, WRONG_ZERO = RED, faint(RED, 0.38)
FOUND = TEAL


def count(number: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def ticks(low: int, high: int) -> list[int]:
    """Return the ends and the middle of a row of points."""
    return [low, (low + high + 1) // 2, high]
