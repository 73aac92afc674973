"""What thresholds on [0, 1] alone show: who may know what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit
from privsc_core.exhibits.threshold.knowing import over_bits, over_reference

if TYPE_CHECKING:
    from pages.shared.exhibits.values import Values
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["EXHIBITS"]


def _knowing(scenario: Scenario, values: Values) -> None:  # noqa: ARG001 - it has none of its own
    exhibit.draw(exhibit.computed(over_bits, scenario), "knowing-bits", 400)
    exhibit.draw(exhibit.computed(over_reference, scenario), "knowing-reference", 340)


_KNOWING = Exhibit(
    name="knowing",
    title="Who may know what",
    claim="**Only the bits that nobody knows cost examples.** Hiding whole examples costs more with "
    "every bit of resolution that is *unknown*, $b - r$: whoever knows the crowd itself pays for none "
    "of them. Whoever hides only the labels, or nothing, never pays for $b$.",
    label="Least m by what is private and what is known",
    draw=_knowing,
)

EXHIBITS = (_KNOWING,)
