"""A Jupyter notebook that makes the figure again with the core alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from privsc_core import __version__
from privsc_core.export.recipe import command_line, drawing, settings
from privsc_core.export.sources import bibtex_of, cite, credit, credit_of, papers_of, sources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nbformat import NotebookNode

    from privsc_core.concepts.contracts import Bound, Distribution, Learner, Source
    from privsc_core.draw.picture import Picture
    from privsc_core.export.shown import Shown

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
        _words(_head(shown, picture, claim)),
        *_begin("from privsc_core.evaluate import views\n"),
        _words("## The setting"),
        _code(settings(shown)),
        _words("## The figure"),
        _drawn(f"picture = {drawing(shown)}"),
        *_data(),
        _words(
            "## Least number of samples\n\nFor success probability $1-\\beta$ at the setting, of "
            f"every learner of the class. The same on the command line:\n\n"
            f"```sh\n{command_line(shown.scenario)}\n```"
        ),
        _code(_LEAST),
        _words("## Bounds\n\n" + _statements(shown.bounds)),
        _code(_BOUNDS),
        _words(_references(sources(shown), shown.link)),
    ]
    return _book(picture.title, cells)


def _call(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    return f"{function.__qualname__}({', '.join(map(repr, arguments))})"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture with what draws it, for figures that no `Scenario` tells.

    Attributes
    ----------
    picture : Picture
        What it looks like now.
    function : callable
        A public function of the core.
    arguments : tuple
        What it was called with: numbers and words.
    found : bool
        Whether it returns numbers, too, before the picture.
    pinned : tuple
        What it was called with for the setting whose curves are drawn beside it; empty for none.
    beside : callable, optional
        (picture, its numbers, those of the pinned setting) -> the picture with these curves.
    """

    picture: Picture
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    found: bool = False
    pinned: tuple[Any, ...] = ()
    beside: Callable[..., Picture] | None = None

    @property
    def code(self) -> str:
        """The Python lines that draw it under the name `picture`."""
        functions = [self.function]
        calls = [
            f"{'found, ' if self.found else ''}picture = {_call(self.function, self.arguments)}"
        ]
        if self.beside:
            functions.insert(0, self.beside)
            calls.append(f"pinned, _ = {_call(self.function, self.pinned)}")
            calls.append(f"picture = {self.beside.__qualname__}(picture, found, pinned)")
        imports = [f"from {one.__module__} import {one.__qualname__}" for one in functions]
        return "\n".join([*imports, "", *calls])


@dataclass(frozen=True, slots=True)
class Entries:
    """What of the catalog is in figures: whose numbers, on what, and which bounds are stated."""

    learners: tuple[Learner, ...]
    law: Distribution
    bounds: tuple[Bound, ...]

    @property
    def behind(self) -> list[Source]:
        """Where it comes from."""
        entries: tuple[Learner | Distribution | Bound, ...] = (
            *self.learners,
            self.law,
            *self.bounds,
        )
        return [entry.source for entry in entries]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Several figures that no `Scenario` tells, with what is taken along of them.

    Attributes
    ----------
    title, claim : str
        What stands on top; the claim is Markdown with $LaTeX$.
    drawn : sequence of Drawn
        The figures; the first is the one that stands large on the screen.
    setting : mapping of str to str or number
        What they are drawn at, by names.
    commands : str
        Command lines that print the numbers.
    snippet : str
        A program that does.
    shown : Entries
        What of the catalog is in them.
    link : str
        The address that shows it; empty if there is none.
    """

    title: str
    claim: str
    drawn: Sequence[Drawn]
    setting: Mapping[str, Any]
    commands: str
    snippet: str
    shown: Entries
    link: str = ""

    @property
    def behind(self) -> list[Source]:
        """Where all of them come from."""
        own = (source for one in self.drawn for source in one.picture.sources)
        return list(dict.fromkeys([*self.shown.behind, *own]))


def notebook_of(figures: Figures) -> str:
    """Return the notebook of several figures, as `notebook` does of one: each with its data."""
    behind, bounds = figures.behind, figures.shown.bounds
    head = _top(figures.title, "", figures.claim, figures.link, credit_of(behind))
    cells = [_words(head), *_begin()]
    for one in figures.drawn:
        cells += [
            _words(f"## {one.picture.title}\n\n{one.picture.caption}"), _drawn(one.code), *_data("###"),
        ]  # fmt: skip
    cells += [
        _words(f"## The numbers on the command line\n\n```sh\n{figures.commands}\n```"),
        *([_words("## Bounds\n\n" + _statements(bounds))] if bounds else []),
        _words(_references(behind, figures.link)),
    ]
    return _book(figures.title, cells)


def _words(text: str) -> NotebookNode:
    cell: NotebookNode = new_markdown_cell(text)
    return cell


def _code(text: str) -> NotebookNode:
    cell: NotebookNode = new_code_cell(text)
    return cell


def _begin(more: str = "") -> list[NotebookNode]:
    return [
        _words(_install()),
        _code(
            f"import privsc_core as pv\nfrom privsc_core import draw, export\n{more}\n"
            f'print("privsc", pv.__version__, "- made with {__version__}")'
        ),
    ]


def _drawn(code: str) -> NotebookNode:
    return _code(
        f"{code}\nfigure = draw.plotly_figure(picture)\n"
        "figure.update_layout(title=picture.title, height=520)"
    )


def _data(level: str = "##") -> list[NotebookNode]:
    return [
        _words(f"{level} Its data, all digits"),
        _code(
            'data = export.data_csv(picture)\nprint(data[:400], "...")\n\n'
            '# To keep them: open("data.csv", "w").write(data)'
        ),
    ]


def _book(title: str, cells: Sequence[NotebookNode]) -> str:
    for number, cell in enumerate(cells):
        cell["id"] = f"privsc-{number}"  # nbformat's own are random
    book: NotebookNode = new_notebook(
        cells=cells,
        metadata={
            "title": title,
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
    )
    nbformat.validate(book)
    return str(nbformat.writes(book)) + "\n"


def _head(shown: Shown, picture: Picture, claim: str) -> str:
    return _top(picture.title, picture.caption, claim, shown.link, credit(shown))


def _top(title: str, caption: str, claim: str, link: str, thanks: str) -> str:
    where = f"The figure on its page: <{link}>" if link else ""
    return "\n\n".join(part for part in (f"# {title}", caption, claim, where, thanks) if part)


def _install() -> str:
    return (
        f"## What it needs\n\nPython 3.11 or newer with privsc {__version__}: in a checkout of "
        "privsc, `pip install .` (numpy, scipy and Plotly come with it). Run all cells: figure "
        "and numbers are computed anew, nothing is loaded."
    )


def _statements(bounds: Sequence[Bound]) -> str:
    lines = [
        f"- **{entry.title}** ({entry.kind} bound; {cite(entry.source)}): ${entry.statement}$"
        for entry in bounds
    ]
    return "\n".join(lines) or "No bound speaks in this figure; those of the class:"


def _references(found_in: Sequence[Source], link: str) -> str:
    lines = [f"- **{paper.key}** {paper.citation}" for paper in papers_of(found_in)]
    return "\n".join(
        ["## References", "", *lines, "", "```bibtex", bibtex_of(found_in, link) + "```"]
    )
