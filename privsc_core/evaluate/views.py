"""What a page shows, computed: curves, tables of numbers and phase diagrams.

Each view is a frozen value that holds arrays and names; `privsc_core.draw` turns it into a
figure and does no mathematics.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts import CHUNK
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import bound, bound_limit
from privsc_core.evaluate.curves import SIMULATING, Curve, Curves, Numbers, Phase, Row
from privsc_core.evaluate.need import need, pilot_trials
from privsc_core.evaluate.results import SuccessResult
from privsc_core.evaluate.success import success
from privsc_core.numerics.intervals import interval, sums_from
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Bound, Distribution, Learner
    from privsc_core.evaluate.curves import Axis
    from privsc_core.evaluate.scenario import Scenario

__all__ = [
    "bounds_alone", "foresee", "frame", "least_m", "numbers", "phase_diagram", "success_curves",
    "success_strip",
]  # fmt: skip

_POINTS = 45
_POINTS_SIMULATED = 61
# More of them where a curve climbs, at these multiples of its number of samples.
_AROUND = np.geomspace(1.0 / 1.8, 1.8, 25)
# A simulated point costs more: then fewer.
_POINTS_FEW, _AROUND_FEW = 33, _AROUND[::2]
_LEAST_POINTS = 33
_CELLS = 60
# Ranges of the axes: fixed, so that the frame stands still while a control moves.
_RANGES: dict[str, tuple[float, float]] = {"d": (2, 10_000), "epsilon": (0.02, 10.0)}
_STEPS = (1, 2, 5)
_ROUGH = (2, 8)  # samples of a slow number that only an axis needs, and if they do not do


def numbers(
    scenario: Scenario, learners: Collection[str] | None = None, *, brief: bool = False
) -> Numbers:
    """Return the number of samples of every learner and every bound of the concept class.

    Or of some learners, by their names, of those without privacy, which prices are against, and of
    bounds, but for upper ones that promise nothing of these. To be `brief` slow simulations are left
    pending.
    """
    baseline = math.nan
    rows = []
    entries, spoken = _told(scenario, learners)
    for learner in progress.steps(entries, end=0.8):
        pending = brief and scenario.law.name in learner.slow
        found = _Least(None, None, "", "none") if pending else _least(scenario, learner)
        m = found.m
        # The price is against the first learner without privacy.
        if learner.privacy == "none" and m is not None and math.isnan(baseline):
            baseline = float(m)
        rows.append((learner, found, pending))
    found_rows = tuple(
        Row(
            learner.name, learner.title, _cite(learner), found.m,
            _remark(found, learner), math.nan if found.m is None else found.m / baseline,
            found.method, "learner", learner.promise(scenario.delta), learner.proper,
            found.m_from, learner.at(scenario.delta).privacy_slack, pending=pending,
        )
        for learner, found, pending in rows
    )  # fmt: skip
    bounds = []
    for entry in progress.steps(spoken, begin=0.8):
        says = bound(entry, **scenario.settings())
        m = None if np.isnan(says.m) else int(says.m)
        remark = str(says.reason) or str(says.note)
        if not (remark or scenario.holds(entry)):
            remark = _elsewhere(entry, scenario.law)
        bounds.append(
            Row(
                entry.name, entry.title, _cite(entry), m, remark,
                math.nan if m is None else m / baseline, entry.constants, entry.kind,
                here=scenario.holds(entry),
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
    return told, tuple(e for e in bounds if e.kind == "lower" or any(map(e.binds, told)))


def foresee(scenarios: Sequence[Scenario], learners: Collection[str] | None = None) -> None:
    """Find together all numbers of samples that views of some scenarios will ask for.

    They are remembered, so that the views are quick. The scenarios differ in numbers alone.
    `learners` as for `numbers`.
    """
    first = scenarios[0]
    over: dict[str, Any] = {
        name: [getattr(s, name) for s in scenarios] for name in first.settings()
    }
    told, bounds = _told(first, learners)
    for learner in told:
        if learner.laws.get(first.law.name) == "exact":
            # A view of its own says what is refused.
            with contextlib.suppress(InputError):
                need(learner, first.law, **over)
    for entry in bounds:
        bound(entry, **over)


def frame(scenario: Scenario, axis: Axis, *, wide: bool = False) -> tuple[float, float]:
    """Return the ends of an axis that hold every number of a scenario worth seeing."""
    if axis == "m":
        return _m_range(scenario, wide=wide)
    low, high = _RANGES[axis]
    return low, min(high, scenario.law.most_d) if axis == "d" else high


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
    (found,) = _success_curves([scenario], axis, [x_range], trials)
    return found


def success_strip(
    scenarios: Sequence[Scenario], axis: Axis, x_ranges: Sequence[tuple[float, float] | None]
) -> list[Curves]:
    """Return `success_curves` of scenarios that differ in numbers alone, without simulated ones.

    Over m, each curve and bound is one computation for all of them, where d or epsilon differs.
    """
    return _success_curves(scenarios, axis, x_ranges, 0)


def _success_curves(
    scenarios: Sequence[Scenario],
    axis: Axis,
    x_ranges: Sequence[tuple[float, float] | None],
    trials: int,
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
        exact = learner.laws[first.law.name] == "exact"
        if not exact and not trials:
            for reasons in missing:
                reasons.append((learner.title, SIMULATING))
            continue
        entries = [one.drawn[place] for one in scenarios]
        nodes = [
            _nodes(one, entry, axis, ends, exact=exact)
            for one, entry, ends in zip(scenarios, entries, ranges, strict=True)
        ]
        grids = [x for x, _ in nodes]
        results = (
            _exact(scenarios, entries, axis, grids)
            if exact
            else [_simulated_or_refused(first, learner, axis, grids[0], trials)]
        )
        for curves, reasons, (x, at), found in zip(learners, missing, nodes, results, strict=True):
            if isinstance(found, InputError):
                reasons.append((learner.title, str(found)))
                continue
            curves.append(
                Curve(
                    learner.name, learner.title, x, found.value, found.low, found.high,
                    found.method, at,
                )
            )  # fmt: skip
    bounds: list[list[Curve]] = [[] for _ in scenarios]
    for entry in progress.steps(first.bounds, begin=0.8):
        for curves, curve in zip(
            bounds, _limit_curves(scenarios, entry, axis, ranges), strict=True
        ):
            if curve is not None:
                curves.append(curve)
    return [
        Curves(axis, "success", ends, tuple(curves), tuple(limits), tuple(reasons), one, trials)
        for one, ends, curves, limits, reasons in zip(
            scenarios, ranges, learners, bounds, missing, strict=True
        )
    ]


def _nodes(
    scenario: Scenario, learner: Learner, axis: Axis, ends: tuple[float, float], *, exact: bool
) -> tuple[NDArray[np.float64], float]:
    """Return where a learner's curve is computed, and its number of samples on the axis of m."""
    at = _least_m(scenario, learner) if axis == "m" else math.nan
    reach = min(ends[1], learner.most_d(scenario.law)) if axis == "d" else ends[1]
    points, steep = (_POINTS, _AROUND) if exact else (_POINTS_FEW, _AROUND_FEW)
    if not exact and math.isnan(at):
        points = _POINTS_SIMULATED
    ends = ends[0], max(ends[0], reach)
    return _grid(axis, ends, points, scenario, around=at, steep=steep), at


def _exact(
    scenarios: Sequence[Scenario],
    learners: Sequence[Learner],
    axis: Axis,
    grids: Sequence[NDArray[np.float64]],
) -> list[SuccessResult | InputError]:
    """Return the exact curves of a learner at scenarios, or why there is none."""
    first, law = learners[0], scenarios[0].law
    alike = _alike(scenarios, axis) and all(learner == first for learner in learners)
    if alike and law.by_cell:
        # Who is refused is found out one by one.
        with contextlib.suppress(InputError):
            found = success(first, law, **_joined(scenarios, grids))
            parts = (_apart(end, grids) for end in (found.value, found.low, found.high))
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


def _alike(scenarios: Sequence[Scenario], axis: Axis) -> bool:
    """Tell whether curves of several scenarios are one computation, and gain by it."""
    return (
        axis == "m"
        and len(scenarios) > 1
        and len({(one.alpha, one.beta, one.delta) for one in scenarios}) == 1
    )


def _joined(scenarios: Sequence[Scenario], grids: Sequence[NDArray[np.float64]]) -> dict[str, Any]:
    """Return the settings of grids of m, one behind the other."""
    sizes = [x.size for x in grids]
    setting = scenarios[0].settings()
    for name in ("d", "epsilon"):
        values = [getattr(one, name) for one in scenarios]
        if len(set(values)) > 1:
            setting[name] = np.repeat(values, sizes)
    return setting | {"m": np.concatenate(grids).astype(np.int64)}


def _apart(
    values: NDArray[np.float64], grids: Sequence[NDArray[np.float64]]
) -> list[NDArray[np.float64]]:
    """Return what belongs to each of the grids."""
    return np.split(values, np.cumsum([x.size for x in grids])[:-1])


def least_m(scenario: Scenario, axis: Literal["d", "epsilon"]) -> Curves:
    """Return the least number of samples over one axis, with fitted slopes."""
    x_range = frame(scenario, axis)
    x = _grid(axis, x_range, _LEAST_POINTS, scenario)
    here = getattr(scenario, axis)
    on_axis = x_range[0] <= here <= x_range[1]
    # The number at the scenario itself is found with the others, and remembered.
    over = scenario.settings(axis) | {axis: np.append(x, here) if on_axis else x}
    learners = []
    missing = _missing(scenario)
    for learner in progress.steps(scenario.drawn, end=0.8):
        if learner.laws[scenario.law.name] != "exact":
            missing.append((learner.title, "its law is simulated: no least m is traced"))
            continue
        if axis == "epsilon" or not scenario.law.depends_on_d:
            found = need(learner, scenario.law, **over)
            m, m_from = found.m[: x.size], found.m_from[: x.size]
            curve = _with_slope(learner.name, learner.title, x, m, found.method)
            if on_axis:
                curve = replace(curve, at=_least_m(scenario, learner))
            same = np.array_equal(m, m_from, equal_nan=True)
            learners.append(curve if same else replace(curve, m_from=m_from))
        else:
            missing.append((learner.title, "not traced: the distribution changes with d"))
    bounds = [
        _bound_curve(scenario, entry, axis, x)
        for entry in progress.steps(scenario.bounds, begin=0.8) if scenario.speaks(entry)
    ]  # fmt: skip
    return Curves(axis, "m", x_range, tuple(learners), tuple(bounds), tuple(missing), scenario)


def bounds_alone(scenario: Scenario, axis: Literal["d", "epsilon"]) -> Curves:
    """Return every bound of the class over one axis, whatever its constants, without learners.

    Those that stand on the distribution and have a number somewhere; each with its number at the
    setting itself.
    """
    x_range = frame(scenario, axis)
    x = _grid(axis, x_range, _LEAST_POINTS, scenario)
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
    here = np.where(_holding(scenario, entry, axis, x), bound(entry, **over).m, np.nan)
    traced = _with_slope(
        entry.name, entry.title, x, here, entry.constants, entry.kind, entry.legend
    )
    return replace(traced, hugs_baseline=entry.hugs_baseline)


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
        ranges = {
            axis: m_range if axis == "m" and m_range else frame(scenario, axis, wide=True)
            for axis in (x_axis, y_axis)
        }
    x = _grid(x_axis, ranges[x_axis], _CELLS, scenario, fill=True)
    y = _grid(y_axis, ranges[y_axis], _CELLS, scenario, fill=True)
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
        if parts[0].method in {"exact", "bracketed"}:  # then every part is the same
            return parts[0]
    # One side of an interval may be cut at 0 or 1, never both.
    sums = [
        sums_from(part.value, np.maximum(part.high - part.value, part.value - part.low), size)
        for part, size in zip(parts, (min(CHUNK, trials - s) for s in starts), strict=True)
    ]
    value, half = interval(sum(s[0] for s in sums), sum(s[1] for s in sums), trials)  # type: ignore[arg-type]
    low, high = np.maximum(value - half, 0.0), np.minimum(value + half, 1.0)
    proved = parts[0].proved
    if proved is not None:
        low, high = (
            np.where(proved, end, cut) for end, cut in ((parts[0].low, low), (parts[0].high, high))
        )
    return SuccessResult(value, low, high, parts[0].method)


@lru_cache(maxsize=2048)
def _part(
    scenario: Scenario, learner: Learner, axis: Axis, x: tuple[float, ...], start: int, trials: int
) -> SuccessResult:
    """Return the success probabilities of one part."""
    return success(
        learner, scenario.law, **_at(scenario, axis, np.array(x)),
        trials=trials, seed=scenario.seed, first_trial=start,
    )  # fmt: skip


def _phase_curves(
    scenario: Scenario,
    learner: Learner,
    x_axis: Axis,
    y_axis: Axis,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
) -> tuple[Curve, ...]:
    if "m" not in {x_axis, y_axis}:
        return ()
    axis, along = (x_axis, x) if y_axis == "m" else (y_axis, y)
    if axis == "m" or scenario.law.depends_on_d:
        return ()
    along = along[:: max(1, along.size // 30)]
    over = scenario.settings(axis) | {axis: along}
    lines = []
    with progress.stage(0.0, 0.5):
        own = need(learner, scenario.law, **over).m
    lines.append((learner.name, f"{learner.title}: least m", own, "need", "learner", ""))
    for entry in progress.steps(scenario.bounds, begin=0.5):
        if (
            entry.binds(learner)
            and not entry.hugs_baseline
            and (here := _holding(scenario, entry, axis, along)).any()
        ):
            found = np.where(here, bound(entry, **over).m, np.nan)
            lines.append(
                (entry.name, entry.title, found, entry.constants, entry.kind, entry.legend)
            )
    curves = []
    for name, title, m, method, kind, legend in lines:
        a, b = (along, m) if y_axis == "m" else (m, along)
        curves.append(Curve(name, title, a, b, b, b, method, kind=kind, legend=legend))  # type: ignore[arg-type]
    return tuple(curves)


def _elsewhere(entry: Bound, law: Distribution) -> str:
    """Return where a bound holds that does not hold here."""
    places = entry.stands_on or entry.promised_on
    if law.name in entry.shown_on:
        return f"for the worst case, which {law.name} is not at this setting"
    if law.name in places:
        return f"not on the {law.name} distribution at this setting"
    return f"on the {' or '.join(places)} distribution"


def _holding(
    scenario: Scenario, entry: Bound, axis: Axis, along: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Tell at which values of an axis a bound holds on the distribution."""
    values = [int(v) if axis == "d" else float(v) for v in along.tolist()]
    return np.array([scenario.holds(entry, **{axis: v}) for v in values])


@dataclass(frozen=True, slots=True)
class _Least:
    """What a learner needs at the scenario: the numbers, why or a remark, and how."""

    m: int | None
    m_from: int | None
    words: str
    method: str


def _least(scenario: Scenario, learner: Learner) -> _Least:
    if scenario.law.name not in learner.laws:
        return _Least(None, None, f"no law on {scenario.law.label}", "none")
    try:
        found = need(learner, scenario.law, **scenario.settings(), **scenario.simulation())
    except InputError as refused:
        return _Least(None, None, str(refused), "none")
    m, m_from = (None if np.isnan(x) else int(x) for x in (found.m, found.m_from))
    method = found.method
    if m is not None and method != "exact":
        # A simulated law may be better at this setting, whatever the number of samples.
        here = success(learner, scenario.law, m=m, **scenario.settings(), trials=2)
        method = here.method
    return _Least(m, m_from, str(found.reason) or str(found.note), method)


def _least_m(scenario: Scenario, learner: Learner) -> float:
    """Return the m of `_least`, NaN for none: where nobody asks how it was found."""
    try:
        return float(need(learner, scenario.law, **scenario.settings(), **scenario.simulation()).m)
    except InputError:
        return math.nan


def _remark(found: _Least, learner: Learner) -> str:
    """Return what to know about a number, or why there is none."""
    if found.m is None or not (found.words and learner.caveat):
        return found.words or learner.caveat
    return f"{found.words[0].upper()}{found.words[1:]}. {learner.caveat}"


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
        _grid(axis, x_ranges[k], _POINTS, one, around=at if axis == "m" else math.nan)
        for k, one, at in zip(speaks, told, numbers, strict=True)
    ]
    limits: list[NDArray[np.float64] | None]
    if _alike(told, axis):
        joined = bound_limit(entry, **_joined(told, grids))
        limits = [None] * len(told) if joined is None else [*_apart(joined, grids)]
    else:
        limits = [
            bound_limit(entry, **_at(one, axis, x)) for one, x in zip(told, grids, strict=True)
        ]
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


def _grid(
    axis: Axis,
    x_range: tuple[float, float],
    points: int,
    scenario: Scenario,
    *,
    fill: bool = False,
    around: float = math.nan,
    steep: NDArray[np.float64] = _AROUND,
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


def _m_range(scenario: Scenario, *, wide: bool = False) -> tuple[float, float]:
    """Return round ends of the m axis that hold every number worth seeing."""
    exact = [e for e in scenario.drawn if e.laws[scenario.law.name] == "exact"]
    simulated = [learner for learner in scenario.drawn if learner not in exact]
    values = [_least_m(scenario, learner) for learner in progress.steps(exact, end=0.5)]
    values += [
        float(bound(entry, **scenario.settings()).m)
        for entry in scenario.bounds if entry.headline and scenario.speaks(entry)
    ]  # fmt: skip
    for learner in progress.steps(simulated, begin=0.5):
        values.append(_roughly(scenario, learner, values, wide=wide))
    return _ends(values, wide=wide)


def _roughly(scenario: Scenario, learner: Learner, values: Sequence[float], *, wide: bool) -> float:
    """Return a simulated least m, by no more samples than the ends of an axis need.

    Round ends need no precise number: those do with which the search for it begins. Of slow ones
    fewer do where half of it and twice as much, beside the numbers that are known, have the same
    ends.
    """
    if scenario.law.name not in learner.slow:
        return _least_m(replace(scenario, trials=pilot_trials(scenario.trials)), learner)
    m = math.nan
    for trials in _ROUGH:
        m = _least_m(replace(scenario, trials=min(scenario.trials, trials)), learner)
        if len({_ends([*values, m * times], wide=wide) for times in (0.5, 1.0, 2.0)}) == 1:
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


def _cite(entry: Learner | Bound) -> str:
    if entry.source.paper == "ours":
        return f"ours ({entry.source.place})"
    return f"{entry.source.paper}, {entry.source.place}"
