"""The class of the laboratory in a link, and the control that picks it: two pages show it."""

from __future__ import annotations

import streamlit as st

from pages.shared.frame import shell
from pages.shared.state import state
from privsc_core.errors import InputError
from privsc_core.finite import READY
from privsc_core.finite.ready import FORM, LONGEST, example, parts

OF = state.Field(
    key="of", kind="text", default="thresholds-8", name="class", pattern=FORM, longest=LONGEST,
    form="a ready-made class, such as thresholds-8, or the code of a matrix", scope="laboratory",
)  # fmt: skip
_SIZE = "size"  # of a ready-made class: what complaints about it are kept by


def choose(asked: str) -> None:
    """Show another class, from a callback."""
    state.assign(**{OF.key: asked})


def picked() -> None:
    """Draw the choice among ready-made classes, and the sizes of the one that is shown."""
    asked = str(state.current()[OF.key])
    names = {example(entry): entry.title for entry in READY}
    try:
        entry, sizes = parts(asked)
    except InputError:
        entry, sizes = None, ()
    own = "your own"
    now = example(entry) if entry else own

    def pick() -> None:
        word = st.session_state.get("pv_ready")
        if word in names:
            choose(word)

    st.session_state["pv_ready"] = now
    st.selectbox(
        "Ready-made class", [own, *names], key="pv_ready", on_change=pick,
        format_func=lambda word: names.get(word, "your own matrix"),
    )  # fmt: skip
    if entry is None:
        return
    for place, (i, size) in zip(st.columns(len(sizes)), enumerate(entry.sizes), strict=True):
        key = f"pv_size_{entry.name}_{i}"
        st.session_state[key] = sizes[i]

        def resize(key: str = key, i: int = i) -> None:
            if key not in st.session_state:
                return  # of a page that was left since
            given = int(st.session_state[key])
            size = entry.sizes[i]
            if size.low <= given <= size.high:
                choose("-".join([entry.name, *map(str, [*sizes[:i], given, *sizes[i + 1 :]])]))
            else:
                requirement = f"must be a whole number from {size.low} to {size.high}"
                state.refuse(_SIZE, str(InputError(size.name, requirement, given)))

        # Not the browser but a sentence says what a size can be, see `controls.number_input`.
        place.number_input(size.name.capitalize(), step=1, key=key, on_change=resize)
    complain(_SIZE)


def there(file: str, label: str) -> None:
    """Draw the link to the other page that shows the class."""
    st.page_link(file, label=label, query_params=state.carried(OF))


def complain(what: str) -> None:
    """Draw the sentence why something that was asked for cannot be, if there is one."""
    if refused := state.complaint(what):
        shell.message(refused)
