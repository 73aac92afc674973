"""The distribution matters: one learner on several distributions, in a figure of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pages.shared.exhibits import exhibit
from pages.shared.frame import shell
from pages.shared.work import waiting
from privsc_core.draw.contrast import contrast_picture

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["Contrast", "show"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """What a page compares.

    Attributes
    ----------
    learner : str
        Its name in the catalog.
    labels : tuple of str
        Distributions as they are typed, the hardest first.
    bits : tuple of int
        Where on the axis of d.
    trials : int
        Simulated samples for each number that has no exact law.
    words : str
        What the figure shows, in Markdown.
    """

    learner: str
    labels: tuple[str, ...]
    bits: tuple[int, ...]
    trials: int
    words: str


def show(compared: Contrast, scenario: Scenario) -> None:
    """Draw the section; its figure when it is opened."""
    exhibit.intro("The distribution matters", "distribution", compared.words)
    part = exhibit.part("Least m on each distribution", "contrast")
    if not part.open:
        return
    with part, shell.guard():
        exhibit.draw(_drawn(compared, scenario), "contrast", 380)


def _drawn(compared: Contrast, scenario: Scenario) -> Picture:
    found: Picture = waiting.wait_for(
        contrast_picture, scenario, compared.learner, compared.labels, compared.bits,
        trials=compared.trials, kind=("contrast", compared.learner),
    )  # fmt: skip
    return found
