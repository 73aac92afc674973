"""The one chart of the dashboard: a thin component around ``Plotly.react``.

``st.plotly_chart`` mounts a new figure at every change and so loses zoom and hidden curves; this
one keeps its node. It also keeps the message small: the program travels once, as a static file
(static_files.py); a change carries numbers only, as float32, and no template.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.host import static_files

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["chart", "preload", "seen", "strips"]

# Streamlit sends this text along with every figure, which is why it is short.
_PROGRAM = f"""
{static_files.FIND_FOLDER}
const href = new URL("{static_files.PLOTLY}", folder).href;
document.head.append(Object.assign(document.createElement("link"), {{rel: "preload", as: "script", href}}));
const program = await import(new URL("{static_files.CHART}", folder));
program.prepare(href);
export default program.default;
"""

_STRIPS_PROGRAM = f"""
{static_files.FIND_FOLDER}
export default (await import(new URL("{static_files.CHART}", folder))).strips;
"""

_SEEN_PROGRAM = f"""
{static_files.FIND_FOLDER}
export default (await import(new URL("{static_files.CHART}", folder))).seen;
"""

_COMPONENT = st.components.v2.component("privsc_chart", js=_PROGRAM, isolate_styles=False)
_STRIPS = st.components.v2.component("privsc_strips", js=_STRIPS_PROGRAM, isolate_styles=False)
_SEEN = st.components.v2.component("privsc_seen", js=_SEEN_PROGRAM, isolate_styles=False)


def preload() -> None:
    """Start loading the browser's programs; the shell calls this before the page computes."""
    _COMPONENT(key="chart_preload", data=None)


def chart(
    data: bytes,
    *,
    key: str,
    on_guess: Callable[[str], None] | None = None,
    on_turn: Callable[[str], None] | None = None,
    setting: dict[str, Any] | None = None,
) -> None:
    """Draw a figure that keeps zoom, hidden curves and its place when its data change.

    Parameters
    ----------
    data : bytes
        From payload.py.
    key : str
        Names the chart on its page. The same key keeps the same node.
    on_guess : callable, optional
        Called with `key` when the line of a guess was dragged; the number of samples is then
        in the session state, ``st.session_state[key]["guess"]``.
    on_turn : callable, optional
        Called with `key` when a sphere was turned; from where it is seen then is in
        ``st.session_state[key]["turn"]``, see turn.js.
    setting : dict, optional
        Of a figure that follows sliders while they are dragged: which setting it shows, see
        live.js.
    """
    if setting is not None:  # in one message with the figure, or one would come before the other
        data = json.dumps(setting, separators=(",", ":")).encode() + b"\n" + data
    heard: dict[str, Any] = {
        f"on_{name}_change": functools.partial(hear, key)
        for name, hear in (("guess", on_guess), ("turn", on_turn)) if hear is not None
    }  # fmt: skip
    _COMPONENT(key=key, data=data, **heard)


def strips(data: bytes | None, *, on_ask: Callable[[object], None]) -> None:
    """Mount what asks for the strips of sliders, see live.js, and send one.

    Parameters
    ----------
    data : bytes or None
        A line of JSON, and the frames.
    on_ask : callable
        Called with what the browser asks for, before the next run.
    """
    key = "pv_strips"

    def heard() -> None:
        said = st.session_state.get(key)  # none where the page has been left meanwhile
        if said is not None:
            on_ask(said.get("ask"))

    _STRIPS(key=key, data=data, on_ask_change=heard)


def seen(part: str, soon: str = "") -> bool:
    """Tell whether a part of the page is wanted: as far as the browser has said so, in view.

    When that changes, the fragment is run again that this is called in.

    Parameters
    ----------
    part : str
        Key of the container that this is called in.
    soon : str
        What is to be shown there, where there is time for what nobody looks at: then it is wanted
        once the page has rested, too.
    """
    key = f"{part}_seen"
    told = st.session_state.get(key) or {}
    known = bool(told.get("seen"))
    _SEEN(
        key=key, data={"part": part, "seen": known, "soon": soon},
        on_seen_change=_heard, on_rested_change=_heard,
    )  # fmt: skip
    return known or bool(soon and told.get("rested") == soon)


def _heard() -> None:
    """Have Streamlit run the fragment; what was said is in the session."""
