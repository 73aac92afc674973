"""Every colour of a figure, and how curves look: the only file with colours in it.

The hue of a learner says what the learner may do, on all pages and in all files; a class gives the
learners of one hue different dashes and marks. One red means "impossible".

The palette follows Okabe and Ito, moved so that every colour has a contrast of at least 3 to 1
on both the light and the dark background.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

Role = Literal["free", "proper", "improper", "delta", "labels"]


@dataclass(frozen=True, slots=True)
class Style:
    """How a curve is drawn: a colour ``#rrggbb``, a dash and a marker in Plotly's words."""

    colour: str
    dash: str
    marker: str


GREY, BLUE, GREEN, AMBER, PURPLE = "#7f7f7f", "#2f80d0", "#0f9d58", "#c48a00", "#a1459b"
# Of no learner: of data and of what comes out of them; the second one stands beside the first.
STEEL, PINK = "#6a7b94", "#cc6699"
# Of a learner without privacy; with pure privacy, proper or improper; with a slack; one that protects
# the labels only.
HUES: dict[str, str] = {
    "free": GREY, "proper": BLUE, "improper": GREEN, "delta": AMBER, "labels": PURPLE,
}  # fmt: skip
DASH_DOT_DOT = "9px,3px,3px,3px,3px,3px"  # it has no name in Plotly
LINES = ("solid", "dash", "dot", "longdashdot", "longdash", DASH_DOT_DOT, "dashdot")
MARKS = ("circle", "square", "diamond", "triangle-up", "star", "cross", "triangle-down", "hexagon")
# Where the learners of a hue begin in both: in grey the first ones of two hues differ as well.
_BEGIN: dict[Role, int] = {"proper": 0, "improper": 1, "free": 2, "labels": 3, "delta": 6}
# Of bounds. The first dash is the kind's own; the others tell apart what meets it in one picture.
DASHES = {
    "lower": ("dash", "dot", "dashdot", "longdashdot", "longdash", DASH_DOT_DOT),
    "upper": ("longdash", "dot", "dashdot", "longdashdot", "dash", DASH_DOT_DOT),
}
RED, TEAL = "#d65a31", "#0f9488"  # impossible or wrong; found, or as it should be
BOUND_STYLES = {  # an upper bound has the hue of its learner
    "lower": Style(RED, DASHES["lower"][0], "circle-open"),
    "upper": Style(GREY, DASHES["upper"][0], "square-open"),
}

WHITE, NAVY = "#ffffff", "#00152f"  # words on bars and lines on maps; what keeps these readable
BLACK = "#000000"  # of figures for print
SLATE, LEAF = "#4b5563", "#2e8b57"
# What a reader says: a guess of m, and a bound of one's own. No learner and no bound of ours has these colours; the
# bound is a double line besides, for every kind of colour vision.
GUESSED, VIOLET = "#c2368a", "#7733ff"
OWN_BOUND = Style(VIOLET, "solid", "x")
# Filled, they carry white text: 4.5 to 1 on each.
DEEP_GREY, DEEP_TEAL, DEEP_RED, DEEP_LEAF = "#6d7480", "#0b7a70", "#b5441e", "#2b7549"
# Cividis, at nine points: readable with every kind of colour vision and in grey.
MAP_SCALE = [
    "#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369",
    "#fee838",
]  # fmt: skip
ON_MAP = {
    "need": Style(WHITE, "solid", "circle"),
    "lower": replace(BOUND_STYLES["lower"], colour="#ff8c5a"),
    "upper": replace(BOUND_STYLES["upper"], colour="#5af0d0"),
    "yours": replace(OWN_BOUND, colour="#c9a6ff"),
}
SIGNED_SCALE = ["#b3560b", "#eaa765", "#f3f3f3", "#7fb0e0", "#1d5fa8"]  # from -1 over 0 to 1


def faint(colour: str, opacity: float = 0.22) -> str:
    """Return a colour of the form #rrggbb, to see through."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


IMPOSSIBLE, ALLOWED = faint(RED, 0.16), faint(TEAL, 0.18)  # shades of regions
PALE, PALER = faint("#808a99", 0.75), faint("#808a99")


@lru_cache(maxsize=64)  # every curve of a figure asks for it
def styled(roles: tuple[Role, ...]) -> tuple[Style, ...]:
    """Return the styles of curves from what their learners may do; no two of a hue are alike."""
    met: Counter[Role] = Counter()
    found = []
    for role in roles:
        place = _BEGIN[role] + met[role]
        met[role] += 1
        found.append(Style(HUES[role], LINES[place % len(LINES)], MARKS[place % len(MARKS)]))
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
