"""The controls of a page: each shows and sets one field of its state."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

from pages.shared.state.link import shown_number
from pages.shared.state.state import the_session, write_url

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from streamlit.elements.lib.mutable_expander_container import ExpanderContainer
    from streamlit.elements.lib.mutable_tab_container import TabContainer
    from streamlit.runtime.fragment import FragmentStorage

    from pages.shared.state.link import Field, Value

_NOTHING = object()

# The part of a page that is its controls, and the part that follows them, by the keys of fragments.
PART, FOLLOWS = "pv_controls", "pv_follows"


def answers(parts: FragmentStorage, moved: str) -> str:
    """Return the part of a page that is drawn when a control in a part is moved; empty for the whole page.

    It is the same part, but for the controls of a figure: the browser shows where they are.
    """
    if not parts.contains(moved):
        return ""
    try:  # the one that was drawn last: while a page is drawn anew, parts of before are still known
        return parts.resolve_target(FOLLOWS)[-1] if moved in parts.resolve_target(PART) else moved
    except StreamlitAPIException:  # the page has no such parts
        return moved


def note(shown: dict[str, object]) -> None:
    """Keep what the controls of the page show in the browser: their values, by their keys, and more."""
    the_session().shown = shown


def noted() -> dict[str, object]:
    """Return what the controls of the page show in the browser, where visitors have moved some."""
    return the_session().shown


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

    What the field cannot be is refused in a sentence below it, and the widget goes back; a text stays, to
    be mended. A field can be shown a second time on its page, at a `place`: see `state.moved`.

    The widget's own entry in the session state is only assigned when it differs: assigning it
    at every run would send an old value back to a slider that the user has moved on since. Else
    the value is where the widget starts: a browser that has forgotten it, as one may whose page
    changes its shape while another run ends, would begin at the first of all, and say so.
    """
    key = f"w_{item.key}_{place}" if place else f"w_{item.key}"
    session = the_session()
    session.drawn.add(key)
    wanted = to_widget(session.values[item.slot])
    if item.kind == "text" and item.key in session.refused:
        wanted = st.session_state.get(key, wanted)
    if st.session_state.get(key, _NOTHING) != wanted:
        st.session_state[key] = wanted
    else:
        kwargs |= _start(widget, args, wanted)

    def changed() -> None:
        if key not in st.session_state:
            return  # of a page that was left since: the change came too late
        given = st.session_state[key]
        value = item.valid(from_widget(given))
        if value is not None:
            the_session().set(item, value)
            the_session().moved |= bool(place)
            the_session().shown[item.key] = value
            write_url()
        else:
            text = shown_number(given) if isinstance(given, float) else str(given)
            the_session().refused[item.key] = item.refusal(text)
        _drawn()

    widget(*args, key=key, on_change=changed, **kwargs)
    if widget is not st.select_slider:  # whose box says it
        _complain(session.refused.get(item.key, ""))
    return session.values[item.slot]


def _drawn() -> None:
    """Rerun the page if the changed control lies outside the fragments being rerun.

    What is said in one go the browser packs into one message, in the name of the part that spoke
    last: a slider was let go just when the page had rested (seen.js), or a strip was wanted.
    """
    context = get_script_run_ctx()
    if context and context.fragment_ids_this_run:
        here = answers(context.fragment_storage, ThreadState.get().fragment_id or "")
        if here not in context.fragment_ids_this_run:
            st.rerun()


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
    session = the_session()
    cast = int if item.kind == "integer" else float
    stops = {cast(stop) for stop in session.stops.get(item.key, item.stops)}
    value = session.values[item.slot]
    if value not in stops:
        stops.add(value)  # type: ignore[arg-type]
        session.stops[item.key] = tuple(sorted(stops))
    return tuple(sorted(stops))


def texts_of(item: Field) -> list[str] | None:
    """Return what the slider of a number says at each stop, or None while there is no slider."""
    texts = the_session().texts.get(item.key, {})
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
    the_session().texts[item.key] = texts
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
    value = the_session().values[item.slot]
    # As the slider says it, which typed.js writes there too, if that is all of the number.
    text = texts.get(value, "").replace(",", "") if isinstance(value, int | float) else ""
    if item.typed(text) != value:
        text = item.written(value)
    said = {
        "text": text,
        "label": f"{label.replace('*', '')}, typed", "off": disabled,
        "refused": item.key in the_session().refused,
    }  # fmt: skip

    def typed() -> None:
        take(item, st.session_state[key].get("typed"))
        the_session().moved |= bool(place)
        _drawn()

    _BOX(key=key, data=said, on_typed_change=typed)
    _complain(the_session().refused.get(item.key, ""))


def _complain(sentence: str) -> None:
    if sentence:
        st.html(f'<p class="pv-message pv-bad" role="alert">{html.escape(sentence)}</p>')


def take(item: Field, text: object) -> None:
    """Set a number to what was typed, or keep the sentence why it cannot be."""
    session = the_session()
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
        write_url()


def number_input(item: Field, label: str, **kwargs: Any) -> Value:
    """Draw a box for a number; one beyond the field's ends is refused.

    Not by the browser: its sentence names neither the number nor what was typed, and stays when the
    ends have changed.
    """
    if item.kind == "integer":
        kwargs["step"] = 1
    return bound(item, st.number_input, label, **kwargs)


def text_input(item: Field, label: str, **kwargs: Any) -> Value:
    """Draw a box for a text; what does not fit the field's form is left out."""
    return bound(item, st.text_input, label, max_chars=item.longest, **kwargs)


def select(item: Field, label: str, *, names: Mapping[str, str] | None = None, **kw: Any) -> Value:
    """Draw a drop-down list of the field's choices."""
    return bound(item, st.selectbox, label, item.choices, format_func=_namer(names), **kw)


def segmented(
    item: Field, label: str, *, names: Mapping[str, str] | None = None, **kw: Any
) -> Value:
    """Draw a row of buttons, exactly one of them pressed."""
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


def unfolded(item: Field, name: str, *, asked: bool = False) -> bool:
    """Return whether a part is open: a link names it, or something in it was asked for; see `fold`."""
    session = the_session()
    if asked:
        session.asked.add(name)
    known: tuple[str, ...] = session.values[item.slot]  # type: ignore[assignment]
    return name in known or (name in session.asked and name not in session.folded)


def fold(item: Field, name: str, label: str, *, asked: bool = False) -> ExpanderContainer:
    """Draw a part that can be folded; `item` lists the names of those that are open.

    Parameters
    ----------
    item : Field
        Of kind ``choices``.
    asked : bool
        Whether something else in the link asks for this part: it is open until closed by hand.
    """
    session = the_session()
    key = f"w_{item.key}_{name}"
    session.drawn.add(key)
    wanted = unfolded(item, name, asked=asked)
    # To Streamlit another title makes another part, which would start closed.
    if st.session_state.get(key) != wanted or session.titles.get(name, label) != label:
        st.session_state[key] = wanted
    session.titles[name] = label

    def changed() -> None:
        if key not in st.session_state:
            return  # as above
        session = the_session()
        session.folded.add(name)
        now: tuple[str, ...] = session.values[item.slot]  # type: ignore[assignment]
        others = [word for word in now if word != name]
        if item.most:  # one more closes another
            others = others[-(item.most - 1) :]
        chosen = item.valid([*others, name] if st.session_state[key] else others)
        if chosen is not None:
            session.set(item, chosen)
            write_url()
        _drawn()

    return st.expander(label, key=key, on_change=changed)


def _namer(names: Mapping[str, str] | None) -> Callable[[str], str]:
    return lambda word: (names or {}).get(word, word)
