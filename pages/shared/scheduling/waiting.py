"""Waiting for a computation: the visitor sees how much is done and can stop it.

A newer setting takes over at any moment. A computation is stopped when its last visitor leaves.
"""

from __future__ import annotations

import contextlib
import html
import time
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequestType
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

from pages.shared.scheduling import gate, scheduler
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from streamlit.delta_generator import DeltaGenerator

    from pages.shared.scheduling.scheduler import Place, Task

_AT_ONCE = 0.8  # seconds before the bar appears: most answers come sooner
_TICK = 0.25
_BLINK = 0.01
_RARELY = 0.5  # seconds between two looks for changes that wake no thread
_MINUTES = 90.0  # seconds; from here on in minutes
_HALTED = "pv_halted"
_PATIENT = "pv_patient"  # in the session: the part of the page that can wait
# Of visitors who wait, by session: done when they change something.
_CHANGES: dict[str, Future[None]] = {}


class Bar:
    """A bar that shows how much is done; it is sent again only when it has changed.

    Each run that waits draws it four times a second, and while a task is queued it rarely changes.
    """

    def __init__(self, place: DeltaGenerator) -> None:
        self._place, self._drawn = place, ""

    def draw(self, share: float | None, said: str) -> None:
        """Draw it over what was there.

        Parameters
        ----------
        share : float or None
            How much is done, from 0 to 1; None if unknown: the bar moves to and fro.
        said : str
            Plain text below it, which is also what the bar is called.
        """
        text = html.escape(said)
        # The browser's own element: its role and value need no further words.
        value = "" if share is None else f' value="{share:.3f}"'
        now = (
            f'<div class="pv-doing"><progress max="1"{value} aria-label="{text}"></progress>'
            f"<p>{text}</p></div>"
        )
        if now != self._drawn:
            self._place.html(now)
            self._drawn = now


def done_in_words(share: float, seconds: float | None = None) -> str:
    """Return in words how much is done, and how many seconds are left where that is known."""
    if seconds is None:
        rest = ""
    elif seconds < 1.5:
        rest = ", about a second left"
    elif seconds < _MINUTES:
        rest = f", about {seconds:.0f} s left"
    else:
        rest = f", about {seconds / 60:.0f} minutes left"
    return f"Computing … {100 * share:.0f} %{rest}"


def status(task: Task) -> tuple[float | None, str]:
    """Return how much of a task is done, None if unknown, and where it stands in words."""
    share, seconds = task.progress()
    if share is not None:
        return share, done_in_words(share, seconds)
    if task.state == "running":
        return None, f"Computing for {time.monotonic() - task.began:.0f} s"
    n, s = task.ahead, "s" if task.ahead != 1 else ""
    waits = f"Queued: {n} longer computation{s} of other visitors first."
    return None, waits if task.state == "waiting" else ""


def wait_for(
    function: Callable[..., Any],
    *arguments: Hashable,
    kind: Hashable,
    run_in: Place = "any",
    where: str = "",
    gives_way: bool = False,
    **keywords: Any,
) -> Any:
    """Return the value of a call; while it takes long, show how much is done.

    Parameters
    ----------
    function : callable
        Of the core.
    *arguments, **keywords
        Hashable; what the result depends on.
    kind : hashable
        What the time depends on, see scheduler.py.
    run_in : Place
        Where it may run, see scheduler.py.
    where : str
        Tells places of a page apart that ask for the same function.
    gives_way : bool
        Whether this run begins anew, with what the visitor has changed meanwhile: Streamlit has a change
        in a part of the page wait for its end otherwise. Not for what a button has begun, of which the
        new run would not know, and not before there is something to see.

    Raises
    ------
    InputError
        For bad input, for what takes more than this server allows, and when it was stopped.
    """
    what = (function.__name__, arguments, tuple(sorted(keywords.items())))
    # A page may wait for one function twice in a run, with other arguments.
    name = f"{function.__name__}{where}_{hash(what) & 0xFFFFFFFF:x}"
    if st.session_state.get(_HALTED) == what:
        st.button("Compute it after all", key=f"pv_go_on_{name}", on_click=_go_on)
        raise InputError("This computation", "must run to its end to be shown", "a stop")
    with scheduler.start(function, *arguments, kind=kind, run_in=run_in, **keywords) as task:
        # There in any case: what comes after it keeps its place, and stays while this one waits.
        shown = st.empty()
        begin, says = time.monotonic(), None
        if not task.wait(_BLINK):
            with gate.aside():
                while not _ended_soon(task, gives_way=gives_way):
                    if says is None and time.monotonic() - begin >= _AT_ONCE:
                        says = _bar_and_button(shown, name, what)
                    if says is not None:
                        says.draw(*status(task))
                if says is not None:
                    shown.empty()
        return task.result()


def _ended_soon(task: Task, *, gives_way: bool) -> bool:
    """Wait for a moment; tell whether a task has ended. If it gives way to a change, begin anew."""
    st.session_state.get(_HALTED)  # touches the session: a newer run may begin
    if not gives_way:
        return task.wait(_TICK)
    ended = wait_briefly(task, _TICK, _moved)
    if not ended and _moved():
        task.linger()  # what has changed may be elsewhere: then it goes on
        again()
    return ended


def _bar_and_button(place: DeltaGenerator, name: str, what: Hashable) -> Bar:
    left, right = place.container(key=f"pv_wait_{name}").columns(
        [5, 1], vertical_alignment="center"
    )
    bar = Bar(left.empty())
    right.button("Stop", key=f"pv_halt_{name}", on_click=_halt, args=(what,))
    return bar


def alone() -> bool:
    """Return whether a part of the page is drawn by itself, and so may begin anew at any time."""
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


def again() -> None:
    """Run once more: a longer computation goes step by step, and every step can be its last.

    A part of the page that is drawn inside another one begins anew with that.
    """
    context = get_script_run_ctx()
    begun = context.fragment_ids_this_run if context else None
    if begun:
        here = ThreadState.get().fragment_id
        with ThreadState.scoped(fragment_id=here if here in begun else begun[0]):
            st.rerun(scope="fragment")
    st.rerun()  # the whole page


def afterwards(*parts: str) -> None:
    """Have parts of the page drawn, by the keys of their fragments, when this run has ended.

    Parts that the page has not are left out.
    """
    st.session_state.get(_HALTED)  # as above: this request would take the place of a newer one
    context = get_script_run_ctx()
    if context is None or context.script_requests is None:
        return
    found = list[str]()
    for part in parts:
        with contextlib.suppress(StreamlitAPIException):
            found += context.fragment_storage.resolve_target(part)
    if found:
        context.script_requests.request_rerun(
            RerunData(
                query_string=context.query_string, page_script_hash=context.page_script_hash,
                fragment_id_queue=found, cached_message_hashes=context.cached_message_hashes,
                context_info=context.context_info,
            )
        )  # fmt: skip


def watch(starts: Sequence[Callable[[], Task]]) -> None:
    """Show how much of several computations is done until all have ended, well or not.

    Parameters
    ----------
    starts : sequence of callable
        Each returns the task of one; it is called when those before have ended.
    """
    place, begin = st.empty(), time.monotonic()
    says = Bar(place)
    for done, start in enumerate(starts):
        with contextlib.suppress(InputError), start() as task:
            while not task.wait(_TICK):
                gone = time.monotonic() - begin
                share = (done + (task.progress()[0] or 0.0)) / len(starts)
                st.session_state.get(_HALTED)  # as above
                if gone >= _AT_ONCE:
                    rest = gone * (1.0 / share - 1.0) if share else None
                    says.draw(share, done_in_words(share, rest))
    place.empty()


def wait_briefly(task: Task, seconds: float, changed: Callable[[], bool] | None = None) -> bool:
    """Wait for a task that nothing on the page waits for; tell whether it has ended.

    It ends early as soon as this visitor changes something, or `changed` tells so: a change of a
    control is a fragment's run, which Streamlit does not let interrupt another one.
    """
    if task.wait(0.0):
        return True
    changed = changed or _something_changed
    context = get_script_run_ctx()
    visitor = context.session_id if context else ""
    ends = time.monotonic() + seconds
    change = Future[None]()
    with gate.aside():
        try:
            while True:
                # Before the look: a change that comes after it completes this one.
                _CHANGES[visitor] = change
                left = ends - time.monotonic()
                if task.wait(0.0) or left <= 0.0 or changed():
                    break
                wait((task.ended, change), min(left, _RARELY), FIRST_COMPLETED)
                change = Future()
        finally:  # Streamlit may end this run in `changed`
            if _CHANGES.get(visitor) is change:  # not that of the run that comes after this one
                _CHANGES.pop(visitor, None)
    return task.wait(0.0)


def note_change(visitor: str) -> None:
    """Wake a visitor's thread, should it wait: the visitor has changed something."""
    change = _CHANGES.pop(visitor, None)
    if change is not None:
        change.set_result(None)


def wait_quietly(task: Task, tell: Callable[[], None]) -> bool:
    """Wait for a task that the page is complete without; tell whether it has ended.

    It ends early as `wait_briefly` does. Now and then `tell` is called, to say how far the task is.
    """
    with gate.aside():
        while not wait_briefly(task, _TICK):
            if _something_changed():
                return False
            tell()
    return True


def _something_changed() -> bool:
    """Return whether this visitor has asked for another run."""
    context = get_script_run_ctx()
    requests = None if context is None else context.script_requests
    # There is no public way to ask that.
    return requests is not None and requests._state is not ScriptRequestType.CONTINUE  # noqa: SLF001 - see above


def patient() -> None:
    """Note that what the part of the page asks for that is drawn now can wait: no control has moved."""
    st.session_state[_PATIENT] = ThreadState.get().fragment_id


def _moved() -> bool:
    """Return whether this visitor has asked for another run, of more than what can wait."""
    if not _something_changed():
        return False
    requests: Any = get_script_run_ctx().script_requests  # type: ignore[union-attr]
    asked = requests._rerun_data.fragment_id_queue  # noqa: SLF001 - as above
    return not asked or set(asked) != {st.session_state.get(_PATIENT)}


def _halt(what: Hashable) -> None:
    st.session_state[_HALTED] = what


def _go_on() -> None:
    st.session_state.pop(_HALTED, None)
