"""What the search finds: everything that has a place of its own, from the catalog and the lists.

Nothing is listed here by name. A hit is a row of texts: its kind, its title, a line about it, more
words that find it, and its link, relative to the dashboard's address. The browser ranks (search.js).
"""

from __future__ import annotations

import html
import json
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from pages.shared.frame import sitemap, words
from pages.shared.hall import lectures, presenter
from pages.shared.page import atlas, declaration, theory
from pages.shared.state.link import VERSION
from privsc_core.catalog import concept as find_concept
from privsc_core.evaluate.atlas import entries, errata
from privsc_core.literature.glossary import terms, untreated
from privsc_core.literature.papers import papers
from privsc_core.parameters import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pages.shared.page.declaration import ClassPage
    from privsc_core.concepts.contracts import ConceptClass

_MARKS = re.compile(r"[*`$_\\{}]")


class Hit(NamedTuple):
    """One thing that can be found.

    Attributes
    ----------
    kind, title, text : str
        What it is, what it is called, and a line about it.
    words : str
        More words that find it.
    link : str
        Relative to the dashboard's address; the setting of the visitor is taken along.
    whole : bool
        Whether the link is a whole state, so that nothing is taken along.
    within : str
        The class that it belongs to: in the list, those of one kind and title are one row.
    """

    kind: str
    title: str
    text: str
    words: str
    link: str
    whole: bool = False
    within: str = ""


def program() -> str:
    """Return the index as a program that browsers import."""
    return f"export default {json.dumps(hits(), ensure_ascii=False, separators=(',', ':'))};\n"


@cache
def hits() -> tuple[Hit, ...]:
    """Return everything that can be found; of equally good ones the first comes first."""
    return (
        *_pages(),
        *_of_classes(),
        *_of_tools(),
        *_bounds(),
        *_errata(),
        *_words(),
        *_lectures(),
    )


def _link(file: str, anchor: str = "", **params: str) -> str:
    query = f"?{urlencode({'v': VERSION, **params})}" if params else ""
    return f"./{sitemap.address(file)}{query}{anchor and '#' + anchor}"


def _declared() -> Iterator[tuple[str, str, ClassPage]]:
    for label, file in sitemap.classes():
        yield label, file, declaration.declared(file)


def _pages() -> Iterator[Hit]:
    classes = {file: page for _, file, page in _declared()}
    for group, listed in sitemap.PAGES:
        for label, file in listed:
            page = classes.get(file)
            text = page.heading if page else group
            more = f"{page.claim} {page.concept}" if page else ""
            yield Hit("page", label, text, _plain(more), _link(file))


def _of_classes() -> Iterator[Hit]:
    for label, file, page in _declared():
        concept = find_concept(page.concept)
        yield from _learners(label, file, concept)
        for section in page.sections:
            yield Hit(
                "part of a page", section.title, f"On the page {label}", _plain(section.claim),
                _link(file, section.name, open=section.name),
            )  # fmt: skip


def _of_tools() -> Iterator[Hit]:
    """Return the parts of the pages that are about no one class and declare any."""
    staged = sitemap.staged().values()
    for group, listed in sitemap.PAGES:
        for label, file in listed:
            if group == sitemap.CLASSES or file not in staged:
                continue
            for one in declaration.sections_of(file):
                yield Hit(
                    "part of a page", one.title, f"On the page {label}", _plain(one.claim),
                    _link(file, one.anchor, **one.link),
                )  # fmt: skip


def _learners(label: str, file: str, concept: ConceptClass) -> Iterator[Hit]:
    for entry in concept.learners:
        part = theory.learner_part(entry)
        paper = papers()[entry.source.paper]
        yield Hit(
            "learner", entry.title, f"{label}: {_plain(entry.summary)}",
            f"{entry.name} {entry.privacy} {paper.key} {paper.short} {entry.source.place}",
            _link(file, part, open=part), within=label,
        )  # fmt: skip


def _bounds() -> Iterator[Hit]:
    for entry in entries():
        one, part = entry.bound, atlas.bound_part(entry)
        later = "" if entry.computed else "later "
        paper = papers()[one.source.paper]
        place = f"{paper.key}, {one.source.place}".removeprefix("ours, ")
        yield Hit(
            "bound", one.title, f"{entry.concept.title}: {later}{one.kind} bound; {place}",
            f"{one.name} {paper.short} {one.applies_to}", _link("pages/atlas.py", part, open=part),
            within=entry.concept.title,
        )  # fmt: skip


def _errata() -> Iterator[Hit]:
    for one in errata():
        part, paper = atlas.erratum_part(one), papers()[one.source.paper]
        yield Hit(
            "slip", f"{paper.key}, {one.source.place}".removeprefix("ours, "), one.title,
            f"{paper.short} erratum correction {_plain(one.says)} {_plain(one.correction)}",
            _link("pages/atlas.py", part, open=part),
        )  # fmt: skip


def _words() -> Iterator[Hit]:
    # The glossary is the same on the page of every class.
    file = sitemap.classes()[0][1] if sitemap.classes() else ""
    for entry in PARAMETERS:
        yield Hit(
            "symbol", entry.symbol, f"{entry.meaning}.", f"{entry.name} {entry.short}",
            _link(file, words.anchor(entry.symbol), tab="notation"),
        )  # fmt: skip
    for term in terms():
        yield Hit(
            "word", term.word, term.meaning, " ".join(term.also),
            _link(file, words.anchor(term.word), tab="notation"),
        )  # fmt: skip
    labels = {sitemap.address(file): label for _, group in sitemap.PAGES for label, file in group}
    for one in untreated():
        yield Hit(
            "not treated here", one.word,
            f"Nearest: {one.nearest}, on the page {labels[one.page]}. {one.meaning}",
            " ".join(one.also), f"./{one.page}",
        )  # fmt: skip


def _lectures() -> Iterator[Hit]:
    for lecture in lectures.shipped():
        anchor = lectures.anchor(lecture)
        yield Hit(
            "lecture", _plain(lecture.title), _plain(lecture.about), "",
            _link("pages/lectures.py", anchor),
        )  # fmt: skip
        for number, scene in enumerate(lecture.scenes, start=1):
            file, params = presenter.scene_link(presenter.Place(lecture, number))
            yield Hit(
                "scene", _plain(scene.title), f"{_plain(lecture.title)}, scene {number}",
                _plain(f"{scene.caption} {scene.question}"),
                f"./{sitemap.address(file)}?{urlencode(params)}", whole=True,
            )  # fmt: skip


def _plain(text: str) -> str:
    """Return Markdown as words."""
    return html.unescape(_MARKS.sub("", text))
