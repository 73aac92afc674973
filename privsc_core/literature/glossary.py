"""The words of the field, once: what pages, tables and figures explain in place (`glossary.toml`).

Symbols stand in `privsc_core.parameters`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from privsc_core.literature.documents import filled, read


@dataclass(frozen=True, slots=True)
class Term:
    """One word of the field.

    Attributes
    ----------
    word : str
        As a reader meets it in a sentence.
    meaning : str
        One to three plain sentences.
    group : str
        A name in `GROUPS`.
    also : tuple of str
        Other forms that mean the same: what tables and cards write.
    """

    word: str
    meaning: str
    group: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Untreated:
    """A term of the field that is not treated here, for those who search for it.

    Attributes
    ----------
    word, meaning : str
        As of a `Term`.
    nearest : str
        What comes nearest here, in a few words.
    page : str
        The name in addresses of the page that shows it.
    also : tuple of str
        Other words that mean the same, or belong to it.
    """

    word: str
    meaning: str
    nearest: str
    page: str
    also: tuple[str, ...] = ()


GROUPS: dict[str, str] = {
    "learning": "Learning",
    "privacy": "Privacy",
    "evidence": "Where a number comes from",
    "figure": "What figures show",
}


@cache
def terms() -> tuple[Term, ...]:
    """Return all words, in the order in which they are listed."""
    found: tuple[Term, ...] = filled(
        Term, read("privsc_core.literature", "glossary.toml")["terms"], "glossary.toml"
    )
    return found


@cache
def untreated() -> tuple[Untreated, ...]:
    """Return the terms that are not treated here."""
    found: tuple[Untreated, ...] = filled(
        Untreated, read("privsc_core.literature", "glossary.toml")["untreated"], "glossary.toml"
    )
    return found


def find(word: str) -> Term | None:
    """Return the term that explains `word` in one of its forms, or None."""
    return _by_word().get(word.lower())


@cache
def _by_word() -> dict[str, Term]:
    return {form.lower(): term for term in terms() for form in (term.word, *term.also)}
