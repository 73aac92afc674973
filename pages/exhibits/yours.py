"""The exhibit of a class of one's own: the best private mechanism of all, on few examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.state import controls
from privsc_core.draw.style import number
from privsc_core.exhibits.finite import TARGETS, best_picture

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.finite.optimum import Targets

_OWN = Fields("finite")
_OVER = _OWN.choice("over", "targets of the comparison", TARGETS[0], TARGETS)
_SLACK = _OWN.number(
    "slack", "δ of the best mechanism", 0.01, (1e-6, 0.5),
    (1e-6, 1e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5),
)  # fmt: skip


def _best(scenario: Scenario, values: Values) -> None:
    names = {"worst": "the worst target", "average": "all targets on average"}
    controls.segmented(_OVER, "Success on", names=names)
    controls.slider(
        _SLACK,
        "**δ** ← nearly pure | more freedom →",
        show=number,
        help="δ: the mechanism of the dotted curve is (ε, δ)-differentially private.",
    )
    over = cast("Targets", values[_OVER])
    exhibit.draw(exhibit.computed(best_picture, scenario, over, values[_SLACK]), "best", 420)


_BEST = Exhibit(
    name="best",
    title="The best mechanism of all",
    claim="**No private mechanism can do better on so few examples.** A linear program finds the best one: its "
    "unknowns are the probabilities of all hypotheses on each sample. The mechanism may know the distribution of the "
    "points, but not the target: with the target it would need no examples. So its success is that on the worst "
    "target of the class, or the average over all targets.",
    fields=(_OVER, _SLACK),
    draw=_best,
)  # fmt: skip

EXHIBITS = (_BEST,)
