"""The pictures of labels and people for rectangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.rectangle.learners import Exponential, Generic
from privsc_core.draw.budgets_figures import Told, against_figure, plane_figure
from privsc_core.evaluate.budgets import simulated_against, simulated_plane
from privsc_core.exhibits.rectangle.labels import PEOPLE, RECTANGLES, WALL

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.budgets import Against, Plane

__all__ = ["TOLD", "against_picture", "plane_picture"]

TOLD = Told(
    concept="rectangle", symbol="RECTANGLE_d on a board of 2^d times 2^d points", learner=Generic.title, labelled="exponential mechanism", hard="hard8",
    sanitizer="private medians of each coordinate, four levels",
    learners=("erm", "exponential", "generic"),
    bounds=(WALL, *PEOPLE),
    colours=(Generic.style.colour, Exponential.style.colour), own="-rectangles",
    source="Simulated", wall="ours, not attained", enough="; simulated",
)  # fmt: skip


def plane_picture(
    d: int, epsilon: float, alpha: float, beta: float, *, rough: bool = False
) -> tuple[Plane, Picture]:
    """Compute and draw success over labelled and unlabelled examples."""
    found = simulated_plane(RECTANGLES, Cell(d, epsilon, alpha, beta), rough=rough)
    return found, plane_figure(found, TOLD)


def against_picture(epsilon: float, alpha: float, beta: float) -> tuple[Against, Picture]:
    """Compute and draw labels, and people, against d."""
    found = simulated_against(RECTANGLES, Cell(RECTANGLES.places[0], epsilon, alpha, beta))
    return found, against_figure(found, TOLD)
