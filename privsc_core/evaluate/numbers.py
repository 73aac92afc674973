"""The numbers of samples of a page: of every learner, of every bound."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import progress
from privsc_core.concepts.told import in_symbols
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.curves import Numbers, Row
from privsc_core.evaluate.need import enough_trials, need, pilot_trials
from privsc_core.evaluate.success import success

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Bound, Distribution, Learner
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["find_together", "foresee", "least_number", "numbers"]


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
