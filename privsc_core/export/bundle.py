"""All texts of a figure, as files."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from privsc_core import draw
from privsc_core.export.manifest import manifest, manifest_of
from privsc_core.export.notebook import notebook, notebook_of
from privsc_core.export.recipe import command_line, figure_command, python_snippet
from privsc_core.export.sources import bibtex, bibtex_of, credit, credit_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privsc_core.draw.picture import Picture
    from privsc_core.export.notebook import Figures
    from privsc_core.export.shown import Shown

__all__ = ["bundle", "bundle_of", "data_csv"]


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
    """Return the same of several figures that no `Scenario` tells; the first one is the picture."""
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
