"""`figure`: the numbers behind a figure of the dashboard, one record a point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privsc_core import catalog
from privsc_core.cli.grid import names
from privsc_core.cli.numbers import number
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from privsc_core.parameters import PARAMETERS

if TYPE_CHECKING:
    import argparse

    from privsc_core.cli.formats import Record

__all__ = ["figure"]


def figure(options: argparse.Namespace) -> list[Record]:
    """Return every point of every curve, or every cell of a map and the lines on it."""
    from privsc_core import draw  # noqa: PLC0415 - Plotly takes longer to start than other answers

    concept = catalog.concept(options.concept).name
    shown = () if options.learner == "none" else names("learner", options.learner, concept)
    setting: dict[str, Any] = {
        entry.name: number(entry.name, getattr(options, entry.name)) for entry in PARAMETERS
    }
    scenario = Scenario(
        concept, tuple(shown), options.distribution or "", options.constants, **setting
    )
    on_map = catalog.learner(concept, options.map).name if options.map else ""
    head, rows = draw.data_rows(draw.picture(scenario, options.view, on_map=on_map))
    if not rows:
        raise InputError("learner", "must have a curve in this figure", options.learner)
    return [dict(zip(head, row, strict=True)) for row in rows]
