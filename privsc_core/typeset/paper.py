"""What is ours as one typeset file: PDF, made by Typst when it is asked for."""

from __future__ import annotations

import json
import re
from importlib import resources
from importlib.util import find_spec
from itertools import groupby
from typing import TYPE_CHECKING, Any

from privsc_core.errors import needed
from privsc_core.evaluate import ours
from privsc_core.numerics.text import capital
from privsc_core.typeset.citation import AUTHOR, EDITION, SOFTWARE, TITLE, line
from privsc_core.typeset.mathematics import typst

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.evaluate.ours import Result

FILE = "privsc-ours.pdf"
# Of Markdown what the catalog uses: a formula, bold, italics, and what is typed.
_RUN = re.compile(
    r"\$\$(.+?)\$\$|\$([^$]+)\$|\*\*(.+?)\*\*|\*([^*\s](?:[^*]*[^*\s])?)\*|`([^`]+)`", re.DOTALL
)
_KINDS = ("display", "formula", "strong", "emph", "code")
_PREFACE = (
    "These are the results that this project derives itself. Some sharpen a theorem of a paper, some are textbook "
    "facts with constants, and for some we know of no reference. Each stands with its proof, with commands that check "
    "it, and with the nearest that we know in the literature.\n\n"
    "Here $m$ is the number of examples, $d$ the size of the class and $T = 2^d$ the number of points of the domain. "
    "The privacy parameters are $\\varepsilon$ and $\\delta$; $\\alpha$ is the allowed error and $\\beta$ the allowed "
    "probability of failure. $\\mathrm{Bin}(m, \\alpha)$ is the binomial distribution, log the natural logarithm. Two "
    "samples are neighbours if they differ in one example.\n\n"
    "The commands need an installed privsc; commands of Python run in a copy of its repository. No referee outside this "
    "project has read these results."
)
_CITING = (
    "Please cite the version, and name the result by its title. The papers that a result is made from are to be cited "
    "beside it."
)


def typesets() -> bool:
    """Return whether the typesetter is installed."""
    return find_spec("typst") is not None


def pdf(results: Sequence[Result] | None = None) -> bytes:
    """Return the document as PDF.

    Parameters
    ----------
    results : sequence of Result, optional
        What it contains, class by class; all that is ours by default.

    Raises
    ------
    InputError
        Where the typesetter is not installed.
    """
    compiler: Any = needed("typst", "paper")
    given = json.dumps(document(ours.results() if results is None else results))
    template = (resources.files(__package__) / "ours.typ").read_bytes()
    # No font of the machine: the same file everywhere.
    found: bytes = compiler.compile(template, sys_inputs={"given": given}, ignore_system_fonts=True)
    return found


def document(results: Sequence[Result]) -> dict[str, Any]:
    """Return all that the document says, as plain values; formulas are written in Typst."""
    named = {paper.key: paper for one in results for paper in one.papers}
    return {
        "title": TITLE, "author": AUTHOR, "edition": EDITION, "subtitle": _counted(results),
        "preface": marked(_PREFACE), "citing": marked(_CITING), "bibtex": SOFTWARE,
        "parts": [
            {"title": title, "results": [_result(one) for one in group]}
            for title, group in groupby(results, key=lambda one: one.concept.title)
        ],
        "references": [
            {"key": key, "said": named[key].citation} for key in sorted(named)
        ],
    }  # fmt: skip


def _counted(results: Sequence[Result]) -> str:
    counts = [(kind, sum(one.kind == kind for one in results)) for kind in ours.KINDS]
    return ", ".join(f"{count} {kind}{'s' * (count != 1)}" for kind, count in counts if count)


def _result(one: Result) -> dict[str, Any]:
    return {
        "key": one.key, "title": one.title, "kind": one.kind, "name": one.name,
        "formula": typst(one.formula), "statement": marked(one.statement), "proof": marked(one.proof),
        "source": f"{capital(one.source.place)}.", "nearest": f"{capital(one.nearest)}.",
        "checks": [check._asdict() for check in one.checks], "cite": line(one),
    }  # fmt: skip


def marked(text: str) -> list[list[dict[str, str]]]:
    """Return the paragraphs of a Markdown text, each as its runs: a kind, and what it says."""
    return [_runs(one) for one in re.split(r"\n\s*\n", text.strip()) if one]


def _runs(text: str, kind: str = "text") -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    end = 0
    for met in _RUN.finditer(text):
        found.append({"kind": kind, "said": text[end : met.start()]})
        number = met.lastindex or 1
        inside, how = met[number], _KINDS[number - 1]
        if how in {"display", "formula"}:
            found.append({"kind": how, "said": typst(inside)})
        elif how == "code":
            found.append({"kind": how, "said": inside})
        else:
            found += _runs(inside, how)
        end = met.end()
    found.append({"kind": kind, "said": text[end:]})
    return [one for one in found if one["said"]]
