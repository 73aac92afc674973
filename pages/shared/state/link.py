"""The link: a table of `Field`, query parameters in, values and plain-text notes out, and back.

Pure: nothing here knows Streamlit, and nothing here raises on what a stranger wrote.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from privsc_core.errors import InputError, shown
from privsc_core.numerics.text import exact

Value: TypeAlias = int | float | str | bool | tuple[str, ...]
State: TypeAlias = dict[str, Value]
Kind: TypeAlias = Literal["integer", "number", "choice", "choices", "text", "flag"]

VERSION = 2
NOTES = 8  # more than these are counted, not listed
SHOWN = 40  # characters of a link that a note repeats
LONGEST = 200  # characters that most values can need; more are not looked at
LISTED = 120  # characters of a list of words that a note repeats

_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
# As our own labels write powers of ten: 2·10⁻⁷.
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_RAISED = re.compile("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_POWER = re.compile(r"(?:(\d{1,9}(?:\.\d{1,9})?)\s*[·×*]\s*)?10\^(-?\d{1,3})", re.ASCII)
_GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?", re.ASCII)  # 0,5 is none of these
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One query parameter.

    Attributes
    ----------
    key : str
        Its name in the link; fixed for ever once it was shared.
    kind : str
        ``integer``, ``number``, ``choice``, ``choices`` (a list, separated by dots or commas, in the order
        of `choices`), ``text`` (matches `pattern` in full) or ``flag`` (1 or 0).
    default : object
        The value of the first view; it is left out of the link.
    default_v1 : object, optional
        What links of version 1 mean when they leave the parameter out, where that is another value.
    name : str
        What notes call it.
    low, high : float
        The ends of a number, both allowed.
    choices : tuple of str
        The allowed words.
    most : int
        How many of them a list may hold; 0 for all.
    pattern : str
        A regular expression; keep it free of nested repetition, the text comes from a link.
    form : str
        What a text must be, to follow "must be".
    longest : int
        The characters that a text may have.
    reads : callable, optional
        Reads a text of more than one form, or refuses it by an `InputError`.
    stops : tuple of numbers
        Where a slider stops; any number between `low` and `high` is valid all the same.
    scope : str
        Pages that mean different things by the same key name different scopes: each keeps its
        own value, and the sidebar's links to other pages leave it out.
    leads : tuple of (str, str, str)
        Of a list: how some of its words begin, and the key and the value of another parameter that
        show what these words name. A link that leaves that parameter out means it; of several that a
        link names the first one here counts.
    about : str
        The key of another field of its pages, if its values make sense for one value of that field alone:
        when that one changes, this one is the default again.
    """

    key: str
    kind: Kind
    default: Value
    default_v1: Value | None = None
    name: str
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    most: int = 0
    pattern: str = ""
    form: str = ""
    longest: int = LONGEST
    reads: Callable[[str], object] | None = field(default=None, compare=False)
    stops: tuple[float, ...] = ()
    scope: str = ""
    leads: tuple[tuple[str, str, str], ...] = ()
    about: str = ""

    def __post_init__(self) -> None:
        if self.key == "v" or self.key.startswith("embed"):
            raise ValueError(f"the key {self.key!r} is taken")
        if self.kind == "choices" and any(re.search("[.,]", word) for word in self.choices):
            raise ValueError(f"a word of {self.key!r} holds what separates the words of a list")
        if self._numeric and not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise ValueError(f"the number {self.key!r} needs a low and a high end")
        for value in (self.default, self.default_in(1)):
            if self.valid(value) != value:
                raise ValueError(f"the default of {self.key!r} is not valid: {value!r}")

    def default_in(self, version: int) -> Value:
        """Return what a link of a version means when it leaves the parameter out."""
        return self.default if version > 1 or self.default_v1 is None else self.default_v1

    def led(self, value: Value) -> dict[str, str]:
        """Return what a link with a value of this field means by other keys that it leaves out."""
        words = value if isinstance(value, tuple) else ()
        found: dict[str, str] = {}
        for begin, key, meant in self.leads:
            if any(word.startswith(begin) for word in words):
                found.setdefault(key, meant)
        return found

    @property
    def _numeric(self) -> bool:
        return self.kind in {"integer", "number"}

    @property
    def slot(self) -> str:
        """Where the session keeps the value."""
        return f"{self.scope}/{self.key}" if self.scope else self.key

    @property
    def requirement(self) -> str:
        """What a value must be, to follow "must be"."""
        if self.kind == "choice":
            return f"one of {_listed(self.choices)}"
        if self.kind == "choices":
            many = f"at most {self.most}" if self.most else "some"
            return f"{many} of {_listed(self.choices)}, separated by dots or commas"
        if self.kind == "flag":
            return "0 or 1"
        if self.kind == "text":
            return self.form or "a text of the expected form"
        kind = "a whole number" if self.kind == "integer" else "a number"
        return f"{kind} from {shown_number(self.low)} to {shown_number(self.high)}"

    def valid(self, value: object) -> Value | None:
        """Return `value` in its normal form, or None when it is not one of this field's."""
        check: dict[str, Callable[[object], Value | None]] = {
            "integer": self._number,
            "number": self._number,
            "choice": self._word,
            "choices": self._words,
            "text": self._text,
            "flag": lambda given: given if isinstance(given, bool) else None,
        }
        return check[self.kind](value)

    def _word(self, value: object) -> str | None:
        return value if isinstance(value, str) and value in self.choices else None

    def _text(self, value: object) -> str | None:
        if not isinstance(value, str) or len(value) > self.longest:
            return None
        matches = re.fullmatch(self.pattern, value) and not self._misread(value)
        return value if matches else None

    def _misread(self, text: str) -> InputError | None:
        """Return what is wrong with a text of the form; nothing if it is read, and of no text."""
        try:
            if self.reads and text:
                self.reads(text)
        except InputError as refused:
            return refused
        return None

    def _words(self, value: object) -> tuple[str, ...] | None:
        if isinstance(value, str) or not isinstance(value, Iterable):
            return None
        words = list(value)
        if any(word not in self.choices for word in words):
            return None
        if self.most and len(set(words)) > self.most:
            return None
        return tuple(word for word in self.choices if word in words)

    def _number(self, value: object) -> int | float | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if not math.isfinite(value) if isinstance(value, float) else abs(value) >= 10**18:
            return None
        if not self.low <= value <= self.high:
            return None
        if self.kind == "number":
            return float(value) + 0.0  # -0.0 reads as 0
        return int(value) if value == int(value) else None

    def read(self, text: str) -> Value | None:
        """Return the value that `text` from a link stands for, or None."""
        if len(text) > max(self.longest, len(".".join(self.choices))):
            return None
        if self.kind == "integer":
            return self.valid(int(text)) if _INTEGER.fullmatch(text) else None
        if self.kind == "number":
            return self.valid(float(text)) if _NUMBER.fullmatch(text) else None
        if self.kind == "flag":
            return {"0": False, "1": True}.get(text)
        if self.kind == "choices":
            return self.valid(re.split("[.,]", text) if text else [])
        return self.valid(text)

    def nearest(self, text: str) -> Value | None:
        """Return the allowed number that is nearest to the one that `text` says, if it says one."""
        if not self._numeric or len(text) > LONGEST or not _NUMBER.fullmatch(text):
            return None
        inside = min(max(float(text), self.low), self.high)
        return self.valid(round(inside) if self.kind == "integer" else inside)

    def typed(self, text: str) -> Value | None:
        """Return the number in a text, in any usual way to write it, or None.

        Nothing is rounded and nothing moved into the range: what was typed is meant.
        """
        plain = _RAISED.sub(lambda raised: "^" + raised[0].translate(_LOWERED), text.strip())
        if power := _POWER.fullmatch(plain):
            plain = f"{power[1] or 1}e{power[2]}"
        if _GROUPED.fullmatch(plain):
            plain = plain.replace(",", "")
        value = self.read(plain)
        if value is None and self.kind == "integer" and _NUMBER.fullmatch(plain):
            number = float(plain)  # 1e6
            return self.valid(number) if number.is_integer() else None
        return value

    def refusal(self, text: str) -> str:
        """Return the sentence about a text that cannot be used, as plain text."""
        needs, got, refused = self.requirement, f"“{_quoted(text)}”", self._misread(text)
        if refused:
            needs, where = f"{self.form}: it {refused.requirement}", shown(refused.got)
            got += f", with {where}" * (not where.startswith(f"{text} at "))
        return f"{_label(self)} must be {needs}; got {got}."

    def written(self, value: Value) -> str:
        """Return `value` as it stands in a link; `read` gives back exactly this value."""
        if isinstance(value, bool):
            return str(int(value))
        if isinstance(value, tuple):
            return ".".join(value)  # a comma is %2C in an address bar
        if isinstance(value, str):
            return value
        return exact(value)


def parse(
    params: Mapping[str, str | Sequence[str]], fields: Sequence[Field]
) -> tuple[State, list[str]]:
    """Read a link. Never raises: what cannot be used is replaced, and a note says by what.

    A number that is not allowed becomes the nearest that is; what cannot be read, the default. What
    a link leaves out is what its version showed at first; parameters without a version are of
    version 1, and an address without parameters shows what the page shows today.

    Returns
    -------
    values : dict
        A valid value for every field.
    notes : list of str
        Plain text (escape it where it is shown), one sentence or two for each trouble.
    """
    version, notes = _version(params)
    values: State = {item.key: item.default_in(version) for item in fields}
    known = {item.key: item for item in fields}
    for key, given in params.items():
        if key == "v":
            continue
        texts = _texts(given)
        text = texts[-1] if texts else ""
        item = known.get(key)
        if item is None:
            notes.append(f"“{_quoted(key)}” is not a parameter here; it was left out.")
            continue
        if len(texts) > 1:
            notes.append(f"{_label(item)} is given {len(texts)} times; the last one counts.")
        value = item.read(text)
        if value is None:
            value = item.nearest(text)
            used = (
                f"{item.written(values[key]) or 'Nothing'}, the default,"
                if value is None
                else f"{item.written(value)}, the nearest,"
            )
            notes.append(f"{item.refusal(text)} {used} is used instead.")
        if value is not None:
            values[key] = value
    for item in fields:
        led = item.led(values[item.key])
        values |= {key: word for key, word in led.items() if key not in params}
    return values, notes


def write(values: Mapping[str, Value], fields: Sequence[Field]) -> dict[str, str]:
    """Return the query parameters for `values`: what differs from what a link without them means, and v."""
    meant: State = {item.key: item.default for item in fields}
    for item in fields:
        meant |= item.led(values.get(item.key, item.default))
    params = {
        item.key: item.written(values[item.key])
        for item in fields
        if item.key in values and values[item.key] != meant[item.key]
    }
    return {"v": str(VERSION), **params} if params else {}


def _texts(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _version(params: Mapping[str, str | Sequence[str]]) -> tuple[int, list[str]]:
    """Return by which version's defaults a link is read, and what is to be said of it."""
    if "v" not in params:
        return (1 if params else VERSION), []
    text = "".join(_texts(params["v"])[-1:])
    if _INTEGER.fullmatch(text) and int(text) > VERSION:
        return VERSION, [
            f"This link was made by a newer version of the dashboard (v={_quoted(text)}) and was read as well as this version can."
        ]
    if text in {str(version) for version in range(1, VERSION + 1)}:
        return int(text), []
    return 1, [f"The version (v) must be 1 or {VERSION}; got “{_quoted(text)}”. 1 is assumed."]


def _label(item: Field) -> str:
    return item.name if item.name == item.key else f"{item.name} ({item.key})"


def _quoted(text: str) -> str:
    """Return text of a link for a note: short, one line, nothing invisible in it."""
    part = "".join(c if c.isprintable() else "�" for c in text[: SHOWN + 1])
    return part if len(part) <= SHOWN else part[: SHOWN - 1] + "…"


def _listed(words: Sequence[str]) -> str:
    whole = ", ".join(words)
    if len(whole) <= LISTED:
        return whole
    return f"{whole[:LISTED].rpartition(', ')[0]}, … ({len(words)} words)"


def shown_number(value: float) -> str:
    return f"{value:.12g}"
