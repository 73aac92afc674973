"""The figure of one learner on several distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.draw.figures import axis_name, log_layout, plains
from privsc_core.draw.picture import Picture
from privsc_core.draw.traces import hover, joined
from privsc_core.evaluate.contrast import by_distribution
from privsc_core.evaluate.need import if_few

if TYPE_CHECKING:
    from privsc_core.evaluate.contrast import Contrast
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["contrast_figure", "contrast_picture"]

# From the hardest to the most benign, told apart by dash and marker as well.
_STYLES = (
    ("#d65a31", "solid", "circle"),
    ("#2f80d0", "dash", "square"),
    ("#a1459b", "dashdot", "diamond"),
    ("#0f9d58", "dot", "triangle-up"),
)


def contrast_picture(
    scenario: Scenario, learner: str, labels: tuple[str, ...], bits: tuple[int, ...], *, trials: int
) -> Picture:
    """Compute and draw one learner on several distributions, see `by_distribution`."""
    return contrast_figure(by_distribution(scenario, learner, labels, bits, trials=trials))


def contrast_figure(contrast: Contrast) -> Picture:
    """Draw the least number of examples over d, one curve for each distribution."""
    data = []
    table: dict[str, list[Any]] = {"distribution": [], "method": [], "d": [], "m": []}
    words = []
    size = contrast.scenario.concept_class.size.symbol
    for curve, (colour, dash, marker) in zip(contrast.curves, _STYLES, strict=False):
        how = "simulated, at least" if curve.at_least else "simulated"
        name = curve.label if curve.method == "exact" else f"{curve.label} ({how})"
        trace = joined(curve.d, curve.m, name, colour, marker, dash=dash, uid=curve.label)
        data.append(trace | hover(f"{size} = %{{x}}: m = %{{y:,.0f}}", curve.label))
        table["distribution"] += [curve.label] * curve.d.size
        table["method"] += [curve.method + ", at least" * curve.at_least] * curve.d.size
        table["d"] += plains(curve.d)
        table["m"] += plains(curve.m)
        if curve.d.size:
            ends = f"{'at least ' * curve.at_least}{curve.m[0]:,.0f} at {size} = {curve.d[0]:g} to {curve.m[-1]:,.0f}"
            words.append(f"on {curve.label} from {ends} at {size} = {curve.d[-1]:g}")
    every = np.concatenate([curve.m[np.isfinite(curve.m)] for curve in contrast.curves])
    bits = [float(value) for curve in contrast.curves for value in curve.d]
    span = (float(every.min()) / 1.5, float(every.max()) * 1.5)
    scenario = contrast.scenario
    few = any(curve.at_least for curve in contrast.curves)
    return Picture(
        figure={
            "data": data,
            "layout": log_layout(
                axis_name("d", scenario), (min(bits), max(bits)), "least number of examples m", span
            ),
        },
        title=f"{contrast.learner.title}: least m against {size}, by distribution",
        caption=(
            f"ε = {scenario.epsilon:g}, α = {scenario.alpha:g}, β = {scenario.beta:g}; "
            f"seed {scenario.seed} where simulated." + if_few(contrast.trials, scenario.beta) * few
        ),
        summary=f"Least number of examples against {size}: " + "; ".join(words) + ".",
        filename=f"privsc-{scenario.concept}-by-distribution-eps{scenario.epsilon:g}",
        table=table,
    )
