"""The figures of the page about δ: what it buys, and what size of a domain it is."""

from __future__ import annotations

import math
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts.style import AMBER, BLUE, GREEN, PALER, PURPLE
from privsc_core.draw.figures import log_layout, plains, success_figure
from privsc_core.draw.picture import Picture
from privsc_core.draw.slack import parted
from privsc_core.draw.style import integer, number, times
from privsc_core.draw.traces import QUIET, THICK, THIN, Trace, axis, hover, line, stroke, words
from privsc_core.evaluate.landscape import (
    BITS,
    SLACK_PLACES,
    TRIALS,
    bought,
    contested,
    contests,
    traded,
)
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from privsc_core.evaluate.landscape import Bought, Contested, Course, Standpoint, Traded


# A class has a colour; pure lines, which lie on each other, have dashes, what is no learner dots.
_COLOURS = (BLUE.colour, GREEN.colour, PURPLE.colour, AMBER.colour)
_PURE = ("solid", "dash", "dot", "dashdot")
_SETTING = ("epsilon", "delta", "alpha", "beta")


def bought_picture(standpoint: Standpoint) -> tuple[Bought, Picture]:
    """Compute and draw least m against d, without and with a slack."""
    found = bought(standpoint)
    return found, _bought_figure(found)


def traded_picture(standpoint: Standpoint) -> tuple[tuple[Traded, ...], Picture]:
    """Compute and draw least m against bits: of the domain, and of what a slack is worth."""
    found = traded(standpoint)
    return found, _traded_figure(found, standpoint)


def bought_claim(found: Bought) -> str:
    """Return what the first picture shows in a few sentences, with its numbers; Markdown."""
    at, last = found.standpoint, f"{SLACK_PLACES[-1]:,}"
    if not found.rates:
        return "No class has learners of both kinds."
    rows = [
        f"{r.slack.line.label} {integer(float(r.slack.m[-1]))} (purely private, by "
        f"{catalog.learner(r.pure.concept, r.pure.line.name).title}: {integer(float(r.pure.m[-1]))})"
        for r in found.rates
    ]
    most = max(r.published for r in found.rates)
    spent = "" if math.isnan(most) else f", here up to mδ = {number(float(f'{most:.2g}'))} in all"
    price = ". From 1 on that is no privacy" if most >= 1.0 else ""
    return (
        f"**The purely private learners here pay for every bit of the domain, those with a slack hardly:** at d = {last} the "
        f"least numbers of examples are {'; '.join(rows)}. The price: each person accepts a chance of δ = "
        f"{number(at.delta)} that their own example is published{spent}{price}."
    )


def exchange_claim(standpoint: Standpoint) -> str:
    """Return what the second picture shows in a sentence; Markdown."""
    away = -math.log2(math.expm1(0.5 * standpoint.epsilon))
    sign = "−" if away >= 0 else "+"
    return (
        f"**δ = 2⁻ᵇ is worth a domain of b {sign} {abs(away):.1f} bits** (ε = "
        f"{number(standpoint.epsilon)}): however large the domain is, it counts as one of (exp(ε/2) − 1)/δ "
        "points, and costs about what the purely private learner of this picture pays for those."
    )


def _colour(concept: str) -> str:
    names = [one.name for one in catalog.CONCEPTS if one.documents.on("slack")]
    return _COLOURS[names.index(concept) % len(_COLOURS)]


def _dash(course: Course) -> str:
    if course.line.kind == "bound":
        return "dot" if catalog.bound(course.concept, course.line.name).kind == "lower" else "dash"
    if course.delta:
        return "solid"
    names = [one.name for one in catalog.CONCEPTS if one.documents.on("slack")]
    return _PURE[names.index(course.concept) % len(_PURE)]


def _lines(course: Course) -> list[Trace]:
    declared = course.line
    learner = declared.kind == "learner"
    what = "least m"
    if not learner:
        kind = catalog.bound(course.concept, declared.name).kind
        what = "impossible below m" if kind == "lower" else "enough: m"
    says = "<br>".join(textwrap.wrap(declared.says, 44))
    trace = line(
        course.d, course.m, declared.label, _colour(course.concept), dash=_dash(course),
        width=THICK if learner else THIN, uid=course.key,
    )  # fmt: skip
    trace |= hover(f"<b>{declared.label}</b><br>d = %{{x:,}}: {what} = %{{y:,.0f}}<br>{says}")
    return parted(trace, course.m, course.delta) if learner else [trace]


def _bought_figure(found: Bought) -> Picture:
    at = found.standpoint
    values = np.concatenate([c.m for c in found.courses] or [np.array([10.0, 1000.0])])
    values = values[np.isfinite(values)]
    span = 10.0 ** math.floor(math.log10(values.min())), 2.0 * float(values.max())
    # What lies on each other is seen: solid lines below, broken ones on top of them.
    ordered = sorted(found.courses, key=lambda course: _dash(course) != "solid")
    data = [
        *_zone(at.delta, (SLACK_PLACES[0], SLACK_PLACES[-1]), span),
        *(trace for course in ordered for trace in _lines(course)),
    ]
    layout = log_layout(
        "bits of a domain point d",
        (SLACK_PLACES[0], SLACK_PLACES[-1]),
        "least number of examples m",
        span,
    )
    missing = "".join(f" {c.line.label}: {c.reason}." for c in found.courses if c.reason)
    return Picture(
        figure={"data": data, "layout": layout},
        title="What δ buys: least m against d",
        caption=(
            f"{_setting(at)}. Each line ends at its door. Learners: exact laws on the first "
            "distribution of their class; dotted: no proper learner with δ does with less there; dashed and "
            f"thin: enough on every distribution. Grey: mδ is 1 or more; pure lines have no δ.{missing}"
        ),
        summary=f"Least number of examples at d = {SLACK_PLACES[-1]:,}: "
        + "; ".join(f"{c.line.label} {integer(float(c.m[-1]))}" for c in found.courses) + ".",
        filename=f"privsc-slack-eps{at.epsilon:g}",
        table=_table([(c.line.label, c.delta, c.d, c.m) for c in found.courses], "d"),
    )  # fmt: skip


def _traded_figure(found: tuple[Traded, ...], at: Standpoint) -> Picture:
    data: list[Trace] = []
    rows: list[tuple[str, Any, Any, Any]] = []
    for one in found:
        colour, label = _colour(one.concept), one.exchange.label
        pure = line(
            one.bits, one.pure, f"Pure, a domain of d bits ({label})", colour, width=2 * THICK,
            uid=f"{one.concept}-pure",
        )  # fmt: skip
        slack = line(
            one.bits, one.slack, f"With δ worth so many bits, d = {SLACK_PLACES[-1]:,} ({label})",
            AMBER.colour, dash="dash", uid=f"{one.concept}-slack",
        )  # fmt: skip
        data.append(pure | hover("d = %{x}: least m = %{y:,.0f}"))
        says = [f"δ = {number(float(f'{d:.3g}'))}" for d in one.delta]
        told = {"text": says} | hover("%{x} bits, %{text}: least m = %{y:,.0f}")
        data += _parted_each(slack | told, one)
        rows += [(f"pure ({label})", 0.0, one.bits, one.pure)]
        rows += [(f"with δ ({label})", one.delta, one.bits, one.slack)]
    values = np.concatenate([v for one in found for v in (one.pure, one.slack)] or [np.ones(1)])
    values = values[np.isfinite(values)]
    span = float(values.min()) / 1.5, float(values.max()) * 1.5
    layout = log_layout("bits", (BITS[0], BITS[-1]), "least number of examples m", span)
    ticks = (4, 8, 12, 16, 24, 32, 48)
    layout["xaxis"] |= axis(at=ticks, texts=[str(tick) for tick in ticks])
    here = math.log2(math.expm1(0.5 * at.epsilon)) - math.log2(at.delta)
    if BITS[0] <= here <= BITS[-1]:
        layout["shapes"] = [stroke((here, here), span, AMBER.colour, dash="dot")]
        texts = [f"δ = {number(at.delta)}<br>{here:.1f} bits"]
        data.append(
            words([here * 1.02], [span[0] * 1.25], texts, "the slack of now", "middle right")
        )
    gap = max(
        (float(np.nanmax(np.maximum(o.pure / o.slack, o.slack / o.pure)[o.bits >= 8])) for o in found),
        default=1.0,
    )  # fmt: skip
    return Picture(
        figure={"data": data, "layout": layout},
        title="δ is a domain size: least m against bits",
        caption=(
            f"{_setting(at)}. One axis, two meanings: bits d of the domain without a slack, and with one, at "
            f"d = {SLACK_PLACES[-1]:,}, the bits log₂((exp(ε/2) − 1)/δ) that the slack is worth. Grey: mδ is 1 or more."
        ),
        summary=f"From 8 bits on the two curves differ by a factor of at most {times(gap)}.",
        filename=f"privsc-slack-bits-eps{at.epsilon:g}",
        table=_table(rows, "bits"),
    )


def _parted_each(trace: Trace, one: Traded) -> list[Trace]:
    """Return a line along which the slack itself changes, grey where it is spent."""
    return parted(trace, np.nan_to_num(one.slack) * one.delta, 1.0)


def _zone(delta: float, ends: tuple[float, float], span: tuple[float, float]) -> list[Trace]:
    """Return the area where m delta is 1 or more, and its name."""
    edge = max(1.0 / delta, span[0])
    if edge >= span[1]:
        return []
    x, y = [ends[0], ends[1], ends[1], ends[0]], [edge, edge, span[1], span[1]]
    area = line(x, y, "mδ ≥ 1", PALER, width=0, uid="published")
    text = "mδ ≥ 1: with this δ no privacy"
    place = [ends[0] * (ends[1] / ends[0]) ** 0.3], [math.sqrt(edge * span[1])]
    return [
        area | {"fill": "toself", "fillcolor": PALER} | QUIET,
        words(*place, [text], "published-name", "middle center"),
    ]


def _setting(at: Standpoint) -> str:
    return ", ".join(f"{parameter(n).symbol} = {number(getattr(at, n))}" for n in _SETTING)


def _table(rows: list[tuple[str, Any, Any, Any]], name: str) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"line": [], "delta": [], name: [], "m": []}
    for label, delta, x, m in rows:
        columns["line"] += [label] * x.size
        columns["delta"] += np.broadcast_to(delta, x.shape).tolist()
        columns[name] += plains(x)
        columns["m"] += plains(m)
    return columns


# -------------------------------------------------------------------------------------------------
# The figure of a contest: learners of a class on one of its distributions, and on all of them.


_ALL = tuple(one.documents.contest for one in contests() if one.documents.contest)
# What a link may say: the words of all distributions, and the sizes.
WORDS = tuple(dict.fromkeys(word for one in _ALL for word, _ in one.laws))
SIZES = tuple(dict.fromkeys(str(d) for one in _ALL for d in one.bits))
SIMULATED = f"simulated, {TRIALS} samples a number"


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
        title=f"Hard for whom? Success against m, on {dict(found.contest.laws)[found.word]}",
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
