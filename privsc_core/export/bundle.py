"""All texts of a figure, as files."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from privsc_core import draw
from privsc_core.export.manifest import manifest
from privsc_core.export.notebook import notebook
from privsc_core.export.recipe import command_line, figure_command, python_snippet
from privsc_core.export.sources import bibtex, credit

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.export.shown import Shown

__all__ = ["bundle", "data_csv"]


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
    return {
        "README.txt": _readme(shown, picture),
        "data.csv": data_csv(picture),
        "manifest.json": json.dumps(manifest(shown, picture), indent=2, ensure_ascii=False) + "\n",
        "references.bib": bibtex(shown),
        "notebook.ipynb": notebook(shown, picture, claim),
        "snippet.py": python_snippet(shown),
    }


def _readme(shown: Shown, picture: Picture) -> str:
    link = f"Page: {shown.link}\n" if shown.link else ""
    return f"""{picture.title}
{picture.caption}
{credit(shown)}
{link}
figure.svg      the figure as it was on the screen, for papers and slides
figure.png      the same as pixels, 1920 wide
data.csv        the numbers behind the curves, all digits
manifest.json   parameters, seed, versions and the theorems used, for programs
references.bib  the papers and this program, for BibTeX
notebook.ipynb  makes figure and numbers again, with explanations
snippet.py      the same in a few lines

On the command line, the numbers of the figure, as in data.csv:

    {figure_command(shown)}

and the least numbers of samples:

    {command_line(shown.scenario)}
"""
