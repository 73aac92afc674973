"""The papers, once: `papers.bib`, read when something is first cited."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Source:
    """Where something is from.

    Attributes
    ----------
    paper : str
        A key of `papers.bib`, or ``ours``.
    place : str
        The place in it; of what is ours what it is made from.
    nearest : str
        Of what is ours the nearest that we know in the literature, where `place` does not name it.
    """

    paper: str
    place: str
    nearest: str = ""


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
    """Return all papers by their keys, in the order of the file; last what is ours, and what readers bring.

    Raises
    ------
    ValueError
        For an entry that cannot be read.
    """
    from importlib import resources  # noqa: PLC0415 - slow to import, and most commands cite nothing

    text = (resources.files(__package__) / "papers.bib").read_text("utf-8")
    found = [_paper(entry) for entry in text.strip().split("\n\n")]
    found.append(Paper("ours", "this project", "Derived in this project, with the derivation."))
    found.append(Paper("yours", "you", "Brought by a reader: this project knows nothing of it."))
    return {paper.key: paper for paper in found}


def mentioned(text: str) -> tuple[Paper, ...]:
    """Return the papers that a text names, in the order of the list."""
    known = (paper for paper in papers().values() if paper.bibtex)
    return tuple(paper for paper in known if any(name in text for name in paper.names))


# --- Of BibTeX what the file uses: a field in braces begins a line, and a blank line ends an entry ---

# Patterns as texts: most commands cite nothing, and need none compiled.
_ENTRY = r"(?s)@([a-z]+)\{(\w+),\n(.*)\n\}"
_KEY = r"[A-Z]+(\d\d)([a-z]?)"
_FIELD = r"(?sm)^  ([a-z]+) *= \{(.*?)\}(?:,\n|\Z)"
_ACCENT = r"\{\\(['`^\"~])([a-zA-Z])\}"
_ACCENTS = dict(zip("'`^\"~", "\u0301\u0300\u0302\u0308\u0303", strict=True))


def _paper(entry: str) -> Paper:
    """Return the paper of an entry; its key ends with the year, and a letter if there are several."""
    if not (read := re.fullmatch(_ENTRY, entry)):
        raise ValueError(f"papers.bib: an entry cannot be read: {entry}")
    kind, key, inside = read.groups()
    if not (met := re.fullmatch(_KEY, key)):
        raise ValueError(f"papers.bib: {key} is not initials, two digits and maybe a letter")
    stated = {name: _plain(key, value) for name, value in re.findall(_FIELD, inside)}
    if left := re.sub(_FIELD, "", inside):
        raise ValueError(f"papers.bib: a field of {key} cannot be read: {left}")
    year = int(stated["year"][:2] + met[1])
    names = [name.rsplit(" ", 1) for name in stated.pop("author").split(" and ")]
    short = f"{', '.join(last for _, last in names)} {year}{met[2]}"
    authors = ", ".join(
        " ".join([*(f"{first[0]}." for first in given.split()), last]) for given, last in names
    )
    return Paper(key, short, f"{authors}: {_citation(kind, stated, year)}", entry, year)


def _plain(key: str, text: str) -> str:
    """Return a value in one line: accents on their letters, no braces around words, dashes as hyphens."""
    text = re.sub(
        _ACCENT, lambda met: unicodedata.normalize("NFC", met[2] + _ACCENTS[met[1]]), text
    )
    text = re.sub(r"\{(\w+)\}", r"\1", text)
    if re.search(r"[{}\\]", text):
        raise ValueError(f"papers.bib: LaTeX in {key} cannot be read: {text}")
    return " ".join(text.replace("--", "-").split())


def _citation(kind: str, stated: dict[str, str], year: int) -> str:
    title = stated["title"]
    pages = f", {stated['pages']}" if "pages" in stated else ""
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
    return f"{title}{'' if title.endswith('?') else '.'} {where}."
