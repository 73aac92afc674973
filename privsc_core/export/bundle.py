"""All texts of a figure as files; among them a Jupyter notebook that draws it again by the core alone."""

from __future__ import annotations

import csv
import io
import json
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from privsc_core import __version__, draw
from privsc_core.export.shown import command_line, drawing, figure_command, python_snippet, settings
from privsc_core.export.sources import bibtex_of, cite, credit_of, papers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from privsc_core.concepts.contracts import Bound, Distribution, Learner, Source
    from privsc_core.draw.picture import Picture
    from privsc_core.export.shown import Entries, Shown
    from privsc_core.literature.papers import Paper

    _Cell: TypeAlias = dict[str, Any]

_LEAST = """numbers = views.numbers(scenario)
for row in numbers.learners:
    print(f"{row.title:34}{row.m if row.m is not None else '-':>12}  {row.method}. {row.remark}")"""

_BOUNDS = """for row in numbers.bounds:
    side = "yours" if row.name == "yours" else "impossible below" if row.kind == "lower" else "suffices"
    print(f"{row.title:34}{side:18}{row.m if row.m is not None else '-':>12}  {row.remark}")"""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Figures with all that is downloaded beside them.

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
    of : Shown, optional
        The figure of a scenario that the first and only one of them is.
    """

    title: str
    claim: str
    drawn: Sequence[Drawn]
    setting: Mapping[str, Any]
    commands: str
    snippet: str
    shown: Entries
    link: str = ""
    of: Shown | None = None

    @property
    def behind(self) -> list[Source]:
        """Where all of them come from."""
        own = (source for one in self.drawn for source in one.picture.sources)
        return list(dict.fromkeys([*self.shown.behind, *own]))


def figures_of(shown: Shown, picture: Picture, claim: str = "") -> Figures:
    """Return the figure of a scenario, as it is on the screen, with all that is downloaded beside it.

    Parameters
    ----------
    shown : Shown
        What to draw.
    picture : Picture
        What it looks like now: its title and caption head the notebook.
    claim : str
        A sentence of Markdown with $LaTeX$ that goes on top.
    """
    return Figures(
        title=picture.title, claim=claim, drawn=[Drawn(picture, shown.picture, ())],
        setting=asdict(shown.scenario), commands=command_line(shown.scenario),
        snippet=python_snippet(shown), shown=shown.entries, link=shown.link, of=shown,
    )  # fmt: skip


def notebook(figures: Figures) -> str:
    """Return the notebook as the text of an .ipynb file, not yet executed: each figure with its data."""
    of, bounds = figures.of, figures.shown.bounds
    cells = [
        _words(_head(figures)),
        *_begin("from privsc_core.evaluate import views\n" if of else ""),
    ]
    if of:
        cells += [_words("## The setting"), _code(settings(of)), _words("## The figure")]
        cells += [_drawn(f"picture = {drawing(of)}"), *_data()]
    for one in () if of else figures.drawn:
        cells += [
            _words(f"## {one.picture.title}\n\n{one.picture.caption}"), _drawn(one.code), *_data("###"),
        ]  # fmt: skip
    numbers = (
        "Least number of examples\n\nFor success probability $1-\\beta$ at the setting, of every learner of the "
        "class. The same on the command line:"
        if of
        else "The numbers on the command line"
    )
    cells += [
        _words(f"## {numbers}\n\n```sh\n{figures.commands}\n```"), *([_code(_LEAST)] if of else []),
        *([_words("## Bounds\n\n" + _statements(bounds))] if bounds or of else []),
        *([_code(_BOUNDS)] if of else []), _words(_references(figures.behind, figures.link)),
    ]  # fmt: skip
    return _book(figures.title, cells)


def _words(text: str) -> _Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(text: str) -> _Cell:
    return _words(text) | {"cell_type": "code", "execution_count": None, "outputs": []}


def _begin(more: str = "") -> list[_Cell]:
    return [
        _words(_install()),
        _code(
            f"import privsc_core as pv\nfrom privsc_core import draw, export\n{more}\n"
            f'print("privsc", pv.__version__, "- made with {__version__}")'
        ),
    ]


def _drawn(code: str) -> _Cell:
    return _code(f"{code}\ndraw.plotly_figure(picture)")


def _data(level: str = "##") -> list[_Cell]:
    return [
        _words(f"{level} Its data, all digits"),
        _code(
            'data = export.data_csv(picture)\nprint(data[:400], "...")\n\n'
            '# To keep them: open("data.csv", "w").write(data)'
        ),
    ]


def _book(title: str, cells: Sequence[_Cell]) -> str:
    """Return a notebook of version 4.5 of its format."""
    return _json(
        {
            "cells": [cell | {"id": f"privsc-{number}"} for number, cell in enumerate(cells)],
            "metadata": {
                "title": title,
                "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
                "language_info": {"name": "python"},
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


def _head(figures: Figures) -> str:
    # A formula multiplies by what Markdown takes for emphasis.
    caption = figures.drawn[0].picture.caption.replace("*", r"\*") if figures.of else ""
    where = f"The figure on its page: <{figures.link}>" if figures.link else ""
    thanks = credit_of(figures.behind)
    parts = (f"# {figures.title}", caption, figures.claim, where, thanks)
    return "\n\n".join(part for part in parts if part)


def _install() -> str:
    return (
        f"## What it needs\n\nPython 3.11 or newer with privsc {__version__}: in a checkout of "
        "privsc, `pip install '.[figure]'` (numpy, scipy and Plotly come with it). Run all cells: figure "
        "and numbers are computed anew, nothing is loaded."
    )


def _statements(bounds: Sequence[Bound]) -> str:
    lines = [
        f"- **{entry.title}** ({entry.kind} bound; {cite(entry.source)}): ${entry.statement}$"
        for entry in bounds
    ]
    return "\n".join(lines) or "No bound is drawn in this figure. The bounds of the class:"


def _references(found_in: Sequence[Source], link: str) -> str:
    lines = [f"- **{paper.key}** {paper.citation}" for paper in papers_of(found_in)]
    return "\n".join(
        ["## References", "", *lines, "", "```bibtex", bibtex_of(found_in, link) + "```"]
    )


_CONSTANTS = {
    "sharp": "derived in privsc", "paper": "as in the paper's proof", "rate": "a rate, no number",
}  # fmt: skip
_METHODS = {
    "exact": "exact", "rao-blackwell": "simulated samples, exact given the sample",
    "monte-carlo": "simulated",
}  # fmt: skip


def manifest(figures: Figures) -> dict[str, Any]:
    """Return the content of the JSON file beside the figures; without a date, so that it can be compared."""
    shown, link, of = figures.shown, figures.link or None, figures.of
    parts = _parts(shown.learners, shown.law, shown.bounds, papers_of(figures.behind))
    if of:
        (one,), concept = figures.drawn, of.scenario.concept_class
        chosen = draw.VIEWS[of.view]
        return {
            "format": "privsc figure 1",
            "title": figures.title,
            "caption": one.picture.caption,
            "link": link,
            "view": {"name": of.view, "words": chosen.words, "axes": list(chosen.axes),
                     "learner": of.on_map or None},
            "parameters": dict(figures.setting),
            "pinned": asdict(of.pinned) if of.pinned else None,
            "concept": {
                "name": of.scenario.concept, "symbol": concept.symbol, "title": concept.title,
            },
            **parts,
            **_size(one.picture),
            **_versions(),
        }  # fmt: skip
    return {
        "format": "privsc figures 1",
        "title": figures.title,
        "link": link,
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
        **parts,
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
            **{name: version(name) for name in ("numpy", "scipy", "plotly") if find_spec(name)},
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


def bundle(figures: Figures) -> dict[str, str]:
    """Return file names and texts; the first picture itself, SVG and PNG, comes from the browser."""
    first, *rest = (one.picture for one in figures.drawn)
    more = {f"{picture.filename}.csv": picture for picture in rest}
    commands = f"On the command line:\n\n    {figures.commands}\n"
    if figures.of:
        commands = (
            "On the command line, the numbers of the figure, as in data.csv:\n\n"
            f"    {figure_command(figures.of)}\n\nand the least numbers of examples:\n\n"
            f"    {figures.commands}\n"
        )
    others = {name: f"the numbers of “{picture.title}”" for name, picture in more.items()}
    return {
        "README.txt": _readme(first, credit_of(figures.behind), figures.link, others, commands),
        "data.csv": data_csv(first),
        **{name: data_csv(picture) for name, picture in more.items()},
        "manifest.json": _json(manifest(figures)),
        "references.bib": bibtex_of(figures.behind, figures.link),
        "notebook.ipynb": notebook(figures),
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
