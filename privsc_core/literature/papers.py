"""The papers, once: `papers.bib`, read when something is first cited."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bibtexparser.model import Entry

_KEY = re.compile(r"[A-Z]+(\d\d)([a-z]?)")


@dataclass(frozen=True, slots=True)
class Source:
    """A key of `papers.bib`, or ``ours``, and a place."""

    paper: str
    place: str


@dataclass(frozen=True, slots=True)
class Paper:
    """One reference: how it is cited in text, and its BibTeX entry.

    Attributes
    ----------
    key, short, citation, bibtex : str
        The key in sources and BibTeX; authors and year; in full; the entry, if it has one.
    year : int or None
        When it first came out, which may be before its journal printed it; None of ours.
    """

    key: str
    short: str
    citation: str
    bibtex: str = ""
    year: int | None = None

    @property
    def brief(self) -> str:
        """Authors and year, of more than two authors the first alone."""
        authors, year = self.short.rsplit(" ", 1)
        first, *others = authors.split(", ")
        return (
            f"{first} et al. {year}"
            if len(others) > 1
            else f"{' and '.join([first, *others])} {year}"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which the place of another source mentions it."""
        several = self.brief.rpartition(" et al.")[:2]
        return (self.key, self.short, *(["".join(several)] if several[0] else []))


@cache
def papers() -> dict[str, Paper]:
    """Return all papers by their keys, in the order of the file; last what is ours.

    Raises
    ------
    ValueError
        For an entry that cannot be read.
    """
    # This takes a tenth of a second, and most commands cite nothing.
    from importlib import resources  # noqa: PLC0415

    from bibtexparser import middlewares  # noqa: PLC0415
    from bibtexparser.entrypoint import parse_string  # noqa: PLC0415

    plain = [
        middlewares.LatexDecodingMiddleware(),
        middlewares.SeparateCoAuthors(),
        middlewares.SplitNameParts(),
    ]
    text = (resources.files(__package__) / "papers.bib").read_text("utf-8")
    library = parse_string(text, append_middleware=plain)
    if library.failed_blocks:
        raise ValueError(f"papers.bib: {library.failed_blocks[0].error}")
    found = [_paper(entry) for entry in library.entries]
    found.append(Paper("ours", "this project", "Derived in this project; the derivation is shown."))
    return {paper.key: paper for paper in found}


def _paper(entry: Entry) -> Paper:
    """Return the paper of an entry; its key ends with the year, and a letter if there are several."""
    if not (met := _KEY.fullmatch(entry.key)):
        raise ValueError(f"papers.bib: {entry.key} is not initials, two digits and maybe a letter")
    stated = {name: field.value for name, field in entry.fields_dict.items()}
    year = int(stated["year"][:2] + met[1])
    authors = ", ".join(" ".join(name.last) for name in stated["author"])
    return Paper(
        entry.key,
        f"{authors} {year}{met[2]}",
        _citation(entry.entry_type, stated, year),
        str(entry.raw),
        year,
    )


def _citation(kind: str, stated: dict[str, Any], year: int) -> str:
    authors = ", ".join(
        " ".join([*(f"{first[0]}." for first in name.first), *name.last])
        for name in stated["author"]
    )
    title = " ".join(stated["title"].split())
    pages = f", {stated['pages'].replace('–', '-')}" if "pages" in stated else ""
    if kind == "article":
        where = (
            f"{stated['journal']} {stated['volume']}({stated['number']}){pages}, {stated['year']}"
        )
        where += "" if stated["year"] == str(year) else f" (online {year})"
    elif kind == "incollection":
        where = f"In: {stated['booktitle']}{pages}. {stated['publisher']}, {year}"
    else:
        acronym = stated["booktitle"].rpartition("(")[2].rstrip(")")
        where = f"{acronym} {year}{pages}"
    return f"{authors}: {title}{'' if title.endswith('?') else '.'} {where}."
