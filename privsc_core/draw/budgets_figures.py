"""The pictures of two budgets: the plane (m, u), and labels against d.

Which class it is stands in `Told` alone.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privsc_core import catalog, progress
from privsc_core.concepts.contracts import Source
from privsc_core.concepts.contracts.style import (
    NAVY,
    RED,
    WHITE,
    Style,
    faint,
)
from privsc_core.draw.figures import LAYOUT, success_map
from privsc_core.draw.picture import plains, plot, rows, setting
from privsc_core.draw.pinned import fine, label_of
from privsc_core.draw.prediction import mark
from privsc_core.draw.reading import COLOURS, LOGARITHMIC, Line
from privsc_core.draw.style import integer, number
from privsc_core.draw.traces import (
    MUTE,
    QUIET,
    THICK,
    THIN,
    Trace,
    around,
    axis,
    hover,
    joined,
    line,
    log_axis,
    marks,
    ticks,
    words,
)
from privsc_core.errors import InputError
from privsc_core.evaluate.budgets import BASELINE, LEARNER
from privsc_core.evaluate.prediction import Least
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.budgets import Against, Asking, Plane, TwoBudgets


# Each with the name of the lines on the plane that it speaks of.
CARDS = {
    "Labels that suffice": LEARNER, "Labelled + unlabelled": LEARNER, "All labelled": BASELINE,
    "Impossible with fewer labels": "wall",
}  # fmt: skip
# As for `prediction.mark`.
_SETTING = ("d", "epsilon", "alpha", "beta")
PLANE_AXES, PLANE_QUANTITY = ("m", "u"), "success"
SHADE = faint(RED, 0.42)
_ROOM = 0.1  # of the height of the plane, above the curve of people: half of a name of two lines
_FLAT = 1.3  # a frame that much higher than its map


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the pictures say of a class.

    Attributes
    ----------
    of : TwoBudgets
        What is computed of it.
    symbol : str
        The class as formulas have it.
    learner, labelled : str
        Who has two budgets, and who has all labelled, in words.
    sanitizer : str
        What the unlabelled examples become.
    improper, boosted, slack : (str, str)
        The improper learner, LabelBoost, and the learner with a slack: what the legend says of each, and
        its name in the catalog; empty for none.
    learners : tuple of str
        Those of the class that the page speaks of: the one with two budgets and the one that has all
        labelled, those of the picture over d, and what they are compared with.
    own : str
        What the names of its files have behind "labels".
    wall, enough : str
        What is known of the wall, and how the labels that can do were found.
    source, tuned : str
        How the numbers over d were found, and what else was tuned for them.
    promise : callable, optional
        Setting -> a sentence on what suffices on every distribution.
    """

    of: TwoBudgets
    symbol: str
    learner: str
    labelled: str
    sanitizer: str
    learners: tuple[str, ...]
    improper: tuple[str, str] = ("", "")
    boosted: tuple[str, str] = ("", "")
    slack: tuple[str, str] = ("", "")
    own: str = ""
    wall: str = "sharp (ours)"
    enough: str = ""
    source: str = "Simulated"
    tuned: str = ""
    promise: Callable[[Cell], str] = lambda _: ""


@functools.lru_cache(maxsize=16)
def sources_of(told: Told, *learners: str) -> tuple[Source, ...]:
    """Return where a picture of some learners comes from."""
    concept = told.of.concept
    return (
        *(catalog.learner(concept, name).source for name in learners),
        catalog.distribution(concept, told.of.law).source,
        *(catalog.bound(concept, name).source for name in told.of.bounds),
    )


class CardWords(NamedTuple):
    """What a card says, and the name of the lines that it speaks of."""

    label: str
    value: str
    note: str
    about: str


def cards(found: Plane, told: Told) -> tuple[CardWords, ...]:
    """Return what the cards say."""
    tuned = not math.isnan(found.u_tuned)
    u = found.u_tuned if tuned else found.u_own
    people = found.example + u
    own = "simulated"
    if tuned:
        own = (
            f"threshold tuned for {told.of.law}; the learner's own takes u = {integer(found.u_own)}"
        )
    price = f"labels + unlabelled: {people / found.labelled:.2f} × all labelled; {own}"
    rows = (
        (
            integer(found.plenty),
            f"{told.learner} on {told.of.law}, with any number of unlabelled examples{told.enough}",
        ),
        (f"{found.example:,} + {integer(u)}", price),
        (integer(found.labelled), f"{told.labelled} on {told.of.law}, u = 0"),
        (
            integer(found.wall),
            f"pure privacy, labelled people fixed, any u, proper or not; {told.wall}",
        ),
    )
    return tuple(
        CardWords(name, *rest, about)
        for (name, about), rest in zip(CARDS.items(), rows, strict=True)
    )


def _shadowed(
    x: NDArray[Any], y: NDArray[np.float64], name: str, dash: str, uid: str
) -> list[Trace]:
    """Return a light line with a dark one under it, which any part of the map leaves readable."""
    return [
        line(x, y, name, paint, dash=dash, width=width, uid=f"{uid}{width}", legendgroup=name)
        | MUTE | {"showlegend": width == THICK}
        for width, paint in ((THICK + 2, NAVY), (THICK, WHITE))
    ]  # fmt: skip


def _zone(x: NDArray[np.float64], y: NDArray[np.float64], name: str, uid: str) -> Trace:
    edge = {"color": RED, "width": THIN}
    area = line(x, y, name, RED, uid=uid)
    return area | {"fill": "toself", "fillcolor": SHADE, "line": edge} | QUIET


def _dot(x: float, y: float, name: str) -> Trace:
    dot = marks([x], [y], name, RED, "circle", 13)
    dot["marker"]["line"] = {"color": WHITE, "width": THIN}
    return dot


def frontier_names(found: Plane, told: Told) -> tuple[str, str, str]:
    """Return what the legend has: the frontier, the tuned one, and the learner without people."""
    return (
        f"success {number(1.0 - found.at.beta)}: {told.learner}",
        f"the same, threshold tuned for {told.of.law}",
        f"all labelled: {told.labelled}",
    )


def plane_figure(found: Plane, told: Told) -> Picture:
    """Draw success over labelled and unlabelled examples."""
    at, m, u = found.at, found.m.astype(np.float64), found.u.astype(np.float64)
    low, high, top = float(m[0]), float(m[-1]), float(u[-1])
    heat = success_map(found.success, found.m, found.u)
    data = [heat | hover("m = %{x:,} labelled, u = %{y:,} unlabelled: success %{z:.3f}")]
    if found.people > low:
        x = np.append(np.geomspace(low, min(found.people, high), 40), low)
        y = np.append(np.maximum(found.people - x[:-1], 0.0), 0.0)
        data.append(_zone(x, y, "too few people", "people"))
    if found.wall > low:
        x, y = np.array([low, found.wall, found.wall, low]), np.array([0.0, 0.0, top, top])
        data.append(_zone(x, y, "too few labels", "wall"))
    names = frontier_names(found, told)
    data += _shadowed(m, found.own, names[0], "solid", LEARNER)
    tuned = np.isfinite(found.tuned)
    if tuned.any():
        data += _shadowed(m[tuned], found.tuned[tuned], names[1], "dot", f"{LEARNER}0")
    data.append(
        _dot(found.labelled, 0.0, names[2]) | {"cliponaxis": False, "uid": BASELINE}
        | hover(f"all labelled: m = {integer(found.labelled)}, u = 0 suffice")
    )  # fmt: skip
    if found.wall > low:
        # The strip may be narrower than its name, which then goes on where the map is dark. What
        # stands exactly at the end of an axis may count as outside.
        place = [1.03 * low], [max(2 * _ROOM * top, found.people + _ROOM * top)]
        text = f"impossible:<br>m < {integer(found.wall)}"
        data.append(words(*place, [text], "wall-at", "middle right", WHITE))
    if found.people > max(1.5 * found.wall, 0.12 * top):
        place = [found.wall**0.54 * found.people**0.46], [0.28 * found.people]
        text = f"no proper one:<br>m + u < {integer(found.people)}"
        data.append(words(*place, [text], "people-at", "middle center", WHITE))
    up, across = (part.ravel() for part in np.indices(found.success.shape)[:, ::5, ::5])
    return plot(
        data, log_axis((low, high), "labelled examples m"),
        axis("unlabelled examples u", (0.0, top), zoom="labels", tickformat=","), **LAYOUT,
        title="Success over labelled and unlabelled examples",
        caption=(
            f"{told.symbol}, {setting(at, *_SETTING)}. Colour: {_how(found)} success of {told.learner} (Beimel, "
            f"Nissim, Stemmer 2015; sanitizer ours: {told.sanitizer}) on the distribution {told.of.law}; nothing is "
            "guaranteed on others. Red (ours, for pure privacy): impossible. The vertical edge binds learners whose "
            "labelled people are fixed beforehand; the curve binds proper learners." + told.promise(at)
        ),
        summary=(
            f"At d = {at.d:,}: impossible with fewer than {integer(found.wall)} labels of people fixed beforehand or, "
            f"if proper, {integer(found.people)} people; all labelled {integer(found.labelled)}; {found.example:,} labels "
            f"take {integer(found.u_own if math.isnan(found.u_tuned) else found.u_tuned)} unlabelled examples."
        ),
        filename=f"privsc-labels{told.own}-d{at.d}-eps{at.epsilon:g}",
        table={
            "m": plains(found.m[across]), "u": plains(found.u[up]),
            "success": [float(v) for v in found.success[up, across]],
        },
        sources=sources_of(told, LEARNER, BASELINE),
    )  # fmt: skip


def plane_question(told: Told) -> str:
    """Return what is asked before a plane is shown; `plane_answer` has the answer."""
    return (
        f"How many labels does {told.learner} need on the distribution {told.of.law}, if any number of unlabelled "
        "examples is available?"
    )


def plane_answer(found: Plane, told: Told) -> Least:
    """Return the labels that suffice with any number of unlabelled examples."""
    return Least(f"{told.learner} with any number of unlabelled examples", math.ceil(found.plenty))


def plane_frame(picture: Picture, found: Plane, told: Told) -> Picture:
    """Return the picture with its setting for a caption: what else it says would help to guess."""
    return replace(picture, caption=f"{told.symbol}, {setting(found.at, *_SETTING)}.")


def plane_marked(picture: Picture, guess: int) -> Picture:
    """Return the picture with a line at the guessed number of labels."""
    return mark(picture, guess, PLANE_AXES, PLANE_QUANTITY, 0.0)


def plane_numbers(found: Plane) -> dict[str, float | None]:
    """Return what is compared of planes at two settings; None for none."""
    u = found.u_own if math.isnan(found.u_tuned) else found.u_tuned
    plenty, _, labelled, wall = CARDS
    names = (
        wall, plenty, "Labels of the example", "Unlabelled, in the example", labelled, "No proper learner: people",
    )  # fmt: skip
    values = found.wall, found.plenty, found.example, u, found.labelled, found.people
    return {
        name: None if math.isnan(value) else math.ceil(value)
        for name, value in zip(names, values, strict=True)
    }


def plane_beside(picture: Picture, found: Plane, before: Plane) -> Picture:
    """Return the picture of a plane with the frontier and the limits of another one, thin."""
    label = label_of(before.at, found.at, parameter)
    ends = np.array([found.u[-1], 0.0]), np.array([before.wall, before.wall])
    people = np.geomspace(float(before.m[0]), max(before.people, float(before.m[0])), 40)
    data = fine(before.m, before.own, f"{label}: success {number(1.0 - before.at.beta)}")
    edge = {"showlegend": False, "opacity": 0.9}
    for x, y, name in ((ends[1], ends[0], "wall"), (people, before.people - people, "people")):
        data.append(
            line(x, y, f"{label}: {name}", RED, dash="dot", uid=f"pinned-{name}") | MUTE | edge
        )
    # The frame has room for both frontiers; the colours are those of now.
    layout = dict(picture.figure["layout"])
    top = max(float(found.u[-1]), 1.25 * np.nanmax(np.append(before.own, 0.0)))
    layout["yaxis"] = layout["yaxis"] | axis(span=(0.0, top))
    # Where that makes the area of few people flat its name no longer fits.
    flat = {"people-at"} if top > _FLAT * float(found.u[-1]) else set()
    shown = [trace for trace in picture.figure["data"] if trace.get("uid") not in flat]
    return replace(
        picture,
        figure={"data": [*shown, *data], "layout": layout},
        caption=f"{picture.caption} Thin: frontier and limits, {label}.",
        summary=f"{picture.summary} Beside it, thin, the frontier of another setting; {label}.",
    )


def plane_strip(
    plane: Callable[..., tuple[Plane, Picture]], settings: tuple[Cell, ...]
) -> tuple[tuple[Plane, Picture] | None, ...]:
    """Compute and draw the plane at several settings; None where it is refused."""
    found: list[tuple[Plane, Picture] | None] = []
    for at in progress.steps(settings):
        try:
            found.append(plane(at.d, at.epsilon, at.alpha, at.beta))
        except InputError:
            found.append(None)
    return tuple(found)


def _how(found: Plane) -> str:
    if not found.trials:
        return "exact"
    return f"simulated ({found.trials:,} draws, the same random bits for every cell)"


def against_claim(found: Against, told: Told) -> str:
    """Return what the second picture shows in a sentence, with its numbers; Markdown."""
    few, many = int(found.d[0]), int(found.d[-1])
    first, last = (integer(float(found.labels[place])) for place in (0, -1))
    needs = f"stays at {last}" if first == last else f"goes from {first} to {last}"
    return (
        f"**The number of labels stays small, and the number of people grows.** From d = {few} to d = {many:,} "
        f"{told.learner} {needs} labels, and the people go from {integer(float(found.people[0]))} to "
        f"{integer(float(found.people[-1]))}. If all examples are labelled, {integer(float(found.labelled[-1]))} "
        "labels are needed."
    )


def against_figure(found: Against, told: Told) -> Picture:
    """Draw labels, and people, against d."""
    style_of = catalog.concept(told.of.concept).style_of
    own, wall = style_of(LEARNER), Style(RED, "dot", "circle-open")
    curves = [
        (f"All labelled: {told.labelled}", found.labelled, style_of(BASELINE), "labels"),
        (f"People of {told.learner}, m + u", found.people, replace(own, dash="dot"), "people"),
        (f"Labels of {told.learner}", found.labels, own, "labels"),
        ("Impossible below: labels", found.wall, wall, "labels"),
    ]
    others = (
        (told.slack, found.slack, "people"), (told.improper, found.improper, "labels"),
        (told.boosted, found.boosted, "labels"),
    )  # fmt: skip
    for (name, learner), least, what in others:
        if name:
            curves.insert(-1, (name, least, style_of(learner), what))
    places = found.d.astype(int).tolist()
    data = [
        joined(found.d, y, name, look, f"{look.marker}-open" if what == "people" else "")
        | hover(f"<b>{name}</b><br>d = %{{x:,}}: %{{y:,.0f}} {what}")
        for name, y, look, what in curves
    ]
    at = found.at
    return plot(
        data, log_axis((places[0], places[-1]), "bits of a domain point d") | ticks(places),
        log_axis(around(data), "examples"), **LAYOUT,
        title="Labels and people",
        caption=(
            f"{setting(at, *_SETTING[1:])}. {told.source} on the {told.of.law} distribution. Labels: the least "
            "number of labels, with any number of unlabelled examples. People: the least number of people, with a "
            f"quarter more labels than that{told.tuned}. Dotted: our lower bound for every purely private learner "
            "whose labelled people are fixed beforehand. The proofs of the paper hold for all distributions. They "
            f"ask for {found.proved[0]:,} labels, not counting the terms for privacy (Theorem 3.3), and with "
            f"LabelBoost for {found.proved[1]:,} (Theorem 4.13, at ε = 1)."
        ),
        summary=f"At d = {places[-1]:,}: "
        + "; ".join(f"{name} {integer(float(y[-1]))}" for name, y, *_ in curves) + ".",
        filename=f"privsc-labels{told.own}-d-eps{at.epsilon:g}",
        table=rows(data, "line", "d", "examples"),
        sources=sources_of(told, *told.learners),
    )  # fmt: skip


# --- How to read the plane of two budgets, in plain words: its axes, lines and shades ------------


def example_words(found: Plane, told: Told, u: int) -> str:
    """Return what there is to know of numbers of learners beside so many unlabelled examples."""
    said = (
        f"For learners that take unlabelled examples, m counts only the labelled ones. There are also u = {u:,} "
        "unlabelled examples"
    )
    if math.isnan(found.u_own):
        said += f". {told.learner} has no example in the figure, as no number of people that was tried is enough."
    else:
        said += f", as in the example of {told.learner} at its own threshold."
        if found.trials:
            said += " Both are simulated, so this m may differ from the m of the example, or be missing."
    return f"{said} The lower bound for proper learners counts all people, m + u."


def plane_reading(found: Plane, told: Told) -> tuple[Line, ...]:
    """Return what a reader of the plane has to know, in reading order."""
    goal = number(1.0 - found.at.beta)
    own, tuned, dot = frontier_names(found, told)
    how = "simulated" if found.trials else "exact"
    lines = [
        Line(
            "Across: labelled examples m",
            f"The number of people who give a point and its label. {LOGARITHMIC}",
        ),
        Line(
            "Up: unlabelled examples u", "The number of people who give a point without its label."
        ),
        COLOURS,
        Line(
            own,
            f"Light line, {how}: on it {told.learner} succeeds with probability {goal}, above it with a larger "
            "probability. Left of where the line ends, no number of unlabelled examples in the figure is enough.",
        ),
    ]
    if np.isfinite(found.tuned).any():
        words = (
            f"Dotted light line: a learner with a threshold that is tuned to {told.of.law} alone."
        )
        lines.append(Line(tuned, words))
    words = f"Here {integer(found.labelled)} labelled examples are enough, without unlabelled ones."
    lines.append(Line(dot, words, RED, filled=True))
    if found.wall > found.m[0]:
        words = (
            f"Fewer than {integer(found.wall)} labels, with any number of unlabelled examples. No purely private "
            f"learner, proper or not, whose labelled people are fixed beforehand succeeds with probability {goal} "
            "for every target. A theorem, no simulation."
        )
        lines.append(Line("Red shade, left of the vertical edge", words, SHADE, filled=True))
    if found.people > found.m[0]:
        words = (
            f"Fewer than {integer(found.people)} people, m + u. No proper, purely private "
            f"learner succeeds with probability {goal} for every target. A theorem, no "
            "simulation."
        )
        lines.append(Line("Red shade, below the curve", words, SHADE, filled=True))
    return tuple(lines)


# --- The picture of asking few of many: labels and people against the privacy loss ---------------


def asking_figure(found: Asking, told: Told, *, published: bool) -> Picture:
    """Draw labels, and people, against epsilon, with what the setting promises.

    Parameters
    ----------
    found : Asking
    told : Told
        Of the class.
    published : bool
        Whether the world sees whose label was asked.
    """
    at, own = found.at, catalog.concept(told.of.concept).style_of(LEARNER)
    promise = found.inner if published else at.epsilon
    asked = np.full(found.epsilon.shape, found.asked)
    curves = [
        ("Labels, if everybody sees who gives them", found.known, "solid", THICK),
        ("Labels of a few people chosen at random, in secret", asked, "dash", THICK),
        ("The people from whom they are chosen", found.people, "dashdot", THIN),
        ("These people by the paper's bound", found.paper, "dot", THIN),
    ]
    data = [
        line(found.epsilon, y, name, own, dash=dash, width=width)
        | hover(f"<b>{name}</b><br>ε = %{{x:.3g}}: %{{y:,.0f}}")
        for name, y, dash, width in curves
    ]
    dot = _dot(promise, found.asked, "what is promised")
    dot |= hover(f"ε = {number(promise)}: {integer(found.asked)} labels")
    ends = float(found.epsilon[0]), float(found.epsilon[-1])
    few, crowd = integer(found.asked), integer(found.crowd)
    says = (
        f"{few} labels, if everybody sees whose: each of the {few} people is protected by ε = "
        f"{number(found.inner)} only"
        if published
        else f"{few} labels of people chosen at random among {crowd}: everybody is protected by "
        f"ε = {number(at.epsilon)}"
    )
    if not published and found.inner <= at.epsilon:
        says = f"{few} labels: at ε = {number(at.epsilon)} the choice need not be secret"
    return plot(
        [*data, dot], log_axis(ends, "privacy loss ε promised to everybody"),
        log_axis(around(data), "examples"), **LAYOUT,
        title=says[0].upper() + says[1:],
        caption=(
            f"{told.symbol}, d = {at.d:,}, α = {number(at.alpha)}, β = {number(at.beta)}: labels of {told.learner} "
            f"on {told.of.law}, with any number of unlabelled examples of other people. A random share of the people "
            f"is asked for labels, and the learner protects these people by ε' = {number(found.inner)}. If the "
            "choice stays secret (BNS15, Definition 5.3), everybody is protected by log(1 + share · (e^ε' - 1)) "
            "(exact, ours; the paper draws the smallest indices and needs more people). If the choice is published "
            "(Definition 5.4), people are protected by ε' only. Then the ε of the setting requires at least "
            f"{number(round(found.least, 2))} labels (ours)."
        ),
        summary=f"{says}. By the bound of the paper the number of people would be "
        f"{integer(float(found.paper[np.searchsorted(found.epsilon, at.epsilon)]))}.",
        filename=f"privsc-labels{told.own}-asked-eps{at.epsilon:g}-inner{found.inner:g}",
        table=rows(data, "line", "epsilon", "examples"),
        sources=(Source("BNS15", "Definitions 5.3 and 5.4"), *sources_of(told, LEARNER)),
    )  # fmt: skip
