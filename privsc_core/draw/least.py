"""The least m of learners and bounds along an axis: computed and drawn in one way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog, progress
from privsc_core.concepts.contracts.style import LINES, MARKS
from privsc_core.draw.figures import axis_name
from privsc_core.draw.picture import plains, plot, setting
from privsc_core.draw.traces import Trace, around, hover, joined, log_axis
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import if_few, need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts.style import Style
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.results import NeedResult
    from privsc_core.evaluate.scenario import Scenario


@dataclass(frozen=True, slots=True)
class LeastM:
    """A curve of the least m: of a learner on a distribution, or of a bound.

    Attributes
    ----------
    words : str
        What the legend says.
    learner, bound : str
        The name of one or the other; a bound with a learner is that learner's guarantee.
    law : str
        The distribution of a learner as it is typed; the first of its class if empty.
    concept : str
        The class, where it is not the scenario's.
    places : tuple of int
        Where on the axis, if elsewhere than the other curves.
    dash, marker : str
        Its own, beside another curve of the same learner.
    delta : float
        The slack.
    says : str
        What a pointer is told of m.
    key : str
        Its name for charts and tables; the learner's or the bound's if empty.
    """

    words: str
    learner: str = ""
    bound: str = ""
    law: str = ""
    concept: str = ""
    places: tuple[int, ...] = ()
    dash: str = ""
    marker: str = ""
    delta: float = 0.0
    says: str = "m = %{y:,.0f}"
    key: str = ""

    def least(
        self, scenario: Scenario, axis: str, places: Sequence[float], trials: int
    ) -> NeedResult:
        """Return the numbers at some places of an axis, the rest of the setting as it is."""
        concept = self.concept or scenario.concept
        at: dict[str, Any] = {
            name: getattr(scenario, name) for name in ("d", "epsilon", "alpha", "beta")
        }
        at |= {axis: np.array(self.places or places), "delta": self.delta}
        if self.bound:
            return bound(catalog.bound(concept, self.bound), **at)
        entry = catalog.learner(concept, self.learner)
        learner = entry.at(self.delta) if self.delta else entry
        law = catalog.distribution(concept, self.law or None)
        return need(learner, law, **at, trials=trials, seed=scenario.seed)

    def looks(self, scenario: Scenario) -> Style:
        """Return the usual style of the learner or the bound, with what the curve has of its own."""
        concept = catalog.concept(self.concept or scenario.concept)
        found = concept.style_of(self.learner) if self.learner else concept.bound_style(self.bound)
        return replace(found, dash=self.dash or found.dash, marker=self.marker or found.marker)

    def trace(
        self, scenario: Scenario, axis: str, places: Sequence[float], m: NDArray[np.float64]
    ) -> Trace:
        """Return the curve of numbers that were computed."""
        symbol = scenario.concept_class.parameter(axis).symbol
        key = self.key or self.bound or self.learner
        curve = joined(self.places or places, m, self.words, self.looks(scenario), uid=key)
        of = {"of": self.learner or self.bound}
        return curve | hover(f"{symbol} = %{{x:,}}: {self.says}", self.words) | of


def least_m_traces(
    curves: Sequence[LeastM],
    scenario: Scenario,
    places: Sequence[float],
    axis: str = "d",
    trials: int = 1000,
) -> list[Trace]:
    """Return the curves of the least m along an axis, computed and drawn."""
    return [
        one.trace(scenario, axis, places, one.least(scenario, axis, places, trials).told)
        for one in progress.steps(curves)
    ]


def least_m_plot(
    data: Sequence[Trace],
    scenario: Scenario,
    axis: str = "d",
    *,
    up: str = "least number of examples m",
    **words: Any,
) -> Picture:
    """Return the picture of such curves on logarithmic axes; `words` are those of `plot`."""
    ends = [float(place) for trace in data for place in (trace["x"][0], trace["x"][-1])]
    return plot(
        data, log_axis((min(ends), max(ends)), axis_name(axis, scenario)),
        log_axis(around(data), up), **words,
    )  # fmt: skip


# --- One learner on several distributions: what the worst case costs -----------------------------


def contrast_picture(
    scenario: Scenario, learner: str, labels: tuple[str, ...], bits: tuple[int, ...], *, trials: int
) -> Picture:
    """Compute and draw the least m of one learner over d on several distributions.

    Parameters
    ----------
    scenario : Scenario
        Its concept class, epsilon, alpha, beta, delta and seed count.
    learner : str
        A name in the catalog with a law on each distribution.
    labels : tuple of str
        Distributions as they are typed, e.g. ``band(64)``, from the hardest to the most benign.
    bits : tuple of int
        Values of d; each curve has those at which its distribution exists.
    trials : int
        Simulated samples where the law is not exact.

    Raises
    ------
    InputError
        For names that do not exist and distributions without a law.
    """
    data = []
    table: dict[str, list[Any]] = {"distribution": [], "method": [], "d": [], "m": []}
    words = []
    few = False
    size = scenario.concept_class.size.symbol
    for label, dash, mark in progress.steps(list(zip(labels, LINES, MARKS, strict=False))):
        law = catalog.distribution(scenario.concept, label)
        d = tuple(b for b in bits if b >= law.least_d)
        curve = LeastM(
            law.label,
            learner,
            law=label,
            places=d,
            dash=dash,
            marker=mark,
            delta=scenario.delta,
            key=law.label,
        )
        found = curve.least(scenario, "d", d, trials)
        at_least = bool(np.isfinite(found.at_least).any())
        few |= at_least
        if found.method != "exact":
            curve = replace(curve, words=f"{law.label} (simulated{', at least' * at_least})")
        data.append(curve.trace(scenario, "d", d, found.told))
        table["distribution"] += [law.label] * len(d)
        table["method"] += [found.method + ", at least" * at_least] * len(d)
        table["d"] += d
        table["m"] += plains(found.told)
        if d:
            first, last = found.told[0], found.told[-1]
            ends = f"{'at least ' * at_least}{first:,.0f} at {size} = {d[0]} to {last:,.0f}"
            words.append(f"on {law.label} from {ends} at {size} = {d[-1]}")
    title = catalog.learner(scenario.concept, learner).title
    return least_m_plot(
        data, scenario,
        title=f"{title}: least m against {size}, by distribution",
        caption=f"{setting(scenario, 'epsilon', 'alpha', 'beta')}; seed {scenario.seed} where simulated."
        + if_few(trials, scenario.beta) * few,
        summary=f"Least number of examples against {size}: {'; '.join(words)}.",
        filename=f"privsc-{scenario.concept_class.label}-by-distribution-eps{scenario.epsilon:g}", table=table,
    )  # fmt: skip
