"""Views to pictures, and the words that stand on them."""

from __future__ import annotations

import itertools
import math
import re
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts.style import IMPOSSIBLE, MAP_SCALE, NAVY, ON_MAP, faint
from privsc_core.draw.picture import plains, plot
from privsc_core.draw.style import integer, number, share, style_of, style_on_map
from privsc_core.draw.traces import (
    GREY,
    MUTE,
    QUIET,
    SLOPE,
    THICK,
    THIN,
    UNLISTED,
    WIDE,
    Trace,
    axis,
    band,
    beside,
    cells,
    double,
    hover,
    level,
    line,
    log_axis,
    marks,
    named,
    parted,
    slack_of,
    stroke,
    words,
)
from privsc_core.evaluate.curves import SIMULATING
from privsc_core.evaluate.views import OWN_BEYOND

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Bound
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.curves import Curve, Curves, Phase
    from privsc_core.evaluate.scenario import Scenario


# --- Words on a figure: numbers beside marks, and the names of red areas, where each has room ----


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
    goal = 1.0 - curves.scenario.beta
    return [
        _mark(curve, curves.scenario, (curve.at, goal), _told_apart(curve, reached), place)
        for curve, place in zip(reached, places, strict=True)
    ]


def _mark(
    curve: Curve, scenario: Scenario, at: tuple[float, float], text: str, place: str, more: str = ""
) -> Trace:
    """Return the mark of what a learner needs, with a text on one of its sides."""
    style = style_of(curve, scenario)
    mark = marks(
        [at[0]], [at[1]], curve.title, style.colour, style.marker, 11, uid=f"{curve.name}-at"
    )
    if curve.method not in {"exact", "bracketed"}:
        more += f", by {scenario.trials:,} simulated samples<br>another number or seed may give another m"
    says = hover(f"{curve.title} needs m = {integer(curve.at)}{more}")
    group = {"legendgroup": curve.name}
    return mark | beside([text], place, style.colour) | says | UNLISTED | group


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
        place, text = "top left" if above > below else "bottom right", integer(curve.at)
        traces.append(_mark(curve, curves.scenario, (at, curve.at), text, place, " here"))
    return traces


def _areas(curves: Curves) -> list[tuple[Curve, Bound]]:
    """Return the lower bounds that are shaded, with what is known of them."""
    known = {entry.name: entry for entry in curves.scenario.bounds}
    return [
        (curve, known[curve.name])
        for curve in curves.bounds
        if curve.kind == "lower" and curve.shaded and not curve.on_demand
    ]


def is_free(curve: Curve, curves: Curves) -> bool:
    """Return whether there are red areas and none of them speaks of a learner: it may pass them."""
    areas = _areas(curves)
    learner = next(e for e in curves.scenario.drawn if e.name == curve.name)
    return bool(areas) and not any(entry.binds(learner) for _, entry in areas)


def names_of_areas(curves: Curves) -> list[Trace]:
    """Write on each red area which learners it binds, where the curves leave most room."""
    low, high = curves.x_range
    goal = 1.0 - curves.scenario.beta
    traces: list[Trace] = []
    begin = low
    areas = sorted(_areas(curves), key=lambda area: area[0].at)
    # Of bounds that bind the same learners the last one's name is everybody's.
    brief = {curve.name: entry.applies_briefly or entry.applies_to for curve, entry in areas}
    whom = {text: name for name, text in brief.items()}
    areas = [(curve, entry) for curve, entry in areas if whom[brief[curve.name]] == curve.name]
    # Of several, the names are wider than the areas: each stands higher than the one before.
    heights = np.linspace(0.26, 0.72, len(areas)) if len(areas) > 1 else np.array([0.5])
    # Letters in a line: three names of three lines would touch.
    width = 22 if len(areas) < 3 else 34
    # The bounds count labelled examples, which may not be all that a learner here has.
    more = any(entry.unlabelled for entry in curves.scenario.drawn)
    alone = " without unlabelled examples" if more else ""
    lines = [*curves.learners, *(c for c in curves.bounds if c.thin and c.x.size)]
    for (curve, _), height in zip(areas, heights, strict=False):
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
        says = "<br>".join(
            textwrap.wrap(f"{above}impossible for {brief[curve.name]}{alone}", width)
        )
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
        label = words([at], [level], [says], f"{curve.name} area", side)
        traces.append(label | {"legendgroup": f"{curve.name}-{curve.kind}"})
        begin = end
    return traces


def _rises(curve: Curve, level: float) -> float:
    """Return where a curve first reaches a success probability, NaN if nowhere."""
    reached = np.flatnonzero(curve.y >= level)
    return float(curve.x[reached[0]]) if reached.size else math.nan


def _written_over(curves: Curves, at: float, level: float, side: str) -> bool:
    """Return whether the name of an area would run into a number on this side of its mark.

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


# Of the layout of all figures here, beside their axes.
LAYOUT: dict[str, Any] = {"legend": 0.18, "hovermode": "closest"}
_SHADOW = 5  # below a line on a map
_SHADE = 0.18  # where success is guaranteed, in the hue of the learner
_BEHIND = 1  # a bound beside a sharper one
_LAST = 1100  # in the legend, where others have 1000
SIMULATED, PROVED = " (simulated)", " (proved ends)"  # how a curve was computed that is not exact
FREE = " (red does not apply)"  # behind the name of a learner of which no red area speaks


def success_figure(curves: Curves) -> Picture:
    """Draw success probability over m, d or epsilon, with the bounds as regions and lines."""
    scenario = curves.scenario
    data: list[Trace] = []
    for curve in curves.bounds:
        if not curve.on_demand:
            data.extend(_bound_traces(curve, curves))
    for curve in curves.learners:
        data.extend(_learner_traces(curve, curves))
    if curves.axis == "m":
        data.extend(crossings(curves))
        data.extend(names_of_areas(curves))
    goal = 1.0 - scenario.beta
    # The target stands among the ticks, where no curve or number can cover it.
    ticks = [t for t in (0.0, 0.25, 0.5, 0.75, 1.0) if abs(t - goal) > 0.06]
    texts = [*(f"{t:g}" for t in ticks), f"1-β = {goal:g}"]
    low, high = (10 ** math.log10(end) for end in curves.x_range)  # as the axis has it
    simulating = [title for title, reason in curves.missing if reason == SIMULATING]
    more: dict[str, Any] = {"meta": {"simulating": simulating}} if simulating else {}
    drawn = any(c.method not in {"exact", "bracketed"} for c in curves.learners)
    return plot(
        data,
        log_axis(curves.x_range, axis_name(curves.axis, scenario)),
        axis("success", (0, 1.02), at=[*ticks, goal], texts=texts),
        **LAYOUT,
        shapes=[stroke((low, high), (goal, goal), GREY, dash="dot")],
        **more,
        title=f"Success probability against {_symbol(curves.axis, scenario)}",
        caption=_caption(
            scenario,
            curves.axis,
            curves.missing,
            simulated=curves.simulated if drawn else 0,
        ),
        summary=_success_summary(curves),
        filename=_filename(scenario, f"success-{curves.axis}"),
        table=curve_table(curves),
    )


def least_m_figure(curves: Curves, beside: Curves | None = None) -> Picture:
    """Draw the least number of samples over d or epsilon on logarithmic axes.

    The frame has room for the curves `beside`, too.
    """
    data: list[Trace] = []
    for curve in (*curves.bounds, *curves.learners):
        style = style_of(curve, curves.scenario)
        slope = "" if math.isnan(curve.slope) else f"{SLOPE}{curve.slope:z.2f}".replace("-", "−")
        learner = curve.kind == "learner"
        name = named(curve, curves.scenario) if learner else _bound_name(curve)
        # Without privacy bound and learner lie on each other: the bound on demand.
        aside = curve.on_demand
        trace = line(
            curve.x,
            curve.y,
            name + slope,
            style.colour,
            dash=style.dash,
            width=THICK if learner else THIN,
            uid=f"{curve.name}-{curve.kind}",
            visible="legendonly" if aside else True,
        )
        trace |= hover(f"{_at(curves.axis, curves.scenario)}: m = %{{y:,.0f}}", curve.title)
        own = slack_of(curve, curves.scenario) if learner else 0.0
        data.extend(double(trace) if curve.method == "yours" else parted(trace, curve.y, own))
    data.extend(here(curves))
    held = [curve for one in (curves, beside) if one for curve in (*one.learners, *one.bounds)]
    ours = [curve.y for curve in held if curve.method != "yours"]
    low, high = _ends(ours, (10.0, 1000.0))
    far = low / OWN_BEYOND, high * OWN_BEYOND
    yours = [np.clip(curve.y, *far) for curve in held if curve.method == "yours"]
    low, high = _ends([*ours, *yours], (low, high))
    span = (low / 1.5, high * 1.5)
    name = axis_name(curves.axis, curves.scenario)
    unit = curves.scenario.concept_class.unit
    slopes = "; ".join(
        f"{c.title} has slope {c.slope:z.2f}" for c in curves.learners if not math.isnan(c.slope)
    )
    return plot(
        data,
        log_axis(curves.x_range, name),
        log_axis(span, f"least number of {unit} m"),
        **LAYOUT,
        title=f"Least number of {unit} against {_symbol(curves.axis, curves.scenario)}",
        # Nothing that is simulated is traced.
        caption=_caption(curves.scenario, curves.axis, curves.missing, drop_m=True),
        summary=f"Least number of {unit} against {name}, logarithmic axes. On the upper half of the axis {slopes}.",
        filename=_filename(curves.scenario, f"least-m-{curves.axis}"),
        table=curve_table(curves),
    )


def _ends(values: list[NDArray[np.float64]], otherwise: tuple[float, float]) -> tuple[float, float]:
    """Return the least and the largest number among some, or other ends where there is none."""
    flat = np.concatenate([*values, np.empty(0)])
    known = flat[np.isfinite(flat)]
    return (float(known.min()), float(known.max())) if known.size else otherwise


def success_map(z: NDArray[Any], x: NDArray[Any], y: NDArray[Any]) -> Trace:
    """Return the map of success probabilities."""
    scale = [[i / (len(MAP_SCALE) - 1), colour] for i, colour in enumerate(MAP_SCALE)]
    bar = {"title": {"text": "success"}, "tickvals": [0, 0.25, 0.5, 0.75, 1]}
    return cells(z, "success", scale, 0, 1, uid="map", x=x, y=y, colorbar=bar)


def phase_figure(phase: Phase) -> Picture:
    """Draw success probability as a map over two parameters, the bounds as lines on it."""
    x_axis, y_axis = (
        phase.scenario.concept_class.parameter(n) for n in (phase.x_axis, phase.y_axis)
    )
    says = f"{_at(phase.x_axis, phase.scenario)}, {_at(phase.y_axis, phase.scenario, 'y')}: success %{{z:.3f}}"
    data = [success_map(phase.z, phase.x, phase.y) | hover(says)]
    for curve in phase.curves:
        style = style_on_map(curve, phase.scenario)
        name = curve.title if curve.kind == "learner" else _bound_name(curve)
        # A dark line under each light one keeps it readable on every part of the map.
        for width, paint in ((_SHADOW, NAVY), (THICK, style.colour)):
            of = f"{curve.name}-{curve.kind}"
            uid = f"{of}-{width}"
            trace = line(curve.x, curve.y, name, paint, dash=style.dash, width=width, uid=uid)
            shown = {"legendgroup": of, "showlegend": width == THICK}
            data.append(trace | MUTE | shown)
    if phase.own is not None and phase.scenario.own:
        name = f"{phase.scenario.own.title}: m = {integer(phase.scenario.m)}"
        paints = ((NAVY, WIDE + THIN), (ON_MAP["yours"].colour, WIDE), (NAVY, THIN))
        uid = f"{phase.scenario.own.name}-upper"
        data += level(phase.x, phase.y, phase.own, 0.0, name, uid, paints, listed=1)
    ends = [(float(v[0]), float(v[-1])) for v in (phase.x, phase.y)]
    names = [axis_name(axis, phase.scenario) for axis in (phase.x_axis, phase.y_axis)]
    scenario = phase.scenario
    step = max(1, phase.z.shape[0] // 12)
    sampled = np.indices(phase.z.shape)[:, ::step, ::step].reshape(2, -1)
    rows, columns = sampled[0], sampled[1]
    method = phase.learner.laws[scenario.law.name]
    return plot(
        data,
        log_axis(ends[0], names[0]),
        log_axis(ends[1], names[1]),
        **LAYOUT,
        title=f"{phase.learner.title}: success over {x_axis.symbol} and {y_axis.symbol}",
        caption=_caption(
            scenario,
            phase.x_axis,
            (),
            also=phase.y_axis,
            drop_m="m" in {phase.x_axis, phase.y_axis},
        ),
        summary=f"Map of the success probability of {phase.learner.title} ({method}) over "
        f"{names[0]} and {names[1]}, from dark (0) to bright (1).",
        filename=_filename(scenario, f"phase-{phase.x_axis}-{phase.y_axis}"),
        table={
            phase.x_axis: plains(phase.x[columns]),
            phase.y_axis: plains(phase.y[rows]),
            "success": [float(v) for v in phase.z[rows, columns]],
        },
    )


def _learner_traces(curve: Curve, curves: Curves) -> list[Trace]:
    style = style_of(curve, curves.scenario)
    exact = curve.method == "exact"
    how = {"exact": "", "bracketed": PROVED}.get(curve.method, SIMULATED)
    how = "" if "simulated" in curve.title else how  # a learner of one's own says so itself
    name = named(curve, curves.scenario) + how
    says = f"{_at(curves.axis, curves.scenario)}: success %{{y:.3f}}"
    if is_free(curve, curves):
        name += FREE
        says += "<br>the red area does not apply to this learner"
    trace = line(curve.x, curve.y, name, style.colour, dash=style.dash, uid=curve.name)
    samples = curve.x if curves.axis == "m" else np.full(curve.x.shape, float(curves.scenario.m))
    own = slack_of(curve, curves.scenario)
    traces = parted(trace | hover(says, curve.title), samples, own)
    if not exact:
        ends = "proved ends" if curve.method == "bracketed" else "95% interval"
        words, uid = f"{curve.title}: {ends}", f"{curve.name}-band"
        paint = faint(style.colour)
        traces.insert(0, band(curve.x, curve.low, curve.high, words, paint, uid=uid))
    law = curves.scenario.law.name
    if any(e.name == curve.name and e.laws[law] != "exact" for e in curves.scenario.drawn):
        # A chart shows the last simulation until the next one is there.
        traces = [trace | {"meta": {"simulated": curve.title}} for trace in traces]
    return [trace | {"legendgroup": curve.name} for trace in traces]


def _bound_traces(curve: Curve, curves: Curves) -> list[Trace]:
    style = style_of(curve, curves.scenario)
    uid = f"{curve.name}-{curve.kind}"
    x, y = curve.x, curve.y
    base = line(x, y, _bound_name(curve), style.colour, dash=style.dash, width=THIN, uid=uid)
    base |= MUTE | {"legendgroup": uid}
    if curve.method == "yours":
        return double(base)
    if not x.size:
        return _bound_region(curve, curves, base)
    if curve.shaded and curve.kind == "lower":
        ceiling = {"y": np.ones_like(x), "line": {"width": 0}, "uid": f"{curve.name}-ceiling"}
        return [base | ceiling | QUIET, base | {"fill": "tonexty", "fillcolor": IMPOSSIBLE}]
    if curve.shaded:
        return [base | {"fill": "tozeroy", "fillcolor": faint(style.colour, _SHADE)}]
    if curve.thin:
        return [base | {"line": base["line"] | {"width": _BEHIND}, "legendrank": _LAST}]
    return [base | {"visible": "legendonly"}]


def _bound_region(curve: Curve, curves: Curves, base: Trace) -> list[Trace]:
    """Shade what a bound with a number but no curve says: a corner of the picture."""
    low, high = curves.x_range
    goal = 1.0 - curves.scenario.beta
    at = min(max(curve.at, low), high)
    if curve.kind == "lower":
        if at <= low:
            return []
        x, y, paint = [low, at, at, low], [goal, goal, 1.0, 1.0], IMPOSSIBLE
    else:
        if at >= high:
            return []
        x, y = [at, high, high, at], [0.0, 0.0, goal, goal]
        paint = faint(base["line"]["color"], _SHADE)
    return [base | {"x": x, "y": y, "fill": "toself", "fillcolor": paint}]


def _bound_name(curve: Curve) -> str:
    if curve.method == "sharp":
        return curve.legend or curve.title
    if curve.method == "yours":
        return curve.title if math.isnan(curve.at) else f"{curve.title}: {integer(curve.at)}"
    side = "impossible below" if curve.kind == "lower" else "guaranteed from"
    return (
        f"{curve.title}: {side} {integer(curve.at)}"
        if not math.isnan(curve.at)
        else f"{curve.title} ({'lower' if curve.kind == 'lower' else 'upper'} bound)"
    )


def _symbol(axis: str, scenario: Scenario) -> str:
    return scenario.concept_class.parameter(axis).symbol


def _at(axis: str, scenario: Scenario, letter: str = "x") -> str:
    """Return what a hover says about a point's place on an axis."""
    entry = scenario.concept_class.parameter(axis)
    return f"{entry.symbol} = %{{{letter}:{',.0f' if entry.integer else '.4~g'}}}"


def axis_name(axis: str, scenario: Scenario) -> str:
    """Return what stands at an axis."""
    if axis == "m":
        return f"number of {scenario.concept_class.unit} m"
    entry = scenario.concept_class.parameter(axis)
    return f"{entry.short} {entry.symbol}"


def setting_of(scenario: Scenario, *away: str) -> str:
    """Return class, distribution and parameters of a setting in words, without those that are left away."""
    gone = {*away, *(["d"] if scenario.sizeless else [])}
    setting = [
        f"{_symbol(name, scenario)} = {getattr(scenario, name):,.10g}"
        for name in ("m", "d", "epsilon", "alpha", "beta")
        if name not in gone
    ]
    text = f"{scenario.concept_class.symbol}, {scenario.law.label} distribution; " + ", ".join(
        setting
    )
    if scenario.delta and any(e.privacy == "approximate" for e in scenario.drawn):
        text += f", δ = {number(scenario.delta)}"
        text += "".join(f", {name} {word}" for name, word in scenario.law.words().items())
    return text


def _caption(
    scenario: Scenario,
    axis: str,
    missing: tuple[tuple[str, str], ...],
    *,
    also: str = "",
    drop_m: bool = False,
    simulated: int = 0,
) -> str:
    text = setting_of(scenario, axis, also, *(["m"] if drop_m else []))
    if simulated:
        so_far = f"{simulated:,} of " if simulated < scenario.trials else ""
        text += f"; {so_far}{scenario.trials:,} simulated samples a point"
        text += f" and {scenario.trials:,} for a marked m" * (axis == "m")
        text += f", seed {scenario.seed}"
    if scenario.own:
        text += f". {scenario.own.title}: {scenario.formula}"
    if scenario.silent:
        text += f". Lower bounds are about the {scenario.silent} distribution: none is drawn"
    if scenario.law.brief:
        name = scenario.law.name.capitalize()
        text += (
            f". {name}: {scenario.law.brief}. The curves are for this distribution, not for "
            "the worst case"
        )
    for title, reason in missing:
        text += f". {title}: {reason}"
    return text + "."


def _success_summary(curves: Curves) -> str:
    scenario = curves.scenario
    if curves.axis == "m":
        parts = [
            f"{c.title} reaches {1 - scenario.beta:g} at m = {integer(c.at)}"
            for c in curves.learners
            if not math.isnan(c.at)
        ]
        parts += [_bound_name(c) for c in curves.bounds if c.method == "yours"]
    else:
        parts = [
            f"{c.title} goes from {share(c.y[0])} to {share(c.y[-1])}" for c in curves.learners
        ]
    name = axis_name(curves.axis, scenario)
    said = f" {'; '.join(parts)}." if parts else ""
    return f"Probability of success against {name}.{said}"


def curve_table(curves: Curves) -> dict[str, list[Any]]:
    """Return the numbers behind the curves, one row a point of a curve."""
    shown = (*curves.learners, *curves.bounds)
    words = {
        "curve": [name for curve in shown for name in [curve.name] * curve.x.size],
        "method": [how for curve in shown for how in [curve.method] * curve.x.size],
    }
    numbers: dict[str, list[NDArray[np.float64]]] = {curves.axis: [curve.x for curve in shown]}
    if curves.quantity == "success":
        numbers["success"] = [curve.y for curve in shown]
        numbers["low"] = [curve.low for curve in shown]
        numbers["high"] = [curve.high for curve in shown]
    else:
        numbers["m"] = [curve.y for curve in shown]
        # A second number only where it says something.
        if any(curve.m_from is not None for curve in curves.learners):
            numbers["m_from"] = [c.y if c.m_from is None else c.m_from for c in shown]
    ends = np.empty(0)  # also of no curves at all
    return words | {name: plains(np.concatenate([*all_, ends])) for name, all_ in numbers.items()}


def _filename(scenario: Scenario, what: str) -> str:
    return f"privsc-{scenario.concept_class.label}-{what}-d{scenario.d}-eps{scenario.epsilon:g}"
