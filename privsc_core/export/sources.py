"""Where the parts of a figure come from: papers, theorems, BibTeX, one line of credit."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from privsc_core import __version__
from privsc_core.literature.papers import mentioned
from privsc_core.literature.papers import papers as all_papers
from privsc_core.typeset.citation import SOFTWARE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.concepts.contracts import Source
    from privsc_core.literature.papers import Paper

_PLACE = re.compile(
    r"(?:Theorem|Lemma|Corollary|Proposition|Claim|Remark|Definition|Algorithm|Section)s?"
    r" [A-Z]?\d[\d.]*\d*(?:(?:,| and) [A-Z]?\d(?:\.?\d+)*)*"
)


def cite(source: Source) -> str:
    """Return a source in words, e.g. ``BBKN13, Lemma 3.9``."""
    if source.paper == "ours":
        return f"derived in privsc ({source.place})"
    return f"{source.paper}, {source.place}"


def _named(source: Source) -> tuple[Paper, ...]:
    """Return the papers that a source is in or mentions, in the order of the list."""
    # A source that is a paper names itself.
    return mentioned(f"{source.paper} {source.place}")


def papers_of(found_in: Sequence[Source]) -> tuple[Paper, ...]:
    """Return the papers behind sources."""
    found = {paper.key for source in found_in for paper in _named(source)}
    return tuple(paper for key, paper in all_papers().items() if key in found)


def credit_of(found_in: Sequence[Source]) -> str:
    """Return one line: the program and the papers of sources with their theorems."""
    return _credit(tuple(found_in))


@lru_cache(maxsize=64)
def _credit(found_in: tuple[Source, ...]) -> str:
    places: dict[str, dict[str, None]] = {}
    for source in found_in:
        named = _named(source)
        for number, paper in enumerate(named):
            # Theorems belong to the paper that the source is about, which is the first one.
            found = _PLACE.findall(source.place) if number == 0 else []
            places.setdefault(paper.key, {}).update(dict.fromkeys(found))
    parts = [
        all_papers()[key].brief + (f" ({', '.join(places[key])})" if places[key] else "")
        for key in all_papers()
        if key in places
    ]
    if any(source.paper == "ours" for source in found_in):
        parts.append("own derivations")
    if any(source.paper == "yours" for source in found_in):
        parts.append("what its reader brought")
    return f"privsc {__version__}, after {'; '.join(parts)}."


def cited(source: Source, what: str) -> str:
    """Return the BibTeX entries of one statement: the papers behind it, and this program.

    Parameters
    ----------
    source : Source
        Where it comes from.
    what : str
        What is to be found in the program, in plain words: it stands in the note.
    """
    plain = "".join(sign for sign in what if sign not in "{}\\")
    note = f",\n  note    = {{{plain}}}\n}}"
    return "\n\n".join(
        [*(paper.bibtex for paper in _named(source)), SOFTWARE.removesuffix("\n}") + note]
    )


def bibtex_of(found_in: Sequence[Source], link: str = "") -> str:
    """Return the BibTeX entries of the papers behind sources, and of the program."""
    software = SOFTWARE
    if link:
        software = software.removesuffix("\n}") + f",\n  note    = {{Figure: \\url{{{link}}}}}\n}}"
    return "\n\n".join([*(paper.bibtex for paper in papers_of(found_in)), software]) + "\n"
