"""The state of a page, and how it is written into the link.

Two halves. `parse` and `write` are pure: a table of `Field`, query parameters in, values and
plain-text notes out, and back. Below them is the binding to Streamlit, with one rule: the
session's values are the truth, and the URL is read only when somebody else wrote it (a new
session, Back and Forward, a link to another page that carries parameters). A rerun by a widget
carries whatever query string the browser had when the click was made, possibly one that is
several clicks old, so it is never read.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

__all__ = [
    "Field",
    "Kind",
    "State",
    "Value",
    "adopt",
    "assign",
    "bound",
    "carried",
    "current",
    "finish",
    "link",
    "number_input",
    "parse",
    "pills",
    "segmented",
    "select",
    "show_notes",
    "slider",
    "toggle",
    "write",
]

Value: TypeAlias = int | float | str | bool | tuple[str, ...]
State: TypeAlias = dict[str, Value]
Kind: TypeAlias = Literal["integer", "number", "choice", "choices", "text", "flag"]

VERSION = 1
NOTES = 8  # more than these are counted, not listed
SHOWN = 40  # characters of somebody else's text that a note repeats
LONGEST = 200  # characters that any value can need; longer ones are not looked at

_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One query parameter.

    Attributes
    ----------
    key : str
        Its name in the link; fixed for ever once it was shared.
    kind : str
        ``integer``, ``number``, ``choice``, ``choices`` (a list, comma separated, in the order
        of `choices`), ``text`` (matches `pattern` in full) or ``flag`` (1 or 0).
    default : object
        The value of the first view; it is left out of the link.
    name : str
        What notes call it.
    low, high : float
        The ends of a number; `open_low` and `open_high` exclude them.
    choices : tuple of str
        The allowed words.
    pattern : str
        A regular expression; keep it free of nested repetition, the text comes from a link.
    stops : tuple of numbers
        Where a slider stops; any number between `low` and `high` is valid all the same.
    scope : str
        Pages that mean different things by the same key name different scopes: each keeps its
        own value, and the sidebar's links to other pages leave it out.
    """

    key: str
    kind: Kind
    default: Value
    name: str
    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    choices: tuple[str, ...] = ()
    pattern: str = ""
    stops: tuple[float, ...] = ()
    scope: str = ""

    def __post_init__(self) -> None:
        if self.key == "v" or self.key.startswith("embed"):
            raise ValueError(f"the key {self.key!r} is taken")
        if self.valid(self.default) != self.default:
            raise ValueError(f"the default of {self.key!r} is not valid: {self.default!r}")

    @property
    def slot(self) -> str:
        """Where the session keeps the value."""
        return f"{self.scope}/{self.key}" if self.scope else self.key

    @property
    def requirement(self) -> str:
        """What a value must be, to follow "must be"."""
        if self.kind == "choice":
            return f"one of {', '.join(self.choices)}"
        if self.kind == "choices":
            return f"some of {', '.join(self.choices)}, separated by commas"
        if self.kind == "flag":
            return "0 or 1"
        return "a text of the expected form" if self.kind == "text" else self._range()

    def _range(self) -> str:
        kind = "a whole number" if self.kind == "integer" else "a number"
        ends = []
        if math.isfinite(self.low):
            ends.append(f"{'above' if self.open_low else 'at least'} {_shown_number(self.low)}")
        if math.isfinite(self.high):
            ends.append(f"{'below' if self.open_high else 'at most'} {_shown_number(self.high)}")
        if len(ends) == 2 and not (self.open_low or self.open_high):
            return f"{kind} from {_shown_number(self.low)} to {_shown_number(self.high)}"
        return " ".join([kind, " and ".join(ends)]).rstrip()

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
        if not isinstance(value, str) or len(value) > LONGEST:
            return None
        return value if re.fullmatch(self.pattern, value) else None

    def _words(self, value: object) -> tuple[str, ...] | None:
        if isinstance(value, str) or not isinstance(value, Iterable):
            return None
        words = list(value)
        if any(word not in self.choices for word in words):
            return None
        return tuple(word for word in self.choices if word in words)

    def _number(self, value: object) -> int | float | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if not math.isfinite(value) if isinstance(value, float) else abs(value) >= 10**18:
            return None
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        if not (above and below):
            return None
        if self.kind == "number":
            return float(value) + 0.0  # -0.0 reads as 0
        return int(value) if value == int(value) else None

    def read(self, text: str) -> Value | None:
        """Return the value that `text` from a link stands for, or None."""
        if len(text) > LONGEST:
            return None
        if self.kind == "integer":
            return self.valid(int(text)) if _INTEGER.fullmatch(text) else None
        if self.kind == "number":
            return self.valid(float(text)) if _NUMBER.fullmatch(text) else None
        if self.kind == "flag":
            return {"0": False, "1": True}.get(text)
        if self.kind == "choices":
            return self.valid(text.split(",") if text else [])
        return self.valid(text)

    def written(self, value: Value) -> str:
        """Return `value` as it stands in a link; `read` gives back exactly this value."""
        if isinstance(value, bool):
            return str(int(value))
        if isinstance(value, tuple):
            return ",".join(value)
        if isinstance(value, str):
            return value
        # repr is the shortest text that reads back as the same float. A "+" is a blank in URLs.
        return repr(value).removesuffix(".0").replace("e+", "e")


# --- pure: the link ----------------------------------------------------------------------------


def parse(
    params: Mapping[str, str | Sequence[str]], fields: Sequence[Field]
) -> tuple[State, list[str]]:
    """Read a link. Never raises: what cannot be used becomes the default and a note.

    Returns
    -------
    values : dict
        A valid value for every field.
    notes : list of str
        Plain text (escape it where it is shown), one sentence or two for each trouble.
    """
    values: State = {item.key: item.default for item in fields}
    known = {item.key: item for item in fields}
    notes = []
    for key, given in params.items():
        texts = [given] if isinstance(given, str) else list(given)
        text = texts[-1] if texts else ""
        if key == "v":
            notes += _version_notes(text)
            continue
        item = known.get(key)
        if item is None:
            notes.append(f"“{_quoted(key)}” is not a parameter here; it was left out.")
            continue
        if len(texts) > 1:
            notes.append(f"{_label(item)} is given {len(texts)} times; the last one counts.")
        value = item.read(text)
        if value is None:
            notes.append(
                f"{_label(item)} must be {item.requirement}; got “{_quoted(text)}”. "
                f"{item.written(item.default) or 'Nothing'} is used instead."
            )
        else:
            values[key] = value
    return values, notes


def write(values: Mapping[str, Value], fields: Sequence[Field]) -> dict[str, str]:
    """Return the query parameters for `values`: what differs from the first view, and v."""
    params = {
        item.key: item.written(values[item.key])
        for item in fields
        if item.key in values and values[item.key] != item.default
    }
    return {"v": str(VERSION), **params} if params else {}


def _version_notes(text: str) -> list[str]:
    if text == str(VERSION):
        return []
    if _INTEGER.fullmatch(text) and int(text) > VERSION:
        return [
            f"This link was made by a newer version of the dashboard (v={_quoted(text)}) and was read as well as this version can."
        ]
    return [f"The version (v) must be {VERSION}; got “{_quoted(text)}”. {VERSION} is assumed."]


def _label(item: Field) -> str:
    return item.name if item.name == item.key else f"{item.name} ({item.key})"


def _quoted(text: str) -> str:
    """Return somebody else's text for a note: short, one line, nothing invisible in it."""
    part = "".join(c if c.isprintable() else "�" for c in text[: SHOWN + 1])
    return part if len(part) <= SHOWN else part[: SHOWN - 1] + "…"


def _shown_number(value: float) -> str:
    return f"{value:.12g}"


# --- Streamlit: the session --------------------------------------------------------------------

_KEY = "privsc_state"


@dataclass
class _Session:
    """What one browser tab has chosen; lives in the session state under a key of its own."""

    values: State = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    fields: tuple[Field, ...] = ()
    page: str = ""
    stops: dict[str, tuple[float, ...]] = field(default_factory=dict)
    drawn: set[str] = field(default_factory=set)


def _session() -> _Session:
    session: _Session = st.session_state.setdefault(_KEY, _Session())
    return session


def current() -> State:
    """Return the values of this page's fields as they are now; also inside a fragment."""
    session = _session()
    return {item.key: session.values[item.slot] for item in session.fields}


def adopt(fields: Sequence[Field], *, elsewhere: Collection[str] = ()) -> State:
    """Settle what this run shows: call once, at the top of each full run of a page.

    The URL is read in a new session, after Back or Forward, and on arriving at another page
    with parameters that the sidebar did not put there; otherwise the session's values hold and
    the URL is made to say so. `elsewhere` names parameters of other pages, which a link may
    carry without a note.
    """
    context = get_script_run_ctx()
    page = context.page_script_hash if context else ""
    back = bool(getattr(context, "is_history_navigation", False))
    new = _KEY not in st.session_state
    session = _session()
    params = {key: st.query_params.get_all(key) for key in st.query_params}
    # The sidebar's links carry the session's own values; these may be older than the session.
    foreign = page != session.page and bool(params) and params != st.session_state.get(_LINK)
    if page != session.page:
        _forget(set())
    session.drawn.clear()
    session.fields, session.page = tuple(fields), page
    if new or back or foreign:
        ours = {item.key for item in fields}
        read = {key: text for key, text in params.items() if key in ours or key not in elsewhere}
        values, session.notes = parse(read, fields)
        session.values |= {item.slot: values[item.key] for item in fields}
        session.stops.clear()
    for item in fields:
        session.values.setdefault(item.slot, item.default)
    _write_url()
    return current()


def finish() -> None:
    """Mark the end of a full run that was not cut short; the shell's footer calls this."""
    _forget(_session().drawn)


def _forget(keep: set[str]) -> None:
    """Drop what widgets that are gone have left under their keys.

    A value assigned to a key outlives its widget. When the widget comes back it starts from its
    own default; `bound`, finding the right value under the key, would not assign it again.
    """
    for key in list(st.session_state):
        if isinstance(key, str) and key.startswith("w_") and key not in keep:
            del st.session_state[key]


_LINK = "privsc_link"


def link() -> dict[str, str]:
    """Return the query parameters of a link to what this page shows."""
    return write(current(), _session().fields)


def carried() -> dict[str, str]:
    """Return the query parameters that the sidebar's links take along to any page."""
    params = write(current(), [item for item in _session().fields if not item.scope])
    st.session_state[_LINK] = {key: [text] for key, text in params.items()}
    return params


def _write_url() -> None:
    params = link()
    # Only when it differs: each writing is a message, and a step in the browser's history.
    if {key: st.query_params.get_all(key) for key in st.query_params} != {
        key: [text] for key, text in params.items()
    }:
        st.query_params.from_dict(params)


def assign(**values: object) -> None:
    """Set values from a callback (a preset, a reset); invalid ones are ignored."""
    session = _session()
    for item in session.fields:
        if item.key in values:
            value = item.valid(values[item.key])
            if value is not None:
                session.values[item.slot] = value
    _write_url()


def show_notes() -> None:
    """Show what was wrong with the link, if anything, until it is dismissed."""
    session = _session()
    if not session.notes:
        return
    notes = session.notes[:NOTES]
    more = len(session.notes) - len(notes)
    if more:
        notes = [*notes, f"… and {more} more."]
    # As HTML with everything escaped: Markdown has too many ways to be markup.
    items = "".join(f"<li>{html.escape(note)}</li>" for note in notes)
    with st.container(key="pv_notes", border=True):
        st.html(
            '<div role="status"><strong>Part of this link could not be used.</strong>'
            f"<ul>{items}</ul></div>"
        )
        st.button("Dismiss", key="pv_notes_dismiss", on_click=session.notes.clear)


# --- Streamlit: the controls -------------------------------------------------------------------


def bound(
    item: Field,
    widget: Callable[..., Any],
    *args: Any,
    to_widget: Callable[[Value], Any] = lambda value: value,
    from_widget: Callable[[Any], object] = lambda value: value,
    **kwargs: Any,
) -> Value:
    """Draw a widget that shows and sets one field; return the field's value.

    The widget's own entry in the session state is only assigned when it differs: assigning it
    at every run would send an old value back to a slider that the user has moved on since.
    """
    key = f"w_{item.key}"
    session = _session()
    session.drawn.add(key)
    wanted = to_widget(session.values[item.slot])
    if key not in st.session_state or st.session_state[key] != wanted:
        st.session_state[key] = wanted

    def changed() -> None:
        # The limits in the browser are a courtesy; a client can send anything.
        value = item.valid(from_widget(st.session_state[key]))
        if value is not None:
            _session().values[item.slot] = value
            _write_url()

    widget(*args, key=key, on_change=changed, **kwargs)
    return session.values[item.slot]


def slider(
    item: Field, label: str, *, show: Callable[[float], str] | None = None, **kwargs: Any
) -> Value:
    """Draw a slider over the field's stops, logarithmic where the stops are.

    A value from a link that is no stop gets one, and keeps it for the session: stops that come
    and go would move under the user's hand.
    """
    session = _session()
    value = session.values[item.slot]
    stops = session.stops.get(item.key, item.stops)
    cast = int if item.kind == "integer" else float
    if value not in stops:
        stops = tuple(sorted({*map(cast, stops), value}))  # type: ignore[arg-type]
        session.stops[item.key] = stops
    # Labels must differ, or two stops would be one to the browser.
    texts = {stop: (show or _shown_number)(stop) for stop in stops}
    if len(set(texts.values())) < len(texts):
        texts = {stop: repr(stop) for stop in stops}
    return bound(
        item,
        st.select_slider,
        label,
        options=[cast(stop) for stop in stops],
        format_func=lambda stop: texts.get(stop, str(stop)),
        **kwargs,
    )


def number_input(item: Field, label: str, **kwargs: Any) -> Value:
    """Draw a box for a number between the field's ends."""
    cast = int if item.kind == "integer" else float
    limits: dict[str, Any] = {
        name: cast(end)
        for name, end in (("min_value", item.low), ("max_value", item.high))
        if math.isfinite(end)
    }
    return bound(item, st.number_input, label, **limits, **kwargs)


def select(item: Field, label: str, *, names: Mapping[str, str] | None = None, **kw: Any) -> Value:
    """Draw a drop-down list of the field's choices."""
    return bound(item, st.selectbox, label, item.choices, format_func=_namer(names), **kw)


def segmented(
    item: Field, label: str, *, names: Mapping[str, str] | None = None, **kw: Any
) -> Value:
    """Draw a row of buttons of which exactly one is on."""
    return bound(
        item,
        st.segmented_control,
        label,
        item.choices,
        format_func=_namer(names),
        required=True,
        wrap=True,
        **kw,
    )


def pills(item: Field, label: str, *, names: Mapping[str, str] | None = None, **kw: Any) -> Value:
    """Draw a row of buttons; any number of them may be on."""
    return bound(
        item,
        st.pills,
        label,
        item.choices,
        selection_mode="multi",
        wrap=True,
        format_func=_namer(names),
        to_widget=list,  # type: ignore[arg-type]
        **kw,
    )


def toggle(item: Field, label: str, **kwargs: Any) -> Value:
    """Draw a switch."""
    return bound(item, st.toggle, label, **kwargs)


def _namer(names: Mapping[str, str] | None) -> Callable[[str], str]:
    return lambda word: (names or {}).get(word, word)
