"""`figure`: the numbers behind a figure of the dashboard, one record a point."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from privsc_core import catalog
from privsc_core.cli.numbers import names, number
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from privsc_core.parameters import PARAMETERS

if TYPE_CHECKING:
    import argparse

    from privsc_core.cli.formats import Record


def figure(options: argparse.Namespace) -> list[Record]:
    """Return every point of every curve, or every cell of a map and the lines on it."""
    from privsc_core import draw  # noqa: PLC0415 - Plotly takes longer to start than other answers

    concept = catalog.concept(options.concept).name
    shown = () if options.learner == "none" else names("learner", options.learner, concept)
    setting: dict[str, Any] = {
        entry.name: number(entry.name, getattr(options, entry.name)) for entry in PARAMETERS
    }
    law = catalog.distribution(concept, options.distribution, options.target)
    scenario = Scenario(concept, tuple(shown), law.label, options.constants, **setting)
    on_map = catalog.learner(concept, options.map).name if options.map else ""
    pinned = _pinned(scenario, options.pin) if options.pin else None
    drawn = draw.picture(scenario, options.view, on_map=on_map, pinned=pinned)
    head, rows = draw.data_rows(drawn)
    if not rows:
        raise InputError("learner", "must have a curve in this figure", options.learner)
    return [dict(zip(head, row, strict=True)) for row in rows]


def _pinned(scenario: Scenario, pairs: list[str]) -> Scenario:
    """Return the scenario with what was asked for changed."""
    changed: dict[str, Any] = {}
    numbers = {entry.name for entry in PARAMETERS} - {"trials", "seed"}
    known = (*sorted(numbers), "constants", "distribution", "concept")
    for pair in pairs:
        name, is_pair, text = pair.partition("=")
        if name not in known or not is_pair:
            raise InputError("pin", f"must be NAME=VALUE with a name of {', '.join(known)}", pair)
        changed[name] = number(name, text) if name in numbers else text
    return replace(scenario, **changed)
