"""What the exhibits of marginals show, from values that can be a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.exhibits.marginals.errors import errors
from privsc_core.exhibits.marginals.figures import errors_figure, matrices_figure, spectra_figure
from privsc_core.exhibits.marginals.tables import population, released

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.exhibits.marginals.tables import Released, Survey

__all__ = ["errors_picture", "population_pictures", "survey_pictures"]


def survey_pictures(
    survey: Survey, epsilon: float, delta: float, seed: int
) -> tuple[Released, Picture, Picture]:
    """Release a table once, and draw its matrices and their spectra."""
    found = released(survey, epsilon, delta, seed)
    return found, matrices_figure(found), spectra_figure(found)


def population_pictures(
    table: str, d: int, rows: int, epsilon: float, delta: float, seed: int
) -> tuple[Released, Picture, Picture]:
    """Do so with one of the tables of the class."""
    return survey_pictures(population(table, d, rows), epsilon, delta, seed)


def errors_picture(table: str, d: int, epsilon: float, delta: float, seed: int) -> Picture:
    """Draw the errors of one of the tables of the class against the number of rows."""
    return errors_figure(errors(table, d, epsilon, delta, seed), table, d, epsilon, delta)
