"""The pictures of labels and people for points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.generic.labels import pool, transcript_labels
from privsc_core.concepts.point.learners import (
    Exponential,
    Generic,
    GenericStable,
    Hash,
    LabelBoost,
)
from privsc_core.draw.asking_figures import asking_figure
from privsc_core.draw.budgets_figures import Told, against_figure, plane_figure
from privsc_core.evaluate.asking import asking
from privsc_core.exhibits.point.labels import PEOPLE, PLACES, WALL, against, plane, plenty

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.budgets import Against, Plane

__all__ = ["TOLD", "against_picture", "asking_picture", "plane_picture"]

TOLD = Told(
    concept="point", symbol="POINT_d", learner=Generic.title, labelled="exponential mechanism", hard="hard",
    sanitizer="a histogram",
    learners=(
        "erm", "exponential", "generic", "generic-flip", "generic-stable", "label-boost", "hash",
    ),
    bounds=(WALL, *PEOPLE),
    colours=(Generic.style.colour, Exponential.style.colour),
    improper=("Hash learner, improper, u = 0", Hash.style.colour),
    boosted=("Labels of LabelBoost", LabelBoost.style.colour),
    slack=("Its people with a slack δ = 10⁻⁶", GenericStable.style.colour), source="Exact laws",
    tuned=", and a threshold tuned for hard",
)  # fmt: skip


def plane_picture(d: int, epsilon: float, alpha: float, beta: float) -> tuple[Plane, Picture]:
    """Compute and draw success over labelled and unlabelled examples."""
    found = plane(Cell(d, epsilon, alpha, beta))
    return found, plane_figure(found, TOLD)


def against_picture(epsilon: float, alpha: float, beta: float) -> tuple[Against, Picture]:
    """Compute and draw labels, and people, against d."""
    found = against(Cell(PLACES[0], epsilon, alpha, beta))
    return found, against_figure(found, TOLD)


def asking_picture(
    d: int, epsilon: float, alpha: float, beta: float, inner: float, seen: str
) -> Picture:
    """Compute and draw what asking few of many costs; whose label it was is hidden or published."""
    least = transcript_labels(epsilon, alpha, beta)
    found = asking(plenty, pool, Cell(d, epsilon, alpha, beta), inner, least)
    return asking_figure(found, TOLD, published=seen == "published")
