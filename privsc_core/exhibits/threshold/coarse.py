"""A net too coarse: success of the exponential mechanism over a net for a wrong guess of kappa."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog, progress
from privsc_core.concepts.threshold import OnNet
from privsc_core.draw.figures import plains
from privsc_core.draw.picture import Picture
from privsc_core.draw.traces import axis, below, hover, line, log_axis
from privsc_core.evaluate.success import success
from privsc_core.numerics.text import raised

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Learner
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["too_coarse"]

_TRIALS = 500
_POINTS = 61
_FEWEST = 10.0
_WORST = 0.005  # success below it is called none


def too_coarse(scenario: Scenario, guess: int) -> Picture:
    """Draw success over m with kappa guessed 2^guess, with kappa itself, and without a net."""
    b = scenario.d
    net, density = (catalog.learner("threshold", name) for name in ("net", "density"))
    assert isinstance(net, OnNet)  # noqa: S101 - the type is the catalog's to know
    # Enough for who knows kappa, and a hundred times as many.
    most = 200.0 * (b + 8.0) / (scenario.epsilon * scenario.alpha)
    m = np.unique(np.geomspace(_FEWEST, min(most, 1e7), _POINTS).astype(np.int64))
    who: tuple[tuple[str, Learner, str, str], ...] = (
        ("density learner, κ not needed", density, "#2f80d0", "solid"),
        (f"net for κ itself, 2{raised(b)}", net, "#0f9d58", "dash"),
        (f"net for the guess 2{raised(guess)}", replace(net, guess=guess), "#d65a31", "longdash"),
    )
    data: list[dict[str, Any]] = []
    table: dict[str, list[Any]] = {"m": m.tolist()}
    last = 0.0
    for name, learner, colour, dash in progress.steps(who):
        found = success(
            learner, catalog.distribution("threshold", "window"), m=m, d=b,
            epsilon=scenario.epsilon, alpha=scenario.alpha, beta=scenario.beta, trials=_TRIALS,
            seed=scenario.seed,
        ).value  # fmt: skip
        trace = line(m, found, name, colour, dash=dash, uid=dash)
        data.append(trace | hover("m = %{x:,}: %{y:.3f}", name))
        table[name] = plains(found)
        last = float(found[-1])
    goal = 1.0 - scenario.beta
    ends = np.array([m[0], m[-1]])
    data.append(line(ends, [goal, goal], "1 - β", "#7f7f7f", dash="dot", width=2, uid="goal"))
    end = f"{m[-1]:,} examples"
    says = f"With the guess 2{raised(guess)} for κ = 2{raised(b)} success is {last:.2g} at {end}"
    return Picture(
        figure={
            "data": data,
            "layout": {
                "xaxis": log_axis((float(m[0]), float(m[-1])), "sample size m"),
                "yaxis": axis("success", (-0.02, 1.03), at=[0, 0.25, 0.5, 0.75, 1], zoom="success"),
                "hovermode": "closest", "legend": below(),
            },
        },
        title=_title(guess, b, last, goal),
        caption=f"{says}. Window of mass 2α; ε = {scenario.epsilon:g}, α = {scenario.alpha:g}. "
        f"Simulated, {_TRIALS} samples a number, seed {scenario.seed}.",
        summary=f"Success against m for three learners. {says}.",
        filename=f"privsc-threshold-net-b{b}-guess{guess}",
        table=table,
    )  # fmt: skip


def _title(guess: int, b: int, last: float, goal: float) -> str:
    if last < _WORST:
        return "No threshold of the net is accurate: more data do not help"
    if last < goal:
        return "The net has too few accurate thresholds here"
    if guess < b:
        return "A coarser net than κ asks for, and it still has an accurate threshold"
    return "Fine enough: more examples help"
