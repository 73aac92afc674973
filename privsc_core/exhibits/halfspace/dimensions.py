"""Least m against the dimension: lower bounds, upper bounds, and learners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog, progress
from privsc_core.draw.figures import log_layout, plains
from privsc_core.draw.picture import Picture
from privsc_core.draw.traces import hover, joined
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import if_few, need

if TYPE_CHECKING:
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["over_dimensions"]

_TRIALS = 1000
_SIZES = (2, 3, 5, 10, 30, 100, 300, 1000)
_BOUNDS = (
    ("pair", "impossible: two targets", "#b3261e", "dot", "circle-open"),
    ("packing", "impossible: packing, labels private", "#b3261e", "solid", "circle"),
    ("density", "guaranteed: density learner", "#2f80d0", "solid", "square"),
    ("density-simple", "guaranteed, simply", "#2f80d0", "dot", "square-open"),
)
_RUN = (
    ("averaging", "uniform", _SIZES, "averaging with noise", "#0f9d58", "dashdot", "triangle-down"),
    ("density", "circle", (2,), "density learner on the circle", "#a1459b", "solid", "star"),
    ("net", "sphere", (3,), "net of the ordinary sphere", "#1f9bc4", "solid", "x"),
)


def over_dimensions(scenario: Scenario) -> Picture:
    """Draw the least number of examples over n: bounds and learners."""
    at: dict[str, Any] = {
        "epsilon": scenario.epsilon,
        "alpha": scenario.alpha,
        "beta": scenario.beta,
    }
    data: list[dict[str, Any]] = []
    table: dict[str, list[Any]] = {"what": [], "n": [], "m": []}

    def add(
        n: tuple[int, ...], m: Any, words: str, colour: str, dash: str, symbol: str, uid: str
    ) -> None:
        trace = joined(n, m, words, colour, symbol, dash=dash, uid=uid)
        data.append(trace | hover("n = %{x}: m = %{y:,.0f}", words))
        table["what"] += [words] * len(n)
        table["n"] += n
        table["m"] += plains(np.asarray(m, dtype=np.float64))

    for name, words, colour, dash, symbol in _BOUNDS:
        entry = catalog.bound(scenario.concept, name)
        add(_SIZES, bound(entry, d=np.array(_SIZES), **at).m, words, colour, dash, symbol, name)
    for name, law, n, words, colour, dash, symbol in progress.steps(_RUN):
        found = need(
            catalog.learner(scenario.concept, name), catalog.distribution(scenario.concept, law),
            d=np.array(n), **at, trials=_TRIALS, seed=scenario.seed,
        )  # fmt: skip
        add(n, found.told, words, colour, dash, symbol, f"learner-{name}")
    every = np.array([m for m in table["m"] if m is not None], dtype=np.float64)
    ends = (float(every.min()) / 1.5, float(every.max()) * 1.5)
    fast = np.array(
        [m for what, m in zip(table["what"], table["m"], strict=True) if what == _RUN[0][3]]
    )
    known = [(n, m) for n, m in zip(_SIZES, fast.tolist(), strict=True) if m and n >= 10]
    slope = (
        float(np.polyfit(np.log([n for n, _ in known]), np.log([m for _, m in known]), 1)[0])
        if len(known) > 1 else float("nan")
    )  # fmt: skip
    words = "" if np.isnan(slope) else f" From n = 10 on averaging takes about n^{slope:.1f}."
    setting = f"ε = {scenario.epsilon:g}, α = {scenario.alpha:g}, β = {scenario.beta:g}"
    return Picture(
        figure={
            "data": data,
            "layout": log_layout("dimension n", (2.0, 1000.0), "least number of examples m", ends),
        },
        title="Least m against the dimension",
        caption=f"Uniform directions; {setting}.{words} Bounds are computed, learners simulated with "
        f"{_TRIALS:,} samples.{if_few(_TRIALS, scenario.beta)}",
        summary=f"Least number of examples against the dimension, {len(data)} curves.{words}",
        filename=f"privsc-halfspace-dimensions-eps{scenario.epsilon:g}",
        table=table,
    )
