"""The axes of figures: what they hold, and where on them curves are computed."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import progress
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import guessed, pilot_trials
from privsc_core.evaluate.numbers import least_number
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Learner
    from privsc_core.evaluate.curves import Axis
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["AROUND", "POINTS", "frame", "grid"]

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
