"""How to read the plane of two budgets, in plain words: its axes, lines and shades."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.draw.budgets_figures import SHADE, frontier_names
from privsc_core.draw.reading import COLOURS, LOGARITHMIC, Line
from privsc_core.draw.style import integer, number
from privsc_core.draw.traces import ORANGE

if TYPE_CHECKING:
    from privsc_core.draw.budgets_figures import Told
    from privsc_core.evaluate.budgets import Plane

__all__ = ["bill_words", "plane_reading"]


def bill_words(found: Plane, told: Told, u: int) -> str:
    """Return what there is to know of numbers of learners beside so many unlabelled examples."""
    said = f"Where there are two budgets, m counts labels beside u = {u:,} unlabelled examples"
    if math.isnan(found.u_own):
        said += (
            f": {told.learner} has no bill here, as no number of people that was tried is enough."
        )
    else:
        said += f", the bill of {told.learner} at its own threshold."
        if found.trials:
            said += (
                " Both are simulated, and on the frontier: this m may differ from the bill's, or there "
                "may be none."
            )
    return f"{said} What no proper learner can do is said of all people, m + u."


def plane_reading(found: Plane, told: Told) -> tuple[Line, ...]:
    """Return what a reader of the plane has to know, in reading order."""
    goal = number(1.0 - found.at.beta)
    own, tuned, dot = frontier_names(found, told)
    how = "simulated" if found.trials else "exact"
    lines = [
        Line(
            "Across: labelled examples m", f"People who give a point and its label. {LOGARITHMIC}"
        ),
        Line("Up: unlabelled examples u", "People who give a point alone."),
        COLOURS,
        Line(
            own,
            f"Light line, {how}: with so many of both {told.learner} succeeds with probability {goal}, "
            "above it more often. Left of its end no number of people is enough, or more than are shown.",
        ),
    ]
    if np.isfinite(found.tuned).any():
        words = f"Dotted light line: the same of a learner whose threshold suits {told.hard} alone."
        lines.append(Line(tuned, words))
    words = f"Where {integer(found.labelled)} examples are enough, all of them labelled, and none is unlabelled."
    lines.append(Line(dot, words, ORANGE, filled=True))
    if found.wall > found.m[0]:
        words = (
            f"Fewer than {integer(found.wall)} labels: no learner with pure privacy whose labelled people are "
            f"fixed beforehand succeeds with probability {goal} for every target, proper or not, however many "
            "people have no label. A theorem, no simulation."
        )
        lines.append(Line("Red shade, left of the wall", words, SHADE, filled=True))
    if found.people > found.m[0]:
        words = (
            f"Fewer than {integer(found.people)} people, m + u: no proper learner with pure privacy succeeds so for "
            "every target. A theorem, no simulation."
        )
        lines.append(Line("Red shade, below the curve", words, SHADE, filled=True))
    return tuple(lines)
