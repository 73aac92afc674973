"""The pictures of labels and people for thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.generic.labels import pool, transcript_labels
from privsc_core.concepts.interval.learners import Exponential, Generic
from privsc_core.concepts.interval.learners.generic import guaranteed
from privsc_core.draw.asking_figures import asking_figure
from privsc_core.draw.budgets_figures import Told, against_figure, plane_figure
from privsc_core.evaluate.asking import asking
from privsc_core.evaluate.budgets import simulated_against, simulated_plane
from privsc_core.exhibits.interval.labels import PEOPLE, THRESHOLDS, WALL, plenty

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.budgets import Against, Plane

__all__ = ["TOLD", "against_picture", "asking_picture", "plane_picture"]


def _promise(at: Cell) -> str:
    """Say what suffices on every distribution, from the fewest labels to the fewest people."""
    found = guaranteed(at)
    if not found:
        return ""
    few, many = found[0], found[-1]
    return (
        f" For every target on every distribution {few.labels:,} labels with {few.people:,} unlabelled examples "
        f"suffice, or {many.labels:,} with {many.people:,} (ours; {few.levels} and {many.levels} levels, choice at ε or less)."
    )


TOLD = Told(
    concept="interval", symbol="INTERVAL_d", learner=Generic.title, labelled="exponential mechanism", hard="hard",
    sanitizer="private medians, four levels",
    learners=("erm", "exponential", "generic"),
    bounds=(WALL, *PEOPLE),
    colours=(Generic.style.colour, Exponential.style.colour), own="-intervals",
    source="People simulated, labels exact", promise=_promise,
)  # fmt: skip


def plane_picture(
    d: int, epsilon: float, alpha: float, beta: float, *, rough: bool = False
) -> tuple[Plane, Picture]:
    """Compute and draw success over labelled and unlabelled examples."""
    found = simulated_plane(THRESHOLDS, Cell(d, epsilon, alpha, beta), rough=rough)
    return found, plane_figure(found, TOLD)


def against_picture(epsilon: float, alpha: float, beta: float) -> tuple[Against, Picture]:
    """Compute and draw labels, and people, against d."""
    found = simulated_against(THRESHOLDS, Cell(THRESHOLDS.places[0], epsilon, alpha, beta))
    return found, against_figure(found, TOLD)


def asking_picture(
    d: int, epsilon: float, alpha: float, beta: float, inner: float, seen: str
) -> Picture:
    """Compute and draw what asking few of many costs; whose label it was is hidden or published."""
    least = transcript_labels(epsilon, alpha, beta)
    found = asking(plenty, pool, Cell(d, epsilon, alpha, beta), inner, least)
    return asking_figure(found, TOLD, published=seen == "published")
