"""The map of all classes: the figure, and small pictures of its lines."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog, progress
from privsc_core.concepts.contracts.style import AMBER, BLUE, GREEN, GREY, PURPLE, faint
from privsc_core.draw.figures import log_layout, plains
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import integer, number, times
from privsc_core.draw.traces import QUIET, THICK, THIN, Trace, axis, hover, line, words
from privsc_core.evaluate.landscape import PLACES, foresee, landscape
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.evaluate.landscape import Course, Landscape, Separation, Standpoint
    from privsc_core.literature.documents import Role

__all__ = [
    "COLOURS",
    "landscape_figure",
    "landscape_picture",
    "landscape_strip",
    "slope",
    "thumbnail",
]

# What a learner may do has a colour, a class a dash; what nobody can is dotted.
COLOURS: dict[Role, str] = {
    "free": GREY.colour,
    "improper": GREEN.colour,
    "proper": BLUE.colour,
    "delta": AMBER.colour,
    "efficient": PURPLE.colour,
}
_DASHES = ("solid", "dash", "dashdot", "longdash")
_BOUND = "dot"
_TOLD_AT = 1024  # where the sentence about the figure says its numbers
_WIDE, _HIGH = 100, 40  # units of a small picture


def landscape_picture(standpoint: Standpoint) -> tuple[Landscape, Picture]:
    """Compute and draw the map: its lines, and the figure."""
    found = landscape(standpoint)
    return found, landscape_figure(found)


def landscape_strip(
    standpoints: tuple[Standpoint, ...],
) -> tuple[tuple[Landscape, Picture], ...]:
    """Compute and draw the map at several settings; each equals what `landscape_picture` says."""
    foresee(standpoints)
    return tuple(landscape_picture(one) for one in progress.steps(standpoints, begin=0.8))


def landscape_figure(found: Landscape) -> Picture:
    """Draw least m against d for every line of the map, and the gaps between them."""
    at = found.standpoint
    data: list[Trace] = []
    gaps = [_gap(separation) for separation in found.separations if separation.d.size]
    data += [area for area, _ in gaps]
    # What coincides is seen: solid lines below, broken ones on top of them.
    ordered = sorted(found.courses, key=lambda course: _dash(course) != "solid")
    data += [_line(course) for course in ordered]
    data += [name for _, name in gaps]
    x, y = parameter("d"), parameter("m")
    layout = log_layout(
        f"{x.short} {x.symbol}", (PLACES[0], PLACES[-1]), f"least number of examples {y.symbol}",
        found.span,
    )  # fmt: skip
    layout["xaxis"] |= axis(at=PLACES, texts=[f"{place:,}" for place in PLACES])
    setting = ", ".join(
        f"{parameter(name).symbol} = {number(getattr(at, name))}"
        for name in ("epsilon", "alpha", "beta", "delta")
    )
    missing = "".join(f" {c.line.label}: {c.reason}." for c in found.courses if c.reason)
    return Picture(
        figure={"data": data, "layout": layout},
        title="Least m against d, for every class",
        caption=(
            f"{setting}, where there is a δ. Each line ends at its door. Colour: what the learner may "
            "do; dotted: below it no learner of that kind can be. Shaded: the gap between two lines, named "
            f"by what costs so much. Learners: exact laws on the {_laws(found)} distribution.{missing}"
        ),
        summary=(
            f"Least number of examples at d = {_TOLD_AT:,} and ε = {number(at.epsilon)}: "
            + "; ".join(f"{c.line.label} {integer(c.at(_TOLD_AT))}" for c in found.courses)
            + "."
        ),
        filename=f"privsc-landscape-eps{at.epsilon:g}",
        table=_table(found),
    )


def _laws(found: Landscape) -> str:
    first = (catalog.distribution(course.concept).label for course in found.courses)
    return " or ".join(dict.fromkeys(first))


def slope(course: Course) -> str:
    """Return the fitted exponent of d with the exponents between neighbouring places."""
    fit = course.fit
    if math.isnan(fit.exponent):
        return "no exponent"
    return f"{fit.exponent:.2f} [{fit.low:.2f}, {fit.high:.2f}]"


def thumbnail(courses: Sequence[Course], span: tuple[float, float]) -> str:
    """Return a small picture of some lines as SVG, in the frame of the map.

    Parameters
    ----------
    courses : sequence of Course
    span : (float, float)
        Ends of the axis of m, see `Landscape`.
    """
    low, high = np.log(span)
    begin, end = np.log([PLACES[0], PLACES[-1]])
    paths = []
    for course in sorted(courses, key=lambda one: one.line.kind):
        there = np.isfinite(course.m)
        x = _WIDE * (np.log(course.d[there]) - begin) / (end - begin)
        y = _HIGH * (1.0 - (np.log(course.m[there]) - low) / (high - low))
        points = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))
        bound = course.line.kind == "bound"
        paths.append(
            f'<path d="M{points}" stroke="{COLOURS[course.line.role]}" stroke-width="{THIN if bound else THICK}" '
            + ('stroke-dasharray="2 4" ' if bound else "")
            + 'vector-effect="non-scaling-stroke"/>'
            if points
            else ""
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" '
        f'preserveAspectRatio="none" fill="none">{"".join(paths)}</svg>'
    )


def _dash(course: Course) -> str:
    if course.line.kind == "bound":
        return _BOUND
    names = [concept.name for concept in catalog.CONCEPTS]
    return _DASHES[names.index(course.concept) % len(_DASHES)]


def _line(course: Course) -> Trace:
    declared = course.line
    bound = declared.kind == "bound"
    least = "impossible below m" if bound else "least m"
    says = "<br>".join(textwrap.wrap(declared.says, 44))
    told = hover(
        f"<b>{declared.label}</b><br>d = %{{x:,}}: {least} = %{{y:,.0f}}<br>{says}"
        f"<br>exponent of d: {slope(course)}"
    )
    return told | line(
        course.d, course.m, declared.label, COLOURS[declared.role],
        dash=_dash(course), width=THIN if bound else THICK, uid=course.key,
    )  # fmt: skip


def _gap(separation: Separation) -> tuple[Trace, Trace]:
    """Return the area between two lines, and its name in the middle."""
    d, key = separation.d, f"gap-{separation.high.key}-{separation.low.key}"
    colour = COLOURS[separation.high.line.role]
    area = line(
        np.concatenate([d, d[::-1]]), np.concatenate([separation.below, separation.above[::-1]]),
        f"the price of {separation.gap.name}", colour, width=0, uid=key,
    )  # fmt: skip
    filled = {"fill": "toself", "fillcolor": faint(colour, 0.16)} | QUIET
    x, y = separation.name_at
    text = "<br>".join(
        [*textwrap.wrap(separation.gap.name, 12, break_long_words=False), times(separation.ratio)]
    )
    return area | filled, words([x], [y], [text], f"{key}-name", "middle center")


def _table(found: Landscape) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"line": [], "kind": [], "d": [], "m": []}
    for course in found.courses:
        columns["line"] += [course.line.label] * course.d.size
        columns["kind"] += [course.line.kind] * course.d.size
        columns["d"] += plains(course.d)
        columns["m"] += plains(course.m)
    return columns
