"""The distribution matters: one learner on several distributions, in a figure of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit
from privsc_core.draw.least import contrast_picture

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from privsc_core.evaluate.scenario import Scenario


def contrast(
    claim: str, *, learner: str, labels: tuple[str, ...], bits: tuple[int, ...], trials: int
) -> Exhibit:
    """Return the exhibit.

    Parameters
    ----------
    claim : str
        What the figure shows, in Markdown.
    learner : str
        Its name in the catalog.
    labels : tuple of str
        Distributions as they are typed, the hardest first.
    bits : tuple of int
        Where on the axis of d.
    trials : int
        Simulated samples for each number that has no exact law.
    """

    def draw(scenario: Scenario, values: Values) -> None:  # noqa: ARG001 - it has none of its own
        picture = exhibit.computed(contrast_picture, scenario, learner, labels, bits, trials=trials)
        exhibit.draw(picture, "contrast", 380)

    return Exhibit(
        name="contrast",
        part="see",
        title="The distribution matters",
        anchor="distribution",
        claim=claim,
        label="Least m on each distribution",
        draw=draw,
    )
