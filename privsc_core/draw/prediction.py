"""Predict, then reveal: a picture without its curves, and with the guess drawn in."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from privsc_core.concepts.contracts.style import GUESSED
from privsc_core.draw.style import axis_ticks, integer
from privsc_core.draw.traces import GREY, QUIET, THICK, Trace, marks, stroke

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.draw.picture import Picture

# What an empty axis of m shows: every answer that can be given, so that its ends say nothing.
ANSWERS = (1.0, 1e7)
# A column of dots has at most so many, each so much of the height above the last one.
_HIGH, _STEP = 20, 0.03
_LOOK: dict[str, Any] = {"dash": "longdashdot", "width": THICK}


def conceal(picture: Picture, question: str, axes: tuple[str, ...], quantity: str) -> Picture:
    """Return the empty frame of a picture: nothing but axes and target can be read off.

    An axis of m has room for every answer; the range that suits the curves would tell theirs.
    `axes` and `quantity` are as for `mark`.
    """
    layout = {name: part for name, part in picture.figure["layout"].items() if name != "legend"}
    side = _side(axes, quantity)
    if side:
        layout[f"{side}axis"] = _spanning(layout[f"{side}axis"], *ANSWERS)
    if side == "x":  # the target line goes from end to end
        ends = {"x0": ANSWERS[0], "x1": ANSWERS[1]}
        layout["shapes"] = [shape | ends for shape in layout.get("shapes", ())]
    # An axis keeps its range when all its curves go; a frame needs one point to be drawn at all.
    blank = {"type": "scatter", "mode": "markers", "x": [], "y": [], "uid": "nothing"} | QUIET
    return replace(
        picture,
        figure={"data": [blank], "layout": layout | {"showlegend": False}},
        summary=f"The curves are hidden. {question}",
        table={},
    )


def mark(
    picture: Picture,
    guess: int,
    axes: tuple[str, ...],
    quantity: str,
    at: float,
    *,
    ask: bool = False,
    crowd: Sequence[tuple[float, int]] = (),
) -> Picture:
    """Return the picture with a line where the audience guessed the number of samples.

    Parameters
    ----------
    picture : Picture
    guess : int
        At least 1.
    axes : tuple of str
        The picture's axes, as in `VIEWS`.
    quantity : {"success", "m", "map"}
    at : float
        The setting's value on the horizontal axis, where the guess was made; 0 for nowhere.
    ask : bool
        Whether the line may be dragged.
    crowd : sequence of (float, int)
        Numbers that an audience guessed, in increasing order, and how often: a strip of dots on the axis of m.

    Returns
    -------
    Picture
        The same picture when m is on neither axis.
    """
    side = _side(axes, quantity)
    if not side:
        return picture
    vertical = side == "x"
    if vertical:
        along = stroke((guess, guess), (0, 1), GUESSED, **_LOOK, yref="paper")
    else:
        along = stroke((0, 1), (guess, guess), GUESSED, **_LOOK, xref="paper")
    layout = dict(picture.figure["layout"])
    name = f"{side}axis"
    low, high = (10.0**end for end in layout[name]["range"])
    first, last = _most_of(crowd) if crowd else (guess, guess)
    if not (low <= min(guess, first) and max(guess, last) <= high):
        # With some room around the line: it is drawn whatever was guessed.
        ends = min(low, guess / 1.5, first / 1.5), max(high, guess * 1.5, last * 1.5)
        layout[name] = _spanning(layout[name], *ends)
        low, high = (10.0**end for end in layout[name]["range"])
    if ask:
        layout["meta"] = {"ask": side}
    layout["shapes"] = [*layout.get("shapes", ()), along | {"name": "guess"}]
    # A map has the names of what is excluded at its foot.
    above = vertical and any(trace["type"] == "heatmap" for trace in picture.figure["data"])
    late = vertical and math.log(guess / low) > 0.75 * math.log(high / low)
    note = {
        "text": f"predicted {integer(guess)}",
        "showarrow": False,
        "font": {"color": GUESSED},
        # On a logarithmic axis an annotation stands at the exponent.
        "x": math.log10(guess) if vertical else 0.01,
        "y": (0.97 if above else 0.04) if vertical else math.log10(guess),
        "xref": "x" if vertical else "paper",
        "yref": "paper" if vertical else "y",
        "xanchor": "right" if late else "left",
        "yanchor": "top" if above else "bottom",
        "xshift": (-6 if late else 6) if vertical else 0,
    }
    layout["annotations"] = [*layout.get("annotations", ()), note]
    data = list(picture.figure["data"])
    if quantity == "m" and at > 0:
        if ask:  # where on the line the answer will be
            layout["shapes"].append(stroke((at, at), (0, 1), GREY, dash="dot", yref="paper"))
        data.append(marks([at], [guess], "guess", GUESSED, "star", 12) | QUIET)
    if crowd:
        across = layout["yaxis" if vertical else "xaxis"]
        along_, beside = _dots(crowd, low, high, across)
        x, y = (along_, beside) if vertical else (beside, along_)
        data.append(marks(x, y, "answers", GUESSED, "circle", 9, opacity=0.75) | QUIET)
    return replace(picture, figure={"data": data, "layout": layout})


def per_dot(crowd: Sequence[tuple[float, int]]) -> int:
    """Return for how many answers one dot of a strip stands, so that no column is too high."""
    return max(1, math.ceil(max(count for _, count in crowd) / _HIGH))


def _most_of(crowd: Sequence[tuple[float, int]]) -> tuple[float, float]:
    """Return between which numbers nine tenths of the guesses lie: one guess stretches no axis."""
    everybody, so_far = sum(count for _, count in crowd), 0
    kept = []
    for value, count in crowd:
        if so_far + count > 0.05 * everybody and so_far < 0.95 * everybody:
            kept.append(value)
        so_far += count
    return kept[0], kept[-1]


def _dots(
    crowd: Sequence[tuple[float, int]], low: float, high: float, across: Trace
) -> tuple[list[float], list[float]]:
    """Return the places of dots along the axis of m and across it: columns that stand on its edge.

    Guesses beyond the ends of the axis stand at its ends.
    """
    start, end = map(float, across["range"])
    logarithmic, of_each = across.get("type") == "log", per_dot(crowd)
    along, beside = [], []
    columns: dict[float, int] = {}
    for value, count in crowd:
        inside = min(high, max(low, value))
        columns[inside] = columns.get(inside, 0) + count
    for value, count in columns.items():
        for row in range(min(_HIGH, math.ceil(count / of_each))):
            at = start + (end - start) * (0.025 + _STEP * row)
            along.append(value)
            beside.append(10.0**at if logarithmic else at)
    return along, beside


def _side(axes: tuple[str, ...], quantity: str) -> str:
    """Return which axis has the number of samples: x, y, or none."""
    if axes[0] == "m":
        return "x"
    return "y" if quantity == "m" or "m" in axes else ""


def _spanning(axis: Trace, low: float, high: float) -> Trace:
    """Return a logarithmic axis with other ends."""
    values, texts = axis_ticks(low, high)
    ends = [math.log10(low), math.log10(high)]
    return axis | {"range": ends, "tickvals": values, "ticktext": texts}
