"""The lecturer's side of a room: open it, see who has answered, ask, reveal, close.

What a room is stands in `pages.shared.room.rooms`. The secret that opens it to its lecturer is in this
session's address, and in no link, code or file that leaves it.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from pages.shared.frame import shell
from pages.shared.hall import code
from pages.shared.room import guessed, rooms
from pages.shared.room.question import Axis, Question
from pages.shared.room.store import StoreError
from pages.shared.state import state
from pages.shared.state.fields import PRESENTING
from privsc_core.draw.prediction import per_dot
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pages.shared.room.rooms import Seen

ANSWERS = Axis(low=1.0, high=1e7, log=True, label="Your prediction of m")
_HERE = Path(__file__)
_PROGRAM = st.components.v2.component(
    "privsc_room",
    js=code.JS + _HERE.with_suffix(".js").read_text(encoding="utf-8"),
    css=code.CSS,
    isolate_styles=False,
)
# What of a link does not change what a question asks.
_ASIDE = {"v", "open", "tab", *PRESENTING}
# In the session: what could not be done with the room, in a sentence; what was revealed last, by its number; the
# question that this screen asked last, of which room and at which setting.
_TROUBLE, _REVEALED, _ASKED = "pv_room_trouble", "pv_room_revealed", "pv_room_asked"
_OPENED = "pv_room_opened"  # in the session until the code of a new room is on the screen
_FAILS = "The server cannot read the answers of phones just now. The page goes on without phones."
_GONE = (
    "This server does not know the room of this address any more. Open it again: if the phones are still there, they "
    "come back by themselves. Questions that were asked before are lost."
)


class Revealed(NamedTuple):
    """What an audience has answered to a question that was revealed.

    Attributes
    ----------
    answers : int
        How many.
    places : tuple of (float, int)
        Positions on the axis, and how many answers lie there; empty for a question with choices.
    counts : tuple of int
        How many chose each choice; empty for a question for a number.
    median, within : float or None
        As for `guesses.of_numbers`.
    """

    answers: int
    places: tuple[tuple[float, int], ...]
    counts: tuple[int, ...]
    median: float | None
    within: float | None


class _Asking(NamedTuple):
    secret: str
    question: Question
    setting: tuple[tuple[str, str], ...]


def _setting() -> tuple[tuple[str, str], ...]:
    """Return what of the link changes a question."""
    return tuple(sorted(item for item in state.link().items() if item[0] not in _ASIDE))


def secret() -> str:
    """Return the secret of the room of this session, on whichever page; empty where there is none."""
    return str(state.the_session().values.get(PRESENTING["room"].slot, ""))


@contextlib.contextmanager
def _safely() -> Iterator[None]:
    """Keep in a sentence what a room refuses: a lecture goes on without it."""
    try:
        yield
    except StoreError:  # one kind of the other
        st.session_state[_TROUBLE] = _FAILS
    except InputError as refused:
        st.session_state[_TROUBLE] = str(refused)


def present() -> bool:
    """Return whether this session has a room that is open."""
    seen = _seen()
    return seen is not None and _is_open(seen)


def _is_open(seen: Seen) -> bool:
    return seen.phase not in {"closed", "gone"}


def _seen() -> Seen | None:
    seen = None
    if secret():
        with _safely():
            seen = rooms.the_rooms().seen(secret())
    return seen


# --- Asking and revealing ------------------------------------------------------------------------


def ask(
    place: str,
    words: str,
    choices: tuple[str, ...] = (),
    *,
    truth: float | None = None,
    told: str = "",
    feedback: tuple[str, ...] = (),
) -> None:
    """Ask a question in the room of this session, if there is one and it is not the one that it asks now.

    Parameters
    ----------
    place : str
        Of the question: a page, or a lecture and a scene.
    words : str
        Plain text.
    choices : tuple of str
        What can be chosen; empty where the answer is a number of examples.
    truth : float, optional
        The right number, or the index of the right choice.
    told : str
        The same in words.
    feedback : tuple of str
        For each choice; may be empty.
    """
    if not present():
        return
    setting = _setting()
    digest = hashlib.sha256(repr((words, setting)).encode()).hexdigest()[:8]
    with _safely():
        question = Question(
            id=f"{place}.{digest}", text=words, choices=choices, axis=None if choices else ANSWERS,
            truth=truth, truth_text=told, feedback=feedback,
        )  # fmt: skip
        before: _Asking | None = st.session_state.get(_ASKED)
        # Once: two screens of one room do not take turns in asking.
        if before is None or (before.secret, before.question.id) != (secret(), question.id):
            rooms.the_rooms().ask(secret(), question)
        st.session_state[_ASKED] = _Asking(secret(), question, setting)


def reveal() -> int:
    """Reveal the present question to the phones; return the median of the answers as a guess, 0 for none."""
    if not present():
        return 0
    asking: _Asking | None = st.session_state.get(_ASKED)
    with _safely():
        rooms.the_rooms().reveal(
            secret(), asking.question if asking and asking.secret == secret() else None
        )
    found = revealed("")
    return max(1, round(found.median)) if found and found.median else 0


def revealed(place: str) -> Revealed | None:
    """Return what was answered to the question of a place, if that is the one that was revealed last."""
    seen = _seen()
    if seen is None or seen.phase != "revealed":
        return None
    if place and not seen.question.startswith(f"{place}."):
        return None
    asking: _Asking | None = st.session_state.get(_ASKED)
    if place and asking and asking.question.id == seen.question and asking.setting != _setting():
        return None  # answers to the question at another setting
    kept: tuple[object, Revealed | None] = st.session_state.get(_REVEALED, (None, None))
    if kept[0] == (seen.question, seen.number):
        return kept[1]
    found = None
    with _safely():
        for question, answers in rooms.the_rooms().record(secret()):
            if question.id == seen.question:
                told = question.result(answers)
                places, counts = told["answers"], ()
                if question.choices:
                    places, counts = counts, places
                found = Revealed(
                    len(answers), tuple(places), tuple(counts), told["median"], told["within"]
                )
    st.session_state[_REVEALED] = ((seen.question, seen.number), found)
    return found


def said(found: Revealed) -> str:
    """Return in words what an audience has answered."""
    if not found.answers:
        return "No phone has answered."
    many = f"{found.answers:,}"
    if found.median is None:
        return "1 phone has answered." if found.answers == 1 else f"{many} phones have answered."
    line = (
        "The line is the one answer"
        if found.answers == 1
        else f"The line is the median of {many} answers"
    )
    near = (
        ""
        if found.within is None
        else f"; {found.within:.0%} of all answers are within a factor of two"
    )
    each = per_dot(found.places)
    dots = "" if each == 1 else f" A dot stands for up to {each} answers."
    return f"{line}{near}.{dots}"


# --- What is on the lecturer's screen ------------------------------------------------------------


def show() -> None:
    """Draw the room: the button that opens one; its letters, how many have answered, and what can be done."""
    if not rooms.available():
        return
    trouble = st.session_state.pop(_TROUBLE, "")
    seen = _seen()
    trouble = st.session_state.pop(_TROUBLE, "") or trouble
    if seen is None or not _is_open(seen):
        gone = seen is not None and seen.phase == "gone"
        st.button(
            "Open this room again" if gone else "Open a room", key="pv_room_open",
            on_click=_begin, args=(secret() if gone else "",),
            help="Phones answer the questions of this lecture: they scan a code, or type six letters.",
        )  # fmt: skip
        trouble = trouble or (_GONE if gone else "")
    else:
        address = _join(seen.code)
        note = code.LOCAL.replace("*", "").replace("`", "") if code.stays_here(address) else ""
        data = {
            "code": seen.code, "secret": secret(), "url": address, "svg": code.qr_svg(address),
            "title": f"Answer with your phone: {seen.code}", "note": note,
            "opened": st.session_state.pop(_OPENED, False),
        }  # fmt: skip
        _PROGRAM(key="pv_room", data=data)
    if seen is not None and seen.phase != "gone":
        with st.popover("Room"):
            _menu(seen)
    if trouble:
        shell.message(trouble)


def _join(letters: str) -> str:
    """Return the address that phones open: beside the page of the lecturer."""
    url = urlsplit(st.context.url or "")
    return urlunsplit(
        (url.scheme, url.netloc, f"{url.path.rpartition('/')[0]}/join/{letters}", "", "")
    )


def _menu(seen: Seen) -> None:
    if _is_open(seen):
        if seen.stopped:
            st.button("Let phones in", key="pv_room_on", on_click=_do, args=("on",))
        else:
            st.button("Stop new phones", key="pv_room_stop", on_click=_do, args=("stop",))
        st.button(
            "Put all phones out", key="pv_room_clear", on_click=_do, args=("clear",),
            help="Drops their answers to questions that are not revealed as well. Phones may join again"
            f"{' once you let phones in' if seen.stopped else ''}.",
        )  # fmt: skip
        st.button(
            "New letters", key="pv_room_letters", on_click=_do, args=("letters",),
            help="Phones that are in stay in; others need the new letters.",
        )  # fmt: skip
        st.button("Close the room", key="pv_room_close", on_click=_do, args=("close",))
    if seen.anew:
        st.caption(
            "The memory of the rooms was lost and has begun anew. Phones join and send their answers again by themselves."
        )
    held = secret()  # the files are made at the click
    st.download_button(
        "How the audience guessed (HTML)", data=lambda: guessed.page(_record(held)), mime="text/html",
        file_name="how-the-audience-guessed.html", key="pv_room_html", on_click="ignore",
    )  # fmt: skip
    st.download_button(
        "All answers (zip)", data=lambda: guessed.packed(_record(held)), mime="application/zip",
        file_name="answers.zip", key="pv_room_zip", on_click="ignore",
    )  # fmt: skip


def _record(held: str) -> guessed.Record:
    """Return the questions that phones have answered, with the answers."""
    return [(question, given) for question, given in rooms.the_rooms().record(held) if given]


def _begin(again: str) -> None:
    """Open a room, or one of before by its secret."""
    with _safely():
        _, opened = rooms.the_rooms().open_room(again)
        st.session_state[_OPENED] = True
        st.session_state.pop(_ASKED, None)  # the room has no question yet
        state.assign(room=opened, guess=0)


def _do(what: str) -> None:
    with _safely():
        known = rooms.the_rooms()
        if what == "clear":
            known.clear(secret())
        elif what == "letters":
            known.reopen(secret())
        elif what == "close":
            known.close(secret())
        else:
            known.stop(secret(), stopped=what == "stop")
