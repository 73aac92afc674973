"""What a figure is, for programs: parameters, versions, theorems; the same at every call."""

from __future__ import annotations

import platform
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from privsc_core import __version__, draw
from privsc_core.export.sources import cite, papers

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Bound
    from privsc_core.draw.picture import Picture
    from privsc_core.export.shown import Shown

__all__ = ["manifest"]

_CONSTANTS = {
    "sharp": "derived in privsc", "paper": "as in the paper's proof", "rate": "a rate, no number",
}  # fmt: skip
_METHODS = {
    "exact": "exact", "rao-blackwell": "simulated samples, exact given the sample",
    "monte-carlo": "simulated",
}  # fmt: skip


def manifest(shown: Shown, picture: Picture) -> dict[str, Any]:
    """Return what a JSON file beside the figure says; no date, so that it can be compared."""
    scenario = shown.scenario
    law = scenario.law
    chosen = draw.VIEWS[shown.view]
    return {
        "format": "privsc figure 1",
        "title": picture.title,
        "caption": picture.caption,
        "link": shown.link or None,
        "view": {"name": shown.view, "words": chosen.words, "axes": list(chosen.axes),
                 "learner": shown.on_map or None},
        "parameters": asdict(scenario),
        "pinned": asdict(shown.pinned) if shown.pinned else None,
        "concept": {
            "name": scenario.concept,
            "symbol": scenario.concept_class.symbol,
            "title": scenario.concept_class.title,
        },
        "distribution": {
            "label": law.label, "title": law.title, "meaning": law.meaning,
            "source": cite(law.source),
        },
        "learners": [
            {
                "name": entry.name, "title": entry.title, "privacy": entry.privacy,
                "proper": entry.proper, "source": cite(entry.source),
                "law": _METHODS[entry.laws[law.name]] if law.name in entry.laws else None,
            }
            for entry in shown.learners
        ],
        "bounds": [
            {
                "name": entry.name, "title": entry.title, "kind": entry.kind,
                "constants": _constants(entry), "source": cite(entry.source),
                "statement_latex": entry.statement, "binds": entry.applies_to,
            }
            for entry in shown.bounds
        ],
        "papers": {paper.key: paper.citation for paper in papers(shown)},
        "columns": list(picture.table),
        "rows": len(next(iter(picture.table.values()), [])),
        "versions": {
            "privsc": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "scipy", "plotly")},
        },
    }  # fmt: skip


def _constants(entry: Bound) -> str:
    ours = f", but ours: {entry.completed}" if entry.completed else ""
    return _CONSTANTS[entry.constants] + ours
