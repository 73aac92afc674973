"""How to read a picture: its axes, every curve and every shade, in plain words.

Read off the finished picture, so it speaks of what is drawn and of nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privsc_core.concepts.contracts.style import DASH_DOT_DOT, IMPOSSIBLE
from privsc_core.draw.figures import PROVED, SIMULATED
from privsc_core.draw.traces import GREY
from privsc_core.draw.views import VIEWS
from privsc_core.errors import InputError
from privsc_core.literature.glossary import find
from privsc_core.literature.papers import papers

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Bound, Learner
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario

_DASHES = {
    "solid": "Solid line",
    "dash": "Dashed line",
    "dot": "Dotted line",
    "longdash": "Line of long dashes",
    "dashdot": "Line of dashes and dots",
    "longdashdot": "Line of long dashes and dots",
    DASH_DOT_DOT: "Line of dashes and two dots",
}
_CONSTANTS = {
    "sharp": "our constants, with proof under Theory",
    "paper": "constants of the paper's proof",
    "rate": "a rate only",
}


_OWN = {
    "success": "The step is where the setting begins to have as many examples as your bound asks for",
    "m": "The number of examples that your bound asks for",
    "map": "Where m is the number of examples that your bound asks for",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One thing in the picture and what it says.

    Attributes
    ----------
    name : str
        The axis, the curve as the legend calls it, or the region.
    words : str
        Plain text.
    colour, dash : str
        How it is drawn; empty for what has no colour of its own.
    filled : bool
        Whether it is a shade rather than a line.
    """

    name: str
    words: str
    colour: str = ""
    dash: str = ""
    filled: bool = False


COLOURS = Line(
    "Colours",
    "The probability of success at each setting: from dark blue (never) to bright yellow (always).",
)
LOGARITHMIC = "Logarithmic: equal steps are equal factors."


def reading(scenario: Scenario, view: str, picture: Picture) -> tuple[Line, ...]:
    """Return what a reader of one of the pictures in `VIEWS` has to know, in reading order.

    Parameters
    ----------
    scenario : Scenario
        What the picture shows.
    view : str
        A name in `VIEWS`.
    picture : Picture
        The picture that was drawn of them.

    Raises
    ------
    InputError
        For an unknown view.
    """
    if view not in VIEWS:
        raise InputError("view", f"must be one of {', '.join(VIEWS)}", view)
    quantity = VIEWS[view].quantity
    traces = [t for t in picture.figure["data"] if t.get("showlegend", True)]
    lines = _axes(scenario, view, picture.figure["layout"])
    if quantity == "map":
        lines.append(COLOURS)
    elif scenario.drawn:
        lines.append(_hues(scenario))
    lines += [_curve(scenario, trace, quantity) for trace in traces if trace["uid"] != "map"]
    if quantity == "success":
        lines += _regions(traces)
        lines.append(Line("1-β", _meaning("target line"), GREY, "dot"))
        if any(t.get("fill") == "toself" and _is_band(t) for t in picture.figure["data"]):
            lines.append(Line("Pale band", _meaning("band")))
    if quantity == "m" and any("slope" in t["name"] for t in traces):
        lines.append(Line("Slope", _meaning("slope")))
    return tuple(lines)


def _hues(scenario: Scenario) -> Line:
    word = scenario.concept_class.words.learner
    pure, labels = "Green: purely private.", ""
    if scenario.concept_class.labelled:
        pure = (
            "Grey: no privacy. Blue: purely private and proper. Green: purely private and improper."
        )
        labels = " Purple: private for the labels only."
    says = f"What the {word} may do. {pure} Amber: (ε, δ)-private with δ > 0.{labels}"
    return Line(f"Colour of a {word}", says)


def _axes(scenario: Scenario, view: str, layout: dict[str, Any]) -> list[Line]:
    chosen = VIEWS[view]
    across, up = (layout[key]["title"]["text"] for key in ("xaxis", "yaxis"))
    lines = [Line(f"Across: {across}", _axis(scenario, chosen.axes[0]))]
    if chosen.quantity == "success":
        concept = scenario.concept_class
        said = concept.words
        words = (
            f"How often {said.success}, over {f'the {said.sample} and ' * concept.labelled}the "
            f"{said.learner}'s random bits: from 0 (never) to 1 (always)."
        )
        lines.append(Line("Up: probability of success", words))
    elif chosen.quantity == "m":
        words = f"{_meaning('least m')} Lower is better. {LOGARITHMIC}"
        lines.append(Line(f"Up: {up}", words))
    else:
        lines.append(Line(f"Up: {up}", _axis(scenario, chosen.axes[1])))
    return lines


def _axis(scenario: Scenario, name: str) -> str:
    entry = scenario.concept_class.parameter(name)
    words = entry.meaning
    if name == "m":
        words = f"number of {scenario.concept_class.unit}"
    ends = f" From {entry.ends[0]} to {entry.ends[1]}." if name == "epsilon" else ""
    return f"{words[0].upper()}{words[1:]}.{ends} {LOGARITHMIC}"


def _curve(scenario: Scenario, trace: dict[str, Any], quantity: str) -> Line:
    uid, line = str(trace["uid"]), trace.get("line", {})
    dash = str(line.get("dash", "solid"))
    style = _DASHES.get(dash, "Line")
    hidden = (
        " Drawn only on request: press “Draw more bounds” above the figure."
        if trace.get("visible") == "legendonly"
        else ""
    )
    learners = {e.name: e for e in scenario.concept_class.learners}
    bounds = {e.name: e for e in scenario.concept_class.bounds}
    # Pictures mark traces by name, kind and width; those of a learner may have its name alone.
    found = re.fullmatch(r"(.+)-(learner|lower|upper)(-\w+)?", uid)
    name, kind = found.group(1, 2) if found else (uid, "learner")
    if kind != "learner" and name in bounds:
        words = said_by(bounds[name], quantity, scenario.law.name)
    elif scenario.own and name == scenario.own.name:
        style = "Double line"
        words = f"{_OWN[quantity]}: {scenario.formula}. What you typed; nothing here proves it"
    elif name in learners:
        words = _learner(scenario, learners[name], quantity, str(trace["name"]))
    elif uid.startswith("pinned"):
        words = "Curves of the pinned setting, in the colours of their learners"
        if quantity == "map":
            words = "Where success is 1-β at the setting that was pinned"
    else:
        words = "See the caption"
    return Line(str(trace["name"]), f"{style}. {words}.{hidden}", str(line.get("color", "")), dash)


def _learner(scenario: Scenario, entry: Learner, quantity: str, curve: str) -> str:
    word = scenario.concept_class.words.learner
    if quantity == "map":
        if not scenario.concept_class.labelled:
            return f"The least m of this {word} with success at least 1-β"
        return f"The least m of this {word}: beyond the line success is at least 1-β"
    law = entry.laws.get(scenario.law.name, "exact")
    how = "exact: computed from a formula"
    if PROVED in curve:
        how = "drawn at a proved lower limit, with a band up to a proved upper limit"
    elif law != "exact" and SIMULATED in curve:
        how = f"simulated with {scenario.trials:,} samples a point when all are in, not exact"
    privacy = {
        "none": "not private",
        "pure": "ε-differentially private",
        "approximate": "(ε, δ)-differentially private",
        "label": "private for the labels only",
    }[entry.promise(scenario.delta)]
    what = "Its success" if quantity == "success" else "Its least m"
    proper = ", proper" if entry.proper else ", improper"
    if not scenario.concept_class.labelled:
        proper = ""
    return f"{what}, {how}. The {word} is {privacy}{proper}"


def said_by(entry: Bound, quantity: str = "m", law: str = "") -> str:
    """Return what a bound says, which learners it binds, and its source, without a full stop.

    On a distribution, if one is named, that it is only shown on: that as well.
    """
    side = {
        ("lower", "success"): "An upper limit on success in the worst case, proved for",
        ("upper", "success"): "A lower limit on success, proved for",
        ("lower", "m"): "Impossible below the line, proved for",
        ("upper", "m"): "Enough on the line and above it, proved for",
        ("lower", "map"): "Impossible with a smaller m than on the line, proved for",
        ("upper", "map"): "Enough with a larger m than on the line, proved for",
    }[entry.kind, quantity]
    origin = _CONSTANTS[entry.constants]
    if entry.completed:
        origin = f"{origin}, but ours: {entry.completed}"
    if entry.source.paper != "ours":
        origin = f"{papers()[entry.source.paper].short}, {entry.source.place}; {origin}"
    shown = f"; on {law} it is shown, not proved" if law in entry.shown_on else ""
    return f"{side} {entry.applies_to}{shown}. A theorem, no simulation ({origin})"


def _regions(traces: list[dict[str, Any]]) -> list[Line]:
    shades = {t.get("fillcolor") for t in traces}
    found = []
    if IMPOSSIBLE in shades:
        found.append(Line("Red shade", _meaning("impossible region"), IMPOSSIBLE, filled=True))
    enough = [t["fillcolor"] for t in traces if t["uid"].endswith("-upper") and "fill" in t]
    if enough:
        words = _meaning("guaranteed region")
        found.append(Line("Shade in the colour of a learner", words, enough[0], filled=True))
    return found


def _is_band(trace: dict[str, Any]) -> bool:
    return str(trace.get("uid", "")).endswith("-band")


def _meaning(word: str) -> str:
    entry = find(word)
    if entry is None:
        raise KeyError(word)
    return entry.meaning
