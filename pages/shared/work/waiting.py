"""Waiting for a computation in the visitor's place: seen, stoppable, and never in others' way.

While something takes long, the visitor sees where it stands and can stop it; every update is also
a moment at which a newer setting takes over, and what nobody waits for is dropped.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

from pages.shared.work import office
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["wait_briefly", "wait_for"]

_AT_ONCE = 0.25  # seconds before words appear: most answers come sooner
_TICK = 0.3
_BLINK = 0.01
_HALTED = "pv_halted"


def wait_for(
    function: Callable[..., Any],
    *arguments: Hashable,
    kind: Hashable,
    tame: bool = False,
    where: str = "",
    **keywords: Any,
) -> Any:
    """Return the value of a call; while it takes long, say where it stands.

    Parameters
    ----------
    function : callable
        Of the core.
    *arguments, **keywords
        Hashable; what the result depends on.
    kind : hashable
        What the time depends on, see office.py.
    tame : bool
        Whether a kind that nobody has run yet is taken for quick.
    where : str
        Tells places of a page apart that ask for the same function.

    Raises
    ------
    InputError
        For bad input, for what takes more than this server allows, and when it was stopped.
    """
    what = (function.__name__, arguments, tuple(sorted(keywords.items())))
    name = f"{function.__name__}{where}"
    if st.session_state.get(_HALTED) == what:
        st.button("Compute it after all", key=f"pv_go_on_{name}", on_click=_go_on)
        raise InputError("This computation", "must run to its end to be shown", "a stop")
    with office.start(function, *arguments, kind=kind, tame=tame, **keywords) as job:
        if not job.wait(_AT_ONCE):
            place = st.empty()
            with place.container(horizontal=True, vertical_alignment="center"):
                says = st.empty()
                st.button("Stop", key=f"pv_halt_{name}", on_click=_halt, args=(what,))
            while not job.wait(_TICK):
                says.markdown(job.words)
            place.empty()
        return job.result()


def wait_briefly(job: office.Job, seconds: float) -> bool:
    """Wait for a job that nothing on the page waits for; tell whether it has ended.

    It ends early as soon as this visitor changes something: a change of a control is a fragment's
    run, which Streamlit does not let interrupt another one.
    """
    ends = time.monotonic() + seconds
    context = get_script_run_ctx()
    requests = None if context is None else context.script_requests
    while not job.wait(_BLINK):
        # There is no public way to ask whether somebody wants this run to end.
        if requests is not None and requests._state is not ScriptRequestType.CONTINUE:  # noqa: SLF001 - see above
            return False
        if time.monotonic() > ends:
            return False
    return True


def _halt(what: Hashable) -> None:
    st.session_state[_HALTED] = what


def _go_on() -> None:
    st.session_state.pop(_HALTED, None)
