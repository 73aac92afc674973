"""The numbers of samples of a page, the axes of its figures, and phase diagrams."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import progress
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.curves import Curve, Numbers, Phase, Row
from privsc_core.evaluate.need import enough_trials, guessed, need, pilot_trials
from privsc_core.evaluate.success import success
from privsc_core.literature.wording import in_symbols
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Bound, Distribution, Learner
    from privsc_core.evaluate.curves import Axis
    from privsc_core.evaluate.scenario import Scenario


def numbers(
    scenario: Scenario, learners: Collection[str] | None = None, *, brief: bool = False
) -> Numbers:
    """Return the number of samples of every learner and every bound of the concept class.

    Or of some learners, by their names, of one without privacy, which prices are against, and of
    bounds, but for upper ones that promise nothing of these on the distribution. To be `brief` simulations of private
    learners are left pending: of their numbers those with which the search begins are told, of slow
    ones none.
    """
    baseline = math.nan
    rows = []
    entries, spoken = _told(scenario, learners)
    for learner in progress.steps(entries, end=0.8):
        if learners is not None and learner.name not in learners and not math.isnan(baseline):
            continue
        pending, found = (
            _shortly(scenario, learner) if brief else (False, _least(scenario, learner))
        )
        m = found.m
        # The price is against the first learner without privacy.
        if learner.privacy == "none" and m is not None and math.isnan(baseline):
            baseline = float(m)
        rows.append((learner, found, pending))
    found_rows = tuple(
        Row(
            learner.name, learner.title, _cite(learner), found.m,
            in_symbols(_remark(found, learner)), math.nan if found.m is None else found.m / baseline,
            found.method, "learner", learner.promise(scenario.delta), learner.proper,
            found.m_from, learner.at(scenario.delta).privacy_slack, pending=pending,
            at_least=found.at_least,
        )
        for learner, found, pending in rows
    )  # fmt: skip
    bounds = []
    for entry in progress.steps(spoken, begin=0.8):
        says = bound(entry, **scenario.settings())
        m = None if np.isnan(says.m) else int(says.m)
        here = scenario.holds(entry)
        remark = (
            says.reason.item()
            or says.note.item()
            or ("" if here else _elsewhere(entry, scenario.law))
        )
        bounds.append(
            Row(
                entry.name, entry.title, _cite(entry), m, in_symbols(remark),
                math.nan if m is None else m / baseline, entry.constants, entry.kind,
                here=here,
            )
        )  # fmt: skip
    return Numbers(found_rows, tuple(bounds))


def _told(
    scenario: Scenario, names: Collection[str] | None
) -> tuple[tuple[Learner, ...], tuple[Bound, ...]]:
    """Return the learners and bounds of whom numbers are told."""
    bounds = scenario.concept_class.bounds
    if names is None:
        return scenario.entries, bounds
    told = tuple(e for e in scenario.entries if e.name in names or e.privacy == "none")
    here = scenario.law.name
    return told, tuple(
        e for e in bounds
        if e.kind == "lower"
        or ((not e.promised_on or here in e.promised_on) and any(map(e.binds, told)))
    )  # fmt: skip


def foresee(scenarios: Sequence[Scenario], learners: Collection[str] | None = None) -> None:
    """Find together all numbers of samples that views of some scenarios will ask for.

    They are remembered, so that the views are quick. The scenarios differ in numbers alone.
    `learners` as for `numbers`.
    """
    told, bounds = _told(scenarios[0], learners)
    find_together(scenarios, told, bounds)


def find_together(
    scenarios: Sequence[Scenario],
    learners: Sequence[Learner],
    bounds: Sequence[Bound],
    axis: str = "",
    places: NDArray[np.float64] | None = None,
) -> None:
    """Find the exact numbers of learners and bounds at scenarios that differ in numbers alone.

    Of each one in a single search, and at all places of an axis where there is one. They are
    remembered.
    """
    first = scenarios[0]
    over: dict[str, Any] = {
        name: np.array([getattr(s, name) for s in scenarios]) for name in first.settings()
    }
    if places is not None:
        over = {name: values[:, None] for name, values in over.items()} | {axis: places}
    for learner in learners:
        if learner.laws.get(first.law.name) == "exact":
            # A view of its own says what is refused.
            with contextlib.suppress(InputError):
                need(learner, first.law, **over)
    for entry in bounds:
        bound(entry, **over)


def least_number(scenario: Scenario, learner: Learner, *, rough: bool = False) -> float:
    """Return the m of `_least`, NaN for none: where nobody asks how it was found."""
    try:
        found = need(
            learner, scenario.law, **scenario.settings(), **scenario.simulation(), rough=rough
        )
        return float(found.m)
    except InputError:
        return math.nan


def _shortly(scenario: Scenario, learner: Learner) -> tuple[bool, _Least]:
    """Return whether a simulation is not waited for, and what is known without.

    That of a learner without privacy is: the prices of all others, exact ones too, are against it.
    """
    law, few = scenario.law.name, pilot_trials(scenario.trials)
    simulated = learner.laws.get(law, "exact") != "exact"
    pending = simulated and learner.privacy != "none" and few < scenario.trials
    if law in learner.slow or (pending and scenario.trials < enough_trials(scenario.beta)):
        return True, _Least(None, None, "", "none")
    asked = replace(scenario, trials=few) if pending else scenario
    return pending, _least(asked, learner, rough=pending)


@dataclass(frozen=True, slots=True)
class _Least:
    """What a learner needs at the scenario: the numbers, why or a remark, and how."""

    m: int | None
    m_from: int | None
    words: str
    method: str
    at_least: int | None = None


def _least(scenario: Scenario, learner: Learner, *, rough: bool = False) -> _Least:
    if scenario.law.name not in learner.laws:
        return _Least(None, None, f"no law on {scenario.law.label}", "none")
    try:
        found = need(
            learner, scenario.law, **scenario.settings(), **scenario.simulation(), rough=rough
        )
    except InputError as refused:
        why = scenario.concept_class.refusal(refused).replace(f" for {learner.name}:", ":")
        return _Least(None, None, why, "none")
    m, m_from, at_least = (
        None if np.isnan(x) else int(x) for x in (found.m, found.m_from, found.at_least)
    )
    method = found.method
    if m is not None and method != "exact":
        # A simulated law may be better at this setting, whatever the number of samples.
        here = success(learner, scenario.law, m=m, **scenario.settings(), trials=2)
        method = here.method
    return _Least(m, m_from, found.reason.item() or found.note.item(), method, at_least)


def _remark(found: _Least, learner: Learner) -> str:
    """Return what to know about a number, or why there is none."""
    if found.m is None and learner.beside(learner.unlabelled + 1) is not learner:
        return f"{found.words}. It takes unlabelled examples as well: move u."
    if found.m is None or not (found.words and learner.caveat):
        return found.words or learner.caveat
    return f"{found.words[0].upper()}{found.words[1:]}. {learner.caveat}"


def _elsewhere(entry: Bound, law: Distribution) -> str:
    """Return where a bound holds that does not hold here."""
    places = entry.stands_on or entry.promised_on
    if law.name in entry.shown_on:
        return f"for the worst case, which {law.name} is not at this setting"
    if law.name in places:
        return f"not on the {law.name} distribution at this setting"
    return f"on the {' or '.join(places)} distribution"


def _cite(entry: Learner | Bound) -> str:
    if entry.source.paper == "ours":
        return f"ours ({entry.source.place})"
    return f"{entry.source.paper}, {entry.source.place}"


# --- The axes of figures: what they hold, and where on them curves are computed ------------------


POINTS = 45
# More of them where a curve climbs, at these multiples of its number of samples.
AROUND = np.geomspace(1.0 / 1.8, 1.8, 33)
# Ranges of the axes: fixed, so that the frame stands still while a control moves.
_RANGES: dict[str, tuple[float, float]] = {"d": (2, 10_000), "epsilon": (0.02, 10.0)}
_STEPS = (1, 2, 5)
_ROUGH = (2, 8)  # samples of a slow number that only an axis needs, and if they do not do
_UP = 2.0  # so many times as much such a number may be, or one that is foretold


def frame(scenario: Scenario, axis: Axis, *, wide: bool = False) -> tuple[float, float]:
    """Return the ends of an axis that hold every number of a scenario worth seeing."""
    if axis == "m":
        return _m_range(scenario, wide=wide)
    low, high = _RANGES[axis]
    return low, min(high, scenario.law.most_d) if axis == "d" else high


def _m_range(scenario: Scenario, *, wide: bool = False) -> tuple[float, float]:
    """Return round ends of the m axis that hold every number worth seeing."""
    exact = [e for e in scenario.drawn if e.laws[scenario.law.name] == "exact"]
    simulated = [learner for learner in scenario.drawn if learner not in exact]
    values = [least_number(scenario, learner) for learner in progress.steps(exact, end=0.5)]
    values += [
        float(bound(entry, **scenario.settings()).m)
        for entry in scenario.bounds if entry.headline and scenario.speaks(entry)
    ]  # fmt: skip
    for learner in progress.steps(simulated, begin=0.5):
        values.append(_roughly(scenario, learner, values, wide=wide))
    return _ends(values, wide=wide)


def _roughly(scenario: Scenario, learner: Learner, values: Sequence[float], *, wide: bool) -> float:
    """Return a simulated least m, as precisely as the ends of an axis need.

    Round ends need no precise number: one that is foretold will do where they are the same however far
    off it may be; of slow learners, so will one of fewer samples than a search begins with.
    """
    law = scenario.law.name

    def settled(m: float, down: float) -> bool:
        return _ends([*values, m / down], wide=wide) == _ends([*values, _UP * m], wide=wide)

    if law in learner.foretold:
        m = guessed(learner, scenario.law, **scenario.settings())
        if settled(m, learner.foretold[law]):
            return m
    for trials in _ROUGH if law in learner.slow else (pilot_trials(scenario.trials),):
        few = replace(scenario, trials=min(scenario.trials, trials))
        m = least_number(few, learner, rough=True)
        if settled(m, _UP):
            break
    return m


def _ends(values: Sequence[float], *, wide: bool) -> tuple[float, float]:
    """Return round ends of an axis that holds some numbers of samples; NaN is none."""
    low, high = 10.0, 1000.0
    known = [m for m in values if math.isfinite(m)]
    if known:
        low, high = min(low, min(known) / 3.0), max(known) * 1.5
    if wide:
        low, high = 10.0, max(high, 10_000.0)
    top = float(parameter("m").high)
    return _round_down(max(low, 1.0)), min(_round_up(high), top)


def _round_up(value: float) -> float:
    base = 10.0 ** math.floor(math.log10(value))
    return next(step * base for step in (*_STEPS, 10) if step * base >= value * (1 - 1e-9))


def _round_down(value: float) -> float:
    base = 10.0 ** math.floor(math.log10(value))
    return next(step * base for step in reversed(_STEPS) if step * base <= value * (1 + 1e-9))


def grid(
    axis: Axis,
    x_range: tuple[float, float],
    points: int,
    scenario: Scenario,
    *,
    fill: bool = False,
    around: float = math.nan,
    steep: NDArray[np.float64] = AROUND,
) -> NDArray[np.float64]:
    """Return a logarithmic grid: whole numbers (without repeats unless `fill`) for m and d.

    It is finer near `around`, where that is a number on the axis: at multiples of it, `steep`.
    """
    x = _geometric(*x_range, points)
    if x_range[0] <= around <= x_range[1]:
        more = around * steep
        x = np.sort(np.concatenate([x, more[(more > x_range[0]) & (more < x_range[1])]]))
    if axis == "epsilon":
        return x
    law = scenario.law
    low, high = (law.least_d, law.most_d) if axis == "d" else (1, math.inf)
    whole = np.clip(np.round(x), low, high)
    return whole if fill else whole[np.append(True, whole[1:] > whole[:-1])]


@lru_cache(maxsize=64)
def _geometric(low: float, high: float, points: int) -> NDArray[np.float64]:
    found = np.geomspace(low, high, points)
    found.flags.writeable = False  # shared
    return found


# --- Phase diagrams: success over two parameters at once -----------------------------------------


_CELLS = 60


def phase_diagram(
    scenario: Scenario,
    learner: str,
    x_axis: Axis,
    y_axis: Axis,
    *,
    m_range: tuple[float, float] | None = None,
) -> Phase:
    """Return success over two of m, d and epsilon for one learner that has an exact law.

    The axis of m goes over `m_range`, or over the wide `frame` of the scenario.

    Raises
    ------
    InputError
        When the two axes are equal, or the learner has no exact law on the distribution.
    """
    if x_axis == y_axis:
        raise InputError("axes", "must be two different parameters", x_axis)
    entry = next((e for e in scenario.entries if e.name == learner), None)
    if entry is None or entry.laws.get(scenario.law.name) != "exact":
        listed = [
            e.name for e in scenario.concept_class.learners
            if e.laws.get(scenario.law.name) == "exact"
        ]  # fmt: skip
        if not listed:
            maps = [
                law.name for law in scenario.concept_class.distributions
                if any(e.laws.get(law.name) == "exact" for e in scenario.concept_class.learners)
            ]  # fmt: skip
            requirement = f"must be one of {', '.join(maps)} for a map, where laws are exact"
            raise InputError("distribution", requirement, scenario.law.label)
        requirement = f"must have an exact law on {scenario.law.label}: {', '.join(listed)}"
        raise InputError("learner", requirement, learner)
    with progress.stage(0.0, 0.2):
        x, y = (_cells(scenario, axis, m_range) for axis in (x_axis, y_axis))
    values = {"m": float(scenario.m), "d": float(scenario.d), "epsilon": scenario.epsilon}
    grids: dict[str, NDArray[np.float64]] = {k: np.array(v) for k, v in values.items()}
    # m stands in rows and the rest in columns: the layout for which the law is fastest.
    m_rows = y_axis == "m" or x_axis != "m"
    grids[x_axis], grids[y_axis] = (x[None, :], y[:, None]) if m_rows else (x[:, None], y[None, :])
    found = success(
        entry, scenario.law, m=grids["m"].astype(np.int64), d=grids["d"].astype(np.int64),
        epsilon=grids["epsilon"], alpha=scenario.alpha, beta=scenario.beta,
        delta=scenario.delta,
    )  # fmt: skip
    z = found.value if m_rows else found.value.T
    with progress.stage(0.5, 1.0):
        curves = _phase_curves(scenario, entry, x_axis, y_axis, x, y)
    return Phase(x_axis, y_axis, x, y, z, curves, entry, scenario)


def _phase_curves(
    scenario: Scenario,
    learner: Learner,
    x_axis: Axis,
    y_axis: Axis,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
) -> tuple[Curve, ...]:
    axis = _axis_of_lines(scenario, x_axis, y_axis)
    if not axis:
        return ()
    along = _places(x if axis == x_axis else y)
    over = scenario.settings(axis) | {axis: along}
    lines = []
    with progress.stage(0.0, 0.5):
        own = need(learner, scenario.law, **over).m
    lines.append((learner.name, f"{learner.title}: least m", own, "need", "learner", ""))
    for entry in progress.steps(_crossing(scenario, learner), begin=0.5):
        if (here := scenario.holding(entry, axis, along)).any():
            found = np.where(here, bound(entry, **over).m, np.nan)
            lines.append(
                (entry.name, entry.title, found, entry.constants, entry.kind, entry.legend)
            )
    curves = []
    for name, title, m, method, kind, legend in lines:
        a, b = (along, m) if y_axis == "m" else (m, along)
        curves.append(Curve(name, title, a, b, b, b, method, kind=kind, legend=legend))  # type: ignore[arg-type]
    return tuple(curves)


def foresee_lines(scenarios: Sequence[Scenario], learner: str, x_axis: Axis, y_axis: Axis) -> None:
    """Find together the lines in `phase_diagram` of scenarios that differ in numbers alone."""
    first = scenarios[0]
    entry = next((e for e in first.entries if e.name == learner), None)
    if entry is not None and (axis := _axis_of_lines(first, x_axis, y_axis)):
        along = _places(_cells(first, axis))
        bounds = [
            e for e in _crossing(first, entry)
            if any(one.holding(e, axis, along).any() for one in scenarios)
        ]  # fmt: skip
        find_together(scenarios, [entry], bounds, axis, along)


def _cells(
    scenario: Scenario, axis: Axis, m_range: tuple[float, float] | None = None
) -> NDArray[np.float64]:
    """Return the centres of the cells along an axis."""
    ends = m_range if axis == "m" and m_range else frame(scenario, axis, wide=True)
    return grid(axis, ends, _CELLS, scenario, fill=True)


def _axis_of_lines(scenario: Scenario, x_axis: Axis, y_axis: Axis) -> Axis | None:
    """Return over which axis lines of numbers of samples go; None where there are none."""
    if "m" not in {x_axis, y_axis} or scenario.law.depends_on_d:
        return None
    return x_axis if y_axis == "m" else y_axis


def _places(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where lines are computed."""
    return cells[:: max(1, cells.size // 30)]


def _crossing(scenario: Scenario, learner: Learner) -> list[Bound]:
    """Return the bounds that may have a line in the map of a learner."""
    return [e for e in scenario.bounds if e.binds(learner) and not e.hugs_baseline]
