"""Every colour of a figure, and how curves look: the only file with colours in it.

A learner declares its style, a bound its dash; others get what is left. A class's colours are the
same wherever a learner or a bound is drawn, and one red means "impossible".

The palette follows Okabe and Ito, moved so that every colour has a contrast of at least 3 to 1
on both the light and the dark background; every learner also has its own dash and marker.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache


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
# For a class's ninth learner and further ones: a learner has one of these only if it declares it.
INDIGO = Style("#6d68e0", "solid", "hexagon")
OLIVE = Style("#76871d", "longdash", "pentagon")
VIOLET = Style("#7c34f4", "longdashdot", "hexagram")
SEA = Style("#128a86", "dash", "diamond-tall")
MOSS = Style("#447450", "longdashdot", "star-triangle-up")
RUST = Style("#b3541e", "dot", "bowtie")
WINE = Style("#a4505c", "longdash", "star-diamond")
# The first dash is the kind's own; the others tell apart what meets it in one picture.
DASH_DOT_DOT = "9px,3px,3px,3px,3px,3px"  # it has no name in Plotly
DASHES = {
    "lower": ("dash", "dot", "dashdot", "longdashdot", "longdash", DASH_DOT_DOT),
    "upper": ("longdash", "dot", "dashdot", "longdashdot", "dash", DASH_DOT_DOT),
}
RED, TEAL = "#d65a31", "#0f9488"  # impossible or wrong; guaranteed or found
BOUND_STYLES = {
    "lower": Style(RED, DASHES["lower"][0], "circle-open"),
    "upper": Style(TEAL, DASHES["upper"][0], "square-open"),
}
PALETTE = (BLUE, PURPLE, AMBER, GREEN, BROWN, PINK, CYAN, GREY)

WHITE, NAVY = "#ffffff", "#00152f"  # words on bars and lines on maps; what keeps these readable
SLATE, LEAF = "#4b5563", "#2e8b57"
GUESSED = "#c2368a"  # no learner and no bound has it
ORCHID = "#a05fb5"  # of two budgets: a slack
# Filled, they carry white text: 4.5 to 1 on each.
DEEP_BLUE, DEEP_GREY, DEEP_TEAL, DEEP_RED, DEEP_LEAF = (
    "#1f6fc4", "#6d7480", "#0b7a70", "#b5441e", "#2b7549"
)  # fmt: skip
# Cividis, at nine points: readable with every kind of colour vision and in grey.
MAP_SCALE = [
    "#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369",
    "#fee838",
]  # fmt: skip
ON_MAP = {
    "need": Style(WHITE, "solid", "circle"),
    "lower": replace(BOUND_STYLES["lower"], colour="#ff8c5a"),
    "upper": replace(BOUND_STYLES["upper"], colour="#5af0d0"),
}
SIGNED_SCALE = ["#b3560b", "#eaa765", "#f3f3f3", "#7fb0e0", "#1d5fa8"]  # from -1 over 0 to 1


def faint(colour: str, opacity: float = 0.22) -> str:
    """Return a colour of the form #rrggbb, to see through."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


IMPOSSIBLE, GUARANTEED = faint(RED, 0.16), faint(TEAL, 0.18)  # shades of regions
PALE, PALER = faint("#808a99", 0.75), faint("#808a99")


@lru_cache(maxsize=64)  # every curve of a figure asks for it
def completed(declared: tuple[Style | None, ...]) -> tuple[Style, ...]:
    """Return the styles of a class's learners; a learner without one gets an unused one.

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
    return tuple(found)


@lru_cache(maxsize=64)
def dashed(kind: str, declared: tuple[str, ...]) -> tuple[str, ...]:
    """Return the dashes of bounds of one kind that meet; a bound without one gets an unused one."""
    dashes = DASHES[kind]
    taken = [dash for dash in declared if dash]
    found = []
    for place, dash in enumerate(declared):
        free = (one for one in dashes if one not in taken)
        chosen = dash or next(free, dashes[place % len(dashes)])
        taken.append(chosen)
        found.append(chosen)
    return tuple(found)
