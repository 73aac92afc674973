"""What a figure is, for programs: parameters, versions, theorems; the same at every call."""

from __future__ import annotations

import platform
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from privsc_core import __version__, draw
from privsc_core.export.sources import cite, papers, papers_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.concepts.contracts import Bound, Distribution, Learner
    from privsc_core.concepts.papers import Paper
    from privsc_core.draw.picture import Picture
    from privsc_core.export.notebook import Figures
    from privsc_core.export.shown import Shown

__all__ = ["manifest", "manifest_of"]

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
        **_parts(shown.learners, scenario.law, shown.bounds, papers(shown)),
        **_size(picture),
        **_versions(),
    }  # fmt: skip


def manifest_of(figures: Figures) -> dict[str, Any]:
    """Return the same of several figures that no `Scenario` tells."""
    shown = figures.shown
    return {
        "format": "privsc figures 1",
        "title": figures.title,
        "link": figures.link or None,
        "parameters": dict(figures.setting),
        "figures": [
            {
                "title": one.picture.title, "caption": one.picture.caption,
                "function": f"{one.function.__module__}.{one.function.__qualname__}",
                "arguments": list(one.arguments), "pinned": list(one.pinned) or None,
                **_size(one.picture),
            }
            for one in figures.drawn
        ],
        **_parts(shown.learners, shown.law, shown.bounds, papers_of(figures.behind)),
        **_versions(),
    }  # fmt: skip


def _parts(
    learners: Sequence[Learner], law: Distribution, bounds: Sequence[Bound], behind: Sequence[Paper]
) -> dict[str, Any]:
    """Return what is in a figure, and where it comes from."""
    return {
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
            for entry in learners
        ],
        "bounds": [
            {
                "name": entry.name, "title": entry.title, "kind": entry.kind,
                "constants": _constants(entry), "source": cite(entry.source),
                "statement_latex": entry.statement, "binds": entry.applies_to,
            }
            for entry in bounds
        ],
        "papers": {paper.key: paper.citation for paper in behind},
    }  # fmt: skip


def _size(picture: Picture) -> dict[str, Any]:
    """Return columns and rows of the data."""
    return {
        "columns": list(picture.table),
        "rows": len(next(iter(picture.table.values()), [])),
    }


def _versions() -> dict[str, Any]:
    return {
        "versions": {
            "privsc": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "scipy", "plotly")},
        },
    }


def _constants(entry: Bound) -> str:
    ours = f", but ours: {entry.completed}" if entry.completed else ""
    return _CONSTANTS[entry.constants] + ours
