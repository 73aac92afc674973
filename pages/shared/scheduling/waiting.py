"""Waiting for a computation in the visitor's place: seen, stoppable, and never in others' way.

While something takes long, the visitor sees how much of it is done and can stop it. A newer
setting takes over at any moment, and what nobody waits for is dropped.
"""

from __future__ import annotations

import contextlib
import html
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

from pages.shared.scheduling import gate, scheduler
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from streamlit.delta_generator import DeltaGenerator

    from pages.shared.scheduling.scheduler import Task

__all__ = ["again", "alone", "patient", "ring", "wait_briefly", "wait_for", "watch"]

_AT_ONCE = 0.8  # seconds before the bar appears: most answers come sooner
_TICK = 0.25
_BLINK = 0.01
_RARELY = 0.5  # seconds between looks for what nobody rings a bell for
_HALTED = "pv_halted"
_PATIENT = "pv_patient"  # in the session: the part of the page that can wait
_BELLS: dict[str, threading.Event] = {}  # of those who wait, by visitor


class Bar:
    """A bar in a place: it is sent again only where it says something else.

    Who waits for others looks four times a second how far they are, and so do all others who wait.
    """

    def __init__(self, place: DeltaGenerator) -> None:
        self._place, self._drawn = place, ""

    def draw(self, share: float | None, said: str) -> None:
        """Draw it, as `draw` does."""
        now = _html(share, said)
        if now != self._drawn:
            self._place.html(now)
            self._drawn = now


def draw_bar(place: DeltaGenerator, share: float | None, said: str) -> None:
    """Draw the bar in a place, over what was there.

    Parameters
    ----------
    place : DeltaGenerator
    share : float or None
        How much is done, from 0 to 1; None where nobody knows: the bar moves to and fro.
    said : str
        Plain text below it, which is also what the bar is called.
    """
    Bar(place).draw(share, said)


def _html(share: float | None, said: str) -> str:
    text = html.escape(said)
    # The browser's own element: its role and value need no further words.
    value = "" if share is None else f' value="{share:.3f}"'
    return (
        f'<div class="pv-doing"><progress max="1"{value} aria-label="{text}"></progress>'
        f"<p>{text}</p></div>"
    )


def wait_for(
    function: Callable[..., Any],
    *arguments: Hashable,
    kind: Hashable,
    tame: bool = False,
    apart: bool = False,
    long: bool = False,
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
    tame : bool
        Whether a kind that nobody has run yet is taken for quick.
    apart, long : bool
        Whether it is never done in the visitor's own thread, and whether where there is time; see
        scheduler.py.
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
    with scheduler.start(
        function, *arguments, kind=kind, tame=tame, apart=apart, long=long, **keywords
    ) as job:
        # There in any case: what comes after it keeps its place, and stays while this one waits.
        place = st.empty()
        begin = time.monotonic()
        wait = partial(_wait_or_give_way, job) if gives_way else job.wait
        if not job.wait(_BLINK):
            with gate.aside():
                while not wait(_TICK):
                    if time.monotonic() - begin >= _AT_ONCE:
                        _show(job, wait, place, name, what)
                        break
                    st.session_state.get(_HALTED)  # touches the session: a newer run may begin
        return job.result()


def _wait_or_give_way(job: Task, seconds: float) -> bool:
    """Wait for a job; tell whether it has ended. Where the visitor has changed something, begin anew."""
    ended = wait_briefly(job, seconds, _moved)
    if not ended and _moved():
        job.linger()  # what has changed may be elsewhere: then it goes on
        again()
    return ended


def alone() -> bool:
    """Tell whether a part of the page is drawn by itself, and so may begin anew at any time."""
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


def watch(starts: Sequence[Callable[[], Task]]) -> None:
    """Show how much of several computations is done until all have ended, well or not.

    Parameters
    ----------
    starts : sequence of callable
        Each returns the job of one; it is called when those before have ended.
    """
    place, begin = st.empty(), time.monotonic()
    says = Bar(place)
    for done, start in enumerate(starts):
        with contextlib.suppress(InputError), start() as job:
            while not job.wait(_TICK):
                gone = time.monotonic() - begin
                share = (done + (job.progress()[0] or 0.0)) / len(starts)
                st.session_state.get(_HALTED)  # as above
                if gone >= _AT_ONCE:
                    rest = gone * (1.0 / share - 1.0) if share else None
                    says.draw(share, scheduler.done_in_words(share, rest))
    place.empty()


def _show(
    job: Task, wait: Callable[[float], bool], place: DeltaGenerator, name: str, what: Hashable
) -> None:
    """Draw the bar of a job until it has ended."""
    left, right = place.container(key=f"pv_wait_{name}").columns(
        [5, 1], vertical_alignment="center"
    )
    says = Bar(left.empty())
    right.button("Stop", key=f"pv_halt_{name}", on_click=_halt, args=(what,))
    says.draw(*job.progress())
    while not wait(_TICK):
        st.session_state.get(_HALTED)  # as above
        says.draw(*job.progress())
    place.empty()


def wait_briefly(job: Task, seconds: float, changed: Callable[[], bool] | None = None) -> bool:
    """Wait for a job that nothing on the page waits for; tell whether it has ended.

    It ends early as soon as this visitor changes something, or `changed` tells so: a change of a
    control is a fragment's run, which Streamlit does not let interrupt another one.
    """
    changed = changed or _something_changed
    if job.wait(0.0):
        return True
    ends = time.monotonic() + seconds
    with gate.aside(), _bell() as bell, job.ringing(bell):
        while not job.wait(0.0):
            if changed() or (left := ends - time.monotonic()) <= 0.0:
                return False
            bell.wait(min(left, _RARELY))
            bell.clear()
    return True


@contextlib.contextmanager
def _bell() -> Iterator[threading.Event]:
    """Hang up a bell for `ring`."""
    context = get_script_run_ctx()
    visitor = context.session_id if context else ""
    bell = _BELLS[visitor] = threading.Event()
    try:
        yield bell
    finally:
        if _BELLS.get(visitor) is bell:
            del _BELLS[visitor]


def ring(visitor: str) -> None:
    """Tell a visitor's thread, should it wait briefly, that the visitor has changed something."""
    bell = _BELLS.get(visitor)
    if bell is not None:
        bell.set()


def wait_quietly(job: Task, tell: Callable[[], None]) -> bool:
    """Wait for a job that the page is complete without; tell whether it has ended.

    It ends early as `wait_briefly` does. Now and then `tell` is called, to say how far the job is.
    """
    with gate.aside():
        while not wait_briefly(job, _TICK):
            if _something_changed():
                return False
            tell()
    return True


def _something_changed() -> bool:
    """Tell whether this visitor has asked for another run."""
    context = get_script_run_ctx()
    requests = None if context is None else context.script_requests
    # There is no public way to ask that.
    return requests is not None and requests._state is not ScriptRequestType.CONTINUE  # noqa: SLF001 - see above


def patient() -> None:
    """Note that what the part of the page asks for that is drawn now can wait: no control has moved."""
    st.session_state[_PATIENT] = ThreadState.get().fragment_id


def _moved() -> bool:
    """Tell whether this visitor has asked for another run, of more than what can wait."""
    if not _something_changed():
        return False
    requests: Any = get_script_run_ctx().script_requests  # type: ignore[union-attr]
    asked = requests._rerun_data.fragment_id_queue  # noqa: SLF001 - as above
    return not asked or set(asked) != {st.session_state.get(_PATIENT)}


def _halt(what: Hashable) -> None:
    st.session_state[_HALTED] = what


def _go_on() -> None:
    st.session_state.pop(_HALTED, None)
