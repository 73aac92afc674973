"""What a page shows, computed: numbers of samples and curves; for maps see `maps`.

Each view is a frozen value that holds arrays and names; `privsc_core.draw` turns it into a
figure and does no mathematics. Probabilities of success along an axis are computed in `_together`.
"""

from __future__ import annotations

import contextlib
import math
import operator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts import CHUNK
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import bound, bound_limit
from privsc_core.evaluate.curves import SIMULATING, Curve, Curves, Numbers, Row
from privsc_core.evaluate.need import enough_trials, guessed, need, pilot_trials
from privsc_core.evaluate.results import SuccessResult
from privsc_core.evaluate.success import success
from privsc_core.literature.wording import in_symbols
from privsc_core.numerics.intervals import Draws
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Bound, Distribution, Learner
    from privsc_core.evaluate.curves import Axis
    from privsc_core.evaluate.own_bound import OwnBound
    from privsc_core.evaluate.scenario import Scenario


# --- Numbers of samples ---------------------------------------------------------------------------


def numbers(
    scenario: Scenario, learners: Collection[str] | None = None, *, brief: bool = False
) -> Numbers:
    """Return the number of samples of every learner and every bound of the concept class.

    With `learners`, their names: of these, of one learner without privacy, against which prices
    are, and of all bounds except upper ones that promise them nothing on the distribution. If
    `brief`, simulations of private learners are left pending: their rows have a rough number, those
    of slow ones none.
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
    """Return the learners and bounds whose numbers are shown."""
    bounds = (*scenario.concept_class.bounds, *((scenario.own,) if scenario.own else ()))
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
            # Each view reports its own refusals.
            with contextlib.suppress(InputError):
                need(learner, first.law, **over)
    for entry in bounds:
        bound(entry, **over)


def least_number(scenario: Scenario, learner: Learner, *, rough: bool = False) -> float:
    """Return the m of `_least` alone, NaN for none."""
    try:
        found = need(
            learner, scenario.law, **scenario.settings(), **scenario.simulation(), rough=rough
        )
        return float(found.m)
    except InputError:
        return math.nan


def _shortly(scenario: Scenario, learner: Learner) -> tuple[bool, _Least]:
    """Return whether a simulation is left pending, and the number that is known without it.

    A learner without privacy is waited for: all prices, those of exact numbers too, are against it.
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
    """What a learner needs at the scenario: numbers, a reason or a remark, and the method."""

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
        why = scenario.concept_class.lacking(refused).removesuffix(f" for {learner.name}")
        return _Least(None, None, why, "none")
    m, m_from, at_least = [
        None if np.isnan(x) else int(x) for x in (found.m, found.m_from, found.at_least)
    ]
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
    places = entry.valid_on or entry.promised_on
    if not places:
        return "for the worst distribution, which need not be this one"
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
RANGES: dict[str, tuple[float, float]] = {"d": (2, 10_000), "epsilon": (0.02, 10.0)}
_STEPS = (1, 2, 5)
# Samples for a slow number that only an axis needs; the second if the first leave it open.
_ROUGH = (2, 8)
# An axis reaches so much farther for a bound of one's own: what is beyond is told in the legend.
OWN_BEYOND = 5.0
_UP = 2.0  # a rough number or an initial guess may be too small by this factor


def frame(scenario: Scenario, axis: Axis, *, wide: bool = False) -> tuple[float, float]:
    """Return the ends of an axis that hold every number of a scenario worth seeing."""
    if axis == "m":
        return _m_range(scenario, wide=wide)
    low, high = RANGES[axis]
    return low, min(high, scenario.law.most_d) if axis == "d" else high


def _m_range(scenario: Scenario, *, wide: bool = False) -> tuple[float, float]:
    """Return round ends of the m axis that hold every number worth seeing."""
    exact = [e for e in scenario.drawn if e.laws[scenario.law.name] == "exact"]
    simulated = [learner for learner in scenario.drawn if learner not in exact]
    values = [least_number(scenario, learner) for learner in progress.steps(exact, end=0.5)]
    values += [
        float(bound(entry, **scenario.settings()).m)
        for entry in scenario.bounds if entry.shaded and scenario.applies(entry)
    ]  # fmt: skip
    for learner in progress.steps(simulated, begin=0.5):
        values.append(_roughly(scenario, learner, values, wide=wide))
    if scenario.own:
        low, high = _ends(values, wide=wide)
        own = float(bound(scenario.own, **scenario.settings()).m)
        values.append(min(max(own, low / OWN_BEYOND), high * OWN_BEYOND))
    return _ends(values, wide=wide)


def _roughly(scenario: Scenario, learner: Learner, values: Sequence[float], *, wide: bool) -> float:
    """Return a simulated least m, as precisely as the ends of an axis need.

    Round ends need no precise number: an initial guess is enough where its largest error leaves them
    as they are, and so is, for a slow learner, a number from very few samples.
    """
    law = scenario.law.name

    def settled(m: float, down: float) -> bool:
        return _ends([*values, m / down], wide=wide) == _ends([*values, _UP * m], wide=wide)

    if law in learner.guess_within:
        m = guessed(learner, scenario.law, **scenario.settings())
        if settled(m, learner.guess_within[law]):
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


# --- Success and least m along an axis -------------------------------------------------------------


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
    missing = [_missing(one) + _own_gaps(one) for one in scenarios]
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
        results = _together(
            scenarios, axis, [x for x, _ in nodes], entries,
            lambda place, setting, entries=entries: success(entries[place], first.law, **setting),
            slack=not learner.free_of_delta,
        )  # fmt: skip
        for curves, reasons, (x, at), found in zip(learners, missing, nodes, results, strict=True):
            if isinstance(found, SuccessResult):
                curves.append(_curve(learner, x, at, found))
            else:
                reasons.append((learner.title, str(found)))
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


def _together(
    scenarios: Sequence[Scenario],
    axis: Axis,
    grids: Sequence[NDArray[np.float64]],
    whose: Sequence[Hashable],
    ask: Callable[..., SuccessResult | None],
    *,
    slack: bool,
) -> list[SuccessResult | InputError | None]:
    """Return success at scenarios that differ in numbers alone, each on its grid of an axis.

    Equal settings are asked once, and several over m in one call where they share the rest.

    Parameters
    ----------
    whose : sequence of hashable
        Whose success it is, at each scenario.
    ask : callable
        (place of a scenario, setting) -> success there, None where there is none.
    slack : bool
        Whether success depends on delta.
    """
    read = {"m", "d", "epsilon", "alpha", "beta", *(["delta"] if slack else [])} - {axis}
    read_from = operator.attrgetter(*read)
    keys = [
        (who, x.tobytes(), read_from(one))
        for who, x, one in zip(whose, grids, scenarios, strict=True)
    ]
    places = {key: place for place, key in reversed(list(enumerate(keys)))}
    first = sorted(places.values())
    settings = [_at(scenarios[k], axis, grids[k]) for k in first]
    found: list[SuccessResult | InputError | None] = []
    shared = {
        (whose[k], s["alpha"], s["beta"], s["delta"]) for k, s in zip(first, settings, strict=True)
    }
    if axis == "m" and len(first) > 1 and len(shared) == 1:
        sizes = [s["m"].size for s in settings]
        joined = settings[0] | {"m": np.concatenate([s["m"] for s in settings])}
        for name in ("d", "epsilon"):
            values = [s[name] for s in settings]
            if len(set(values)) > 1:
                joined[name] = np.repeat(values, sizes)
        with contextlib.suppress(InputError):  # the loop below finds the one that is refused
            found = _parted(ask(first[0], joined), sizes)
    for k, setting in zip(first[len(found) :], settings[len(found) :], strict=True):
        try:
            found.append(ask(k, setting))
        except InputError as refused:
            found.append(refused)
    answers = dict(zip(first, found, strict=True))
    return [answers[places[key]] for key in keys]


def _parted(found: SuccessResult | None, sizes: Sequence[int]) -> list[Any]:
    """Split the result of several grids, one behind the other, into those of each."""
    if found is None:
        return [None] * len(sizes)
    ends = np.cumsum(sizes)[:-1]
    parts = (np.split(end, ends) for end in (found.value, found.low, found.high))
    return [
        SuccessResult(value, low, high, found.method)
        for value, low, high in zip(*parts, strict=True)
    ]


def least_m(scenario: Scenario, axis: Literal["d", "epsilon"]) -> Curves:
    """Return the least number of samples over one axis, with fitted slopes."""
    x_range = frame(scenario, axis)
    x = grid(axis, x_range, _LEAST_POINTS, scenario)
    # The number at the scenario itself is found with the others, and remembered.
    places = _with_here(scenario, axis, x)
    over = scenario.settings(axis) | {axis: places}
    learners = []
    missing = _missing(scenario) + _own_gaps(scenario, axis, x)
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
        for entry in progress.steps(scenario.bounds, begin=0.8) if scenario.applies(entry)
    ]  # fmt: skip
    return Curves(axis, "m", x_range, tuple(learners), tuple(bounds), tuple(missing), scenario)


def foresee_least(scenarios: Sequence[Scenario], axis: Literal["d", "epsilon"]) -> None:
    """Find together what `least_m` of scenarios that differ in numbers alone will ask for."""
    first = scenarios[0]
    places = _with_here(first, axis, grid(axis, frame(first, axis), _LEAST_POINTS, first))
    spoken = [e for e in first.bounds if any(one.applies(e) for one in scenarios)]
    find_together(scenarios, first.drawn if _traced(first, axis) else (), spoken, axis, places)


def _traced(scenario: Scenario, axis: Literal["d", "epsilon"]) -> bool:
    """Return whether learners have a curve over an axis: not where it changes the distribution."""
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
    return replace(traced, on_demand=entry.on_demand)


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
    if (own := scenarios[0].own) and entry == own:
        return [
            _own_curve(one, own, axis, ends) for one, ends in zip(scenarios, x_ranges, strict=True)
        ]
    applies = [k for k, one in enumerate(scenarios) if one.applies(entry)]
    curves: list[Curve | None] = [None] * len(scenarios)
    if not applies:
        return curves
    told = [scenarios[k] for k in applies]
    numbers = [float(bound(entry, **one.settings()).m) for one in told]
    grids = [
        grid(axis, x_ranges[k], POINTS, one, around=at if axis == "m" else math.nan)
        for k, one, at in zip(applies, told, numbers, strict=True)
    ]

    def ask(_: int, setting: dict[str, Any]) -> SuccessResult | None:
        limit = bound_limit(entry, **setting)
        return None if limit is None else SuccessResult(limit, limit, limit, "exact")

    limits = _together(
        told, axis, grids, [entry.name] * len(told), ask, slack=not entry.free_of_delta
    )
    for k, at, x, limit in zip(applies, numbers, grids, limits, strict=True):
        if isinstance(limit, InputError):
            raise limit
        y = np.empty(0) if limit is None else limit.value
        if limit is None:
            if math.isnan(at) or axis != "m":
                continue
            x = y  # noqa: PLW2901 - its number alone
        curves[k] = Curve(
            entry.name, entry.title, x, y, y, y, entry.constants, at,
            kind=entry.kind, legend=entry.legend, shaded=entry.shaded,
            on_demand=entry.on_demand, thin=entry.thin,
        )  # fmt: skip
    return curves


_BETWEEN = 129  # places between two of a grid, and again between two of these: then no figure tells them apart


def _own_curve(scenario: Scenario, entry: OwnBound, axis: Axis, ends: tuple[float, float]) -> Curve:
    """Return a bound of one's own as a step: 1 - beta where it promises success, 0 where it does not.

    It promises success where the setting has as many examples as it asks for. The step is at the first place
    behind the change; a gap is NaN.
    """
    at = float(bound(entry, **scenario.settings()).m) if axis == "m" else math.nan

    def level(x: NDArray[np.float64]) -> NDArray[np.float64]:
        if axis == "m":
            m, samples = np.full(x.shape, at), x
        else:
            m, samples = entry.along(**scenario.settings(axis) | {axis: x}).m, np.array(scenario.m)
        return np.where(np.isnan(m), np.nan, (samples >= m) * (1.0 - scenario.beta))

    x = np.array(ends) if axis == "m" else grid(axis, ends, POINTS, scenario)
    y = level(x)
    turns = np.flatnonzero(abs(np.diff(y)) > 0.0)
    if turns.size:
        left, right = x[turns], x[turns + 1]
        for _ in range(0 if axis == "m" else 2):
            between = np.geomspace(left, right, _BETWEEN)
            between = np.ceil(between) if axis == "d" else between
            first = np.argmax(level(between) != y[turns], axis=0)
            left, right = np.take_along_axis(between, np.stack([first - 1, first]), axis=0)
        steps = np.full(1, at) if axis == "m" else right
        x = np.insert(x, np.repeat(turns + 1, 2), np.repeat(steps, 2))
        y = np.insert(y, np.repeat(turns + 1, 2), np.stack([y[turns], y[turns + 1]], 1).ravel())
    return Curve(
        entry.name, entry.title, x, y, y, y, entry.constants, at,
        kind=entry.kind, legend=entry.legend,
    )  # fmt: skip


def _own_gaps(
    scenario: Scenario, axis: Axis = "m", x: NDArray[np.float64] | None = None
) -> list[tuple[str, str]]:
    """Return why a bound of one's own has no number: at the setting, or first at some places of an axis."""
    if scenario.own is None:
        return []
    over = scenario.settings() if x is None else scenario.settings(axis) | {axis: x}
    found = bound(scenario.own, **over)
    gaps = np.isnan(found.m).ravel()
    if not gaps.any():
        return []
    first = int(np.argmax(gaps))
    where = ""
    if x is not None:
        where = f" at {scenario.concept_class.parameter(axis).symbol} = {x[first]:,.4g}"
    return [(scenario.own.title, f"has no number{where}: {found.reason.ravel()[first]}")]


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
