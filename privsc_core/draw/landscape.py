"""The figures of lines over d: the map of all classes, its lines in small, and what δ buys."""

from __future__ import annotations

import functools
import math
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog, progress
from privsc_core.concepts.contracts.style import DASH_DOT_DOT, HUES, PALER, faint
from privsc_core.concepts.shared.unseen import bits_of
from privsc_core.draw.figures import LAYOUT, success_figure
from privsc_core.draw.picture import plains, plot, setting
from privsc_core.draw.style import integer, number, times
from privsc_core.draw.traces import (
    QUIET,
    THICK,
    THIN,
    Trace,
    around,
    hover,
    line,
    log_axis,
    parted,
    stroke,
    ticks,
    words,
)
from privsc_core.evaluate.landscape import (
    BITS,
    PLACES,
    SLACK_PLACES,
    TRIALS,
    bought,
    contested,
    contests,
    foresee,
    landscape,
    traded,
)
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.landscape import (
        Contested,
        Course,
        Extent,
        Landscape,
        Separation,
        Standpoint,
        Traded,
    )
    from privsc_core.literature.documents import Line, Where


# The hue of what a learner may do; a dash tells apart the lines of one hue; lower bounds are dotted. The
# efficient learner here answers with any point.
COLOURS = HUES | {"efficient": HUES["improper"]}
_DASHES = ("solid", "dash", "dashdot", "longdash", "longdashdot", DASH_DOT_DOT)
_DOTS = ("2px,3px", "4px,4px", "2px,3px,2px,8px", "4px,9px")
_TOLD_AT = 1024  # where the sentence about the map says its numbers
_WIDE, _HIGH = 100, 40  # units of a small picture
_LEAST = "least number of examples m"
_NEAR = 0.03  # lines that differ by less lie on one another


# --- What both maps share ------------------------------------------------------------------------


def _missing(found: Landscape) -> str:
    return "".join(f" {c.line.label}: {c.reason}." for c in found.courses if c.reason)


def _least_at(found: Landscape, d: int) -> str:
    return "; ".join(f"{c.line.label} {integer(c.at(d))}" for c in found.courses) + "."


def _lower(concept: str, line: Line) -> bool:
    return line.kind == "bound" and catalog.bound(concept, line.name).kind == "lower"


@functools.cache
def _dashes(of: Where) -> dict[str, str]:
    """Return a dash for each line of a figure, by its key; solid for the first line of a colour."""
    found: dict[str, str] = {}
    taken: dict[tuple[str, bool], int] = {}
    for concept in catalog.CONCEPTS:
        for one in concept.documents.on(of):
            lower = _lower(concept.name, one)
            kind = COLOURS[one.role], lower
            place = taken[kind] = taken.get(kind, -1) + 1
            kinds = _DOTS if lower else _DASHES
            found[f"{concept.name}-{one.key}"] = kinds[place % len(kinds)]
    return found


def _lines(found: Landscape, of: Where) -> list[tuple[Course, Trace]]:
    """Return the lines, solid ones first: broken ones over them leave both visible."""
    dashes = _dashes(of)
    ordered = sorted(found.courses, key=lambda course: dashes[course.key] != "solid")
    return [(course, _line(course, dashes[course.key], found)) for course in ordered]


def _line(course: Course, dash: str, found: Landscape) -> Trace:
    declared = course.line
    least = "least m"
    if declared.kind == "bound":
        least = "impossible below m" if _lower(course.concept, declared) else "enough: m"
    says = "<br>".join(textwrap.wrap(declared.says, 44))
    told = f"<b>{declared.label}</b><br>d = %{{x:,}}: {least} = %{{y:,.0f}}<br>{says}"
    if beside := [other.line.label for other in found.courses if _together(course, other)]:
        told += f"<br>On the same line: {'; '.join(beside)}"
    return line(
        course.d, course.m, declared.label, COLOURS[declared.role], dash=dash, uid=course.key,
        width=THIN if declared.kind == "bound" else THICK,
    ) | hover(told)  # fmt: skip


def _together(course: Course, other: Course) -> bool:
    """Return whether a line lies on another one as far as both reach."""
    if course is other:
        return False
    away = np.abs(np.log(course.m / other.m))
    away = away[np.isfinite(away)]
    return bool(away.size) and bool(away.max() < _NEAR)


def _table(rows: Iterable[tuple[Any, ...]], first: str, second: str, x: str) -> dict[str, Any]:
    """Return a table of lines: two words, places, and least m, a row for each place."""
    columns: dict[str, Any] = {first: [], second: [], x: [], "m": []}
    for label, other, places, m in rows:
        columns[first] += [label] * places.size
        columns[second] += np.broadcast_to(other, places.shape).tolist()
        columns[x] += plains(places)
        columns["m"] += plains(m)
    return columns


# --- The map of all classes ----------------------------------------------------------------------


def landscape_picture(standpoint: Standpoint, extent: Extent = "all") -> tuple[Landscape, Picture]:
    """Compute and draw the map: its lines, and the figure."""
    found = landscape(standpoint, extent)
    return found, landscape_figure(found)


def landscape_strip(
    extent: Extent,
    standpoints: tuple[Standpoint, ...],
) -> tuple[tuple[Landscape, Picture], ...]:
    """Compute and draw the map at several settings; each equals what `landscape_picture` says."""
    foresee(standpoints, extent)
    return tuple(landscape_picture(one, extent) for one in progress.steps(standpoints, begin=0.8))


def landscape_figure(found: Landscape) -> Picture:
    """Draw least m against d for every line of the map, and the gaps between them."""
    at = found.standpoint
    data: list[Trace] = []
    gaps = [_gap(separation) for separation in found.separations if separation.d.size]
    data += [area for area, _ in gaps]
    data += [curve for _, curve in _lines(found, "map")]
    data += [name for _, name in gaps]
    x = parameter("d")
    at_setting = setting(at, "epsilon", "alpha", "beta", "delta")
    return plot(
        data,
        log_axis((PLACES[0], PLACES[-1]), f"{x.short} {x.symbol}") | ticks(PLACES),
        log_axis(found.span, _LEAST),
        **LAYOUT,
        title="Examples needed as the domain grows",
        caption=(
            f"{at_setting}. Click a line to open its page. Dotted: lower bounds for all learners of a kind. Shaded: "
            "the extra cost, with its cause. Other lines: the least m of one learner, exact, on "
            f"the first distribution of its page.{_missing(found)}"
        ),
        summary=f"Least number of examples at d = {_TOLD_AT:,} and ε = {number(at.epsilon)}: "
        + _least_at(found, _TOLD_AT),
        filename=f"privsc-landscape-eps{at.epsilon:g}",
        table=_table(
            ((c.line.label, c.line.kind, c.d, c.m) for c in found.courses), "line", "kind", "d"
        ),
    )


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
    name = textwrap.wrap(separation.gap.name, 12, break_long_words=False)
    text = "<br>".join([*name, f"{times(separation.ratio)} at", f"d = {separation.at:,}"])
    return area | filled, words([x], [y], [text], f"{key}-name", "middle center")


# --- What δ buys, and what size of a domain it is ------------------------------------------------


_SETTING = ("epsilon", "delta", "alpha", "beta")


def bought_picture(standpoint: Standpoint, extent: Extent = "all") -> tuple[Landscape, Picture]:
    """Compute and draw least m against d, without and with a slack."""
    found = bought(standpoint, extent)
    return found, _bought_figure(found)


def traded_picture(standpoint: Standpoint) -> tuple[tuple[Traded, ...], Picture]:
    """Compute and draw least m against bits: of the domain, and of what a slack is worth."""
    found = traded(standpoint)
    return found, _traded_figure(found, standpoint)


def bought_claim(found: Landscape) -> str:
    """Return what the first picture shows in a few sentences, with its numbers; Markdown."""
    at, last = found.standpoint, f"{SLACK_PLACES[-1]:,}"
    rows, published = [], []
    for name in dict.fromkeys(one.concept for one in found.courses):
        learners = [c for c in found.of(name) if c.line.kind == "learner"]
        pure = next((c for c in learners if not c.delta), None)
        slack = next((c for c in learners if c.delta), None)
        if pure and slack:
            rows.append(
                f"{slack.line.label}: {integer(float(slack.m[-1]))} (purely private, by "
                f"{catalog.learner(name, pure.line.name).title}: {integer(float(pure.m[-1]))})"
            )
            published.append(float(slack.m[-1]) * slack.delta)
    if not rows:
        return "No class has learners of both kinds."
    most = max(published)
    spent = "" if math.isnan(most) else f", here up to mδ = {number(float(f'{most:.2g}'))} in all"
    price = ". If mδ is 1 or more, there is no privacy" if most >= 1.0 else ""
    return (
        f"**Examples needed at d = {last}:** {'; '.join(rows)}. The price: each person accepts a probability of δ = "
        f"{number(at.delta)} that their own example is published{spent}{price}."
    )


def worth_claim(standpoint: Standpoint) -> str:
    """Return what the slack of now is worth in a sentence; Markdown. Empty where it is no domain."""
    here = bits_of(standpoint.epsilon, standpoint.delta) if standpoint.delta else 0.0
    of = " and ".join(pair.label for one in catalog.CONCEPTS for pair in one.documents.exchanges)
    if here <= 0.0 or not of:
        return ""
    return (
        f"**δ = {number(standpoint.delta)} is worth {here:.1f} bits:** at larger d, learning {of} takes hardly "
        "more examples."
    )


def exchange_claim(standpoint: Standpoint) -> str:
    """Return what the second picture shows in a sentence; Markdown."""
    away = -math.log2(math.expm1(0.5 * standpoint.epsilon))
    sign = "−" if away >= 0 else "+"
    return (
        f"**With δ = 2⁻ᵇ every larger domain counts like one of b {sign} {abs(away):.1f} bits** (ε = "
        f"{number(standpoint.epsilon)}). On it the learner with δ needs about as many examples as the purely private "
        "learner of this figure needs on (exp(ε/2) − 1)/δ points."
    )


def _bought_figure(found: Landscape) -> Picture:
    at = found.standpoint
    ends = SLACK_PLACES[0], SLACK_PLACES[-1]
    data = _zone(at.delta, ends, found.span)
    for course, curve in _lines(found, "slack"):
        data += parted(curve, course.m, course.delta * (course.line.kind == "learner"))
    return plot(
        data, log_axis(ends, "bits of a domain point d"), log_axis(found.span, _LEAST), **LAYOUT,
        title="What δ buys: least m against d",
        caption=(
            f"{setting(at, *_SETTING)}. Click a line to open its page. Dotted: lower bounds for all learners of a "
            "kind. Other thin lines: upper bounds on every distribution. Thick lines: the least m of one learner, "
            f"exact, on one distribution.{_missing(found)}"
        ),
        summary=f"Least number of examples at d = {ends[1]:,}: {_least_at(found, ends[1])}",
        filename=f"privsc-slack-eps{at.epsilon:g}",
        table=_table(
            ((c.line.label, c.delta, c.d, c.m) for c in found.courses), "line", "delta", "d"
        ),
    )  # fmt: skip


def _traded_figure(found: tuple[Traded, ...], at: Standpoint) -> Picture:
    data: list[Trace] = []
    rows: list[tuple[str, Any, Any, Any]] = []
    for one in found:
        label = one.exchange.label
        pure = line(
            one.bits, one.pure, f"Pure, a domain of d bits ({label})", COLOURS["proper"],
            width=2 * THICK, uid=f"{one.concept}-pure",
        )  # fmt: skip
        slack = line(
            one.bits, one.slack, f"With δ worth so many bits, d = {SLACK_PLACES[-1]:,} ({label})",
            COLOURS["delta"], dash="dash", uid=f"{one.concept}-slack",
        )  # fmt: skip
        data.append(pure | hover("d = %{x}: least m = %{y:,.0f}"))
        says = [f"δ = {number(float(f'{d:.3g}'))}" for d in one.delta]
        told = {"text": says} | hover("%{x} bits, %{text}: least m = %{y:,.0f}")
        # Along it the slack itself changes.
        data += parted(slack | told, np.nan_to_num(one.slack) * one.delta, 1.0)
        rows += [(f"pure ({label})", 0.0, one.bits, one.pure)]
        rows += [(f"with δ ({label})", one.delta, one.bits, one.slack)]
    span = around(data) if data else (1 / 1.5, 1.5)
    more: dict[str, Any] = {}
    here = bits_of(at.epsilon, at.delta)
    if BITS[0] <= here <= BITS[-1]:
        more = {"shapes": [stroke((here, here), span, COLOURS["delta"], dash="dot")]}
        texts = [f"δ = {number(at.delta)}<br>{here:.1f} bits"]
        data.append(
            words([here * 1.02], [span[0] * 1.25], texts, "the δ of the setting", "middle right")
        )
    gap = max(
        (float(np.nanmax(np.maximum(o.pure / o.slack, o.slack / o.pure)[o.bits >= 8])) for o in found),
        default=1.0,
    )  # fmt: skip
    return plot(
        data,
        log_axis((BITS[0], BITS[-1]), "bits") | ticks((4, 8, 12, 16, 24, 32, 48)),
        log_axis(span, _LEAST),
        **LAYOUT,
        **more,
        title="δ is a domain size: least m against bits",
        caption=(
            f"{setting(at, *_SETTING)}. For the purely private learner the axis shows the bits d of the domain. For "
            f"the learner with δ, at d = {SLACK_PLACES[-1]:,}, it shows log₂((exp(ε/2) − 1)/δ). Grey: mδ is 1 or "
            "more."
        ),
        summary=f"From 8 bits on the two curves differ by a factor of at most {times(gap)}.",
        filename=f"privsc-slack-bits-eps{at.epsilon:g}",
        table=_table(rows, "line", "delta", "bits"),
    )


def _zone(delta: float, ends: tuple[float, float], span: tuple[float, float]) -> list[Trace]:
    """Return the area where m delta is 1 or more, and its name."""
    edge = max(1.0 / delta, span[0])
    if edge >= span[1]:
        return []
    x, y = [ends[0], ends[1], ends[1], ends[0]], [edge, edge, span[1], span[1]]
    area = line(x, y, "mδ ≥ 1", PALER, width=0, uid="published")
    text = "mδ ≥ 1: with this δ no privacy"
    place = [ends[0] * (ends[1] / ends[0]) ** 0.42], [math.sqrt(edge * span[1])]
    return [
        area | {"fill": "toself", "fillcolor": PALER} | QUIET,
        words(*place, [text], "published-name", "middle center"),
    ]


# --- A contest: learners of a class on one of its distributions, and on all of them ---------------


_ALL = tuple(one.documents.contest for one in contests() if one.documents.contest)
# What a link may say: the words of all distributions, and the sizes.
WORDS = tuple(dict.fromkeys(word for one in _ALL for word, _ in one.laws))
SIZES = tuple(dict.fromkeys(str(d) for one in _ALL for d in one.bits))
SIMULATED = f"simulated, {TRIALS} samples for each number"


def contest_picture(
    standpoint: Standpoint, concept: str, word: str, bits: int
) -> tuple[Contested, Picture]:
    """Compute and draw the contest of a class, see `contested`."""
    found = contested(standpoint, catalog.concept(concept), word, bits)
    drawn = success_figure(found.curves)
    rows = contest_rows(found)
    said = "; ".join(
        f"{row[0]}: "
        + ", ".join(f"{h} {c}" for h, c in zip(contest_heads(found), row[1:], strict=True))
        for row in rows
    )
    return found, replace(
        drawn,
        title=f"Which learner succeeds? Success against m, on {dict(found.contest.laws)[found.word]}",
        summary=f"{drawn.summary} Least m at d = {bits:,}, by distribution: {said}.",
        filename=f"privsc-{concept}-hard-for-whom-{found.word}-d{bits}",
    )


def contest_rows(found: Contested) -> list[list[str]]:
    """Return least m as a table: distribution, then a number a learner, ≈ where it is simulated."""
    return [
        [label, *(_cell(*pair) for pair in zip(numbers, sure, strict=True))]
        for (_, label), numbers, sure in zip(
            found.contest.laws, found.m.tolist(), found.exact.tolist(), strict=True
        )
    ]


def _cell(m: float, sure: bool) -> str:  # noqa: FBT001 - a pair of the table
    if math.isnan(m):
        return "never"
    return integer(m) if sure else f"≈ {integer(m)}"


def contest_heads(found: Contested) -> list[str]:
    """Return the learners of a contest, as the table's heads."""
    return [catalog.learner(found.concept, name).title for name in found.contest.learners]
