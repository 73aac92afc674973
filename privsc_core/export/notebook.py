"""A Jupyter notebook that makes the figure again with the core alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from privsc_core import __version__
from privsc_core.export.recipe import command_line, drawing, settings
from privsc_core.export.sources import bibtex, cite, credit, papers

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from privsc_core.draw.picture import Picture
    from privsc_core.export.shown import Shown

__all__ = ["notebook"]

_LEAST = """numbers = views.numbers(scenario)
for row in numbers.learners:
    print(f"{row.title:34}{row.m if row.m is not None else '-':>12}  {row.method}. {row.remark}")"""

_BOUNDS = """for row in numbers.bounds:
    side = "impossible below" if row.kind == "lower" else "suffices"
    print(f"{row.title:34}{side:18}{row.m if row.m is not None else '-':>12}  {row.remark}")"""


def notebook(shown: Shown, picture: Picture, claim: str = "") -> str:
    """Return the notebook as the text of an .ipynb file, not yet executed.

    Parameters
    ----------
    shown : Shown
        What to draw.
    picture : Picture
        What it looks like now: its title and caption head the notebook.
    claim : str
        A sentence of Markdown with $LaTeX$ that goes on top.
    """
    cells = [
        new_markdown_cell(_head(shown, picture, claim)),
        new_markdown_cell(_install()),
        new_code_cell(
            "import privsc_core as pv\nfrom privsc_core import draw, export\n"
            "from privsc_core.evaluate import views\n\n"
            f'print("privsc", pv.__version__, "- made with {__version__}")'
        ),
        new_markdown_cell("## The setting"),
        new_code_cell(settings(shown)),
        new_markdown_cell("## The figure"),
        new_code_cell(
            f"picture = {drawing(shown)}\nfigure = draw.plotly_figure(picture)\n"
            "figure.update_layout(title=picture.title, height=520)"
        ),
        new_markdown_cell("## Its data, all digits"),
        new_code_cell(
            'data = export.data_csv(picture)\nprint(data[:400], "...")\n\n'
            '# To keep them: open("data.csv", "w").write(data)'
        ),
        new_markdown_cell(
            "## Least number of samples\n\nFor success probability $1-\\beta$ at the setting, of "
            f"every learner of the class. The same on the command line:\n\n"
            f"```sh\n{command_line(shown.scenario)}\n```"
        ),
        new_code_cell(_LEAST),
        new_markdown_cell("## Bounds\n\n" + _statements(shown)),
        new_code_cell(_BOUNDS),
        new_markdown_cell(_references(shown)),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"privsc-{number}"  # nbformat's own are random
    book: NotebookNode = new_notebook(
        cells=cells,
        metadata={
            "title": picture.title,
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
    )
    nbformat.validate(book)
    return str(nbformat.writes(book)) + "\n"


def _head(shown: Shown, picture: Picture, claim: str) -> str:
    parts = [f"# {picture.title}", picture.caption, claim]
    if shown.link:
        parts.append(f"The figure on its page: <{shown.link}>")
    parts.append(credit(shown))
    return "\n\n".join(part for part in parts if part)


def _install() -> str:
    return (
        f"## What it needs\n\nPython 3.11 or newer with privsc {__version__}: in a checkout of "
        "privsc, `pip install .` (numpy, scipy and Plotly come with it). Run all cells: figure "
        "and numbers are computed anew, nothing is loaded."
    )


def _statements(shown: Shown) -> str:
    lines = [
        f"- **{entry.title}** ({entry.kind} bound; {cite(entry.source)}): ${entry.statement}$"
        for entry in shown.bounds
    ]
    return "\n".join(lines) or "No bound speaks in this figure; those of the class:"


def _references(shown: Shown) -> str:
    lines = [f"- **{paper.key}** {paper.citation}" for paper in papers(shown)]
    return "\n".join(["## References", "", *lines, "", "```bibtex", bibtex(shown) + "```"])
