"""What a page shows, computed: curves, tables of numbers and phase diagrams.

Each view is a frozen value that holds arrays and names; `privsc_core.draw` turns it into a
figure and does no mathematics.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts import CHUNK
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import bound, bound_limit
from privsc_core.evaluate.curves import SIMULATING, Curve, Curves
from privsc_core.evaluate.need import need
from privsc_core.evaluate.numbers import (
    AROUND,
    POINTS,
    find_together,
    foresee,
    foresee_lines,
    frame,
    grid,
    least_number,
    numbers,
    phase_diagram,
)
from privsc_core.evaluate.results import SuccessResult
from privsc_core.evaluate.success import success
from privsc_core.numerics.intervals import Draws

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Bound, Learner
    from privsc_core.evaluate.curves import Axis
    from privsc_core.evaluate.scenario import Scenario

__all__ = [
    "bounds_alone", "foresee", "foresee_least", "foresee_lines", "frame", "least_m", "numbers",
    "phase_diagram", "success_curves", "success_strip",
]  # fmt: skip


# --- Curves of several scenarios as few computations: what they share is computed once -----------


Found = TypeVar("Found")


def asked(scenario: Scenario, axis: Axis, x: NDArray[np.float64], *, slack: bool) -> Hashable:
    """Return what a curve depends on, of scenarios that differ in numbers alone."""
    names = ("m", "d", "epsilon", "alpha", "beta", *(["delta"] if slack else []))
    return x.tobytes(), *(getattr(scenario, name) for name in names if name != axis)


def once_each(
    keys: Sequence[Hashable], computed: Callable[[list[int]], Sequence[Found]]
) -> list[Found]:
    """Return for each key what is computed at the places of different ones."""
    places: dict[Hashable, int] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, place)
    found = dict(zip(places, computed(list(places.values())), strict=True))
    return [found[key] for key in keys]


def alike(scenarios: Sequence[Scenario], axis: Axis) -> bool:
    """Tell whether curves of several scenarios are one computation, and gain by it."""
    return (
        axis == "m"
        and len(scenarios) > 1
        and len({(one.alpha, one.beta, one.delta) for one in scenarios}) == 1
    )


def joined(scenarios: Sequence[Scenario], grids: Sequence[NDArray[np.float64]]) -> dict[str, Any]:
    """Return the settings of grids of m, one behind the other."""
    sizes = [x.size for x in grids]
    setting = scenarios[0].settings()
    for name in ("d", "epsilon"):
        values = [getattr(one, name) for one in scenarios]
        if len(set(values)) > 1:
            setting[name] = np.repeat(values, sizes)
    return setting | {"m": np.concatenate(grids).astype(np.int64)}


def apart(
    values: NDArray[np.float64], grids: Sequence[NDArray[np.float64]]
) -> list[NDArray[np.float64]]:
    """Return what belongs to each of the grids."""
    return np.split(values, np.cumsum([x.size for x in grids])[:-1])


_POINTS_SIMULATED = 61
# A simulated point costs more: then half of all.
_POINTS_FEW, _AROUND_FEW = 33, AROUND[::2]
_LEAST_POINTS = 33


def success_curves(
    scenario: Scenario,
    axis: Axis,
    *,
    trials: int | None = None,
    x_range: tuple[float, float] | None = None,
) -> Curves:
    """Return success probability over one axis, the other parameters from the scenario.

    Parameters
    ----------
    scenario : Scenario
        What to show.
    axis : {"m", "d", "epsilon"}
        The parameter on the axis.
    trials : int, optional
        How many of the scenario's simulated samples to use so far; 0 leaves simulated
        learners out. What was computed for fewer is not computed again.
    x_range : (float, float), optional
        The ends of the axis; those of `frame` if left out.
    """
    trials = scenario.trials if trials is None else min(trials, scenario.trials)
    if all(learner.laws[scenario.law.name] == "exact" for learner in scenario.drawn):
        (found,) = _success_curves([scenario], axis, [x_range])
        return replace(found, simulated=trials)
    with progress.stage(0.0, 0.2):
        found = _without_simulated(scenario, axis, x_range)
    with progress.stage(0.2, 1.0):
        return _with_simulated(found, trials) if trials else found


def success_strip(
    scenarios: Sequence[Scenario], axis: Axis, x_ranges: Sequence[tuple[float, float] | None]
) -> list[Curves]:
    """Return `success_curves` of scenarios that differ in numbers alone, without simulated ones.

    Over m, each curve and bound is one computation for all of them, where d or epsilon differs.
    """
    return _success_curves(scenarios, axis, x_ranges)


# While a simulation goes on, the rest of its picture stays.
@lru_cache(maxsize=16)
def _without_simulated(
    scenario: Scenario, axis: Axis, x_range: tuple[float, float] | None
) -> Curves:
    return _success_curves([scenario], axis, [x_range])[0]


def _with_simulated(curves: Curves, trials: int) -> Curves:
    """Return success curves with those of learners that are simulated, in the order of the catalog."""
    scenario = curves.scenario
    known = {curve.name: curve for curve in curves.learners}
    learners = []
    missing = [reason for reason in curves.missing if reason[1] != SIMULATING]
    for learner in progress.steps(scenario.drawn):
        if learner.laws[scenario.law.name] == "exact":
            learners += [known[learner.name]] if learner.name in known else []
            continue
        x, at = _nodes(scenario, learner, curves.axis, curves.x_range, exact=False)
        found = _simulated_or_refused(scenario, learner, curves.axis, x, trials)
        if isinstance(found, InputError):
            missing.append((learner.title, str(found)))
        else:
            learners.append(_curve(learner, x, at, found))
    return replace(curves, learners=tuple(learners), missing=tuple(missing), simulated=trials)


def _curve(learner: Learner, x: NDArray[np.float64], at: float, found: SuccessResult) -> Curve:
    return Curve(
        learner.name, learner.title, x, found.value, found.low, found.high, found.method, at
    )


def _success_curves(
    scenarios: Sequence[Scenario],
    axis: Axis,
    x_ranges: Sequence[tuple[float, float] | None],
) -> list[Curves]:
    with progress.stage(0.0, 0.1):
        ranges = [
            given or frame(one, axis)
            for given, one in zip(x_ranges, progress.steps(scenarios), strict=True)
        ]
    first = scenarios[0]
    learners: list[list[Curve]] = [[] for _ in scenarios]
    missing = [_missing(one) for one in scenarios]
    for place, learner in enumerate(progress.steps(first.drawn, begin=0.1, end=0.8)):
        if learner.laws[first.law.name] != "exact":
            for reasons in missing:
                reasons.append((learner.title, SIMULATING))
            continue
        entries = [one.drawn[place] for one in scenarios]
        nodes = [
            _nodes(one, entry, axis, ends, exact=True)
            for one, entry, ends in zip(scenarios, entries, ranges, strict=True)
        ]
        results = _exact(scenarios, entries, axis, [x for x, _ in nodes])
        for curves, reasons, (x, at), found in zip(learners, missing, nodes, results, strict=True):
            if isinstance(found, InputError):
                reasons.append((learner.title, str(found)))
            else:
                curves.append(_curve(learner, x, at, found))
    bounds: list[list[Curve]] = [[] for _ in scenarios]
    for entry in progress.steps(first.bounds, begin=0.8):
        for curves, curve in zip(
            bounds, _limit_curves(scenarios, entry, axis, ranges), strict=True
        ):
            if curve is not None:
                curves.append(curve)
    return [
        Curves(axis, "success", ends, tuple(curves), tuple(limits), tuple(reasons), one)
        for one, ends, curves, limits, reasons in zip(
            scenarios, ranges, learners, bounds, missing, strict=True
        )
    ]


def _nodes(
    scenario: Scenario, learner: Learner, axis: Axis, ends: tuple[float, float], *, exact: bool
) -> tuple[NDArray[np.float64], float]:
    """Return where a learner's curve is computed, and its number of samples on the axis of m."""
    at = least_number(scenario, learner) if axis == "m" else math.nan
    reach = min(ends[1], learner.most_d(scenario.law)) if axis == "d" else ends[1]
    points, steep = (POINTS, AROUND) if exact else (_POINTS_FEW, _AROUND_FEW)
    if not exact and math.isnan(at):
        points = _POINTS_SIMULATED
    ends = ends[0], max(ends[0], reach)
    x = grid(axis, ends, points, scenario, around=at, steep=steep)
    return (_thinned(x, learner.light_to) if axis == "d" and not exact else x), at


def _thinned(d: NDArray[np.float64], light_to: float) -> NDArray[np.float64]:
    """Return places over d, beyond one of them two in an octave, the last one among them."""
    halves = np.ceil(2.0 * np.log2(d[-1] / d))
    new = np.append(True, np.diff(halves) != 0.0)
    return d[new | (d <= light_to)]


def _exact(
    scenarios: Sequence[Scenario],
    learners: Sequence[Learner],
    axis: Axis,
    grids: Sequence[NDArray[np.float64]],
) -> list[SuccessResult | InputError]:
    """Return the exact curves of a learner at scenarios, or why there is none."""
    keys = [
        (learner, asked(one, axis, x, slack=not learner.free_of_delta))
        for one, learner, x in zip(scenarios, learners, grids, strict=True)
    ]
    return once_each(
        keys,
        lambda which: _exact_apart(
            [scenarios[k] for k in which], [learners[k] for k in which], axis,
            [grids[k] for k in which],
        ),
    )  # fmt: skip


def _exact_apart(
    scenarios: Sequence[Scenario],
    learners: Sequence[Learner],
    axis: Axis,
    grids: Sequence[NDArray[np.float64]],
) -> list[SuccessResult | InputError]:
    """Return the same, of scenarios that share nothing: in one computation where that is less."""
    first, law = learners[0], scenarios[0].law
    if alike(scenarios, axis) and all(learner == first for learner in learners):
        # Who is refused is found out one by one.
        with contextlib.suppress(InputError):
            found = success(first, law, **joined(scenarios, grids))
            parts = (apart(end, grids) for end in (found.value, found.low, found.high))
            return [
                SuccessResult(value, low, high, found.method)
                for value, low, high in zip(*parts, strict=True)
            ]
    results: list[SuccessResult | InputError] = []
    for scenario, learner, x in zip(scenarios, learners, grids, strict=True):
        try:
            results.append(success(learner, law, **_at(scenario, axis, x)))
        except InputError as refused:
            results.append(refused)
    return results


def least_m(scenario: Scenario, axis: Literal["d", "epsilon"]) -> Curves:
    """Return the least number of samples over one axis, with fitted slopes."""
    x_range = frame(scenario, axis)
    x = grid(axis, x_range, _LEAST_POINTS, scenario)
    # The number at the scenario itself is found with the others, and remembered.
    places = _with_here(scenario, axis, x)
    over = scenario.settings(axis) | {axis: places}
    learners = []
    missing = _missing(scenario)
    for learner in progress.steps(scenario.drawn, end=0.8):
        if learner.laws[scenario.law.name] != "exact":
            missing.append((learner.title, "its law is simulated: no least m is traced"))
            continue
        if _traced(scenario, axis):
            found = need(learner, scenario.law, **over)
            m, m_from = found.m[: x.size], found.m_from[: x.size]
            curve = _with_slope(learner.name, learner.title, x, m, found.method)
            if places.size > x.size:
                curve = replace(curve, at=least_number(scenario, learner))
            same = np.array_equal(m, m_from, equal_nan=True)
            learners.append(curve if same else replace(curve, m_from=m_from))
        else:
            missing.append((learner.title, "not traced: the distribution changes with d"))
    bounds = [
        _bound_curve(scenario, entry, axis, x)
        for entry in progress.steps(scenario.bounds, begin=0.8) if scenario.speaks(entry)
    ]  # fmt: skip
    return Curves(axis, "m", x_range, tuple(learners), tuple(bounds), tuple(missing), scenario)


def foresee_least(scenarios: Sequence[Scenario], axis: Literal["d", "epsilon"]) -> None:
    """Find together what `least_m` of scenarios that differ in numbers alone will ask for."""
    first = scenarios[0]
    places = _with_here(first, axis, grid(axis, frame(first, axis), _LEAST_POINTS, first))
    spoken = [e for e in first.bounds if any(one.speaks(e) for one in scenarios)]
    find_together(scenarios, first.drawn if _traced(first, axis) else (), spoken, axis, places)


def _traced(scenario: Scenario, axis: Literal["d", "epsilon"]) -> bool:
    """Tell whether learners have a curve over an axis: not where it changes the distribution."""
    return axis == "epsilon" or not scenario.law.depends_on_d


def _with_here(
    scenario: Scenario, axis: Literal["d", "epsilon"], x: NDArray[np.float64]
) -> NDArray[np.float64]:
    here = getattr(scenario, axis)
    low, high = frame(scenario, axis)
    return np.append(x, here) if low <= here <= high else x


def bounds_alone(scenario: Scenario, axis: Literal["d", "epsilon"]) -> Curves:
    """Return every bound of the class over one axis, whatever its constants, without learners.

    Those that stand on the distribution and have a number somewhere; each with its number at the
    setting itself.
    """
    x_range = frame(scenario, axis)
    x = grid(axis, x_range, _LEAST_POINTS, scenario)
    curves = []
    for entry in progress.steps(scenario.concept_class.bounds):
        curve = _bound_curve(scenario, entry, axis, x)
        if np.isfinite(curve.y).any():
            at = bound(entry, **scenario.settings()).m if scenario.holds(entry) else math.nan
            curves.append(replace(curve, at=float(at)))
    return Curves(axis, "m", x_range, (), tuple(curves), (), scenario)


def _bound_curve(
    scenario: Scenario, entry: Bound, axis: Literal["d", "epsilon"], x: NDArray[np.float64]
) -> Curve:
    """Return a bound over an axis, where it holds on the distribution."""
    over = scenario.settings(axis) | {axis: x}
    here = np.where(scenario.holding(entry, axis, x), bound(entry, **over).m, np.nan)
    traced = _with_slope(
        entry.name, entry.title, x, here, entry.constants, entry.kind, entry.legend
    )
    return replace(traced, hugs_baseline=entry.hugs_baseline)


def _simulated_or_refused(
    scenario: Scenario, learner: Learner, axis: Axis, x: NDArray[np.float64], trials: int
) -> SuccessResult | InputError:
    try:
        return _simulated(scenario, learner, axis, x, trials)
    except InputError as refused:
        return refused


def _simulated(
    scenario: Scenario, learner: Learner, axis: Axis, x: NDArray[np.float64], trials: int
) -> SuccessResult:
    """Put together the parts of a simulation; each part is computed once per process."""
    starts = range(0, trials, CHUNK)
    parts: list[SuccessResult] = []
    for start in progress.steps(starts):
        size = min(CHUNK, trials - start)
        parts.append(_part(scenario, learner, axis, tuple(x.tolist()), start, size))
        if parts[0].drawn is None:  # then every part is the same
            return parts[0]
    drawn = Draws.pooled(part.drawn for part in parts if part.drawn is not None)
    return SuccessResult(drawn.mean(parts[0].value), *drawn.ends(), parts[0].method, drawn=drawn)


@lru_cache(maxsize=2048)
def _part(
    scenario: Scenario, learner: Learner, axis: Axis, x: tuple[float, ...], start: int, trials: int
) -> SuccessResult:
    """Return the success probabilities of one part."""
    return success(
        learner, scenario.law, **_at(scenario, axis, np.array(x)),
        trials=trials, seed=scenario.seed, first_trial=start,
    )  # fmt: skip


def _missing(scenario: Scenario) -> list[tuple[str, str]]:
    drawn = scenario.drawn
    return [
        (learner.title, f"has no law on {scenario.law.label}")
        for learner in scenario.chosen
        if learner not in drawn
    ]


def _limit_curves(
    scenarios: Sequence[Scenario],
    entry: Bound,
    axis: Axis,
    x_ranges: Sequence[tuple[float, float]],
) -> list[Curve | None]:
    """Return the success probability that a bound allows or promises, or its number alone."""
    speaks = [k for k, one in enumerate(scenarios) if one.speaks(entry)]
    curves: list[Curve | None] = [None] * len(scenarios)
    if not speaks:
        return curves
    told = [scenarios[k] for k in speaks]
    numbers = [float(bound(entry, **one.settings()).m) for one in told]
    grids = [
        grid(axis, x_ranges[k], POINTS, one, around=at if axis == "m" else math.nan)
        for k, one, at in zip(speaks, told, numbers, strict=True)
    ]
    keys = [
        asked(one, axis, x, slack=not entry.free_of_delta)
        for one, x in zip(told, grids, strict=True)
    ]
    limits = once_each(
        keys,
        lambda which: _limits([told[k] for k in which], entry, axis, [grids[k] for k in which]),
    )
    for k, at, x, limit in zip(speaks, numbers, grids, limits, strict=True):
        if limit is None:
            if math.isnan(at) or axis != "m":
                continue
            x = limit = np.empty(0)  # noqa: PLW2901 - its number alone
        curves[k] = Curve(
            entry.name, entry.title, x, limit, limit, limit, entry.constants, at,
            kind=entry.kind, legend=entry.legend, headline=entry.headline,
            hugs_baseline=entry.hugs_baseline, behind=entry.behind,
        )  # fmt: skip
    return curves


def _limits(
    scenarios: Sequence[Scenario],
    entry: Bound,
    axis: Axis,
    grids: Sequence[NDArray[np.float64]],
) -> Sequence[NDArray[np.float64] | None]:
    """Return what a bound says of probabilities at scenarios, each on its grid."""
    if not alike(scenarios, axis):
        return [
            bound_limit(entry, **_at(one, axis, x)) for one, x in zip(scenarios, grids, strict=True)
        ]
    limits = bound_limit(entry, **joined(scenarios, grids))
    return [None] * len(scenarios) if limits is None else apart(limits, grids)


def _with_slope(
    name: str,
    title: str,
    x: NDArray[np.float64],
    m: NDArray[np.float64],
    method: str,
    kind: Literal["learner", "lower", "upper"] = "learner",
    legend: str = "",
) -> Curve:
    upper = np.isfinite(m) & (x >= math.sqrt(x[0] * x[-1])) & (m > 1)
    slope = math.nan
    if upper.sum() >= 3:
        # The last bits depend on the processor; without them 0.005 - 1e-17 and 0.005 read the same.
        slope = round(float(np.polyfit(np.log(x[upper]), np.log(m[upper]), 1)[0]), 9)
    return Curve(name, title, x, m, m, m, method, slope=slope, kind=kind, legend=legend)


def _at(scenario: Scenario, axis: Axis, x: NDArray[np.float64]) -> dict[str, Any]:
    """Return the setting with the axis in place, for the success functions."""
    setting: dict[str, Any] = {"m": scenario.m, **scenario.settings(axis)}
    setting[axis] = x if axis == "epsilon" else x.astype(np.int64)
    return setting
