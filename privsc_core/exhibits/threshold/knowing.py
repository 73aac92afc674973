"""Levels of privacy: least m from no privacy to full, over b and over r."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog, progress
from privsc_core.draw.figures import log_layout, plains
from privsc_core.draw.picture import Picture
from privsc_core.draw.traces import axis, below, hover, joined, log_axis
from privsc_core.evaluate.need import if_few, need

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.evaluate.scenario import Scenario

__all__ = ["STANCES", "Known", "over_bits", "over_reference"]

_TRIALS = 1000
_BITS = (2, 4, 8, 16, 32, 64, 128, 256, 1024)
_STEPS = 9  # of r


@dataclass(frozen=True, slots=True)
class Known:
    """Somebody: which learner, and what it knows of the crowd.

    Attributes
    ----------
    key, words : str
        A name for traces, and the legend's.
    learner, reference : str
        A name in the catalog, and r as the class takes it.
    look : tuple of str
        Colour, dash and marker.
    """

    key: str
    words: str
    learner: str
    reference: str
    look: tuple[str, str, str]

    def least(self, scenario: Scenario, b: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the least number of examples at every b, on the window of mass 2 alpha."""
        concept = "threshold" if self.reference == "0" else f"threshold({self.reference})"
        found = need(
            catalog.learner(concept, self.learner), catalog.distribution(concept, "window"), d=b,
            epsilon=scenario.epsilon, alpha=scenario.alpha, beta=scenario.beta, trials=_TRIALS,
            seed=scenario.seed,
        )  # fmt: skip
        return found.told


STANCES = (
    Known("blind", "all private, only [0, 1] known", "density", "0", ("#2f80d0", "solid", "circle")),
    Known("half", "all private, half of the bits known", "density", "half", ("#a1459b", "dash", "square")),
    Known("told", "all private, the crowd known", "density", "all", ("#c48a00", "longdashdot", "triangle-up")),
    Known("labels", "labels private", "noisy-count", "0", ("#0f9d58", "dashdot", "triangle-down")),
    Known("free", "no privacy", "erm", "0", ("#7f7f7f", "dot", "diamond")),
)  # fmt: skip


def over_bits(scenario: Scenario) -> Picture:
    """Draw the least number of examples over b for everybody."""
    b = np.array(sorted({*_BITS, min(scenario.d, _BITS[-1])}))
    data: list[dict[str, Any]] = []
    table: dict[str, list[Any]] = {"who": [], "b": [], "m": []}
    here, words = int(np.searchsorted(b, min(scenario.d, _BITS[-1]))), []
    for who in progress.steps(STANCES):
        m = who.least(scenario, b)
        colour, dash, marker = who.look
        trace = joined(b, m, who.words, colour, marker, dash=dash, uid=who.key)
        data.append(trace | hover("b = %{x}: m = %{y:,.0f}", who.words))
        table["who"] += [who.words] * b.size
        table["b"] += plains(b)
        table["m"] += plains(m)
        words.append(f"{who.words} {m[here]:,.0f}")
    every = np.array(table["m"], dtype=np.float64)
    span = (float(np.nanmin(every)) / 1.5, float(np.nanmax(every)) * 1.5)
    ends = float(b[0]), float(b[-1])
    return Picture(
        figure={
            "data": data,
            "layout": log_layout("bits of resolution b", ends, "least number of examples m", span),
        },
        title="Least m against b, by what is private and what is known",
        caption=f"At b = {b[here]}: {'; '.join(words)}. {_setting(scenario)}",
        summary=f"Least number of examples against b, five curves. At b = {b[here]}: {'; '.join(words)}.",
        filename=f"privsc-threshold-who-knows-eps{scenario.epsilon:g}",
        table=table,
    )


def over_reference(scenario: Scenario) -> Picture:
    """Draw the least number of examples of the density learner over r, at the page's b."""
    b = scenario.d
    r = np.unique(np.round(np.linspace(0, b, _STEPS)))
    at = np.array([b])
    blind = STANCES[0]
    m = np.concatenate([
        Known("r", "", blind.learner, str(int(one)), blind.look).least(scenario, at)
        for one in progress.steps(r.tolist())
    ])  # fmt: skip
    label = STANCES[3].least(scenario, at)
    colour, dash, marker = blind.look
    trace = joined(r, m, "density learner, all private", colour, marker, dash=dash, uid="r")
    data = [trace | hover("r = %{x}: m = %{y:,.0f}", "density learner")]
    colour, dash, marker = STANCES[3].look
    flat = joined(
        r, np.repeat(label, r.size), "noisy count, labels private", colour, marker, dash=dash,
        uid="labels",
    )  # fmt: skip
    data.append(flat | hover("m = %{y:,.0f} whatever is known", "noisy count"))
    high = float(np.nanmax(m))
    span = (min(10.0, float(label[0]) / 1.5), high * 1.5)
    return Picture(
        figure={
            "data": data,
            "layout": {
                "xaxis": axis("bits of the crowd that are known r", (0.0, float(b)), zoom="r"),
                "yaxis": log_axis(span, "least number of examples m"),
                "hovermode": "closest", "legend": below(0.18),
            },
        },
        title=f"Least m against r, at b = {b:,}",
        caption=f"From {m[0]:,.0f} with nothing known to {m[-1]:,.0f} with the crowd known. "
        f"{_setting(scenario)}",
        summary=f"Least number of examples of the density learner against r at b = {b:,}: from "
        f"{m[0]:,.0f} at r = 0 to {m[-1]:,.0f} at r = b; with labels alone private {label[0]:,.0f}.",
        filename=f"privsc-threshold-known-b{b}",
        table={"r": plains(r), "density": plains(m), "noisy-count": plains(np.repeat(label, r.size))},
    )  # fmt: skip


def _setting(scenario: Scenario) -> str:
    return (
        f"Window of mass 2α; ε = {scenario.epsilon:g}, α = {scenario.alpha:g}, "
        f"β = {scenario.beta:g}. The density learner's law is simulated, {_TRIALS} samples a number, "
        f"seed {scenario.seed}; the others are exact.{if_few(_TRIALS, scenario.beta)}"
    )
