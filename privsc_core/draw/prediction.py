"""Predict, then reveal: a picture without its curves, and with the guess drawn in."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from privsc_core.draw.style import integer
from privsc_core.draw.traces import QUIET, THICK, Trace, marks, stroke

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture

__all__ = ["GUESS", "conceal", "mark"]

GUESS = "#c2368a"  # no learner and no bound has it
_LOOK: dict[str, Any] = {"dash": "longdashdot", "width": THICK}


def conceal(picture: Picture, question: str) -> Picture:
    """Return the empty frame of a picture: axes and target stay, nothing else can be read off."""
    layout = {name: part for name, part in picture.figure["layout"].items() if name != "legend"}
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

    Returns
    -------
    Picture
        The same picture when m is on neither axis.
    """
    along: Trace | None = None
    if axes[0] == "m":
        along = stroke((guess, guess), (0, 1), GUESS, **_LOOK, yref="paper")
    elif quantity == "m" or "m" in axes:
        along = stroke((0, 1), (guess, guess), GUESS, **_LOOK, xref="paper")
    if along is None:
        return picture
    layout = dict(picture.figure["layout"])
    if ask:
        layout["meta"] = {"ask": "x" if axes[0] == "m" else "y"}
    layout["shapes"] = [*layout.get("shapes", ()), along | {"name": "guess"}]
    vertical = axes[0] == "m"
    note = {
        "text": f"predicted {integer(guess)}",
        "showarrow": False,
        "font": {"color": GUESS},
        # On a logarithmic axis an annotation stands at the exponent.
        "x": math.log10(guess) if vertical else 0.01,
        "y": 0.04 if vertical else math.log10(guess),
        "xref": "x" if vertical else "paper",
        "yref": "paper" if vertical else "y",
        "xanchor": "left",
        "yanchor": "bottom",
        "xshift": 6 if vertical else 0,
    }
    layout["annotations"] = [*layout.get("annotations", ()), note]
    data = list(picture.figure["data"])
    if quantity == "m" and at > 0:
        data.append(marks([at], [guess], "guess", GUESS, "star", 12) | QUIET)
    return replace(picture, figure={"data": data, "layout": layout})
