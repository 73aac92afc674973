"""Lectures: lists of scenes in small text files. Only reading, no drawing.

A lecture is a file that a lecturer writes (assets/lectures/README.md says how), so `read` answers
everything that is wrong with one sentence, and whatever is in the text is data.
"""

from __future__ import annotations

import difflib
import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from pages.shared.frame import sitemap
from pages.shared.state.link import parse
from privsc_core import practice
from privsc_core.catalog import CONCEPTS
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pages.shared.state.link import Field

BYTES, SCENES = 100_000, 60  # a lecture, at most
_LINK = 2000  # characters
# Nothing here needs dots, and tomllib takes quadratic time over a key of many dotted parts.
_DOTS = 200
_NAME = re.compile(r"[a-z0-9-]{0,40}")
_FOLDER = Path(__file__).parents[3] / "assets" / "lectures"
# The file names, in the order of the list; they stand in links: fixed for ever.
SHIPPED = (
    "private-learning-costs-samples",
    "points-and-intervals",
    "what-constants-cost",
    "paying-once",
    "what-delta-buys",
    "what-log-star-costs",
    "which-dimension",
    "no-number-suffices",
    "what-statistics-tell",
    "few-labels",
)
# Which lecture, which scene, whose guess: the presenter's own, whatever a pasted address says; so
# are the keys that start with "embed", which force a theme.
_PRESENTERS = frozenset({"present", "lecture", "scene", "guess", "tour", "room"})
# A formula between dollars, not two prices: nothing blank inside the dollars, no digit behind them.
_FORMULA = re.compile(r"\$([^\s$](?:[^$]*[^\s$\\])?)\$(?!\d)")
_SIGNS = re.compile(r"([!-/:-@\[-`{-~])")
# Key -> most characters, whether it must be there.
_OF_LECTURE = {"title": (80, True), "about": (400, True), "level": (40, False)}
_OF_SCENE = {
    "title": (60, True), "link": (_LINK, True), "caption": (300, True), "question": (200, False),
    "ask": (40, False),
}  # fmt: skip
CHOICES = (2, 6)  # of a question, at least and at most
# Lists of texts of a scene: most characters of each.
_LISTS = {"choices": 80, "feedback": 200}
_ALL_OF_SCENE = (*_OF_SCENE, "choices", "right", "feedback")


@dataclass(frozen=True, slots=True)
class Scene:
    """One page state with its caption.

    Attributes
    ----------
    title, caption, question : str
        Plain text on one line, with formulas as $d$; `question` may be empty.
    page : str
        The page's name in addresses (``points``).
    params : dict of str to str
        The query parameters, as in a link; the page checks them.
    host : str
        Of a whole address, with its port; it may be another dashboard's.
    ask : str
        A kind of question of `privsc_core.practice`, which is asked at the setting of the page; may be empty.
    choices : tuple of str
        The possible answers of the question, plain text; none where the answer is a number.
    right : int
        The number of the right choice, from 1; 0 where none is right.
    feedback : tuple of str
        What is said of each choice afterwards; may be empty.
    """

    title: str
    page: str
    params: dict[str, str]
    caption: str
    question: str = ""
    ask: str = ""
    host: str = ""
    choices: tuple[str, ...] = ()
    right: int = 0
    feedback: tuple[str, ...] = ()

    def notes(self, fields: Sequence[Field], here: str) -> list[str]:
        """Return what of the link the page would not take as it stands, a sentence each.

        Parameters
        ----------
        fields : sequence of Field
            The fields of its page.
        here : str
            The host of this dashboard.
        """
        _, notes = parse(self.params, fields)
        if self.host and self.host != here:
            notes.insert(0, f"The link leads to {self.host}; the page “{self.page}” of this dashboard is shown.")  # fmt: skip
        return notes


@dataclass(frozen=True, slots=True)
class Lecture:
    """A list of scenes; `name` stands for it in links, `source` is the file's text.

    `level` says in a word what an audience should know already; it may be empty.
    """

    name: str
    title: str
    about: str
    scenes: tuple[Scene, ...]
    source: str
    level: str = ""

    @property
    def summary(self) -> str:
        """The first sentence of what is said about it."""
        return re.split(r"(?<=[.?!]) (?=[A-Z])", self.about)[0]

    @property
    def minutes(self) -> int:
        """About how long it takes: two minutes a scene, in steps of five."""
        return max(5, 5 * round(2 * len(self.scenes) / 5))


def anchor(lecture: Lecture) -> str:
    """Return the id of a lecture on the page that lists them."""
    return f"lecture-{lecture.name}"


@functools.cache
def shipped() -> tuple[Lecture, ...]:
    """Return the lectures that come with the product, in the order of the list."""
    return tuple(read((_FOLDER / f"{name}.toml").read_bytes(), name) for name in SHIPPED)


def read(text: str | bytes, name: str) -> Lecture:
    """Read a lecture.

    Parameters
    ----------
    text : str or bytes
        The file's content.
    name : str
        What stands for it in links: small letters, digits and hyphens, at most 40, or empty.

    Raises
    ------
    InputError
        One sentence that says what to change, and in which scene.
    """
    if not _NAME.fullmatch(name):
        requirement = "must be at most 40 small letters, digits and hyphens"
        raise InputError("the lecture's name", requirement, name)
    source = _decoded(text)
    table = _toml(source)
    given = table.pop("scene", [])
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        raise InputError("each scene", "must start with a line [[scene]]", _kind(given))
    _keys("the lecture", table, _OF_LECTURE, (*_OF_LECTURE, "scene"))
    if not 1 <= len(given) <= SCENES:
        requirement = f"must have 1 to {SCENES} scenes, each below a line [[scene]]"
        raise InputError("the lecture", requirement, len(given))
    words = {key: _text("the lecture", table, key, _OF_LECTURE) for key in _OF_LECTURE}
    scenes = tuple(_scene(f"scene {number}", item) for number, item in enumerate(given, start=1))
    return Lecture(name=name, scenes=scenes, source=source, **words)


def _decoded(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    if len(data) > BYTES:
        requirement = f"must have at most {BYTES:,} bytes"
        raise InputError("the lecture", requirement, f"{len(data):,}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{data[error.start]:02x} in line {line}"
        raise InputError("the lecture", "must be UTF-8 text", found) from None


def _toml(text: str) -> dict[str, Any]:
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if line.count(".") > _DOTS:
            raise InputError(f"line {number}", f"must have at most {_DOTS} dots", line)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError("the lecture", "must not nest lists or tables so deeply", "more") from None
    except ValueError as error:  # also a whole number of too many digits
        raise _syntax(str(error), lines) from None


def _syntax(reason: str, lines: list[str]) -> InputError:
    """Return the complaint of the parser as ours, with the line that it means."""
    found = re.fullmatch(
        r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", reason, re.DOTALL
    )
    if not found:
        return InputError("the lecture", "must be TOML", reason)
    # "Expected '=' after …" within a sentence; the parser quotes what it met, at any length.
    words = " ".join(found[1].split())[:80]
    words = words[:1].lower() + words[1:]
    end = max((n for n, line in enumerate(lines, start=1) if line.strip()), default=1)
    number = int(found[2]) if found[2] else end
    return InputError(f"line {number}", f"must be TOML ({words})", lines[number - 1])


def _scene(place: str, table: Mapping[str, Any]) -> Scene:
    _keys(place, table, _OF_SCENE, _ALL_OF_SCENE)
    words: dict[str, Any] = {key: _text(place, table, key, _OF_SCENE) for key in _OF_SCENE}
    page, params, host = _link(place, words.pop("link"))
    _kind_of_question(place, words["ask"], page, table)
    if (words["question"] or words["ask"]) and params.get("predict") != "1":
        requirement = "must have predict=1 when the scene has a question"
        raise InputError(f"{place} link", requirement, params.get("predict", "no predict"))
    return Scene(page=page, params=params, host=host, **words | _answers(place, table))


def _kind_of_question(place: str, kind: str, page: str, table: Mapping[str, Any]) -> None:
    """Refuse a kind of question that there is not, or not here."""
    if not kind:
        return
    if "question" in table:
        raise InputError(place, "must have a question or ask, not both", kind)
    if not sitemap.file_of(page):
        raise InputError(f"{place} link", "must open the page of a class when the scene asks", page)
    known = {name: None for concept in CONCEPTS for name in practice.known(concept)}
    if kind not in known:
        near = difflib.get_close_matches(kind, known, 1, 0) or [*known]
        raise InputError(f"{place} ask", f"must be a kind of question, such as {near[0]}", kind)


def _answers(place: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices of a question, the right one, and what is said of each."""
    if "choices" in table and not table.get("question"):
        raise InputError(place, "must have a question when it has choices", "none")
    for key in ("right", "feedback"):
        if key in table and "choices" not in table:
            raise InputError(place, f"must have choices when it has {key}", "none")
    choices, feedback = (_texts(place, table, key) for key in _LISTS)
    low, high = CHOICES
    if "choices" in table and not low <= len(choices) <= high:
        raise InputError(f"{place} choices", f"must be {low} to {high} texts", len(choices))
    if len(set(choices)) < len(choices):
        twice = next(one for one in choices if choices.count(one) > 1)
        raise InputError(f"{place} choices", "must differ from each other", twice)
    right = table.get("right", 0)
    if "right" in table and (type(right) is not int or not 1 <= right <= len(choices)):
        requirement = f"must be the number of the right choice, 1 to {len(choices)}"
        raise InputError(f"{place} right", requirement, _kind(right))
    if "feedback" in table and len(feedback) != len(choices):
        requirement = f"must be {len(choices)} texts, one for each choice"
        raise InputError(f"{place} feedback", requirement, len(feedback))
    return {"choices": choices, "right": right, "feedback": feedback}


def _texts(place: str, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return a list of texts."""
    given = table.get(key, [])
    if not isinstance(given, list):
        raise InputError(f"{place} {key}", 'must be a list of texts, ["a", "b"]', _kind(given))
    known = {key: (_LISTS[key], True)}
    return tuple(_text(place, {key: one}, key, known) for one in given)


def typeset(text: str) -> str:
    """Return Markdown in which the formulas of a text are formulas, and the rest is as it stands."""
    parts = _FORMULA.split(text)
    return "".join(
        f"${part}$" if place % 2 else _SIGNS.sub(r"\\\1", part) for place, part in enumerate(parts)
    )


def untypeset(text: str) -> str:
    """Return a text without the dollars of its formulas, for where none can be set."""
    return _FORMULA.sub(r"\1", text)


def _keys(
    place: str,
    table: Mapping[str, Any],
    known: Mapping[str, tuple[int, bool]],
    allowed: tuple[str, ...],
) -> None:
    for key in table:
        if key not in allowed:
            requirement = f"must have no other keys than {', '.join(allowed)}"
            raise InputError(place, requirement, key)
    for key, (_, needed) in known.items():
        if needed and key not in table:
            raise InputError(place, f"must have the key {key}", ", ".join(table) or "none")


def _text(
    place: str, table: Mapping[str, Any], key: str, known: Mapping[str, tuple[int, bool]]
) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise InputError(f"{place} {key}", 'must be text in "quotes"', _kind(value))
    longest, needed = known[key]
    line = " ".join(value.split())
    if len(line) > longest:
        requirement = f"must have at most {longest} characters"
        raise InputError(f"{place} {key}", requirement, f"{len(line)} characters")
    if needed and not line:
        raise InputError(f"{place} {key}", "must say something", value)
    if not line.isprintable():
        hidden = next(c for c in line if not c.isprintable())
        raise InputError(f"{place} {key}", "must be visible characters", f"U+{ord(hidden):04X}")
    return line


def _link(place: str, link: str) -> tuple[str, dict[str, str], str]:
    """Return page, parameters and host of a link, or of a whole address from a browser."""
    pages = sitemap.staged()
    try:
        parts = urlsplit(link)
        params = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=100)
    except ValueError:
        raise InputError(f"{place} link", "must read like points?d=64&eps=0.5", link) from None
    page = parts.path.rstrip("/").rpartition("/")[2]
    if page not in pages:
        requirement = f"must start with one of the pages {', '.join(pages)}"
        raise InputError(f"{place} link", requirement, page or link)
    kept = (
        pair for pair in params if pair[0] not in _PRESENTERS and not pair[0].startswith("embed")
    )
    return page, dict(kept), parts.netloc.rpartition("@")[2][:100]


def _kind(value: object) -> str:
    """Return a value that is no text as a message can quote it: a table may be of any depth."""
    if isinstance(value, dict):
        return "a table"
    return "a list" if isinstance(value, list) else str(value)
