"""All texts of a figure, as files."""

from __future__ import annotations

import csv
import io
import json
import platform
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from privsc_core import __version__, draw
from privsc_core.export.notebook import notebook, notebook_of
from privsc_core.export.recipe import command_line, figure_command, python_snippet
from privsc_core.export.sources import bibtex, bibtex_of, cite, credit, credit_of, papers, papers_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from privsc_core.concepts.contracts import Bound, Distribution, Learner
    from privsc_core.draw.picture import Picture
    from privsc_core.export.notebook import Figures
    from privsc_core.export.shown import Shown
    from privsc_core.literature.papers import Paper


# --- What a figure is, for programs: parameters, versions, theorems; the same at every call ------


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
    """Return the manifest of several figures without a `Scenario`."""
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


def data_csv(picture: Picture) -> str:
    """Return the data of a figure as CSV: all digits, and nothing where there is no number.

    Of a map that is all cells and the lines on it.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head, rows = draw.data_rows(picture)
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def bundle(shown: Shown, picture: Picture, claim: str = "") -> dict[str, str]:
    """Return file names and texts; the picture itself, as SVG and PNG, comes from the browser."""
    commands = (
        f"On the command line, the numbers of the figure, as in data.csv:\n\n"
        f"    {figure_command(shown)}\n\nand the least numbers of samples:\n\n"
        f"    {command_line(shown.scenario)}\n"
    )
    return {
        "README.txt": _readme(picture, credit(shown), shown.link, {}, commands),
        "data.csv": data_csv(picture),
        "manifest.json": _json(manifest(shown, picture)),
        "references.bib": bibtex(shown),
        "notebook.ipynb": notebook(shown, picture, claim),
        "snippet.py": python_snippet(shown),
    }


def bundle_of(figures: Figures) -> dict[str, str]:
    """Return the bundle of several figures without a `Scenario`; the first one is the picture."""
    first, *rest = (one.picture for one in figures.drawn)
    more = {f"{picture.filename}.csv": picture for picture in rest}
    commands = f"On the command line:\n\n    {figures.commands}\n"
    others = {name: f"the numbers of “{picture.title}”" for name, picture in more.items()}
    return {
        "README.txt": _readme(first, credit_of(figures.behind), figures.link, others, commands),
        "data.csv": data_csv(first),
        **{name: data_csv(picture) for name, picture in more.items()},
        "manifest.json": _json(manifest_of(figures)),
        "references.bib": bibtex_of(figures.behind, figures.link),
        "notebook.ipynb": notebook_of(figures),
        "snippet.py": figures.snippet,
    }


def _json(said: dict[str, Any]) -> str:
    return json.dumps(said, indent=2, ensure_ascii=False) + "\n"


def _readme(
    picture: Picture, thanks: str, link: str, others: Mapping[str, str], commands: str
) -> str:
    """Return what is in the zip, and what `others` are: words by file name."""
    where = f"Page: {link}\n" if link else ""
    rows = "".join(f"{name}\n                {words}\n" for name, words in others.items())
    return f"""{picture.title}
{picture.caption}
{thanks}
{where}
figure.svg      the figure as it was on the screen, for papers and slides
figure.png      the same as pixels, 1920 wide
data.csv        the numbers behind the curves, all digits
{rows}manifest.json   parameters, seed, versions and the theorems used, for programs
references.bib  the papers and this program, for BibTeX
notebook.ipynb  makes figure and numbers again, with explanations
snippet.py      the same in a few lines

{commands}"""
