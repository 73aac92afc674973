"""The state of a page in a session, and the controls that show and set it.

One rule: the session's values are the truth, and the URL is read only when somebody else wrote it
(a new session, Back and Forward, a link to another page that carries parameters). A rerun by a
widget carries whatever query string the browser had when the click was made, possibly one that is
several clicks old, so it is never read. How a link is read and written is in link.py.
"""

from __future__ import annotations

import html
import math
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared.state.link import LONGEST, NOTES, Field, State, Value, parse, shown_number, write

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from streamlit.elements.lib.mutable_expander_container import ExpanderContainer
    from streamlit.elements.lib.mutable_tab_container import TabContainer

__all__ = [
    "Field",
    "State",
    "Value",
    "adopt",
    "assign",
    "bound",
    "carried",
    "current",
    "field_of",
    "finish",
    "fold",
    "follow",
    "link",
    "move",
    "moved",
    "number_input",
    "parse",
    "pills",
    "segmented",
    "select",
    "show_notes",
    "slider",
    "stops_of",
    "tabs",
    "take",
    "text_input",
    "texts_of",
    "toggle",
    "whole",
    "words",
    "write",
]

# --- Streamlit: the session --------------------------------------------------------------------

_KEY = "privsc_state"
_NOTHING = object()


@dataclass
class _Session:
    """What one browser tab has chosen; lives in the session state under a key of its own."""

    values: State = field(default_factory=dict)
    now: State = field(default_factory=dict)  # those of this page's fields
    notes: list[str] = field(default_factory=list)
    fields: tuple[Field, ...] = ()
    page: str = ""
    stops: dict[str, tuple[float, ...]] = field(default_factory=dict)
    texts: dict[str, dict[float, str]] = field(default_factory=dict)  # of the stops, by sliders
    drawn: set[str] = field(default_factory=set)
    folded: set[str] = field(default_factory=set)  # parts that were opened or closed by hand
    refused: dict[str, str] = field(default_factory=dict)  # what was typed in vain, in a sentence
    following: bool = False
    moved: bool = False  # a control at a second place has set what is shown elsewhere as well

    def set(self, item: Field, value: Value) -> None:
        """Set the value of a field, of this page or of one that was left just now."""
        self.values[item.slot] = value
        self.settle()

    def settle(self) -> None:
        """Note what the values of this page's fields are."""
        self.now = {item.key: self.values[item.slot] for item in self.fields}


class _Here(threading.local):
    """What this thread runs for: each run of a page asks a hundred times, and Streamlit is slow."""

    visitor: str = ""
    session: _Session


_HERE = _Here()


def _session() -> _Session:
    context = get_script_run_ctx()
    visitor = context.session_id if context else ""
    if not visitor or _HERE.visitor != visitor:
        _HERE.session = st.session_state.setdefault(_KEY, _Session())
        _HERE.visitor = visitor
    return _HERE.session


def current() -> State:
    """Return the values of this page's fields as they are now; also inside a fragment."""
    return _session().now.copy()


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
    return next(item for item in _session().fields if item.key == key)


def adopt(fields: Sequence[Field], *, elsewhere: Collection[str] = ()) -> State:
    """Settle what this run shows: call once, at the top of each full run of a page.

    The URL is read in a new session, after Back or Forward, after `follow`, and on arriving at
    another page with parameters that the sidebar did not put there; otherwise the session's values hold and
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
    if new or back or foreign or session.following:
        ours = {item.key for item in fields}
        read = {key: text for key, text in params.items() if key in ours or key not in elsewhere}
        values, session.notes = parse(read, fields)
        session.values |= {item.slot: values[item.key] for item in fields}
        session.stops.clear()
        session.folded.clear()
        session.refused.clear()
    session.following = False
    for item in fields:
        session.values.setdefault(item.slot, item.default)
    session.settle()
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


def follow(file: str, params: Mapping[str, str]) -> NoReturn:
    """Go to a page and take its state from these parameters, as if a link had been opened."""
    _session().following = True
    st.switch_page(file, query_params=params)


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
                session.set(item, value)
    _write_url()


def move(**values: object) -> None:
    """Set values that are shown elsewhere as well, from a callback; see `moved`."""
    assign(**values)
    _session().moved = True


def moved() -> bool:
    """Tell once whether a control at a second place was moved: then all of the page is drawn."""
    session = _session()
    was, session.moved = session.moved, False
    return was


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
    place: str = "",
    **kwargs: Any,
) -> Value:
    """Draw a widget that shows and sets one field; return the field's value.

    A field can be shown a second time on its page, at a `place`: see `moved`.

    The widget's own entry in the session state is only assigned when it differs: assigning it
    at every run would send an old value back to a slider that the user has moved on since. Else
    the value is where the widget starts: a browser that has forgotten it, as one may whose page
    changes its shape while another run ends, would begin at the first of all, and say so.
    """
    key = f"w_{item.key}_{place}" if place else f"w_{item.key}"
    session = _session()
    session.drawn.add(key)
    wanted = to_widget(session.values[item.slot])
    if st.session_state.get(key, _NOTHING) != wanted:
        st.session_state[key] = wanted
    else:
        kwargs |= _start(widget, args, wanted)

    def changed() -> None:
        if key not in st.session_state:
            return  # of a page that was left since: the change came too late
        # The limits in the browser are a courtesy; a client can send anything.
        value = item.valid(from_widget(st.session_state[key]))
        if value is not None:
            _session().set(item, value)
            _session().refused.pop(item.key, None)
            _session().moved |= bool(place)
            _write_url()

    widget(*args, key=key, on_change=changed, **kwargs)
    return session.values[item.slot]


# What widgets call their first value. Not those whose identity it is part of: tabs, expanders.
_STARTS: Mapping[Callable[..., Any], str] = {
    st.number_input: "value",
    st.pills: "default",
    st.segmented_control: "default",
    st.select_slider: "value",
    st.selectbox: "index",
    st.text_input: "value",
    st.toggle: "value",
}


def _start(widget: Callable[..., Any], args: Sequence[Any], wanted: Any) -> dict[str, Any]:
    """Return the argument that has a widget start at a value."""
    name = _STARTS.get(widget)
    if name is None:
        return {}
    return {name: list(args[1]).index(wanted) if name == "index" else wanted}


def stops_of(item: Field) -> tuple[float, ...]:
    """Return where the slider of a number stops now, see `slider`."""
    session = _session()
    cast = int if item.kind == "integer" else float
    stops = {cast(stop) for stop in session.stops.get(item.key, item.stops)}
    value = session.values[item.slot]
    if value not in stops:
        stops.add(value)  # type: ignore[arg-type]
        session.stops[item.key] = tuple(sorted(stops))
    return tuple(sorted(stops))


def texts_of(item: Field) -> list[str] | None:
    """Return what the slider of a number says at each stop, or None while there is no slider."""
    texts = _session().texts.get(item.key, {})
    return [texts[stop] for stop in stops_of(item)] if texts.keys() >= {*stops_of(item)} else None


def slider(
    item: Field,
    label: str,
    *,
    show: Callable[[float], str] | None = None,
    box: bool = True,
    complaint: str = "",
    **kwargs: Any,
) -> Value:
    """Draw a slider over the field's stops, logarithmic where the stops are, and a box to type in.

    Without a box where a stop means something else than its number. A complaint stands below.

    A value from a link that is no stop gets one, and keeps it for the session: stops that come
    and go would move under the user's hand. So does the value that was typed last.
    """
    stops = stops_of(item)
    # Labels must differ, or two stops would be one to the browser.
    texts = {stop: (show or shown_number)(stop) for stop in stops}
    if len(set(texts.values())) < len(texts):
        texts = {stop: repr(stop) for stop in stops}
    _session().texts[item.key] = texts
    place = kwargs.get("place", "")
    with st.container(key=f"pv_number_{item.key}{place and '_' + place}"):
        value = bound(
            item,
            st.select_slider,
            label,
            options=list(stops),
            format_func=lambda stop: texts.get(stop, str(stop)),
            **kwargs,
        )
        if box:
            _typed(item, label, place, texts, disabled=bool(kwargs.get("disabled")))
        _complain(complaint)
    return value


# Not a widget of Streamlit's: a browser repeats what those hold with every message, so that a box
# could undo what the slider beside it has done meanwhile. This one tells what was typed, once. Its
# program is typed.js, which may come later.
_BOX = st.components.v2.component(
    "privsc_number",
    js="""export default (given) => {
  (window.pvBoxes ??= []).push(given);
  window.pvBox?.();
};
""",
    isolate_styles=False,
)


def _typed(
    item: Field, label: str, place: str, texts: Mapping[float, str], *, disabled: bool
) -> None:
    """Draw the box of a slider: any allowed number may be typed there."""
    key = f"pv_typed_{item.key}{place and '_' + place}"
    value = _session().values[item.slot]
    text = item.written(value)
    if "e" in text and isinstance(value, float):  # as the slider says it
        text = texts.get(value, text)
    said = {
        "text": text,
        "label": f"{label.replace('*', '')}, typed", "off": disabled,
    }  # fmt: skip

    def typed() -> None:
        take(item, st.session_state[key].get("typed"))
        _session().moved |= bool(place)

    _BOX(key=key, data=said, on_typed_change=typed)
    _complain(_session().refused.get(item.key, ""))


def _complain(sentence: str) -> None:
    if sentence:
        st.html(f'<p class="pv-message pv-bad" role="alert">{html.escape(sentence)}</p>')


def take(item: Field, text: object) -> None:
    """Set a number to what was typed, or keep the sentence why it cannot be."""
    session = _session()
    if not isinstance(text, str):
        return  # a client can send anything
    value = item.typed(text)
    if value is None:
        session.refused[item.key] = item.refusal(text)
        return
    session.refused.pop(item.key, None)
    if value != session.values[item.slot]:
        session.set(item, value)
        session.stops.pop(item.key, None)  # of what was typed the last one has a stop
        _write_url()


def number_input(item: Field, label: str, **kwargs: Any) -> Value:
    """Draw a box for a number between the field's ends."""
    cast = int if item.kind == "integer" else float
    limits: dict[str, Any] = {
        name: cast(end)
        for name, end in (("min_value", item.low), ("max_value", item.high))
        if math.isfinite(end)
    }
    return bound(item, st.number_input, label, **limits, **kwargs)


def text_input(item: Field, label: str, **kwargs: Any) -> Value:
    """Draw a box for a text; what does not fit the field's form is left out."""
    return bound(item, st.text_input, label, max_chars=LONGEST, **kwargs)


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


def tabs(item: Field, names: Mapping[str, str]) -> Sequence[TabContainer]:
    """Draw a tab for each of the field's choices, in their order; each knows whether it is open."""
    found: list[Sequence[TabContainer]] = []
    choices = {label: word for word, label in names.items()}
    bound(
        item,
        lambda labels, **kwargs: found.append(st.tabs(labels, **kwargs)),
        [names[word] for word in item.choices],
        to_widget=lambda word: names[str(word)],
        from_widget=choices.get,
    )
    return found[0]


def fold(item: Field, name: str, label: str, *, asked: bool = False) -> ExpanderContainer:
    """Draw a part that can be folded; `item` lists the names of those that are open.

    Parameters
    ----------
    item : Field
        Of kind ``choices``.
    asked : bool
        Whether something else in the link asks for this part: it is open until closed by hand.
    """
    session = _session()
    key = f"w_{item.key}_{name}"
    session.drawn.add(key)
    known: tuple[str, ...] = session.values[item.slot]  # type: ignore[assignment]
    wanted = name in known or (asked and name not in session.folded)
    if st.session_state.get(key) != wanted:
        st.session_state[key] = wanted

    def changed() -> None:
        if key not in st.session_state:
            return  # as above
        session = _session()
        session.folded.add(name)
        now: tuple[str, ...] = session.values[item.slot]  # type: ignore[assignment]
        others = [word for word in now if word != name]
        if item.most:  # one more closes another
            others = others[-(item.most - 1) :]
        chosen = item.valid([*others, name] if st.session_state[key] else others)
        if chosen is not None:
            session.set(item, chosen)
            _write_url()

    return st.expander(label, key=key, on_change=changed)


def _namer(names: Mapping[str, str] | None) -> Callable[[str], str]:
    return lambda word: (names or {}).get(word, word)
