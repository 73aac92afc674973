"""The state of a page in a session; the controls that show and set it are in controls.py.

One rule: the session's values are the truth, and the URL is read only when this page did not write it
(a new session, Back and Forward, a link to another page that carries parameters). A rerun by a
widget carries whatever query string the browser had when the click was made, possibly one that is
several clicks old, so it is never read. How a link is read and written is in link.py.
"""

from __future__ import annotations

import html
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared.state.link import NOTES, VERSION, Field, State, Value, parse, write

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

__all__ = [
    "Field",
    "State",
    "Value",
    "adopt",
    "assign",
    "carried",
    "complaint",
    "current",
    "field_of",
    "finish",
    "follow",
    "link",
    "move",
    "moved",
    "named",
    "parse",
    "refusals",
    "refuse",
    "show_notes",
    "the_session",
    "whole",
    "words",
    "write",
    "write_url",
]

_KEY = "privsc_state"


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to a page that has not been drawn to its end yet."""

    file: str
    params: Mapping[str, str]
    left: str  # the page that it leads away from, as Streamlit calls it; empty within a page


@dataclass
class _Session:
    """What one browser tab has chosen; lives in the session state under a key of its own."""

    values: State = field(default_factory=dict)
    now: State = field(default_factory=dict)  # those of this page's fields
    about: State = field(default_factory=dict)  # the value of another field for which each was set
    notes: list[str] = field(default_factory=list)
    fields: tuple[Field, ...] = ()
    page: str = ""
    address: dict[str, list[str]] = field(default_factory=dict)  # what the URL said last
    stops: dict[str, tuple[float, ...]] = field(default_factory=dict)
    texts: dict[str, dict[float, str]] = field(default_factory=dict)  # of the stops, by sliders
    drawn: set[str] = field(default_factory=set)
    folded: set[str] = field(default_factory=set)  # parts that were opened or closed by hand
    asked: set[str] = field(default_factory=set)  # parts in which a link asked for something
    titles: dict[str, str] = field(default_factory=dict)  # of parts, as they were drawn last
    refused: dict[str, str] = field(default_factory=dict)  # what was typed in vain, in a sentence
    shown: dict[str, object] = field(default_factory=dict)  # what the controls show in the browser
    way: _Way | None = None
    following: bool = False  # the state of the way's end is still to be taken
    moved: bool = False  # a control at a second place has set what is shown elsewhere as well

    def set(self, item: Field, value: Value) -> None:
        """Set the value of a field, of this page or of one that was left just now.

        What was typed in vain before is no matter any more.
        """
        self.values[item.slot] = value
        self.refused.clear()
        self.settle()

    def settle(self) -> None:
        """Note what the values of this page's fields are, and forget those that were about something else."""
        slots = {item.key: item.slot for item in self.fields}
        for item in self.fields:
            if item.about:
                now = self.values[slots[item.about]]
                if self.about.setdefault(item.slot, now) != now:
                    self.values[item.slot], self.about[item.slot] = item.default, now
        self.now = {item.key: self.values[item.slot] for item in self.fields}


class _Here(threading.local):
    """What this thread runs for: each run of a page asks a hundred times, and Streamlit is slow."""

    visitor: str = ""
    session: _Session


_HERE = _Here()


def the_session() -> _Session:
    """Return what this tab has chosen; for the controls."""
    context = get_script_run_ctx()
    visitor = context.session_id if context else ""
    if not visitor or _HERE.visitor != visitor:
        _HERE.session = st.session_state.setdefault(_KEY, _Session())
        _HERE.visitor = visitor
    return _HERE.session


def current() -> State:
    """Return the values of this page's fields as they are now; also inside a fragment."""
    return the_session().now.copy()


def named(fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return the values of some fields of this page as they are now, by the names of the fields."""
    now = current()
    return {name: now[item.key] for name, item in fields.items()}


def whole(key: str) -> int:
    """Return the value of a whole-number field of this page."""
    value = current()[key]
    return value if isinstance(value, int) else 0


def words(key: str) -> tuple[str, ...]:
    """Return the value of a field of this page that lists words."""
    value = current()[key]
    return value if isinstance(value, tuple) else ()


def field_of(key: str) -> Field:
    """Return this page's field of a key of the link."""
    return next(item for item in the_session().fields if item.key == key)


def adopt(fields: Sequence[Field], *, elsewhere: Collection[str] = ()) -> State:
    """Settle what this run shows: call once, at the top of each full run of a page.

    The URL is read in a new session, after Back or Forward, and on arriving at another page with
    parameters that the sidebar did not put there. After `follow` the state is taken from its
    parameters. Otherwise the session's values hold and the URL is made to say so. `elsewhere` names
    parameters of other pages, which a link may carry without a note.

    A slider that was moved before a visitor left may ask for the left page again while the next one
    is being drawn: then the way is followed again.
    """
    context = get_script_run_ctx()
    page = context.page_script_hash if context else ""
    back = bool(getattr(context, "is_history_navigation", False))
    new = _KEY not in st.session_state
    session = the_session()
    params = _asked()
    # These links carry the session's own values; these may be older than the session.
    sidebar = params in st.session_state.get(_LINK, {}).values()
    way = session.way
    if way is not None and page == way.left and not back and not sidebar:
        follow(way.file, way.params)
    if way is not None and session.following:
        params = {key: [text] for key, text in way.params.items()}
    foreign = page != session.page and bool(params) and not sidebar
    if page != session.page:
        _forget(set())
        session.asked.clear()
    read = new or back or foreign or session.following
    if read or page != session.page:
        session.address = params  # here it is the browser's word
    session.drawn.clear()
    session.fields, session.page = tuple(fields), page
    if read:
        ours = {item.key for item in fields}
        known = {key: text for key, text in params.items() if key in ours or key not in elsewhere}
        values, session.notes = parse(known, fields)
        session.values |= {item.slot: values[item.key] for item in fields}
        for item in fields:  # what a link says together belongs together
            session.about.pop(item.slot, None)
        session.stops.clear()
        session.folded.clear()
        session.asked.clear()
        session.refused.clear()
    session.following = False
    for item in fields:
        session.values.setdefault(item.slot, item.default)
    session.settle()
    write_url()
    return current()


def finish() -> None:
    """Mark the end of a full run that was not cut short; the shell's footer calls this."""
    session = the_session()
    session.way = None
    _forget(session.drawn)


def _forget(keep: set[str]) -> None:
    """Drop what widgets that are gone have left under their keys.

    A value assigned to a key outlives its widget. When the widget comes back it starts from its
    own default; `controls.bound`, finding the right value under the key, would not assign it again.
    """
    for key in list(st.session_state):
        if isinstance(key, str) and key.startswith("w_") and key not in keep:
            del st.session_state[key]


_LINK = "privsc_link"
_SECRET = frozenset({"room"})  # in the address of the tab that has it, and nowhere else


def link() -> dict[str, str]:
    """Return the query parameters of a link to what this page shows: all but what is a secret."""
    return write(current(), [item for item in the_session().fields if item.key not in _SECRET])


def carried(*also: Field) -> dict[str, str]:
    """Return the query parameters that links to any page take along, and those that some take besides.

    By such a link a visitor arrives with all that was chosen there before: see `adopt`.
    """
    params = write(current(), [item for item in the_session().fields if not item.scope])
    if also:
        params |= {"v": str(VERSION)} | {
            item.key: item.written(current()[item.key]) for item in also
        }
    known = st.session_state.setdefault(_LINK, {})
    known[tuple(item.key for item in also)] = {key: [text] for key, text in params.items()}
    return params


def follow(file: str, params: Mapping[str, str], *, within: bool = False) -> NoReturn:
    """Go to a page and take its state from these parameters, as if a link had been opened.

    `within` tells that it is the page that runs now, in another state.
    """
    session, context = the_session(), get_script_run_ctx()
    left = context.page_script_hash if context and not within else ""
    session.way, session.following = _Way(file, dict(params), left), True
    st.switch_page(file, query_params=params)


def _asked() -> dict[str, list[str]]:
    """Return the query parameters that the browser had when it asked for this run."""
    return {key: st.query_params.get_all(key) for key in st.query_params}


def write_url() -> None:
    """Make the URL say what the page shows.

    Only when it differs: each writing is a message, and a step in the browser's history. The browser
    may have asked before an earlier answer had changed its URL: what was written last counts as well.
    """
    session = the_session()
    params = {key: [text] for key, text in write(current(), session.fields).items()}
    if not _asked() == session.address == params:
        st.query_params.from_dict(params)
        session.address = params


def assign(**values: object) -> None:
    """Set values from a callback (a preset, a reset); invalid ones are ignored.

    It is the last thing that a callback does. The new address is a message, and Streamlit ends a
    callback at a message when the browser has asked for another run meanwhile.
    """
    session = the_session()
    for item in sorted(
        session.fields, key=lambda item: bool(item.about)
    ):  # what they are about first
        if item.key in values:
            value = item.valid(values[item.key])
            if value is not None:
                session.set(item, value)
    write_url()


def refuse(key: str, sentence: str) -> None:
    """Keep why what was asked of a field cannot be, until something else changes; from a callback."""
    the_session().refused[key] = sentence


def complaint(key: str) -> str:
    """Return the sentence that is kept of a field, or an empty text."""
    return the_session().refused.get(key, "")


def refusals() -> dict[str, str]:
    """Return the sentences that are kept, by keys of fields."""
    return dict(the_session().refused)


def move(**values: object) -> None:
    """Set values that are shown elsewhere as well, from a callback; see `moved`."""
    the_session().moved = True
    assign(**values)


def moved() -> bool:
    """Return once whether a control at a second place was moved: then the whole page is drawn."""
    session = the_session()
    was, session.moved = session.moved, False
    return was


def show_notes() -> None:
    """Show what was wrong with the link, if anything, until it is dismissed."""
    session = the_session()
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
