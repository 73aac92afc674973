"""Words on a figure: numbers beside marks, and the names of red areas, where each has room."""

from __future__ import annotations

import itertools
import math
import re
import textwrap
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.draw.style import integer, style_of
from privsc_core.draw.traces import UNLISTED, Trace, beside, hover, marks, words

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Bound
    from privsc_core.evaluate.curves import Curve, Curves

__all__ = ["crossings", "here", "is_free", "names_of_areas"]

# A number beside its mark takes so much of the width of a figure on a phone.
_APART = 0.14
# The number of the lowest mark is written below it if its neighbour is within this ratio.
_NEAR_AXIS = 10.0
_NAMED = 0.2  # of the width: the name of an area beside others
_TALL = 0.15  # of the height: half of the name of an area
_HALF = 0.13  # of the width: likewise
_NUMBERS = 0.15  # of the height: a number below its mark


def crossings(curves: Curves) -> list[Trace]:
    """Mark where each learner reaches the target, with its number of samples."""
    reached, places = _written(curves)
    traces = []
    for curve, place in zip(reached, places, strict=True):
        style = style_of(curve, curves.scenario)
        at, goal = [curve.at], [1.0 - curves.scenario.beta]
        mark = marks(at, goal, curve.title, style.colour, style.marker, 11, uid=f"{curve.name}-at")
        says = hover(f"{curve.title} needs m = {integer(curve.at)}")
        group = {"legendgroup": curve.name}
        text = beside([_told_apart(curve, reached)], place, style.colour)
        traces.append(mark | text | says | UNLISTED | group)
    return traces


def _written(curves: Curves) -> tuple[list[Curve], list[str]]:
    """Return the learners that reach the target, in order, and on which side their numbers stand."""
    low, high = curves.x_range
    reached = sorted(
        (c for c in curves.learners if low <= c.at <= high), key=lambda curve: curve.at
    )
    # Below the target line, as above it are the curves of all others; of close neighbours the left
    # one writes to the other side.
    places = ["bottom right"] * len(reached)
    for n in reversed(range(len(reached) - 1)):
        apart = math.log(reached[n + 1].at / reached[n].at) / math.log(high / low)
        clear = apart > _APART or reached[n].at < 1.3 * low  # of the ticks
        if not clear and places[n + 1] == "bottom right":
            places[n] = "top left"
    return reached, places


def _told_apart(curve: Curve, reached: list[Curve]) -> str:
    """Return its number, with its name where another learner has the same one."""
    number = integer(curve.at)
    if sum(integer(other.at) == number for other in reached) == 1:
        return number
    return f"{number} {re.split(r':| [(]', curve.title)[0]}"


def here(curves: Curves) -> list[Trace]:
    """Mark what each learner needs at the setting itself, with its number of samples."""
    at = float(getattr(curves.scenario, curves.axis))
    traces = []
    needed = [curve for curve in curves.learners if not math.isnan(curve.at)]
    # Each writes to the side where its neighbour is farther; the lowest is near the axis.
    levels = sorted(curve.at for curve in needed)
    levels = [*(level / _NEAR_AXIS for level in levels[:1]), *levels, math.inf]
    for curve in needed:
        rank = levels.index(curve.at, 1)
        above, below = levels[rank + 1] / curve.at, curve.at / levels[rank - 1]
        style = style_of(curve, curves.scenario)
        mark = marks(
            [at], [curve.at], curve.title, style.colour, style.marker, 11, uid=f"{curve.name}-at"
        )
        place = "top left" if above > below else "bottom right"
        text = beside([integer(curve.at)], place, style.colour)
        says = hover(f"{curve.title} needs m = {integer(curve.at)} here")
        traces.append(mark | text | says | UNLISTED | {"legendgroup": curve.name})
    return traces


def _areas(curves: Curves) -> list[tuple[Curve, Bound]]:
    """Return the lower bounds that are shaded, with what is known of them."""
    known = {entry.name: entry for entry in curves.scenario.bounds}
    return [
        (curve, known[curve.name])
        for curve in curves.bounds
        if curve.kind == "lower" and curve.headline and not curve.hugs_baseline
    ]


def is_free(curve: Curve, curves: Curves) -> bool:
    """Tell whether there are red areas and none of them speaks of a learner: it may pass them."""
    areas = _areas(curves)
    learner = next(e for e in curves.scenario.drawn if e.name == curve.name)
    return bool(areas) and not any(entry.binds(learner) for _, entry in areas)


def names_of_areas(curves: Curves) -> list[Trace]:
    """Write on each red area whom it binds, where the curves leave most room."""
    low, high = curves.x_range
    goal = 1.0 - curves.scenario.beta
    traces: list[Trace] = []
    begin = low
    areas = sorted(_areas(curves), key=lambda area: area[0].at)
    # Of bounds that bind the same learners the last one's name is everybody's.
    whom = {entry.applies_to: curve.name for curve, entry in areas}
    areas = [(curve, entry) for curve, entry in areas if whom[entry.applies_to] == curve.name]
    # Of several, the names are wider than the areas: each stands higher than the one before.
    heights = np.linspace(0.26, 0.72, len(areas)) if len(areas) > 1 else np.array([0.5])
    # Letters in a line: three names of three lines would touch.
    width = 22 if len(areas) < 3 else 34
    # The bounds count labelled examples, which may not be all that a learner here has.
    more = any(entry.unlabelled for entry in curves.scenario.drawn)
    alone = " without unlabelled examples" if more else ""
    lines = [*curves.learners, *(c for c in curves.bounds if c.behind and c.x.size)]
    for (curve, entry), height in zip(areas, heights, strict=False):
        end = min(curve.at, high)
        if not end > begin:  # also where it says nothing
            continue
        if begin > low and math.log(end / begin) < _NAMED * math.log(high / low):
            begin = end
            continue  # too narrow: the legend says it
        level = rise = float(height)
        side = "middle center"
        if not curve.x.size:
            # Shaded above the target alone: its name stands below that, and below numbers beside marks.
            level, side = goal - _NUMBERS, "bottom center"
            rise = level - _TALL
            if rise < _TALL:
                begin = end
                continue  # the axis is there
        crossed = [at for c in lines if begin < (at := _rises(c, rise)) < end]
        places = [begin, *sorted(crossed), end]
        gaps = list(itertools.pairwise(places))
        left, right = max(gaps, key=lambda gap: gap[1] / gap[0])
        above = "" if curve.x.size else "↑ "  # what is shaded
        says = "<br>".join(textwrap.wrap(f"{above}impossible for {entry.applies_to}{alone}", width))
        # Clear of the vertical axis, also on a phone.
        at = max(math.sqrt(left * right), low * (high / low) ** 0.26)
        if curve.x.size:
            # Where the edge is gentle the area is what is above it there, and may be too low for words.
            edge = float(np.interp(math.log(at), np.log(curve.x), curve.y))
            if edge > level - _TALL:
                level = (1.0 + edge) / 2.0
            if _written_over(curves, at, level, "bottom right"):
                level = max(goal - _NUMBERS - _TALL, edge + _TALL)
            if level > 1.0 - _TALL or any(
                _written_over(curves, at, level, side) for side in ("top left", "bottom right")
            ):
                begin = end
                continue
        named = words([at], [level], [says], f"{curve.name} area", side)
        traces.append(named | {"legendgroup": f"{curve.name}-{curve.kind}"})
        begin = end
    return traces


def _rises(curve: Curve, level: float) -> float:
    """Return where a curve first reaches a success probability, NaN if nowhere."""
    reached = np.flatnonzero(curve.y >= level)
    return float(curve.x[reached[0]]) if reached.size else math.nan


def _written_over(curves: Curves, at: float, level: float, side: str) -> bool:
    """Tell whether the name of an area would run into a number on this side of its mark.

    A number ends at its mark, above the target line, or begins there, below it; the one may reach
    half a name's width into the name.
    """
    low, high = curves.x_range
    goal = 1.0 - curves.scenario.beta
    above = side == "top left"
    bottom, top = (goal, 1.0) if above else (goal - _NUMBERS, goal)
    if not bottom - _TALL < level < top + _TALL:
        return False
    left, right = (0.0, _APART) if above else (0.5 * _APART, 0.0)
    ends = [
        math.log(curve.at / at) / math.log(high / low)
        for curve, place in zip(*_written(curves), strict=True) if place == side
    ]  # fmt: skip
    return any(-_HALF - left < end < _HALF + right for end in ends)
