"""Pin and compare: a setting that is kept beside the one of now, and what has changed since.

In the link it is the key ``pin``: keys and values as a link of this page has them, joined by a
dash, pairs by an underscore. It is read like any link, so a stranger's is data or nothing. It names
no version: what it leaves out is what version 1 showed at first.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.frame import tables
from pages.shared.state import state
from privsc_core.draw.style import changed, integer, number
from privsc_core.evaluate.pinned import changes, moved

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pages.shared.frame import shell
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.pinned import Change
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.parameters import Parameter

NONE = "The pinned setting of this link is not possible here, and is not drawn."

# How the page shows a setting, and with what, goes on as it is now.
_NOT = {"view", "on_map", "learners", "trials", "seed", "tab", "open", "pin", "formula"}
_ALWAYS = {"d", "epsilon"}


def _kept(fields: Mapping[str, state.Field]) -> dict[str, state.Field]:
    # A text may hold what joins the pairs: it stays that of now.
    return {n: item for n, item in fields.items() if n not in _NOT and item.kind != "text"}


def written(fields: Mapping[str, state.Field], now: Mapping[str, Any]) -> str:
    """Return the text of a setting, `now` by the keys of a link."""
    return "_".join(
        f"{item.key}-{item.written(now[item.key])}"
        for name, item in _kept(fields).items()
        if name in _ALWAYS or now[item.key] != item.default_in(1)
    )


def values(fields: Mapping[str, state.Field]) -> dict[str, Any]:
    """Return the pinned values by the names of the fields; none if nothing is pinned, or nonsense."""
    return read(str(state.current()[fields["pin"].key]), fields)


def read(text: str, fields: Mapping[str, state.Field]) -> dict[str, Any]:
    """Return what `written` wrote; nothing for what it cannot have written."""
    if not text:
        return {}
    pairs = [pair.partition("-") for pair in text.split("_")]
    kept = _kept(fields)
    found, notes = state.parse({key: said for key, _, said in pairs}, tuple(kept.values()))
    return {} if notes else {name: found[item.key] for name, item in kept.items()}


def button(fields: Mapping[str, state.Field]) -> None:
    """Draw the buttons that pin the setting of now, and let it go."""
    pinned, other = offered(fields)
    with st.container(key="pv_pin", horizontal=True):
        if other:
            st.button(
                "Pin this instead" if pinned else "Pin this setting",
                key="pv_pin_now", on_click=_pin, args=(fields,),
                help=(
                    "The curves of this setting stay as thin lines while you move the controls, and a table shows "
                    "what changed."
                ),
            )  # fmt: skip
        if pinned:
            st.button("Unpin", key="pv_unpin", on_click=state.assign, kwargs={"pin": ""})


def offered(fields: Mapping[str, state.Field]) -> tuple[bool, bool]:
    """Return whether a setting is pinned, and whether that of now can be pinned: it is another one."""
    now = state.current()
    return bool(now["pin"]), now["pin"] != written(fields, now)


def _pin(fields: Mapping[str, state.Field]) -> None:
    """Pin the setting of the moment of the click: sliders may have been moved since the button was drawn."""
    state.assign(pin=written(fields, state.current()))


def inside(
    pinned: Scenario, before: Numbers, scenario: Scenario, now: Numbers, mode: shell.Mode
) -> str:
    """Return the HTML of it: a table, or before an audience a line."""
    found = changes(before, now, scenario.learners)
    known = scenario.concept_class.parameter
    return said(moved(pinned, scenario), found, known, mode, of="least m: ")


def said(
    parameters: Sequence[Change], numbers: Sequence[Change], known: Callable[[str], Parameter],
    mode: shell.Mode, of: str = "",
) -> str:  # fmt: skip
    """Return the HTML of what has changed: parameters, and numbers; `of` stands before their names."""
    settings = [(_symbol(each, known), _shown(each)) for each in parameters]
    learners = [
        (each.name, (integer(each.before), integer(each.now), changed(each.factor)))  # type: ignore[arg-type]
        for each in numbers
    ]
    if mode == "present":
        parts = [
            f"{name} {then} → {here}" + (f" ({factor})" if factor != "–" else "")
            for name, (then, here, factor) in (*settings, *learners)
            if then != here
        ]
        return f"<p>Since it was pinned: {html.escape('; '.join(parts) or 'nothing changed')}.</p>"
    caption = "Since the setting was pinned."
    if not settings:
        caption += " Nothing has been changed yet: move a control."
    rows = [*settings, *((f"{of}{title}", cells) for title, cells in learners)]
    return tables.table(
        ("what", "pinned", "now", "factor"), [(name, *cells) for name, cells in rows],
        label="What has changed", numeric=(1, 2, 3), caption=caption,
    )  # fmt: skip


def _symbol(change: Change, known: Callable[[str], Parameter]) -> str:
    numeric = isinstance(change.now, int | float)
    return known(change.name).symbol if numeric else change.name


def _shown(change: Change) -> tuple[str, str, str]:
    texts = [
        number(v) if isinstance(v, int | float) else str(v) for v in (change.before, change.now)
    ]
    return texts[0], texts[1], changed(change.factor)
