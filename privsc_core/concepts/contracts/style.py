"""How curves look: a learner declares its style, a bound its dash; others get what is left.

The palette follows Okabe and Ito, moved so that every colour has a contrast of at least 3 to 1
on both the light and the dark background; every learner also has its own dash and marker.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AMBER",
    "BLUE",
    "BROWN",
    "CYAN",
    "DASHES",
    "DASH_DOT_DOT",
    "GREEN",
    "GREY",
    "INDIGO",
    "OLIVE",
    "PALETTE",
    "PINK",
    "PURPLE",
    "VIOLET",
    "Style",
    "completed",
    "dashed",
]


@dataclass(frozen=True, slots=True)
class Style:
    """How a curve is drawn: a colour ``#rrggbb``, a dash and a marker in Plotly's words."""

    colour: str
    dash: str
    marker: str


GREY = Style("#7f7f7f", "dot", "diamond")
BLUE = Style("#2f80d0", "solid", "circle")
PURPLE = Style("#a1459b", "dash", "square")
BROWN = Style("#a6701f", "longdash", "x")
AMBER = Style("#c48a00", "longdashdot", "triangle-up")
PINK = Style("#cc6699", "dashdot", "star")
CYAN = Style("#1f9bc4", "dot", "cross")
GREEN = Style("#0f9d58", "dashdot", "triangle-down")
# For a class's ninth learner and further ones: only who asks for them gets them.
INDIGO = Style("#6d68e0", "solid", "hexagon")
OLIVE = Style("#76871d", "longdash", "pentagon")
VIOLET = Style("#7c34f4", "longdashdot", "hexagram")
# The first dash is the kind's own; the others tell apart what meets it in one picture.
DASH_DOT_DOT = "9px,3px,3px,3px,3px,3px"  # it has no name in Plotly
DASHES = {
    "lower": ("dash", "dot", "dashdot", "longdashdot", "longdash", DASH_DOT_DOT),
    "upper": ("longdash", "dot", "dashdot", "longdashdot", "dash", DASH_DOT_DOT),
}
PALETTE = (BLUE, PURPLE, AMBER, GREEN, BROWN, PINK, CYAN, GREY)


def completed(declared: Sequence[Style | None]) -> list[Style]:
    """Return the styles of a class's learners; who declares none gets one that nobody has.

    Where nothing of the palette is left it starts over.
    """
    taken = [style for style in declared if style]
    found = []
    for place, style in enumerate(declared):
        free = (
            one
            for one in PALETTE
            if all(one.colour != t.colour and one.marker != t.marker for t in taken)
        )
        chosen = style or next(free, PALETTE[place % len(PALETTE)])
        taken.append(chosen)
        found.append(chosen)
    return found


def dashed(kind: str, declared: Sequence[str]) -> list[str]:
    """Return the dashes of bounds of one kind that meet; who declares none gets an unused one."""
    dashes = DASHES[kind]
    taken = [dash for dash in declared if dash]
    found = []
    for place, dash in enumerate(declared):
        free = (one for one in dashes if one not in taken)
        chosen = dash or next(free, dashes[place % len(dashes)])
        taken.append(chosen)
        found.append(chosen)
    return found
