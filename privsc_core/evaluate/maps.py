"""Maps, or phase diagrams: success over two of m, d and epsilon, with the lines of bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privsc_core import progress
from privsc_core.errors import InputError
from privsc_core.evaluate import views
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.curves import Curve, Phase
from privsc_core.evaluate.need import need
from privsc_core.evaluate.success import success

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Bound, Learner
    from privsc_core.evaluate.curves import Axis
    from privsc_core.evaluate.scenario import Scenario


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
    own = None
    if scenario.own and "m" not in {x_axis, y_axis}:
        at = scenario.settings() | {x_axis: x[None, :], y_axis: y[:, None]}
        own = np.log10(scenario.own.along(**at).m / scenario.m)
    return Phase(x_axis, y_axis, x, y, z, curves, entry, scenario, own)


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
        views.find_together(scenarios, [entry], bounds, axis, along)


def _cells(
    scenario: Scenario, axis: Axis, m_range: tuple[float, float] | None = None
) -> NDArray[np.float64]:
    """Return the centres of the cells along an axis."""
    ends = m_range if axis == "m" and m_range else views.frame(scenario, axis, wide=True)
    return views.grid(axis, ends, _CELLS, scenario, fill=True)


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
    return [e for e in scenario.bounds if e.binds(learner) and not e.on_demand]
