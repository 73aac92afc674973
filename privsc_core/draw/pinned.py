"""A pinned setting: what is drawn of it, thin, beside the picture of another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from privsc_core.concepts.contracts.style import NAVY, WHITE
from privsc_core.draw.figures import curve_table
from privsc_core.draw.style import number, style_of
from privsc_core.draw.traces import GREY, MUTE, UNLISTED, Trace, hover, level, line
from privsc_core.evaluate.curves import SIMULATING, Curves
from privsc_core.evaluate.pinned import moved

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.curves import Phase
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.parameters import Parameter

_FINE = 1.3  # thinner than every line of the setting of now
_SHADOW = 3.0
_STROKES = ((NAVY, _SHADOW, False), (WHITE, _FINE, True))
_GROUP: Trace = {"legendgroup": "pinned"}


def pinned_label(pinned: Scenario, now: Scenario, axes: tuple[str, ...], quantity: str) -> str:
    """Return what a pinned setting is called: d and ε, and what else is not as it is now.

    What stands on an axis, or is sought, is left out.
    """
    gone = {*axes, *(("m",) if quantity == "m" else ())}
    return label_of(pinned, now, now.concept_class.parameter, gone)


def label_of(
    pinned: Any, now: Any, known: Callable[[str], Parameter], gone: Collection[str] = ()
) -> str:
    """Return the label of settings that have only some parameters; `gone` are left out."""
    parts = [
        f"{known(name).symbol} = {number(getattr(pinned, name))}"
        for name in ("d", "epsilon")
        if name not in gone
    ]
    parts += [
        f"{known(each.name).symbol} = {number(each.before)}"
        if isinstance(each.before, int | float)
        else str(each.before)
        for each in moved(pinned, now)
        if each.name not in {"d", "epsilon", *gone}
    ]
    return ": ".join(["pinned", ", ".join(parts)] if parts else ["pinned"])


def kept(curves: Curves) -> Curves:
    """Return the curves of a pinned setting that are drawn: of learners, and of what is shaded."""
    drawn = curves.quantity == "m"
    bounds = (c for c in curves.bounds if c.x.size and not c.on_demand)
    bounds = (c for c in bounds if drawn or c.shaded or c.method == "yours")
    return replace(curves, bounds=tuple(bounds))


def ghosts(picture: Picture, before: Curves | Phase, label: str) -> Picture:
    """Return the picture with the curves of a pinned setting in it, see `kept`.

    Parameters
    ----------
    picture : Picture
        Of the setting of now.
    before : Curves or Phase
        Of the pinned setting, on the same axes.
    label : str
        From `pinned_label`.
    """
    if not isinstance(before, Curves):
        return _on_map(picture, before, label)
    # Its entry of the legend stands for all of them, and is of no curve's colour.
    data: list[Trace] = [line([None], [None], label, GREY, width=_FINE, uid="pinned") | _GROUP]
    for curve in (*before.bounds, *before.learners):
        style = style_of(curve, before.scenario)
        ghost = line(
            curve.x, curve.y, f"{curve.title}, {label}", style.colour, dash=style.dash,
            width=_FINE, uid=f"pinned-{curve.name}-{curve.kind}", opacity=0.8,
        )  # fmt: skip
        says = "%{y:.3f}" if before.quantity == "success" else "m = %{y:,.0f}"
        data.append(ghost | UNLISTED | _GROUP | hover(f"{label}: {says}", curve.title))
    caption = f"{picture.caption} Thin, {label}."
    if waiting := [title for title, reason in before.missing if reason == SIMULATING]:
        caption += f" What is simulated is not pinned: {', '.join(waiting)}."
    return replace(
        picture,
        # Below everything: what is now is never covered.
        figure=picture.figure | {"data": [*data, *picture.figure["data"]]},
        caption=caption,
        table=_joined(picture.table, curve_table(before)),
        summary=f"{picture.summary} Thin: the curves of another setting; {label}.",
    )


def _joined(now: dict[str, list[Any]], before: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return the rows of both tables; a curve of the second has "pinned" before its name."""
    rows = before | {"curve": [f"pinned {name}" for name in before["curve"]]}
    # From which m on every one suffices is said where it is another number than the least.
    for one, other in ((now, rows), (rows, now)):
        if "m_from" in one and "m_from" not in other:
            other["m_from"] = list(other["m"])
    return {name: [*values, *rows[name]] for name, values in now.items()}


def fine(x: Any, y: Any, name: str) -> list[Trace]:
    """Return a fine line that any part of a map leaves readable: a light one on a dark one."""
    return [
        line(x, y, name, colour, width=width, uid=f"pinned-{listed}")
        | MUTE | _GROUP | {"showlegend": listed}
        for colour, width, listed in _STROKES
    ]  # fmt: skip


def _on_map(picture: Picture, before: Phase, label: str) -> Picture:
    goal = 1.0 - before.scenario.beta
    name = f"{label}: success {number(goal)}"
    data: list[Trace] = []
    own = next((c for c in before.curves if c.kind == "learner"), None)
    if own is not None:  # the same line, from the least m: shorter, and exact
        data += fine(own.x, own.y, name)
    else:
        paints = [(colour, width) for colour, width, _ in _STROKES]
        data += level(before.x, before.y, before.z, goal, name, "pinned", paints)
    return replace(
        picture,
        figure=picture.figure | {"data": [*picture.figure["data"], *data]},
        caption=f"{picture.caption} Thin: where success is {number(goal)}, {label}.",
        summary=f"{picture.summary} A thin line is where it is {number(goal)}; {label}.",
    )
