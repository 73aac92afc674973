"""The figure of a loaded sweep: answers against one parameter, one line a learner or bound."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts.style import GREY, LINES, MARKS, Style
from privsc_core.draw.picture import Picture, plains, plot
from privsc_core.draw.style import number
from privsc_core.draw.traces import axis, hover, joined, log_axis, marks
from privsc_core.errors import InputError
from privsc_core.parameters import parameter
from privsc_core.sweep.sheet import SETTING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.draw.traces import Trace
    from privsc_core.sweep.sheet import Sheet

ANSWERS = {
    "success": "probability of success", "need": "least number of examples m",
    "bound": "number of examples m", "learn": "share of runs that succeeded",
    "audit": "worst privacy loss",
}  # fmt: skip
FIXED_MOST = 200
_LINES_MOST = 40
_POINTS_MOST = 20_000
_DECADE = 10.0
_WHO = ("concept", "learner", "bound", "distribution")


@dataclass(frozen=True, slots=True)
class _Series:
    name: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    simulated: bool
    own: Style  # of its learner or bound elsewhere


def axes(sheet: Sheet, ask: str) -> tuple[str, ...]:
    """Return the parameters in which the rows of a question differ, those of most values first."""
    here = sheet.where(ask)
    many = {name: np.unique(sheet.numbers[name][here]).size for name in SETTING}
    some = [name for name in SETTING if not np.isnan(sheet.numbers[name][here]).all()]
    found = sorted((name for name in some if many[name] > 1), key=lambda name: -many[name])
    return tuple(found or some)


def choices(sheet: Sheet, ask: str, along: str) -> dict[str, tuple[float, ...]]:
    """Return the values that each other parameter has, of those with 2 to `FIXED_MOST` of them.

    One of them has to be chosen: rows that differ in it do not make one line. With more values the
    settings are random ones, which are drawn as points, whatever it is.
    """
    here = sheet.where(ask)
    found = {}
    for name in SETTING:
        values = sheet.numbers[name][here]
        known = np.unique(values[~np.isnan(values)])
        if name != along and 1 < known.size <= FIXED_MOST:
            found[name] = tuple(known.tolist())
    return found


def sweep_picture(sheet: Sheet, ask: str, along: str, fixed: dict[str, float]) -> Picture:
    """Draw the answers to one question against one parameter.

    Parameters
    ----------
    sheet : Sheet
    ask : str
        "success", "need", ….
    along : str
        The parameter on the horizontal axis.
    fixed : dict of str to float
        The values of others, see `choices`.

    Raises
    ------
    InputError
        Where no row has an answer there, or too many lines would be drawn.
    """
    here = sheet.where(ask)
    for name, value in fixed.items():
        here = here[sheet.numbers[name][here] == value]
    usable = np.isfinite(sheet.numbers["value"][here]) & np.isfinite(sheet.numbers[along][here])
    shown = here[usable]
    if not shown.size:
        raise InputError(
            along, "must be one at which rows have an answer", f"{here.size:,} without"
        )
    many = shown.size > _POINTS_MOST
    series = _series(sheet, shown[:_POINTS_MOST], along, mean=ask == "learn")
    spread = any(s.x.size > np.unique(s.x).size for s in series)
    looks = zip(series, _looks(series), strict=True)
    data = [_trace(one, look, along, ask, points=spread) for one, look in looks]
    said = [f"{parameter(n).symbol} = {number(v)}" for n, v in fixed.items()]
    missing = here.size - shown.size
    notes = [
        ", ".join(said),
        f"{shown.size:,} rows" + (f", of which {_POINTS_MOST:,} are drawn" if many else ""),
        f"{missing:,} without a finite answer" if missing else "",
        "several settings at one place: points, not lines" if spread else "",
        "≈: simulated" if any(s.simulated for s in series) else "",
    ]
    caption = "; ".join(note for note in notes if note) + ". The numbers are those of the file."
    table: dict[str, list[Any]] = {"who": [], along: [], "value": []}
    for one in series:
        table["who"] += [one.name] * one.x.size
        table[along] += plains(one.x)
        table["value"] += plains(one.y)
    x, y = _axes(series, along, ask)
    return plot(
        data, x, y,
        title=f"{ANSWERS[ask].capitalize()} against {parameter(along).symbol}",
        caption=caption,
        summary=f"{len(series)} {'lines' if len(series) > 1 else 'line'}: " + "; ".join(
            f"{s.name} from {number(float(s.y.min()))} to {number(float(s.y.max()))}" for s in series
        ) + ".",
        filename=f"privsc-sweep-{ask}-{along}", table=table,
    )  # fmt: skip


def _series(sheet: Sheet, shown: NDArray[np.intp], along: str, *, mean: bool) -> list[_Series]:
    """Return a series for each learner or bound, named by what they differ in."""
    codes = {name: sheet.codes[name][shown] for name in _WHO}
    differs = [name for name in _WHO if np.unique(codes[name]).size > 1]
    # As one number each: sorting rows of four is slow.
    key = np.ravel_multi_index(
        tuple(codes.values()), tuple(len(sheet.names[name]) for name in _WHO)
    )
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    if first.size > _LINES_MOST:
        raise InputError("figure", f"must have at most {_LINES_MOST} lines", first.size)
    found = []
    for kind in np.argsort(first).tolist():  # in the order of the file
        rows = shown[which == kind]
        names = {name: sheet.names[name][codes[name][first[kind]]] for name in _WHO}
        x, y = sheet.numbers[along][rows], sheet.numbers["value"][rows]
        if mean:
            x, back = np.unique(x, return_inverse=True)
            y = np.bincount(back, weights=y) / np.bincount(back)
        order = np.argsort(x, kind="stable")
        told = names | _titles(names)
        words = [told[n] for n in differs if told[n]] or [told["learner"] or told["bound"]]
        methods = {sheet.names["method"][code] for code in np.unique(sheet.codes["method"][rows])}
        simulated = bool(methods & {"monte-carlo", "rao-blackwell", "run"})
        name = ", ".join(words) + (" ≈" if simulated else "")
        found.append(_Series(name, x[order], y[order], simulated, _style(names)))
    return found


def _titles(names: dict[str, str]) -> dict[str, str]:
    """Return what the pages call a class, its learner and its bound; nothing for those that it does not have."""
    found = {}
    with contextlib.suppress(InputError):
        found["concept"] = catalog.concept(names["concept"]).title
        if names["learner"]:
            found["learner"] = catalog.learner(names["concept"], names["learner"]).title
        elif names["bound"]:
            found["bound"] = catalog.bound(names["concept"], names["bound"]).title
    return found


def _style(names: dict[str, str]) -> Style:
    """Return the style of a learner or a bound; grey for one that the catalog does not have."""
    with contextlib.suppress(InputError):
        concept = catalog.concept(names["concept"])
        if names["learner"]:
            return concept.style_of(catalog.learner(concept.name, names["learner"]).name)
        return concept.bound_style(catalog.bound(concept.name, names["bound"]).name)
    return Style(GREY, LINES[0], MARKS[0])


def _looks(series: list[_Series]) -> list[Style]:
    """Return the styles of lines; of equal ones all but the first get another dash and mark."""
    found: list[Style] = []
    for one in series:
        others = (
            replace(one.own, dash=dash, marker=mark)
            for dash, mark in zip(LINES, MARKS, strict=False)
        )
        found.append(next((look for look in (one.own, *others) if look not in found), one.own))
    return found


def _trace(one: _Series, look: Style, along: str, ask: str, *, points: bool) -> Trace:
    told = hover(
        f"<b>{one.name}</b><br>{parameter(along).symbol} = %{{x:,.6~g}}: {ANSWERS[ask]} %{{y:,.6~g}}"
    )
    if points or one.x.size == 1:
        return marks(one.x, one.y, one.name, look.colour, look.marker, 6) | told
    return joined(one.x, one.y, one.name, look, size=5) | told


def _axes(series: list[_Series], along: str, ask: str) -> tuple[Trace, Trace]:
    entry = parameter(along)
    x = _axis(np.concatenate([s.x for s in series]), f"{entry.short} {entry.symbol}")
    if ask in {"success", "learn"}:
        return x, axis(ANSWERS[ask], (-0.03, 1.03))
    return x, _axis(np.concatenate([s.y for s in series]), ANSWERS[ask])


def _axis(values: NDArray[np.float64], title: str) -> Trace:
    """Return an axis, logarithmic where values go over more than a decade."""
    low, high = float(values.min()), float(values.max())
    if low > 0.0 and high / low > _DECADE:
        return log_axis((low / 1.1, high * 1.1), title)
    room = 0.05 * (high - low) or 0.5
    return axis(title, (low - room, high + room))
