"""The notebooks of the gallery: valid, without outputs, and every cell runs."""

import ast
import contextlib
import io
import json
import re
import tomllib
from pathlib import Path

import nbformat
import plotly.graph_objects as go
import pytest

from privsc_core.records import Answer

ASSETS = Path(__file__).parents[3] / "assets"
GALLERY = sorted((ASSETS / "notebooks").glob("*.ipynb"))
_NUMBER = re.compile(r"(?<![\d.^{/-])\d[\d,]*\d(?![\d.⁻⁰¹²³⁴-⁹]*[⁻⁰¹²³⁴-⁹])(?![\d}])")


_YEARS = {"2011", "2013"}  # of papers


def book(path):
    return nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)


def run(cells):
    """Run cells as a notebook does, in one namespace, and return all that it shows."""
    space, shown = {"__name__": "__main__"}, []
    for cell in cells:
        tree, printed = ast.parse(cell.source), io.StringIO()
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, "cell", "exec"), space)  # noqa: S102 - our own notebook
            if last:
                shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), space))  # noqa: S307
        shown.append(printed.getvalue())
    return shown


def said(shown):
    """Return what a reader finds in an output, as text."""
    if isinstance(shown, Answer):
        assert shown._repr_html_().startswith("<div>")
    if isinstance(shown, go.Figure):
        return json.dumps([trace.text for trace in shown.data], default=list)
    return str(shown)


def test_there_are_notebooks():
    assert len(GALLERY) == 6


def unfounded(read, shown):
    """Return the numbers in the words of a notebook that no cell of it shows or types."""
    words, code = (
        " ".join(cell.source for cell in read.cells if cell.cell_type == kind)
        for kind in ("markdown", "code")
    )
    answers = " ".join([code, *map(said, shown)])
    claimed, found = (
        {n.replace(",", "") for n in _NUMBER.findall(text)} for text in (words, answers)
    )
    return {number for number in claimed - found if number not in _YEARS}


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_a_notebook_of_the_gallery_runs_and_says_no_number_that_it_does_not_show(path):
    read = book(path)
    nbformat.validate(read)
    code = [cell for cell in read.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    shown = run(code)
    assert any(isinstance(one, go.Figure) for one in shown)
    assert unfounded(read, shown) == set()
    read.cells[0].source += " A planted claim: 123,457 examples."
    assert unfounded(read, shown) == {"123457"}


def test_the_figures_of_the_lecture_are_those_of_its_scenes():
    lecture = "private-learning-costs-samples.toml"
    scenes = tomllib.loads((ASSETS / "lectures" / lecture).read_text(encoding="utf-8"))
    (path,) = (path for path in GALLERY if "lecture" in path.stem)
    words = [cell.source for cell in book(path).cells if cell.cell_type == "markdown"]
    titles = {scene["title"] for scene in scenes["scene"]}
    assert sum(text.split("\n")[0].removeprefix("## ") in titles for text in words) == 3
